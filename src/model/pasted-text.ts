/**
 * What was pasted as a whole goes behind what was typed, each text between two lines that tell the agent what it is. The first
 * names how many lines follow, so that a text with such lines in it is still read as one.
 */
export const withPastedTexts = (typed: string, pasted: readonly string[]): string =>
  [typed, ...pasted.map((text) => `<pasted-text lines="${lineCount(text)}">\n${text}\n${end}`)]
    .filter((part) => part !== '')
    .join('\n\n');

export interface MessageParts {
  readonly typed: string;
  readonly pasted: readonly string[];
}

/** A message as it was written: what was typed, and each text that was pasted. */
export function messageParts(message: string): MessageParts {
  if (!message.endsWith(end)) return { typed: message, pasted: [] };
  const lines = message.split('\n');
  /** By the line a pasted text begins with, if only such texts follow: where the one after it begins. */
  const next = new Map<number, number>();
  let first = lines.length;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const count = Number(beginning.exec(lines[at] ?? '')?.[1] ?? Number.NaN);
    const last = at + count + 1;
    if (lines[last] !== end) continue;
    if (last < lines.length - 1 && (lines[last + 1] !== '' || !next.has(last + 2))) continue;
    next.set(at, last + 2);
    if (at === 0 || lines[at - 1] === '') first = at;
  }
  if (first === lines.length) return { typed: message, pasted: [] };
  const pasted: string[] = [];
  for (let at = first; at < lines.length; ) {
    const after = next.get(at) ?? lines.length;
    pasted.push(lines.slice(at + 1, after - 2).join('\n'));
    at = after;
  }
  return { typed: lines.slice(0, Math.max(0, first - 1)).join('\n'), pasted };
}

const end = '</pasted-text>';
const beginning = /^<pasted-text lines="([1-9][0-9]{0,6})">$/;

export const lineCount = (text: string): number => text.split('\n').length;
