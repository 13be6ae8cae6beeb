import { z } from 'zod';
import { GrantId, InteractionId, SessionId } from './ids.ts';

export const InteractionKind = z.enum(['approval', 'question', 'form']);
export type InteractionKind = z.infer<typeof InteractionKind>;

export const Outcome = z.enum([
  'allowed',
  'denied',
  'answered',
  'submitted',
  'dismissed',
  'withdrawn',
  'interrupted',
  'expired',
  'lost',
]);
export type Outcome = z.infer<typeof Outcome>;

/** Who caused something, and from where. */
export const Actor = z.object({
  kind: z.enum(['person', 'grant', 'timer', 'agent', 'server']),
  where: z.string().optional(),
  clientId: z.string().optional(),
  grantId: GrantId.optional(),
});
export type Actor = z.infer<typeof Actor>;

export const Question = z.object({
  question: z.string(),
  header: z.string().optional(),
  options: z.array(z.object({ label: z.string(), description: z.string().optional() })),
  multiSelect: z.boolean(),
});
export type Question = z.infer<typeof Question>;

export const Answer = z.object({
  selected: z.array(z.string()),
  other: z.string().optional(),
});
export type Answer = z.infer<typeof Answer>;

export const FormField = z.object({
  id: z.string(),
  type: z.enum(['text', 'textarea', 'select', 'checkbox', 'radio', 'number', 'multiselect', 'date']),
  label: z.string(),
  description: z.string().optional(),
  required: z.boolean(),
  defaultValue: z.unknown().optional(),
  options: z.array(z.object({ value: z.string(), label: z.string() })).optional(),
  /** Bounds and shapes a value must keep, as the asker gave them. */
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  integer: z.boolean().optional(),
  format: z.string().optional(),
});
export type FormField = z.infer<typeof FormField>;

export const Form = z.object({
  message: z.string(),
  fields: z.array(FormField),
  presentation: z.enum(['tool', 'questionnaire']),
  source: z.string().optional(),
  url: z.string().optional(),
});
export type Form = z.infer<typeof Form>;

/** What a grant's pattern is matched against: said by the driver, which alone knows the agent's tools. */
export const Subject = z.object({
  kind: z.enum(['command', 'path', 'host', 'input']),
  value: z.string(),
});
export type Subject = z.infer<typeof Subject>;

/** What the agent asked, in words no vendor owns. */
export const Ask = z.object({
  kind: InteractionKind,
  /** The agent's own id for the request; used to answer it, never shown as ours. */
  agentRequestId: z.string(),
  toolName: z.string(),
  toolCallId: z.string().optional(),
  agentId: z.string().optional(),
  parentToolCallId: z.string().optional(),
  title: z.string(),
  input: z.record(z.string(), z.unknown()),
  questions: z.array(Question).optional(),
  form: Form.optional(),
  plan: z.string().optional(),
  reason: z.string().optional(),
  suggestions: z.array(z.unknown()).optional(),
  subject: Subject.optional(),
  /** The agent, or a rule of the person, insists on a person: no grant may answer. */
  requiresPerson: z.boolean().optional(),
  defaultToNo: z.boolean().optional(),
});
export type Ask = z.infer<typeof Ask>;

/** What a person (or a grant, or the clock) decided; the driver turns it into the agent's own form. */
export const Decision = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('allow'),
    scope: z.enum(['once', 'session', 'always']),
    updatedInput: z.record(z.string(), z.unknown()).optional(),
    mode: z.string().optional(),
  }),
  z.object({ type: z.literal('deny'), message: z.string(), interrupt: z.boolean() }),
  z.object({ type: z.literal('answer'), answers: z.array(Answer) }),
  z.object({ type: z.literal('submit'), values: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal('dismiss'), message: z.string() }),
]);
export type Decision = z.infer<typeof Decision>;

/** An interaction as clients see it. `requestId` equals `interactionId`. */
export const Interaction = Ask.omit({ agentRequestId: true }).extend({
  interactionId: InteractionId,
  requestId: InteractionId,
  sessionId: SessionId,
  sessionKey: z.string().nullable(),
  turnId: z.string().nullable(),
  createdAt: z.string(),
  expiresAt: z.string().optional(),
  parked: z.boolean(),
  status: z.enum(['open', 'resolved']),
  outcome: Outcome.optional(),
  decision: Decision.optional(),
  resolvedBy: Actor.optional(),
  resolvedAt: z.string().optional(),
  resolvedReason: z.string().optional(),
  deliveredAt: z.string().optional(),
});
export type Interaction = z.infer<typeof Interaction>;
