export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** What an edit changes: what both texts begin and end with is left out, but for two lines around. */
export function diffLines(before: string, after: string, context = 2): DiffLine[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  const end = old.length - tail;
  return [
    ...old.slice(Math.max(0, head - context), head).map(signed(' ')),
    ...old.slice(head, end).map(signed('-')),
    ...fresh.slice(head, fresh.length - tail).map(signed('+')),
    ...old.slice(end, end + context).map(signed(' ')),
  ];
}

/** The changes a tool's input describes, or nothing if it is no edit of text. */
export function editsIn(input: Readonly<Record<string, unknown>>): DiffLine[] | undefined {
  if (typeof input.old_string === 'string' && typeof input.new_string === 'string') {
    return diffLines(input.old_string, input.new_string);
  }
  if (Array.isArray(input.edits)) {
    const parts = input.edits.map((edit: unknown) => (isRecord(edit) ? editsIn(edit) : undefined));
    return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part ?? []);
  }
  if (typeof input.content === 'string' && typeof input.file_path === 'string')
    return diffLines('', input.content);
  return undefined;
}

/** The fields of an input that `editsIn` shows. */
export const editFields: readonly string[] = ['old_string', 'new_string', 'edits', 'content'];

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

const signed =
  (sign: DiffLine['sign']) =>
  (text: string): DiffLine => ({ sign, text });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
