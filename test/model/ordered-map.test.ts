import { expect, it } from 'vitest';
import {
  emptyMap,
  entriesOf,
  findValue,
  lastEntry,
  mapOf,
  type OrderedMap,
  valueAt,
  valuesOf,
  withoutValue,
  withValue,
} from '../../src/model/ordered-map.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';

const seed = testSeed();

it(`is what a Map is, whatever is put in and taken out, and its earlier versions stay as they were (seed ${seed})`, () => {
  const random = seededRandom(seed);
  const below = (most: number) => Math.floor(random() * most);
  const known = new Map<string, number>();
  let map: OrderedMap<number> = emptyMap;
  const versions: { map: OrderedMap<number>; values: number[] }[] = [];
  for (let step = 0; step < 20_000; step += 1) {
    const key = `k${below(700)}`;
    if (random() < 0.55) {
      map = withValue(map, key, step);
      known.set(key, step);
    } else {
      map = withoutValue(map, key);
      known.delete(key);
    }
    expect(map.size).toBe(known.size);
    expect(valueAt(map, key)).toBe(known.get(key));
    if (step % 500 !== 0) continue;
    expect(valuesOf(map)).toEqual([...known.values()]);
    expect(lastEntry(map)?.key).toBe([...known.keys()].at(-1));
    expect(findValue(map, (value) => value % 3 === 0)).toBe(
      [...known.values()].find((value) => value % 3 === 0),
    );
    versions.push({ map, values: valuesOf(map) });
  }
  for (const version of versions) expect(valuesOf(version.map)).toEqual(version.values);
  expect(entriesOf(mapOf(JSON.parse(JSON.stringify(entriesOf(map)))))).toEqual([...known]);
});

it('a key that every object has is a key like any other', () => {
  for (const key of ['constructor', '__proto__', 'toString', '0']) {
    expect(valueAt(emptyMap, key)).toBeUndefined();
    const map = withValue(withValue(emptyMap as OrderedMap<number>, key, 1), 'other', 2);
    expect(valueAt(map, key)).toBe(1);
    expect(valuesOf(map)).toEqual([1, 2]);
    expect(valuesOf(withoutValue(map, key))).toEqual([2]);
  }
});
