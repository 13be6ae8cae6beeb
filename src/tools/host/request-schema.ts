import { z } from 'zod';
import { checkForm } from '../../model/form.ts';
import { ApprovalScope, CompletedView, type FormField } from '../../protocol/interaction.ts';

const LONGEST_TEXT = 100_000;

const fieldId = z
  .string()
  .min(1)
  .max(200)
  // JSON.parse and object literals disagree on what this name does to an object.
  .refine((id) => id !== '__proto__', 'a field cannot be called "__proto__"');

const OptionSchema = z.union([
  z.string().transform((value) => ({ value, label: value })),
  z
    .object({ value: z.string(), label: z.string().optional() })
    .transform(({ value, label }) => ({ value, label: label ?? value })),
]);

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
    z.object({
      ...common,
      type: z.enum(['text', 'textarea']),
      defaultValue: z.string().optional(),
      minLength: z.number().optional(),
      maxLength: z.number().optional(),
      format: z.enum(['email', 'uri']).optional(),
    }),
    z.object({
      ...common,
      type: z.literal('number'),
      defaultValue: z.number().optional(),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
      integer: z.boolean().optional(),
    }),
    z.object({ ...common, type: z.literal('date'), defaultValue: z.string().optional() }),
    z.object({ ...common, type: z.literal('checkbox'), defaultValue: z.boolean().optional() }),
    z.object({
      ...common,
      type: z.enum(['select', 'radio']),
      options,
      defaultValue: z.string().optional(),
    }),
    z.object({
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

const FormSchema = z.object({
  type: z.literal('form'),
  fields: z
    .array(FieldSchema)
    .max(200)
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'two fields have one id'),
});

const prompt = z
  .string()
  .max(LONGEST_TEXT)
  .refine((text) => text.trim() !== '', 'is blank');

const shared = {
  inputSchema: FormSchema.optional(),
  initialValues: z.record(z.string(), z.unknown()).optional(),
  approvalScopes: z.array(ApprovalScope).min(1).optional(),
  error: z.string().max(LONGEST_TEXT).optional(),
  timeoutMs: z.number().min(0).optional(),
};

/** What may change when it is asked again. */
export const RepromptSchema = z.object({ ...shared, prompt: prompt.optional() });

const handler = z.custom<unknown>((value) => typeof value === 'function', 'must be a function');

/** What a tool asks for, as it wrote it. */
export const RequestSchema = z.object({
  ...shared,
  type: z.enum(['approval', 'input']),
  prompt,
  presentation: z.enum(['tool', 'questionnaire']).optional(),
  completedView: CompletedView.optional(),
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
const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
