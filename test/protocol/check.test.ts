import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { check, faultsIn, inputSchema } from '../../src/protocol/check.ts';
import { type OperationDefinition, operations } from '../../src/protocol/operation.ts';

const sentence = (schema: z.ZodType, value: unknown): string | undefined =>
  faultsIn(z.strictObject({ field: schema }), { field: value })[0];

describe('[TERM12] what is wrong with a field', () => {
  it.each([
    [z.string(), undefined, 'is missing'],
    [z.string(), 3, 'must be a text'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().min(3), 'ab', 'must have at least 3 characters'],
    [z.string().max(1), 'ab', 'must have at most 1 character'],
    [z.number(), 'x', 'must be a number'],
    [z.int(), 1.5, 'must be a whole number'],
    [z.number().min(1), 0, 'must be at least 1'],
    [z.number().positive(), 0, 'must be more than 0'],
    [z.number().max(10), 11, 'must be at most 10'],
    [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
    [z.boolean(), 'yes', 'must be true or false'],
    [z.array(z.string()).min(1), [], 'must not be empty'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entry'],
    [z.array(z.string()), {}, 'must be a list'],
    [z.object({}), [], 'must be an object'],
    [z.record(z.string(), z.string()), 'x', 'must be an object'],
    [z.enum(['a', 'b']), 'c', 'must be one of "a", "b"'],
    [z.literal(true), false, 'must be true'],
    [z.null(), 1, 'must be null'],
    [z.string().nullable(), 1, 'must be a text'],
    [z.union([z.string(), z.array(z.string())]), 1, 'must be a text or a list'],
    [z.union([z.string(), z.number(), z.boolean()]), null, 'must be a text, a number or true or false'],
    [z.url(), 'x', 'must be a web address'],
    [z.iso.datetime(), 'x', 'must be a moment, as 2026-01-31T12:00:00Z'],
    [z.string().regex(/^a$/), 'b', 'must be written in another form'],
    [z.string().regex(/^a$/, 'It is an a.'), 'b', 'is not valid: It is an a.'],
    [z.string().refine(() => false), 'b', 'does not fit'],
  ] as const)('is said plainly (%#): %j', (schema, value, words) => {
    expect(sentence(schema, value)).toBe(`"field" ${words}`);
  });

  it('names the field inside lists and objects, and the whole where there is none', () => {
    const schema = z.object({ list: z.array(z.object({ name: z.string().min(1) })) });
    expect(faultsIn(schema, { list: [{ name: 'a' }, { name: '' }] })).toEqual([
      '"list.1.name" must not be empty',
    ]);
    expect(faultsIn(schema, 'x')).toEqual(['The value must be an object']);
  });

  const rubbish = [
    undefined,
    null,
    true,
    -1,
    1.5,
    1e12,
    '',
    'x',
    'x'.repeat(200_000),
    [],
    ['x'],
    [1],
    {},
    { x: 1 },
    [{}],
  ];
  const schemas = Object.entries<OperationDefinition>(operations).map(
    ([name, operation]) => [name, inputSchema(operation)] as const,
  );

  it.each(schemas)('holds for every field of %s', (_, schema) => {
    const names = Object.keys(schema.shape);
    for (const name of names)
      for (const value of rubbish) {
        const checked = check(schema, { [name]: value });
        if (checked.ok) continue;
        const { message, details } = checked.refusal;
        const told = [message, JSON.stringify(details)].join(' ');
        expect(told).not.toMatch(/expected|received|Invalid|Too (?:small|big)|[<>]=|of another kind/);
      }
    expect(check(schema, 'rubbish').ok).toBe(false);
  });
});
