import type { z } from 'zod';
import type { ToolAsk } from '../../engine/ports/tool-desk.ts';
import type { ApprovalScope, CompletedView, Form, FormField } from '../../protocol/interaction.ts';
import type { ApprovalRequest, InputRequest, Reprompt } from '../sdk/interaction.ts';
import { ToolError } from '../sdk/tool-error.ts';
import { RepromptSchema, RequestSchema } from './request-schema.ts';

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

const DEFAULT_TIMEOUT_MS = 300_000;

/** What a tool asks for; a request that nobody could answer is the tool's error, said at once. */
export function readRequest(request: AnyRequest): Shown {
  const read = RequestSchema.safeParse(request);
  if (!read.success) throw invalid(words(read.error));
  const { type, prompt, approvalScopes, inputSchema } = read.data;
  const initialValues = storable(read.data.initialValues ?? {});
  const fields = inputSchema?.fields ?? [];
  if (type === 'input' && inputSchema === undefined)
    throw invalid('a request for input needs an inputSchema');
  const stranger = Object.keys(initialValues).find((id) => !fields.some((field) => field.id === id));
  if (stranger !== undefined) throw invalid(`initialValues names "${stranger}", which is not a field`);
  return {
    kind: type === 'approval' ? 'approval' : 'form',
    prompt,
    approvalScopes: approvalScopes ?? ['once'],
    fields,
    initialValues,
    error: read.data.error,
    timeoutMs: read.data.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    presentation: read.data.presentation ?? 'tool',
    completedView: read.data.completedView,
  };
}

/** The same, asked again. What was typed stays, unless the tool says otherwise. */
export function askAgain(
  shown: Shown,
  typed: Readonly<Record<string, unknown>> | undefined,
  reprompt: Reprompt,
): Shown {
  const read = RepromptSchema.safeParse(reprompt);
  if (!read.success) throw invalid(words(read.error));
  const { prompt, error, inputSchema, initialValues, approvalScopes, timeoutMs } = read.data;
  const fields = inputSchema?.fields ?? shown.fields;
  const kept = typed === undefined ? shown.initialValues : asTyped(shown.fields, typed);
  const values = { ...kept, ...storable(initialValues ?? {}) };
  return {
    ...shown,
    prompt: prompt ?? shown.prompt,
    error,
    fields,
    initialValues: Object.fromEntries(
      fields.filter(({ id }) => Object.hasOwn(values, id)).map(({ id }) => [id, values[id]]),
    ),
    approvalScopes: approvalScopes ?? shown.approvalScopes,
    timeoutMs: timeoutMs ?? shown.timeoutMs,
  };
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

const invalid = (what: string) => new ToolError('invalid_request', `The request cannot be shown: ${what}.`);

const words = (error: z.ZodError): string =>
  error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');
