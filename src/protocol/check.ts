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
  const parsed = schema.safeParse(input, { error: plainWords });
  if (parsed.success) return accept(parsed.data);
  const found = faultsOf(parsed.error, input, at);
  const [{ code, sentence, field, nearest } = told({ path: at, message: 'does not fit' }, input)] = found;
  return refuse(code, sentence, {
    field,
    ...(nearest === undefined ? {} : { nearest }),
    issues: found.slice(0, 10).map((issue) => ({ field: issue.field, message: issue.message })),
  });
}

/** All that is wrong with the value, a sentence each; none where it fits. */
export function faultsIn(schema: z.ZodType, input: unknown): string[] {
  const { error } = schema.safeParse(input, { error: plainWords });
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

/**
 * What is wrong, to follow the name of the field; a schema may have a sentence of its own instead. Only while it is parsed is it known
 * which names an object has: the nearest of them is kept in place of a sentence.
 */
const plainWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'unrecognized_keys':
      return nearestName(issue.keys[0] ?? '', Object.keys((issue.inst as z.ZodObject).shape)) ?? '';
    case 'invalid_type':
      return `must be ${kindNames[issue.expected] ?? 'of another kind'}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return `must ${units[issue.origin] === undefined ? 'be' : 'have'} at most ${counted(issue.maximum, issue.origin)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return `must be ${formatNames[issue.format] ?? 'written in another form'}`;
    case 'invalid_union':
      return 'must be of another kind';
    case 'invalid_key':
      return 'has a name that does not fit';
    case 'invalid_element':
      return 'has an entry that does not fit';
    default:
      return 'does not fit';
  }
};

function tooSmall({
  minimum,
  origin,
  inclusive = true,
}: {
  readonly minimum: number | bigint;
  readonly origin: string;
  readonly inclusive?: boolean | undefined;
}): string {
  if (units[origin] === undefined) return `must be ${inclusive ? 'at least' : 'more than'} ${minimum}`;
  return Number(minimum) === 1 ? 'must not be empty' : `must have at least ${counted(minimum, origin)}`;
}

const counted = (count: number | bigint, origin: string): string => {
  const [one, several] = units[origin] ?? [];
  if (one === undefined) return String(count);
  return `${count} ${Number(count) === 1 ? one : several}`;
};

/** What is counted in a value; a number is compared itself. */
const units: Readonly<Record<string, readonly [one: string, several: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
  object: ['field', 'fields'],
  record: ['field', 'fields'],
};

const kindNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  undefined: 'left out',
};

const formatNames: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'a web address',
  uuid: 'a UUID',
  datetime: 'a moment, as 2026-01-31T12:00:00Z',
  date: 'a date, as 2026-01-31',
};

/** Of a union, what is wrong with the form that fits furthest: the others are about forms that nobody meant. */
function issuesIn(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): Issue[] {
  const path = [...above, ...issue.path];
  if (issue.code !== 'invalid_union') return [{ ...issue, path }];
  const forms = issue.errors.map((form) => form.flatMap((inner) => issuesIn(inner, path)));
  const [furthest] = forms.toSorted((a, b) => depthOf(b[0]) - depthOf(a[0]));
  if (furthest !== undefined && depthOf(furthest[0]) > path.length) return furthest;
  return [{ ...issue, path, message: anyOf(forms.flat(), issue.message) }];
}

/** "must be a text or a list": what each form would have taken. */
function anyOf(issues: readonly Issue[], otherwise: string): string {
  const kinds = new Set(
    issues.flatMap(({ message }) => /^must be ((?!of another).*)$/.exec(message)?.[1] ?? []),
  );
  const [last, ...others] = [...kinds].toReversed();
  if (last === undefined) return otherwise;
  return `must be ${others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`}`;
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
    message: isMissing ? 'is missing' : message,
    sentence: `${field === '' ? 'The value' : `"${field}"`} ${isMissing ? 'is missing' : predicate(message)}`,
  } as const;
}

/** A schema's own sentence stands alone. */
const predicate = (message: string): string =>
  /^(?:must|has|does) /.test(message) ? message : `is not valid: ${message}`;

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
