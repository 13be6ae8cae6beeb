import { z } from 'zod';
import * as bodies from './command.ts';
import { accept, type Result, refuse } from './errors.ts';
import { nearestName, notKnown } from './nearest.ts';
import type { OperationDefinition } from './operation.ts';

/** The schema that an operation's query or body must fit; where it takes neither, nothing may be given. */
export const inputSchema = ({ body, query }: OperationDefinition): z.ZodObject => {
  const name = body ?? query;
  return name === undefined ? nothing : (schemas[name] as z.ZodObject);
};

const schemas: Readonly<Record<string, unknown>> = bodies;
const nothing = z.strictObject({});

/** The value as the schema makes it, or why it does not fit, naming the field; `at` is where the value stands in what was sent. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  at: readonly string[] = [],
): Result<z.output<Schema>> {
  const parsed = schema.safeParse(input, { error: nearestAsMessage });
  if (parsed.success) return accept(parsed.data);
  const found = faultsOf(parsed.error, input, at);
  const [{ code, sentence, field, nearest } = told({ path: at, message: 'Invalid input' }, input)] = found;
  return refuse(code, sentence, {
    field,
    ...(nearest === undefined ? {} : { nearest }),
    issues: found.slice(0, 10).map((issue) => ({ field: issue.field, message: issue.message })),
  });
}

/** All that is wrong with the value, a sentence each; none where it fits. */
export function faultsIn(schema: z.ZodType, input: unknown): string[] {
  const { error } = schema.safeParse(input, { error: nearestAsMessage });
  return error === undefined ? [] : faultsOf(error, input, []).map(({ sentence }) => sentence);
}

const faultsOf = ({ issues }: z.ZodError, input: unknown, at: readonly string[]) =>
  issues
    .flatMap((issue) => issuesIn(issue, at))
    // What is missing is often there under a misspelt name: that one is told.
    .toSorted((a, b) => Number(b.keys !== undefined) - Number(a.keys !== undefined))
    .map((issue) => told(issue, valueAt(input, issue.path.slice(at.length))));

/** Refuses a field where none is taken. */
export const unknownField = (field: string): Result<never> =>
  refuse('malformed_request', notKnown(field), { field });

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string;
  /** The fields that are not known. */
  readonly keys?: readonly string[];
}

/** Only while it is parsed is it known which names the object has: the nearest of them is kept in place of a sentence. */
const nearestAsMessage: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'unrecognized_keys'
    ? (nearestName(issue.keys[0] ?? '', Object.keys((issue.inst as z.ZodObject).shape)) ?? '')
    : undefined;

/** Of a union, what is wrong with the form that fits furthest: the others are about forms that nobody meant. */
function issuesIn(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): Issue[] {
  const path = [...above, ...issue.path];
  if (issue.code !== 'invalid_union') return [{ ...issue, path }];
  const forms = issue.errors.map((form) => form.flatMap((inner) => issuesIn(inner, path)));
  const [furthest] = forms.toSorted((a, b) => depthOf(b[0]) - depthOf(a[0]));
  return furthest !== undefined && depthOf(furthest[0]) > path.length ? furthest : [{ ...issue, path }];
}

const depthOf = (issue: Issue | undefined): number =>
  issue === undefined ? 0 : issue.path.length + (issue.keys === undefined ? 0 : 1);

/** An unknown word in these leaves open what is meant; in any other field it is a wrong value. */
const sayWhatIsMeant: readonly unknown[] = ['decision', 'action'];
const ofAnotherType: readonly unknown[] = ['invalid_type', 'invalid_union'];

/** A field that is missing, unknown or of another type is malformed; one of the right type with a wrong value is invalid. */
function told({ code, path, message, keys }: Issue, value: unknown) {
  if (keys !== undefined) {
    const field = [...path, keys[0] ?? ''].join('.');
    const nearest = message === '' ? undefined : [...path, message].join('.');
    const sentence = notKnown(field, nearest);
    return { code: 'malformed_request', field, nearest, message: sentence, sentence } as const;
  }
  const field = path.join('.');
  const isMissing = value === undefined;
  const isMalformed = isMissing || ofAnotherType.includes(code) || sayWhatIsMeant.includes(path.at(-1));
  return {
    code: isMalformed ? 'malformed_request' : 'invalid_value',
    field,
    nearest: undefined,
    message,
    sentence: `"${field}" ${isMissing ? 'is missing' : `is not valid: ${message}`}`,
  } as const;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
