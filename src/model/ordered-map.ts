/**
 * Entries by key, in the order in which they were added. A change copies a few short rows, never all entries: with plain records,
 * thousands of open calls make each event as slow as all of them together.
 */
export type OrderedMap<T> = {
  readonly size: number;
  /** The place of the next entry. */
  readonly next: number;
  readonly entries: Row<Row<Row<Entry<T>>>>;
  /** Where the entries are, by a hash of their keys; null while they are so few that looking through them is quicker. */
  readonly places: Row<Row<readonly Place[]>> | null;
};

type Places = NonNullable<OrderedMap<unknown>['places']>;

type Row<E> = readonly (E | null)[];

interface Entry<T> {
  readonly key: string;
  readonly value: T;
}

interface Place {
  readonly key: string;
  readonly at: number;
}

const BITS = 7;
const WIDTH = 1 << BITS;
const MOST_PLACES = WIDTH ** 3;
const FEW = 32;

export const emptyMap: OrderedMap<never> = { size: 0, next: 0, entries: [], places: null };

export function valueAt<T>(map: OrderedMap<T>, key: string): T | undefined {
  const at = placeOf(map, key);
  return at === undefined ? undefined : map.entries[slot(at, 2)]?.[slot(at, 1)]?.[slot(at, 0)]?.value;
}

/** A new key goes to the end, a known one keeps its place. */
export function withValue<T>(map: OrderedMap<T>, key: string, value: T): OrderedMap<T> {
  const known = placeOf(map, key);
  if (known !== undefined) return { ...map, entries: withEntry(map.entries, known, { key, value }) };
  const { next } = map;
  if (next === MOST_PLACES || (next === FEW && map.size < FEW / 2))
    return withValue(mapOf(entriesOf(map)), key, value);
  const places = next === FEW && map.places === null ? placesOf(map) : map.places;
  return {
    size: map.size + 1,
    next: next + 1,
    entries: withEntry(map.entries, next, { key, value }),
    places: places && withPlace(places, key, next),
  };
}

export function withoutValue<T>(map: OrderedMap<T>, key: string): OrderedMap<T> {
  const at = placeOf(map, key);
  if (at === undefined) return map;
  if (map.size === 1) return emptyMap;
  return {
    size: map.size - 1,
    next: map.next,
    entries: withEntry(map.entries, at, null),
    places: map.places && withPlaces(map.places, key, (those) => those.filter((place) => place.key !== key)),
  };
}

/** In order, as plain data: how a map is stored. */
export const entriesOf = <T>(map: OrderedMap<T>): (readonly [string, T])[] =>
  map.entries.flat(2).flatMap((entry) => (entry === null ? [] : [[entry.key, entry.value] as const]));

export const mapOf = <T>(entries: readonly (readonly [string, T])[]): OrderedMap<T> =>
  entries.reduce<OrderedMap<T>>((map, [key, value]) => withValue(map, key, value), emptyMap);

export const valuesOf = <T>(map: OrderedMap<T>): T[] => entriesOf(map).map(([, value]) => value);

/** The first that fits, in order. */
export const findValue = <T>(map: OrderedMap<T>, accepts: (value: T) => boolean): T | undefined =>
  firstIn(map.entries, (rows) =>
    firstIn(rows, (row) => firstIn(row, (entry) => (accepts(entry.value) ? entry : undefined))),
  )?.value;

/** The entry that was added last. */
export function lastEntry<T>({ entries }: OrderedMap<T>): Entry<T> | undefined {
  return lastIn(lastIn(lastIn(entries)));
}

function placeOf({ entries, places }: OrderedMap<unknown>, key: string): number | undefined {
  if (places === null) {
    const at = entries[0]?.[0]?.findIndex((entry) => entry?.key === key) ?? -1;
    return at === -1 ? undefined : at;
  }
  const hash = hashOf(key);
  return places[slot(hash, 1)]?.[slot(hash, 0)]?.find((place) => place.key === key)?.at;
}

function withEntry<T>(
  entries: OrderedMap<T>['entries'],
  at: number,
  entry: Entry<T> | null,
): OrderedMap<T>['entries'] {
  const rows = entries[slot(at, 2)];
  const row = replaced(rows?.[slot(at, 1)], slot(at, 0), entry);
  return replaced(entries, slot(at, 2), replaced(rows, slot(at, 1), row)) ?? [];
}

const placesOf = ({ entries }: OrderedMap<unknown>): Places =>
  (entries[0]?.[0] ?? []).reduce<Places>(
    (places, entry, at) => (entry === null ? places : withPlace(places, entry.key, at)),
    [],
  );

const withPlace = (places: Places, key: string, at: number): Places =>
  withPlaces(places, key, (others) => [...others, { key, at }]);

function withPlaces(
  places: Places,
  key: string,
  change: (those: readonly Place[]) => readonly Place[],
): Places {
  const hash = hashOf(key);
  const row = places[slot(hash, 1)];
  const those = change(row?.[slot(hash, 0)] ?? []);
  return (
    replaced(places, slot(hash, 1), replaced(row, slot(hash, 0), those.length === 0 ? null : those)) ?? []
  );
}

const slot = (number: number, level: number): number => (number >>> (level * BITS)) % WIDTH;

function hashOf(key: string): number {
  let hash = 0;
  for (let index = 0; index < key.length; index += 1) hash = (hash * 31 + key.charCodeAt(index)) | 0;
  return hash >>> 0;
}

/** The row with something else in this slot; null when nothing is left in it. */
function replaced<E>(row: Row<E> | null | undefined, at: number, value: E | null): Row<E> | null {
  const copy = row?.slice() ?? [];
  while (copy.length < at) copy.push(null);
  copy[at] = value;
  return value === null && copy.every((one) => one === null) ? null : copy;
}

function firstIn<E, R>(row: Row<E>, look: (one: E) => R | undefined): R | undefined {
  for (const one of row) {
    const found = one === null ? undefined : look(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

const lastIn = <E>(row: Row<E> | undefined): E | undefined =>
  row?.findLast((one): one is E & NonNullable<unknown> => one !== null) ?? undefined;
