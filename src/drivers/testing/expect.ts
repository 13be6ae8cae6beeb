import { AssertionError } from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';

/** A few checks, in words that vitest and others use too, so that the suite runs under any of them and under Node's own runner. */
export function expect(actual: unknown) {
  return {
    ...checksOf(actual, true),
    not: checksOf(actual, false),
    rejects: {
      /** Fails for a promise that fulfils, and for an error of another kind. */
      async toThrow(kind: new (...args: never[]) => Error = Error): Promise<void> {
        const thrown = await Promise.resolve(actual).then(
          () => undefined,
          (error: unknown) => error,
        );
        judge(thrown instanceof kind, true, thrown, 'be rejected with', kind.name);
      },
    },
  };
}

function checksOf(actual: unknown, wanted: boolean) {
  const check = (isSo: boolean, verb: string, expected?: unknown): void =>
    judge(isSo, wanted, actual, verb, expected);
  return {
    toBe: (expected: unknown) => check(Object.is(actual, expected), 'be', expected),
    toEqual: (expected: unknown) =>
      check(isDeepStrictEqual(plain(actual), plain(expected)), 'equal', expected),
    toMatchObject: (expected: object) => check(hasAll(actual, expected), 'have all of', expected),
    toMatch: (pattern: RegExp) => check(pattern.test(String(actual)), 'match', pattern),
    toContain: (part: unknown) => check(contains(actual, part), 'contain', part),
    toHaveLength: (length: number) => check(lengthOf(actual) === length, 'have the length', length),
    toBeDefined: () => check(actual !== undefined, 'be there'),
    toBeLessThan: (limit: number) => check(Number(actual) < limit, 'be less than', limit),
    toBeGreaterThan: (limit: number) => check(Number(actual) > limit, 'be more than', limit),
  };
}

function judge(isSo: boolean, wanted: boolean, actual: unknown, verb: string, expected: unknown): void {
  if (isSo === wanted) return;
  const message = `Expected ${inspect(actual, { depth: 6 })} ${wanted ? '' : 'not '}to ${verb} ${inspect(expected)}`;
  throw new AssertionError({ message, actual, expected, operator: verb, stackStartFn: judge });
}

/** Fields that are there and undefined count as missing. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([name, each]) => [name, plain(each)]));
}

function hasAll(actual: unknown, expected: unknown): boolean {
  if (expected === null || typeof expected !== 'object') return Object.is(actual, expected);
  if (actual === null || typeof actual !== 'object') return false;
  if (Array.isArray(expected) && lengthOf(actual) !== expected.length) return false;
  return Object.entries(expected).every(([name, each]) => hasAll(Reflect.get(actual, name), each));
}

const contains = (whole: unknown, part: unknown): boolean =>
  Array.isArray(whole) ? whole.includes(part) : String(whole).includes(String(part));
const lengthOf = (value: unknown): unknown => (value as { length?: unknown } | null | undefined)?.length;
