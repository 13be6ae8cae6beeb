import type { Pointer } from '../protocol/tool-call.ts';

/** What a pointer (RFC 6901) leads to; undefined where it leads nowhere. */
export function valueAt(value: unknown, at: Pointer): unknown {
  if (at !== '' && !at.startsWith('/')) return undefined;
  return namesIn(at).reduce<unknown>((inner, name) => {
    // Only what JSON wrote there: `length` and `constructor` are no fields of anybody's input.
    const isThere = Array.isArray(inner) ? /^(?:0|[1-9]\d*)$/.test(name) : isRecord(inner);
    return isThere && Object.hasOwn(inner as object, name)
      ? (inner as Readonly<Record<string, unknown>>)[name]
      : undefined;
  }, value);
}

/** The same record with another value where the pointer leads; what is beside it stays as it is. */
export function withValueAt<Whole>(whole: Whole, at: Pointer, value: unknown): Whole {
  const put = (inner: unknown, [name, ...deeper]: readonly string[]): unknown => {
    if (name === undefined) return value;
    if (Array.isArray(inner)) return inner.with(Number(name), put(inner[Number(name)], deeper));
    return isRecord(inner) ? { ...inner, [name]: put(inner[name], deeper) } : inner;
  };
  return put(whole, namesIn(at)) as Whole;
}

export interface Part {
  readonly at: Pointer;
  readonly value: unknown;
}

/** The largest parts of a record that none of the pointers leads to: with what they lead to, it is the whole record. */
export function partsBeside(record: Readonly<Record<string, unknown>>, pointers: Iterable<Pointer>): Part[] {
  const shown = new Set(pointers);
  const around = new Set([...shown].flatMap(pathsAbove));
  const within = (value: unknown, at: Pointer): Part[] => {
    if (shown.has(at)) return [];
    if (at !== '' && !around.has(at)) return [{ at, value }];
    return Object.entries(value as object).flatMap(([name, inner]) =>
      within(inner, `${at}${pointerTo(name)}`),
    );
  };
  return within(record, '');
}

/** To a field of this name. */
export const pointerTo = (name: string): Pointer => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The names of the fields and places on the way. */
export const namesIn = (at: Pointer): string[] =>
  at
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));

const pathsAbove = (at: Pointer): Pointer[] =>
  [...at.matchAll(/\//g)].slice(1).map(({ index }) => at.slice(0, index));

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
