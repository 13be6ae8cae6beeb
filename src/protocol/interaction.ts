import { z } from 'zod';
import { GrantId, InteractionId, SessionId } from './ids.ts';
import { RuleRef } from './rule.ts';
import { CallShape } from './tool-call.ts';

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
  'unknown',
]);
export type Outcome = z.infer<typeof Outcome>;

/**
 * Who caused something, as far as it is known. `person` is whoever was let in: `via` says by what, and only a device is a browser that
 * a person has paired; whatever has the token may be a program.
 */
export const Actor = z.object({
  kind: z.enum(['person', 'grant', 'rule', 'timer', 'agent', 'server']),
  via: z.enum(['device', 'terminal', 'token', 'library']).optional(),
  device: z.object({ id: z.string(), name: z.string() }).optional(),
  /** The name of a terminal that a device has unlocked. */
  terminal: z.string().optional(),
  /** What the caller calls itself. Nothing vouches for it. */
  client: z.string().optional(),
  where: z.string().optional(),
  clientId: z.string().optional(),
  grantId: GrantId.optional(),
  /** The grant was a time of trust: nobody had said anything of this call. */
  trust: z.literal(true).optional(),
  /** With `rule`: the one that decided. */
  rule: RuleRef.optional(),
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

/** How the asker wants it shown when it is over; read by `completedSummary` and `showsInputs`. */
export const CompletedView = z.object({
  /** A sentence in which `{{action}}` stands for what the person did, and `{{field}}` for a value. */
  summaryTemplate: z.string().optional(),
  /** Whether what was filled in is shown; if it is left out, only where there is no sentence. */
  showInputs: z.boolean().optional(),
  /** The older spelling of the sentence, with `{field}`. */
  summary: z.string().optional(),
});
export type CompletedView = z.infer<typeof CompletedView>;

export const ApprovalScope = z.enum(['once', 'session', 'always']);
export type ApprovalScope = z.infer<typeof ApprovalScope>;

/** The run of an interactive tool that asks, where it is not the agent itself. */
export const ToolOrigin = z.object({
  /** The tool's own name, without what an agent puts before it. */
  name: z.string(),
  /** Names this run of the tool; the agent's own id of the call, where it tells one. */
  callId: z.string(),
  /** From 1; more when the tool asks again because of what was answered. */
  attempt: z.number(),
  /** The ask whose place on the screen this one takes. */
  replaces: InteractionId.optional(),
});
export type ToolOrigin = z.infer<typeof ToolOrigin>;

export const Form = z.object({
  message: z.string(),
  fields: z.array(FormField),
  /** `tool`: in the block of the call that asks; `questionnaire`: standing alone. */
  presentation: z.enum(['tool', 'questionnaire']),
  source: z.string().optional(),
  url: z.string().optional(),
  /** Why it is asked again; `initialValues` then hold what was typed. */
  error: z.string().optional(),
  initialValues: z.record(z.string(), z.unknown()).optional(),
  completedView: CompletedView.optional(),
});
export type Form = z.infer<typeof Form>;

/** What a grant's pattern is matched against: said by the driver, which alone knows the agent's tools. */
export const Subject = z.object({
  kind: z.enum(['command', 'path', 'host', 'input']),
  /** Resolved: where a path leads through links, and a host as it is looked up. */
  value: z.string(),
  /** The path as the agent gave it, where a link leads from it to another. */
  asked: z.string().optional(),
  /** Nothing is changed there: it is looked at. */
  readOnly: z.boolean().optional(),
  /** It cannot be told what a wildcard would let through: the very same alone matches. */
  literal: z.boolean().optional(),
});
export type Subject = z.infer<typeof Subject>;

/** What the agent asked, in words no vendor owns. */
export const Ask = z.object({
  kind: InteractionKind,
  /** The driver's name for this one ask, made of the agent's own id for it; used to answer it, never shown as ours. */
  agentRequestId: z.string(),
  toolName: z.string(),
  toolCallId: z.string().optional(),
  agentId: z.string().optional(),
  parentToolCallId: z.string().optional(),
  title: z.string(),
  input: z.record(z.string(), z.unknown()),
  /** What the call would do, as pointers into its input; events of older logs lack it. */
  call: CallShape.optional(),
  /** The path that made the agent ask, where it says so. */
  blockedPath: z.string().optional(),
  questions: z.array(Question).optional(),
  form: Form.optional(),
  plan: z.string().optional(),
  reason: z.string().optional(),
  suggestions: z.array(z.unknown()).optional(),
  /** The ways to allow it that the agent offers, where there are several; the first is meant where none is named. */
  ways: z.array(z.object({ id: z.string(), label: z.string() })).optional(),
  subject: Subject.optional(),
  /** The agent, or a rule of the person, insists on a person: no grant may answer. */
  requiresPerson: z.boolean().optional(),
  /** The rule by which this goes to a person, whatever is granted. */
  rule: RuleRef.optional(),
  defaultToNo: z.boolean().optional(),
  /** The agent can end meanwhile, and ask this again when it is started for the answer. */
  deferrable: z.boolean().optional(),
  /** Set when an interactive tool asks: then the answer goes to the tool, not to the agent. */
  tool: ToolOrigin.optional(),
  /** The scopes that a tool offers; it keeps them itself. */
  approvalScopes: z.array(ApprovalScope).optional(),
});
export type Ask = z.infer<typeof Ask>;

/** What a person (or a grant, or the clock) decided; the driver turns it into the agent's own form. */
export const Decision = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('allow'),
    scope: ApprovalScope,
    updatedInput: z.record(z.string(), z.unknown()).optional(),
    mode: z.string().optional(),
    /** One of the ways that were offered. */
    way: z.string().optional(),
    /** What was filled in beside the approval, where a tool asks for both. */
    values: z.record(z.string(), z.unknown()).optional(),
  }),
  z.object({ type: z.literal('deny'), message: z.string(), interrupt: z.boolean() }),
  z.object({ type: z.literal('answer'), answers: z.array(Answer) }),
  z.object({ type: z.literal('submit'), values: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal('dismiss'), message: z.string() }),
]);
export type Decision = z.infer<typeof Decision>;

/** Why the tool no longer waits: it chose so, or it ended with the server that ran it. */
export const LeftOpen = z.object({
  cause: z.enum(['tool', 'server-ended']),
  message: z.string().optional(),
});
export type LeftOpen = z.infer<typeof LeftOpen>;

/** An interaction as clients see it. `requestId` equals `interactionId`. */
export const Interaction = Ask.omit({ agentRequestId: true }).extend({
  interactionId: InteractionId,
  requestId: InteractionId,
  sessionId: SessionId,
  sessionKey: z.string().nullable(),
  turnId: z.string().nullable(),
  createdAt: z.string(),
  /** The number of its session's event that changed it last: of two views of it, the one with the higher number is newer. */
  revision: z.number().optional(),
  expiresAt: z.string().optional(),
  parked: z.boolean(),
  /** The tool's call is over and the ask is not: the answer will reach the agent as a message of its own. */
  leftOpen: LeftOpen.optional(),
  /** It has waited so long that the agent was put to sleep; the answer wakes it. */
  deferred: z.boolean().optional(),
  status: z.enum(['open', 'resolved']),
  outcome: Outcome.optional(),
  decision: Decision.optional(),
  resolvedBy: Actor.optional(),
  resolvedAt: z.string().optional(),
  resolvedReason: z.string().optional(),
  deliveredAt: z.string().optional(),
  /** It was answered, and the machine of its agent cannot be reached: the answer is given when it is back. */
  undelivered: z.object({ machine: z.string(), since: z.string() }).optional(),
});
export type Interaction = z.infer<typeof Interaction>;
