/** One line of a change; unchanged ones carry a space. */
export interface DiffLine {
  readonly sign: ' ' | '+' | '-';
  readonly text: string;
}

/** More cells than this in the table of common lines, and the change is told as one block out, one block in. */
const mostCells = 4_000_000;

/** What changes between two texts, line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const head = commonLength(old, fresh);
  const tail = commonLength(old.slice(head).reverse(), fresh.slice(head).reverse());
  return [
    ...old.slice(0, head).map(unchanged),
    ...changed(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...old.slice(old.length - tail).map(unchanged),
  ];
}

/** A text that ends with a line break has no empty line after it; an empty text has none at all. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
}

const unchanged = (text: string): DiffLine => ({ sign: ' ', text });
const removed = (text: string): DiffLine => ({ sign: '-', text });
const added = (text: string): DiffLine => ({ sign: '+', text });

function commonLength(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  for (let at = 0; at < most; at += 1) if (a[at] !== b[at]) return at;
  return most;
}

/** By the longest common run of lines; removed ones stand before the added ones that take their place. */
function changed(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length * fresh.length > mostCells) return [...old.map(removed), ...fresh.map(added)];
  const width = fresh.length + 1;
  const lengths = commonLengths(old, fresh, width);
  const lines: DiffLine[] = [];
  let [a, b] = [0, 0];
  while (a < old.length && b < fresh.length) {
    const text = old[a] ?? '';
    if (text === fresh[b]) {
      lines.push(unchanged(text));
      a += 1;
      b += 1;
    } else if ((lengths[(a + 1) * width + b] ?? 0) >= (lengths[a * width + b + 1] ?? 0)) {
      lines.push(removed(text));
      a += 1;
    } else {
      lines.push(added(fresh[b] ?? ''));
      b += 1;
    }
  }
  return [...lines, ...old.slice(a).map(removed), ...fresh.slice(b).map(added)];
}

/** For every pair of places, how many lines the rests after them have in common. */
function commonLengths(old: readonly string[], fresh: readonly string[], width: number): Uint32Array {
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let a = old.length - 1; a >= 0; a -= 1) {
    for (let b = fresh.length - 1; b >= 0; b -= 1) {
      lengths[a * width + b] =
        old[a] === fresh[b]
          ? (lengths[(a + 1) * width + b + 1] ?? 0) + 1
          : Math.max(lengths[(a + 1) * width + b] ?? 0, lengths[a * width + b + 1] ?? 0);
    }
  }
  return lengths;
}
