import { z } from 'zod';
import type { ToolAsk } from '../../engine/ports/tool-desk.ts';
import { checkForm } from '../../model/form.ts';
import { ApprovalScope, CompletedView, type Form, type FormField } from '../../protocol/interaction.ts';
import { nearestName, notKnown } from '../../protocol/nearest.ts';
import type { ApprovalRequest, InputRequest, Reprompt } from '../sdk/interaction.ts';
import { ToolError } from '../sdk/tool-error.ts';

export type AnyRequest = ApprovalRequest | InputRequest;

/** What a person is shown, checked, and in the words of the protocol. */
export interface Shown {
  readonly kind: 'approval' | 'form';
  readonly prompt: string;
  readonly approvalScopes: readonly ApprovalScope[];
  readonly fields: readonly FormField[];
  readonly initialValues: Readonly<Record<string, unknown>>;
  readonly error: string | undefined;
  readonly timeoutMs: number;
  readonly presentation: Form['presentation'];
  readonly completedView: CompletedView | undefined;
}

const LONGEST_TEXT = 100_000;
const DEFAULT_TIMEOUT_MS = 300_000;

/** What a tool asks for; a request that nobody could answer is the tool's error, said at once. */
export function readRequest(request: AnyRequest, toolName: string): Shown {
  const read = checked(RequestSchema, request);
  const { type, inputSchema } = read;
  const initialValues = storable(read.initialValues ?? {});
  const fields = inputSchema?.fields ?? [];
  const stranger = Object.keys(initialValues).find((id) => !fields.some((field) => field.id === id));
  if (stranger !== undefined) throw invalid(`initialValues names "${stranger}", which is not a field`);
  return answerable(inputSchema !== undefined, {
    kind: kindOf(type),
    prompt: read.prompt ?? (type === 'approval' ? `Allow "${toolName}"?` : `"${toolName}" needs your input.`),
    approvalScopes: read.approvalScopes ?? ['once', 'session'],
    fields,
    initialValues,
    error: read.error,
    timeoutMs: read.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    presentation: read.presentation ?? 'tool',
    completedView: read.completedView,
  });
}

/** The same, asked again. What was typed stays, unless the tool says otherwise. */
export function askAgain(
  shown: Shown,
  typed: Readonly<Record<string, unknown>> | undefined,
  reprompt: Reprompt,
): Shown {
  const { type, inputSchema, ...read } = checked(RepromptSchema, reprompt);
  const fields = inputSchema?.fields ?? shown.fields;
  const kept = typed === undefined ? shown.initialValues : asTyped(shown.fields, typed);
  const values = { ...kept, ...storable(read.initialValues ?? {}) };
  const hasForm = inputSchema !== undefined || fields.length > 0 || shown.kind === 'form';
  return answerable(hasForm, {
    ...shown,
    ...withoutUndefined(read),
    kind: type === undefined ? shown.kind : kindOf(type),
    error: read.error,
    fields,
    initialValues: Object.fromEntries(
      fields.filter(({ id }) => Object.hasOwn(values, id)).map(({ id }) => [id, values[id]]),
    ),
  });
}

const kindOf = (type: 'approval' | 'input'): Shown['kind'] => (type === 'approval' ? 'approval' : 'form');

function answerable(hasForm: boolean, shown: Shown): Shown {
  if (shown.kind === 'form' && !hasForm) throw invalid('a request for input needs an inputSchema');
  return shown;
}

/** A field that was emptied stays empty: its default must not come back. */
const asTyped = (fields: readonly FormField[], typed: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    fields.map(({ id, type }) => [id, Object.hasOwn(typed, id) ? typed[id] : (emptyValues[type] ?? '')]),
  );

const emptyValues: Partial<Record<FormField['type'], unknown>> = { checkbox: false, multiselect: [] };

/** The part of an ask that is on the screen. An approval has a form only where there is something to put into it. */
export function screenOf(shown: Shown): Pick<ToolAsk, 'kind' | 'title' | 'form' | 'approvalScopes'> {
  const { kind, prompt, fields, initialValues, error, presentation, completedView } = shown;
  const isPlain = fields.length === 0 && error === undefined && completedView === undefined;
  const form: Form = {
    message: prompt,
    fields: [...fields],
    presentation,
    ...(error === undefined ? {} : { error }),
    ...(Object.keys(initialValues).length === 0 ? {} : { initialValues: { ...initialValues } }),
    ...(completedView === undefined ? {} : { completedView }),
  };
  return {
    kind,
    title: prompt,
    ...(kind === 'approval' ? { approvalScopes: [...shown.approvalScopes] } : {}),
    ...(kind === 'approval' && isPlain && presentation === 'tool' ? {} : { form }),
  };
}

/** It is kept as JSON; what cannot be, would fail there, far from whoever wrote it. */
function storable(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(JSON.stringify(values)) as Record<string, unknown>;
  } catch {
    throw invalid('initialValues must be plain values');
  }
}

function checked<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const read = schema.safeParse(given, { error: unknownNames });
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw invalid(faults.join('; '));
}

const invalid = (what: string) =>
  new ToolError('invalid_request', `The request cannot be shown: ${what}${what.endsWith('?') ? '' : '.'}`);

/** Only while it is read is it known which names the object has. */
const unknownNames: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'unrecognized_keys'
    ? unknownName(issue.keys[0] ?? '', Object.keys((issue.inst as z.ZodObject).shape))
    : undefined;

/** A name that is ignored makes a tool that does something else than its author wrote. */
export const unknownName = (name: string, known: readonly string[]): string =>
  notKnown(name, nearestName(name, known));

const fieldId = z
  .string()
  .min(1)
  .max(200)
  // JSON.parse and object literals disagree on what this name does to an object.
  .refine((id) => id !== '__proto__', 'a field cannot be called "__proto__"');

const OptionSchema = z.preprocess(
  (option) => (typeof option === 'string' ? { value: option } : option),
  z
    .strictObject({ value: z.string(), label: z.string().optional() })
    .transform(({ value, label }) => ({ value, label: label ?? value })),
);

const options = z
  .array(OptionSchema)
  .min(1, 'needs at least one option')
  .refine((all) => new Set(all.map(({ value }) => value)).size === all.length, 'two options have one value');

const common = {
  id: fieldId,
  label: z.string().min(1),
  description: z.string().optional(),
  required: z.boolean().default(false),
};

const FieldSchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      ...common,
      type: z.enum(['text', 'textarea']),
      defaultValue: z.string().optional(),
      minLength: z.number().optional(),
      maxLength: z.number().optional(),
      format: z.enum(['email', 'uri']).optional(),
    }),
    z.strictObject({
      ...common,
      type: z.literal('number'),
      defaultValue: z.number().optional(),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
      integer: z.boolean().optional(),
    }),
    z.strictObject({ ...common, type: z.literal('date'), defaultValue: z.string().optional() }),
    z.strictObject({ ...common, type: z.literal('checkbox'), defaultValue: z.boolean().optional() }),
    z.strictObject({
      ...common,
      type: z.enum(['select', 'radio']),
      options,
      defaultValue: z.string().optional(),
    }),
    z.strictObject({
      ...common,
      type: z.literal('multiselect'),
      options,
      defaultValue: z.array(z.string()).optional(),
    }),
  ])
  .transform((field): FormField => withoutUndefined(field))
  .refine(
    (field) => field.defaultValue === undefined || fits(field, field.defaultValue),
    'its defaultValue is not a value it takes',
  );

const FormSchema = z.strictObject({
  type: z.literal('form'),
  fields: z
    .array(FieldSchema)
    .max(200)
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'two fields have one id'),
});

const type = z.enum(['approval', 'input']);

/** What may change when it is asked again. */
const RepromptSchema = z.strictObject({
  type: type.optional(),
  prompt: z
    .string()
    .max(LONGEST_TEXT)
    .refine((text) => text.trim() !== '', 'is blank')
    .optional(),
  inputSchema: FormSchema.optional(),
  initialValues: z.record(z.string(), z.unknown()).optional(),
  approvalScopes: z.array(ApprovalScope).min(1).optional(),
  error: z.string().max(LONGEST_TEXT).optional(),
  timeoutMs: z.number().min(0).optional(),
  presentation: z.enum(['tool', 'questionnaire']).optional(),
  completedView: CompletedView.strict().optional(),
});

const handler = z.custom<unknown>((value) => typeof value === 'function', 'must be a function');

/** What a tool asks for, as it wrote it. */
const RequestSchema = RepromptSchema.extend({
  type,
  whenNobody: z.enum(['fail', 'leave open']).optional(),
  onResponse: handler,
  onTimeout: handler.optional(),
  onCancel: handler.optional(),
});

const fits = (field: FormField, value: unknown): boolean =>
  checkForm(
    { message: '', presentation: 'tool', fields: [{ ...field, required: false }] },
    { [field.id]: value },
  ).ok;

/** What was left out stays out: the stored form has no fields that say "undefined". */
function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> };
}
