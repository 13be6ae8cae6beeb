import { z } from 'zod';
import { GrantId, MessageId, SessionId } from './ids.ts';
import { WorktreeOfSession } from './worktree.ts';

export const SessionStatus = z.enum([
  'starting',
  'idle',
  'running',
  'waiting',
  'asleep',
  'stopped',
  'failed',
]);
export type SessionStatus = z.infer<typeof SessionStatus>;

export const WaitingOn = z.enum(['you', 'model', 'tool', 'sub-agent', 'nothing']);
export type WaitingOn = z.infer<typeof WaitingOn>;

/** What a session waits on, by name: a tool or sub-agent and its call, or what is asked and the interaction. */
export const Awaited = z.object({ what: z.string(), id: z.string() });
export type Awaited = z.infer<typeof Awaited>;

export const Usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  costUsd: z.number(),
  turns: z.number(),
});
export type Usage = z.infer<typeof Usage>;

export const AskTimeout = z.object({
  softSeconds: z.number().positive().max(31_536_000).optional(),
  hardSeconds: z.number().positive().max(31_536_000).optional(),
});
export type AskTimeout = z.infer<typeof AskTimeout>;

/** Whether a run of an agent is kept from Beckon's files and from other processes. */
export const RunIsolation = z.enum(['walls', 'none']);
export type RunIsolation = z.infer<typeof RunIsolation>;

/** Something of the agent's to choose: what it is known by, and what the agent calls it. */
const Named = z.object({ value: z.string(), label: z.string() });

/** What an agent can do; what it cannot is said, never pretended. */
export const Capabilities = z.object({
  steer: z.boolean(),
  interrupt: z.boolean(),
  images: z.boolean(),
  resume: z.boolean(),
  setModel: z.boolean(),
  permissionModes: z.array(z.string()),
  models: z.array(Named).optional(),
  /** The modes as the agent names them, where it does. */
  modes: z.array(Named).optional(),
  editInput: z.boolean(),
  denyReason: z.boolean(),
  /** False where a message that was sent, and is sent again after a crash, is run again; left out, it is recognised. */
  knowsSentMessages: z.boolean().optional(),
  /** Whether it goes on when the server ends, to be taken up by the next; left out, it is not known. */
  outlivesServer: z.boolean().optional(),
  /** Whether its conversation can be forked: before any turn, or only as a whole. Left out where it cannot. */
  fork: z.enum(['at-turn', 'whole']).optional(),
});
export type Capabilities = z.infer<typeof Capabilities>;

/** A place in an agent's own conversation, where a fork of it can begin; `at` is null for its end. */
export const ForkPoint = z.object({ agentSessionId: z.string(), at: z.string().nullable() });
export type ForkPoint = z.infer<typeof ForkPoint>;

/** The session whose conversation a fork goes on with, and the turn before which it left it; null for its end. */
export const ForkedFrom = z.object({ sessionId: SessionId, turnId: z.string().nullable() });
export type ForkedFrom = z.infer<typeof ForkedFrom>;

/** How a person signs in to an agent: by a command in a terminal, or by a key in a variable. */
export const SignIn = z.object({ command: z.string().optional(), variable: z.string().optional() });

/** Whether an agent asks before it acts, in the mode it starts in; and what makes it ask, where something does. */
export const Asking = z.object({
  byDefault: z.enum(['always', 'sometimes', 'never']),
  mode: z.string().optional(),
  variable: z.object({ name: z.string(), value: z.string() }).optional(),
});
export type Asking = z.infer<typeof Asking>;

export const Agent = z.object({
  name: z.string(),
  label: z.string(),
  available: z.boolean(),
  reason: z.string().optional(),
  version: z.string().optional(),
  capabilities: Capabilities,
  /** The mode in which this server starts it where a session names none; without it, the agent's own. */
  defaultPermissionMode: z.string().optional(),
  /** The variable of its environment that says how many tokens it may think with before it answers, where there is one. */
  thinkingVariable: z.string().optional(),
  /** What to type in a terminal to install it. */
  install: z.string().optional(),
  signIn: SignIn.optional(),
  asking: Asking.optional(),
});
export type Agent = z.infer<typeof Agent>;

/** Something of the agent's that can be set beside mode and model. What is on or off has the values `true` and `false`. */
export const AgentOption = z.object({
  id: z.string(),
  label: z.string(),
  description: z.string().optional(),
  value: z.string(),
  choices: z.array(Named),
  /** Values with which the agent asks less, or not at all. */
  asksLess: z.array(z.string()).optional(),
});
export type AgentOption = z.infer<typeof AgentOption>;

/** How much of its context the agent has used, in tokens. */
export const ContextUse = z.object({ used: z.number(), size: z.number() });
export type ContextUse = z.infer<typeof ContextUse>;

/** Something the agent does when a message begins with `/` and this name. */
export const AgentCommand = z.object({
  /** Without the slash. */
  name: z.string(),
  description: z.string(),
  /** What may follow the name, as the agent puts it: `<file>`. */
  hint: z.string().optional(),
});
export type AgentCommand = z.infer<typeof AgentCommand>;

export const Disposition = z.enum(['auto', 'queue', 'interrupt', 'steer']);
export type Disposition = z.infer<typeof Disposition>;

/** What a person's message does while the agent works, unless they say it with the message. */
export const WhileBusy = z.enum(['queue', 'interrupt']);
export type WhileBusy = z.infer<typeof WhileBusy>;

export const Applied = z.enum(['send', 'queue', 'interrupt', 'steer']);
export type Applied = z.infer<typeof Applied>;

export const QueuedMessage = z.object({
  messageId: MessageId,
  message: z.string(),
  position: z.number(),
  disposition: Disposition,
  createdAt: z.string(),
  images: z.number(),
  /** True once it was handed to the agent and the agent has yet to show that it took it. */
  sending: z.boolean(),
});
export type QueuedMessage = z.infer<typeof QueuedMessage>;

/** The agent is not read on until fewer of its asks are open. */
export const Held = z.object({ since: z.string(), reason: z.literal('asks') });
export type Held = z.infer<typeof Held>;

export const Session = z.object({
  id: SessionId,
  key: z.string().nullable(),
  title: z.string(),
  agent: z.string(),
  agentVersion: z.string().nullable(),
  agentSessionId: z.string().nullable(),
  /** The machine that its agent runs on; left out where that is the server's own. */
  machine: z.string().optional(),
  cwd: z.string(),
  /** Where `cwd` led when the session was made, if that is another path. */
  realCwd: z.string().optional(),
  /** Only where it has one of its own. */
  worktree: WorktreeOfSession.optional(),
  status: SessionStatus,
  since: z.string(),
  waitingOn: WaitingOn,
  awaited: Awaited.nullable(),
  permissionMode: z.string().nullable(),
  model: z.string().nullable(),
  labels: z.array(z.string()),
  askTimeout: AskTimeout.nullable(),
  /** Only where it was set for this session; else the server's holds. */
  whileBusy: WhileBusy.optional(),
  /** Put away: lists leave it out, until it is written to or asks. Only where it is so. */
  archived: z.boolean().optional(),
  /** Kept at hand at the head of lists. Only where it is so. */
  pinned: z.boolean().optional(),
  /** Until then nobody is told of it outside of the page: a moment, which may have passed, or `forever`. Only where it was muted. */
  mutedUntil: z.string().optional(),
  ephemeral: z.boolean(),
  /** Only where it is a fork. */
  forkedFrom: ForkedFrom.optional(),
  capabilities: Capabilities.nullable(),
  /** Null while none runs, and where it is not known. */
  isolation: RunIsolation.nullable(),
  pendingCount: z.number(),
  queueLength: z.number(),
  usage: Usage,
  /** As it was told at the end of the last turn; left out where the agent does not tell. */
  context: ContextUse.optional(),
  /** Left out where the agent has none. */
  options: z.array(AgentOption).optional(),
  interrupting: z.object({ since: z.string(), overdue: z.boolean() }).nullable(),
  /** Only while it is so. */
  held: Held.optional(),
  /** How many comments on changes wait to be sent; the revision is another whenever one of them, or what was seen, has changed. */
  review: z.object({ comments: z.number(), revision: z.number() }).optional(),
  /** A time of trust: until then everything is allowed but for what always needs a person. Only while it is so. */
  trust: z.object({ grantId: GrantId, since: z.string(), until: z.string(), uses: z.number() }).optional(),
  failure: z.object({ reason: z.string(), stderr: z.array(z.string()) }).nullable(),
  lastSeq: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Session = z.infer<typeof Session>;
