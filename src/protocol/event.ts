import { z } from 'zod';
import { RecordingId } from './changes.ts';
import { Grant } from './grant.ts';
import { CommentId, GrantId, InteractionId, MessageId, RuleId, SessionId } from './ids.ts';
import { Actor, Ask, Decision, LeftOpen, Outcome } from './interaction.ts';
import { LandingHow } from './landing.ts';
import { StandingRule } from './policy.ts';
import { draftedComment, SeenMark, SentReview } from './review.ts';
import { Policy } from './rule.ts';
import {
  AgentCommand,
  AgentOption,
  Applied,
  AskTimeout,
  Capabilities,
  ContextUse,
  Disposition,
  ForkedFrom,
  ForkPoint,
  RunIsolation,
  WhileBusy,
} from './session.ts';
import { CallShape, ResultShape } from './tool-call.ts';
import { GivenWorktree, SetupState } from './worktree.ts';

/**
 * The facts of a session, in the order they happened. Each kind says here how it is kept: `decision` is on the disk itself before
 * anyone hears of it, `fact` is written at once and survives the death of the process.
 */
export type Durability = 'decision' | 'fact';

const define = <D extends Durability, S extends z.ZodRawShape>(durability: D, shape: S) => ({
  durability,
  schema: z.object(shape),
});

const parent = { parentToolCallId: z.string().optional() };

export const TurnUsage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
});
export type TurnUsage = z.infer<typeof TurnUsage>;

/** A content block's place: the agent's message it belongs to, and its number in it. */
const place = { agentMessageId: z.string(), block: z.number() };

const ImageRef = z.object({ imageId: z.string(), mediaType: z.string(), bytes: z.number() });

export const eventDefinitions = {
  'session.created': define('decision', {
    sessionId: SessionId,
    agent: z.string(),
    /** Left out for the server's own. */
    machine: z.string().optional(),
    cwd: z.string(),
    /** Where `cwd` led when the session was made, with all links followed. */
    realCwd: z.string().optional(),
    title: z.string(),
    key: z.string().nullable(),
    permissionMode: z.string().nullable(),
    model: z.string().nullable(),
    labels: z.array(z.string()),
    askTimeout: AskTimeout.nullable(),
    whileBusy: WhileBusy.optional(),
    ephemeral: z.boolean(),
    closeAfterTurn: z.boolean(),
    /** False where the title was not given: the agent may find a better one. */
    named: z.boolean().optional(),
    /** The agent's own session that it goes on with; left out for a new one. */
    agentSessionId: z.string().optional(),
    forkedFrom: ForkedFrom.optional(),
    /** Where in the agent's own conversation the fork begins; left out for one that begins with nothing. */
    forkPoint: ForkPoint.optional(),
    /** Left out where it works in a directory of the person's. */
    worktree: GivenWorktree.optional(),
    by: Actor,
  }),
  /** Another session goes on with this one's conversation, as it was before that turn, or is now. */
  'session.forked': define('fact', { into: SessionId, turnId: z.string().nullable(), by: Actor }),
  'session.changed': define('decision', {
    title: z.string().optional(),
    labels: z.array(z.string()).optional(),
    whileBusy: WhileBusy.nullable().optional(),
    archived: z.boolean().optional(),
    pinned: z.boolean().optional(),
    mutedUntil: z.string().nullable().optional(),
    by: Actor,
  }),
  'session.stopped': define('decision', { by: Actor, returned: z.array(z.string()) }),
  'session.failed': define('fact', {
    reason: z.string(),
    stderr: z.array(z.string()),
    /** Who gave it up, where someone did. */
    by: Actor.optional(),
  }),
  'session.reopened': define('decision', { by: Actor }),

  /** The session's worktree was removed, and a person brought it back; its setup runs again where it is agreed to. */
  'worktree.restored': define('decision', {
    by: Actor,
    setup: z.object({ digest: z.string(), isAgreed: z.boolean() }).optional(),
  }),
  /** Of the session's worktree; with the end of what it printed where it has run. */
  'setup.changed': define('fact', {
    /** `unagreed`: what was agreed to was taken back before it ran. */
    setup: SetupState.exclude(['waiting']),
    code: z.number().nullable().optional(),
    output: z.string().optional(),
    durationMs: z.number().optional(),
  }),

  'mode.changed': define('fact', { permissionMode: z.string(), by: Actor }),
  'model.changed': define('fact', { model: z.string().nullable(), by: Actor }),
  /** All of them, in place of those before. */
  'options.changed': define('fact', {
    options: z.array(AgentOption),
    /** The one that was set, where someone did. */
    changed: z.object({ id: z.string(), value: z.string() }).optional(),
    by: Actor,
  }),
  /** The whole list, in place of the one before. */
  'commands.changed': define('fact', { commands: z.array(AgentCommand) }),

  'process.starting': define('fact', {
    processId: z.string(),
    cause: z.enum(['created', 'message', 'resume', 'crash', 'answer']),
    resume: z.string().nullable(),
    /** Not that conversation itself, but a copy of it up to there; null for all of it. */
    fork: z.object({ at: z.string().nullable() }).optional(),
  }),
  'process.ready': define('fact', {
    processId: z.string(),
    agentSessionId: z.string().nullable(),
    version: z.string().nullable(),
    capabilities: Capabilities,
    isolation: RunIsolation.optional(),
  }),
  'process.identified': define('fact', { agentSessionId: z.string() }),
  'process.closing': define('fact', {
    processId: z.string(),
    cause: z.enum(['sleep', 'stop', 'turn-ended', 'shutdown', 'failed', 'deferred']),
  }),
  'process.exited': define('fact', {
    processId: z.string(),
    code: z.number().nullable(),
    signal: z.string().nullable(),
    /** `given-up`: its machine was; nobody knows whether it has ended. */
    cause: z.enum(['asked', 'by-itself', 'not-started', 'server-ended', 'host-ended', 'given-up']),
    /** It ended by itself when it should not have; it is started again, unless the session failed. */
    crashed: z.boolean(),
    reason: z.string().optional(),
    stderr: z.array(z.string()),
    /** With `given-up`: whether it was in a turn, and what it had asked. With this it can be gone on with. */
    left: z.object({ inTurn: z.boolean(), asks: z.array(InteractionId) }).optional(),
  }),
  /** The machine that was given up came back, and the agent is gone on with. */
  'process.taken': define('decision', { processId: z.string(), by: Actor }),

  'message.queued': define('decision', {
    messageId: MessageId,
    text: z.string(),
    images: z.array(ImageRef),
    disposition: Disposition,
    place: z.enum(['head', 'tail']),
    /** What the sender was told: how it was taken, and why that differs from what was asked. */
    applied: Applied,
    reason: z.string().nullable(),
    position: z.number(),
    clientMessageId: z.string().nullable(),
    /** The ask that this message is the late answer to. */
    answers: InteractionId.optional(),
    /** The comments that it is made of: they are drafts no longer. */
    review: SentReview.optional(),
    by: Actor,
  }),
  'message.edited': define('decision', { messageId: MessageId, text: z.string(), by: Actor }),
  'message.moved': define('decision', { messageId: MessageId, position: z.number(), by: Actor }),
  'message.removed': define('decision', {
    messageId: MessageId,
    cause: z.enum(['removed', 'replaced', 'returned']),
    by: Actor,
  }),
  'message.sending': define('fact', {
    messageId: MessageId,
    applied: Applied,
    /** The turn that it is to begin; left out where it joins one that runs. */
    turnId: z.string().optional(),
  }),
  'message.taken': define('fact', { messageId: MessageId, text: z.string(), images: z.array(ImageRef) }),
  'message.requeued': define('fact', { messageId: MessageId, reason: z.string() }),

  'comment.drafted': define('decision', draftedComment),
  'comment.edited': define('decision', { commentId: CommentId, text: z.string(), by: Actor }),
  'comment.removed': define('decision', { commentId: CommentId, by: Actor }),
  /** These files, as they were, count as seen; or, with false, no longer. */
  'files.seen': define('fact', { marks: z.array(SeenMark), seen: z.boolean(), by: Actor }),

  'turn.started': define('fact', {
    turnId: z.string(),
    messageId: MessageId.nullable(),
    /** Where the agent's conversation stood before: null where there was none, left out where that is not known. */
    follows: ForkPoint.nullable().optional(),
  }),
  'turn.interrupting': define('decision', { turnId: z.string(), by: Actor }),
  'turn.overdue': define('fact', { turnId: z.string() }),
  'turn.ended': define('fact', {
    turnId: z.string(),
    /** `suspended`: the agent sleeps in the middle of it until its question is answered. */
    outcome: z.enum(['completed', 'interrupted', 'failed', 'lost', 'suspended']),
    error: z.string().optional(),
    durationMs: z.number().optional(),
    usage: TurnUsage.optional(),
    costUsd: z.number().optional(),
    context: ContextUse.optional(),
    /** The agent's name for the place that its conversation has reached, where it can be forked there. */
    reached: z.string().optional(),
  }),

  /** The files of the work tree, before the message of a turn was handed over or after the turn ended. */
  'files.recorded': define('fact', {
    turnId: z.string(),
    when: z.enum(['start', 'end']),
    recording: RecordingId,
    /** How many files are not in it, so that nothing is known of them. */
    unrecorded: z.number(),
    /** The work tree. */
    root: z.string(),
    /** Not at that moment, but after it: of what happened in between it is not known when it did. */
    late: z.literal(true).optional(),
  }),
  /** They could not be recorded. Told once, not at each turn, while the reason stays the same. */
  'files.unrecorded': define('fact', {
    turnId: z.string(),
    when: z.enum(['start', 'end']),
    code: z.string(),
  }),
  /** Someone wants what changed between two recordings put back: on record before it is begun. */
  'files.restoring': define('decision', {
    orderId: z.string(),
    turnId: z.string().nullable(),
    before: RecordingId,
    after: RecordingId,
    by: Actor,
  }),
  /** It was not: something stood against it, or it was never begun. Nothing was changed. */
  'files.unrestored': define('fact', { orderId: z.string(), code: z.string() }),
  /** What changed between two recordings was put back. This is undone by undoing what leads from `before` to `after`. */
  'files.restored': define('decision', {
    orderId: z.string(),
    /** Null where it was no turn that was undone. */
    turnId: z.string().nullable(),
    before: RecordingId,
    after: RecordingId,
    /** The first thousand. */
    paths: z.array(z.string()),
    /** How many there are in all. */
    files: z.number(),
    by: Actor,
  }),
  /** What a person did with the branch of the work tree, after it was done. */
  'branch.committed': define('decision', {
    branch: z.string(),
    commit: z.string(),
    subject: z.string(),
    files: z.number(),
    by: Actor,
  }),
  'branch.landed': define('decision', {
    branch: z.string(),
    base: z.string(),
    how: LandingHow,
    commit: z.string(),
    by: Actor,
  }),
  'branch.pushed': define('decision', {
    branch: z.string(),
    commit: z.string(),
    remote: z.string(),
    url: z.string(),
    by: Actor,
  }),

  'agent.text': define('fact', { ...place, text: z.string(), ...parent }),
  'agent.thinking': define('fact', { ...place, text: z.string(), ...parent }),
  'agent.notice': define('fact', {
    level: z.enum(['info', 'warning', 'error']),
    code: z.string(),
    text: z.string(),
    ...parent,
  }),
  'user.text': define('fact', { text: z.string(), ...parent }),
  'tool.called': define('fact', {
    ...place,
    toolCallId: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    /** What it does, as pointers into the input; events of older logs lack it. */
    call: CallShape.optional(),
    /** True when the call starts another agent, whose own calls name this one as their parent. */
    startsAgent: z.boolean(),
    ...parent,
  }),
  'tool.result': define('fact', {
    toolCallId: z.string(),
    isError: z.boolean(),
    text: z.string(),
    images: z.array(ImageRef).optional(),
    /** The agent's structured account of the result (a diff, an exit code), as it gave it. */
    detail: z.unknown().optional(),
    /** What of it is known by name, as pointers into the detail. */
    output: ResultShape.optional(),
    ...parent,
  }),
  'task.changed': define('fact', {
    taskId: z.string(),
    toolCallId: z.string().optional(),
    status: z.enum(['running', 'completed', 'failed', 'stopped']),
    description: z.string().optional(),
    summary: z.string().optional(),
  }),

  'interaction.requested': define('fact', {
    interactionId: InteractionId,
    turnId: z.string().nullable(),
    processId: z.string(),
    ask: Ask,
    expiresAt: z.string().optional(),
    parksAt: z.string().optional(),
  }),
  'interaction.parked': define('fact', { interactionId: InteractionId }),
  /** The tool that asked has given its result; the ask stays, and its answer will be a message. */
  'interaction.left-open': define('decision', { interactionId: InteractionId, leftOpen: LeftOpen }),
  /** The agent is to sleep while this waits, and to ask it again when it is answered. */
  'interaction.deferred': define('decision', { interactionId: InteractionId }),
  /** It was asked again by another process: the answer goes there. */
  'interaction.raised': define('fact', {
    interactionId: InteractionId,
    agentRequestId: z.string(),
    processId: z.string(),
  }),
  'interaction.decided': define('decision', {
    interactionId: InteractionId,
    outcome: Outcome,
    decision: Decision,
    by: Actor,
  }),
  /** The answer is on record, and the machine of the agent cannot be reached. */
  'interaction.undelivered': define('fact', { interactionId: InteractionId, machine: z.string() }),
  'interaction.resolved': define('fact', {
    interactionId: InteractionId,
    outcome: Outcome,
    by: Actor,
    reason: z.string().optional(),
    delivered: z.boolean(),
  }),

  'grant.created': define('decision', { grant: Grant }),
  'grant.ended': define('decision', {
    grantId: GrantId,
    cause: z.enum(['revoked', 'session-ended', 'expired']),
    /** How many calls a time of trust let through; only where it was one. */
    uses: z.number().optional(),
    by: Actor,
  }),
  /** It is not to be offered again. */
  'suggestion.declined': define('decision', { suggestionId: z.string(), by: Actor }),

  'rule.created': define('decision', { rule: StandingRule }),
  'rule.ended': define('decision', {
    ruleId: RuleId,
    cause: z.enum(['removed', 'session-ended']),
    by: Actor,
  }),
  /** In place of the one before. */
  'policy.set': define('decision', { policy: Policy, by: Actor }),
  /** What the file of a directory says now; the content is null when there is none, or it cannot be read, which the problem tells. */
  'policy.found': define('fact', {
    directory: z.string(),
    content: z.string().nullable(),
    problem: z.string().optional(),
  }),
  /** A person was shown this content, and lets it hold; a digest of null accepts that the file is gone. */
  'policy.trusted': define('decision', { directory: z.string(), digest: z.string().nullable(), by: Actor }),
  /** A person was shown this setup of a repository, and lets it run there. */
  'setup.agreed': define('decision', { repository: z.string(), digest: z.string(), by: Actor }),
  /** A person takes that back. */
  'setup.revoked': define('decision', { repository: z.string(), digest: z.string(), by: Actor }),
  'policy.distrusted': define('decision', { directory: z.string(), by: Actor }),

  diagnostic: define('fact', {
    code: z.string(),
    text: z.string(),
    count: z.number(),
    sample: z.string().optional(),
  }),
} as const;

export type EventType = keyof typeof eventDefinitions;

type Payloads = { [T in EventType]: z.infer<(typeof eventDefinitions)[T]['schema']> };

/** A fact that is about to be stored. */
export type NewEvent = { [T in EventType]: { readonly type: T } & Readonly<Payloads[T]> }[EventType];
export type NewEventOf<T extends EventType> = Extract<NewEvent, { type: T }>;

/** A stored fact: numbered from 1 without gaps in its session. */
export type Event = NewEvent & { readonly seq: number; readonly at: string };
export type EventOf<T extends EventType> = Extract<Event, { type: T }>;

/** What is said while it is being said: passed on, never stored. */
export const Delta = z.object({
  messageId: z.string(),
  block: z.number(),
  kind: z.enum(['text', 'thinking', 'tool-input']),
  text: z.string(),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
  /** With `tool-input`: what the call will do, as far as its name tells. */
  call: CallShape.optional(),
  parentToolCallId: z.string().optional(),
});
export type Delta = z.infer<typeof Delta>;

/** Ids under which a stored event can be found again. */
export function referencesOf(event: NewEvent): string[] {
  switch (event.type) {
    case 'interaction.requested':
      return event.ask.toolCallId === undefined
        ? [event.interactionId]
        : [event.interactionId, askReference(event.ask.toolCallId)];
    case 'interaction.decided':
      return event.by.grantId === undefined
        ? [event.interactionId]
        : [event.interactionId, grantUseReference(event.by.grantId)];
    case 'interaction.parked':
    case 'interaction.left-open':
    case 'interaction.deferred':
    case 'interaction.raised':
    case 'interaction.undelivered':
    case 'interaction.resolved':
      return [event.interactionId];
    case 'message.queued':
      return event.clientMessageId === null
        ? [event.messageId]
        : [event.messageId, `client:${event.clientMessageId}`];
    case 'message.edited':
    case 'message.sending':
    case 'message.taken':
      return [event.messageId];
    case 'comment.drafted':
      return [event.commentId];
    case 'turn.started':
    case 'files.restored':
      return event.turnId === null ? [] : [event.turnId];
    default:
      return [];
  }
}

/** Under which the asks of a call are found: of the agent whether it may be made, and of the tool itself. */
export const askReference = (toolCallId: string): string => `ask:${toolCallId}`;

/** Under which the decisions of a grant are found in a session. */
export const grantUseReference = (grantId: string): string => `use:${grantId}`;

/** The words of an event that a person may search for. */
export function searchTextOf(event: NewEvent): string | undefined {
  switch (event.type) {
    case 'message.taken':
    case 'agent.text':
      return event.text;
    case 'tool.called':
      return `${event.name} ${textsIn(event.input)}`;
    case 'interaction.requested':
      return event.ask.title;
    case 'interaction.decided':
      return `${event.outcome} ${wordsOf(event.decision)}`;
    default:
      return undefined;
  }
}

function wordsOf(decision: Decision): string {
  switch (decision.type) {
    case 'allow':
      return textsIn([decision.updatedInput, decision.values]);
    case 'deny':
    case 'dismiss':
      return decision.message;
    case 'answer':
      return decision.answers.map((a) => [...a.selected, a.other ?? ''].join(' ')).join(' ');
    case 'submit':
      return textsIn(decision.values);
  }
}

/** The texts in a value, without the quotes and escapes that JSON would put between a person and the word they look for. */
function textsIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (value === null || typeof value !== 'object') return '';
  return Object.values(value).map(textsIn).join(' ');
}
