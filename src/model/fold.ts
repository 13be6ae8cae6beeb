import type { Event, EventOf } from '../protocol/event.ts';
import type { InteractionId } from '../protocol/ids.ts';
import type { ForkPoint } from '../protocol/session.ts';
import type { WorktreeOfSession } from '../protocol/worktree.ts';
import { foldInteraction, type InteractionEvent } from './interaction-fold.ts';
import { isHeld } from './limits.ts';
import { emptyMap, findValue, valueAt, withoutValue, withValue } from './ordered-map.ts';
import { withoutTurn, withRecording } from './recordings.ts';
import { afterReview, withoutSent, withReturned } from './review.ts';
import type { AgentRun, InteractionCounts, LiveInteraction, QueueItem, SessionState, Turn } from './state.ts';
import { interactionOf, isAwaited, isShown, requestKeyOf, statusOf } from './status.ts';
import { addUsage, noUsage, usageOfTurn } from './usage.ts';

const RECENT_SENDS = 50;

/** The state after an event. The first event of a session is `session.created`. */
export function fold(state: SessionState | null, event: Event): SessionState {
  if (event.type === 'session.created') return created(event);
  if (state === null) throw new Error(`A session's log begins with ${event.type}`);
  const next = apply(state, event);
  const { status, waitingOn, awaited } = statusOf(next);
  const same = status === state.status && waitingOn === state.waitingOn && awaited?.id === state.awaited?.id;
  return {
    ...next,
    lastSeq: event.seq,
    updatedAt: event.at,
    status,
    waitingOn,
    awaited,
    since: same ? state.since : event.at,
    archived: next.archived && !comesBack.has(event.type),
    held: isHeld(next) ? (state.held ?? { since: event.at, reason: 'asks' }) : null,
  };
}

/** Whoever archived the session did not know of this. */
const comesBack: ReadonlySet<Event['type']> = new Set([
  'message.queued',
  'interaction.requested',
  'session.reopened',
]);

function worktreeOf({
  worktree,
}: EventOf<'session.created'>): Pick<SessionState, 'worktree' | 'setupDigest'> {
  if (worktree === undefined) return {};
  const { notes: _, setup, ...plain } = worktree;
  return setupAgain(plain, setup);
}

/** A worktree that is fresh, or fresh again. */
function setupAgain(
  { setup: _, ...plain }: WorktreeOfSession,
  setup: EventOf<'worktree.restored'>['setup'],
): Pick<SessionState, 'worktree' | 'setupDigest'> {
  if (setup === undefined) return { worktree: plain, setupDigest: undefined };
  return setup.isAgreed
    ? { worktree: { ...plain, setup: 'waiting' }, setupDigest: setup.digest }
    : { worktree: { ...plain, setup: 'unagreed' }, setupDigest: undefined };
}

function created(event: EventOf<'session.created'>): SessionState {
  return {
    id: event.sessionId,
    lastSeq: event.seq,
    createdAt: event.at,
    updatedAt: event.at,
    agent: event.agent,
    machine: event.machine ?? null,
    cwd: event.cwd,
    realCwd: event.realCwd ?? null,
    ...worktreeOf(event),
    title: event.title,
    key: event.key,
    permissionMode: event.permissionMode,
    model: event.model,
    labels: event.labels,
    askTimeout: event.askTimeout,
    whileBusy: event.whileBusy ?? null,
    archived: false,
    pinned: false,
    ephemeral: event.ephemeral,
    closeAfterTurn: event.closeAfterTurn,
    ...(event.forkedFrom && { forkedFrom: event.forkedFrom }),
    ...(event.forkPoint && { forkPoint: event.forkPoint }),
    reached: event.forkPoint ?? (event.agentSessionId === undefined ? null : undefined),
    life: 'open',
    failure: null,
    process: null,
    wake: 'created',
    lastCrashAt: null,
    agentSessionId: event.agentSessionId ?? null,
    agentVersion: null,
    capabilities: null,
    commands: [],
    turn: null,
    recordings: [],
    firstRecording: null,
    workTree: null,
    unrecorded: null,
    restoring: null,
    queue: [],
    interactions: emptyMap,
    requests: emptyMap,
    counts: { open: 0, awaited: 0, deferred: 0, ofTools: 0 },
    tools: emptyMap,
    tasks: emptyMap,
    grants: [],
    rules: [],
    recentSends: [],
    usage: noUsage,
    context: null,
    options: [],
    isNamed: event.named ?? true,
    status: 'starting',
    waitingOn: 'nothing',
    awaited: null,
    since: event.at,
    held: null,
  };
}

function apply(state: SessionState, event: Exclude<Event, { type: 'session.created' }>): SessionState {
  switch (event.type) {
    case 'session.changed':
      return {
        ...state,
        title: event.title ?? state.title,
        isNamed: state.isNamed || (event.title !== undefined && event.by.kind !== 'agent'),
        labels: event.labels ?? state.labels,
        whileBusy: event.whileBusy === undefined ? state.whileBusy : event.whileBusy,
        archived: event.archived ?? state.archived,
        pinned: event.pinned ?? state.pinned,
        mutedUntil: event.mutedUntil === undefined ? state.mutedUntil : (event.mutedUntil ?? undefined),
      };
    case 'session.stopped':
      return {
        ...state,
        life: 'stopped',
        wake: null,
        grants: [],
        rules: [],
        tools: emptyMap,
        tasks: emptyMap,
      };
    case 'session.failed':
      return {
        ...state,
        life: 'failed',
        wake: null,
        failure: { reason: event.reason, stderr: event.stderr },
      };
    case 'session.reopened':
      return { ...state, life: 'open', wake: 'resume', failure: null, lastCrashAt: null };
    case 'mode.changed':
      return { ...state, permissionMode: event.permissionMode };
    case 'model.changed':
      return { ...state, model: event.model };
    case 'options.changed':
      return { ...state, options: event.options };
    case 'commands.changed':
      return { ...state, commands: event.commands };

    case 'process.starting':
      return { ...state, wake: null, process: startingRun(event), leftRun: undefined };
    case 'process.ready':
      return {
        ...state,
        process: withRun(state, { phase: 'ready', isolation: event.isolation ?? null }),
        ...(event.agentSessionId !== null && identified(state, event.agentSessionId)),
        agentVersion: event.version,
        capabilities: event.capabilities,
      };
    case 'process.identified':
      return { ...state, ...identified(state, event.agentSessionId) };
    case 'process.closing':
      return { ...state, process: withRun(state, { phase: 'closing', closing: event.cause }) };
    case 'process.exited':
      return afterExit(state, event);
    case 'process.taken':
      return { ...state, wake: null, process: state.leftRun?.run ?? null, leftRun: undefined };

    case 'message.queued':
      return enqueued(withoutSent(state, event), event);
    case 'message.edited':
      return withItem(state, event.messageId, (item) => ({ ...item, text: event.text }));
    case 'message.moved':
      return { ...state, queue: moved(state.queue, event) };
    case 'message.removed':
      return withoutItem(withReturned(state, event), event.messageId);
    case 'message.taken':
      return withoutItem(state, event.messageId);
    case 'message.sending':
      return withItem(state, event.messageId, (item) => ({
        ...item,
        sending: event.applied === 'steer' ? 'steer' : 'send',
        turnId: event.turnId,
      }));
    case 'message.requeued':
      return requeued(state, event.messageId);

    case 'comment.drafted':
    case 'comment.edited':
    case 'comment.removed':
    case 'files.seen':
      return afterReview(state, event);

    case 'turn.started':
      return {
        ...state,
        turn: { id: event.turnId, startedAt: event.at, interrupting: null },
        process: state.process && { ...state.process, turns: state.process.turns + 1 },
      };
    case 'turn.interrupting':
      return withTurn(state, { interrupting: { since: event.at, overdue: false } });
    case 'turn.overdue':
      return withTurn(state, {
        interrupting: { since: state.turn?.interrupting?.since ?? event.at, overdue: true },
      });
    case 'turn.ended':
      return {
        ...state,
        turn: null,
        tools: emptyMap,
        usage: addUsage(state.usage, usageOfTurn(event)),
        context: event.context ?? state.context,
        reached: reachedAt(state, event.reached),
      };

    case 'files.recorded':
      return withRecording(state, event);
    case 'files.unrecorded':
      return { ...state, unrecorded: event.code };
    case 'files.restoring':
      return {
        ...state,
        restoring: { orderId: event.orderId, turnId: event.turnId, by: event.by },
      };
    case 'files.restored':
    case 'files.unrestored':
      return { ...state, restoring: null };

    case 'tool.called':
      return {
        ...state,
        tools: withValue(state.tools, event.toolCallId, {
          name: event.name,
          startsAgent: event.startsAgent,
          parentToolCallId: event.parentToolCallId ?? null,
        }),
      };
    case 'tool.result':
      return { ...state, tools: withoutValue(state.tools, event.toolCallId) };

    case 'interaction.requested':
    case 'interaction.parked':
    case 'interaction.left-open':
    case 'interaction.deferred':
    case 'interaction.raised':
    case 'interaction.undelivered':
    case 'interaction.resolved':
      return withInteraction(state, event);
    case 'interaction.decided':
      return afterDecision(withUse(withInteraction(state, event), event), event);

    case 'grant.created':
      return { ...state, grants: [...state.grants, event.grant] };
    case 'grant.ended':
      return { ...state, grants: state.grants.filter((grant) => grant.id !== event.grantId) };
    case 'rule.created':
      return { ...state, rules: [...state.rules, event.rule] };
    case 'rule.ended':
      return { ...state, rules: state.rules.filter(({ id }) => id !== event.ruleId) };
    // Of all sessions: they are in no session's log.
    case 'policy.set':
    case 'policy.found':
    case 'policy.trusted':
    case 'policy.distrusted':
    case 'setup.agreed':
    case 'setup.revoked':
      return state;
    case 'worktree.restored':
      return state.worktree === undefined ? state : { ...state, ...setupAgain(state.worktree, event.setup) };
    case 'setup.changed':
      return state.worktree === undefined
        ? state
        : { ...state, worktree: { ...state.worktree, setup: event.setup } };
    case 'diagnostic': {
      const diagnostics = { ...state.process?.diagnostics, [event.code]: event.count };
      return { ...state, process: withRun(state, { diagnostics }) };
    }
    case 'branch.committed':
    case 'branch.landed':
    case 'branch.pushed':
    case 'session.forked':
    case 'agent.text':
    case 'agent.thinking':
    case 'agent.notice':
    case 'user.text':
    case 'suggestion.declined':
      return state;
    case 'task.changed':
      return {
        ...state,
        tasks:
          event.status === 'running'
            ? withValue(state.tasks, event.taskId, true)
            : withoutValue(state.tasks, event.taskId),
      };
  }
}

/** An agent that goes on under another name has begun anew, and nobody knows with what. */
const identified = (state: SessionState, agentSessionId: string): Partial<SessionState> => ({
  agentSessionId,
  ...(state.agentSessionId !== null && state.agentSessionId !== agentSessionId && { reached: undefined }),
});

/** A turn that was cut short may be in the agent's conversation in part. */
const reachedAt = ({ agentSessionId }: SessionState, at: string | undefined): ForkPoint | undefined =>
  agentSessionId === null || at === undefined ? undefined : { agentSessionId, at };

const startingRun = (event: EventOf<'process.starting'>): AgentRun => ({
  id: event.processId,
  phase: 'starting',
  closing: null,
  startedAt: event.at,
  resume: event.resume,
  ...(event.fork && { fork: event.fork }),
  turns: 0,
  isolation: null,
  diagnostics: {},
});

const withRun = (state: SessionState, change: Partial<AgentRun>): AgentRun | null =>
  state.process && { ...state.process, ...change };

const withTurn = (state: SessionState, change: Partial<Turn>): SessionState => ({
  ...state,
  turn: state.turn && { ...state.turn, ...change },
});

const afterExit = (state: SessionState, event: EventOf<'process.exited'>): SessionState => ({
  ...state,
  process: null,
  tools: emptyMap,
  tasks: emptyMap,
  wake: wakeAfter(state, event),
  leftRun: event.left && state.process ? { run: state.process, ...event.left } : undefined,
  lastCrashAt: event.crashed ? event.at : state.lastCrashAt,
});

function wakeAfter(state: SessionState, { cause, crashed }: EventOf<'process.exited'>): SessionState['wake'] {
  if (cause === 'server-ended' || cause === 'host-ended' || cause === 'given-up') return null;
  if (crashed) return 'crash';
  const isAnswered =
    state.counts.deferred > 0 &&
    findValue(state.interactions, ({ deferred, decided }) => deferred !== null && decided !== null) !==
      undefined;
  return state.wake ?? (isAnswered && state.life === 'open' ? 'answer' : null);
}

function enqueued(state: SessionState, event: EventOf<'message.queued'>): SessionState {
  const item: QueueItem = {
    queued: event,
    text: event.text,
    sending: null,
    direct: event.applied === 'send' || event.applied === 'steer',
  };
  const firstWaiting = state.queue.findIndex((other) => other.sending === null);
  const at = event.place === 'tail' || firstWaiting < 0 ? state.queue.length : firstWaiting;
  return {
    ...state,
    queue: [...state.queue.slice(0, at), item, ...state.queue.slice(at)],
    wake: state.wake ?? (wakes(state) ? 'message' : null),
    recentSends:
      event.clientMessageId === null
        ? state.recentSends
        : [...state.recentSends.slice(1 - RECENT_SENDS), withoutContent(event)],
  };
}

/** What is kept of a message to know it again. */
const withoutContent = ({ review: _, ...event }: EventOf<'message.queued'>): EventOf<'message.queued'> => ({
  ...event,
  text: '',
  images: [],
});

/** A failed session keeps what is said to it until it is resumed. */
const wakes = ({ life, process }: SessionState): boolean =>
  life === 'open' && (process === null || process.phase === 'closing');

const withoutItem = (state: SessionState, messageId: string): SessionState => ({
  ...state,
  queue: state.queue.filter((item) => item.queued.messageId !== messageId),
});

const withItem = (
  state: SessionState,
  messageId: string,
  change: (item: QueueItem) => QueueItem,
): SessionState => ({
  ...state,
  queue: state.queue.map((item) => (item.queued.messageId === messageId ? change(item) : item)),
});

/** Its turn never began: what was recorded for it says nothing. */
function requeued(state: SessionState, messageId: string): SessionState {
  const turnId = state.queue.find((item) => item.queued.messageId === messageId)?.turnId;
  const back = withItem(state, messageId, (item) => ({
    ...item,
    sending: null,
    turnId: undefined,
    direct: false,
  }));
  return turnId === undefined ? back : withoutTurn(back, turnId);
}

/** Positions count what is shown, from 1; what is being sent stays ahead of what waits. */
function moved(queue: readonly QueueItem[], event: EventOf<'message.moved'>): readonly QueueItem[] {
  const item = queue.find((other) => other.queued.messageId === event.messageId);
  if (item === undefined) return queue;
  const rest = queue.filter((other) => other !== item);
  const shown = rest.filter(isShown);
  const sending = shown.filter((other) => other.sending !== null).length;
  const successor = shown[Math.max(event.position - 1, sending)];
  const at = successor === undefined ? rest.length : rest.indexOf(successor);
  return [...rest.slice(0, at), item, ...rest.slice(at)];
}

/** The state after an event of an interaction, without those that ended: the only place that counts them. */
function withInteraction(state: SessionState, event: InteractionEvent): SessionState {
  const id = event.interactionId;
  const was = interactionOf(state, id);
  const folded = foldInteraction(was, event);
  const live = folded?.resolved === null ? folded : undefined;
  return {
    ...state,
    interactions:
      live === undefined ? withoutValue(state.interactions, id) : withValue(state.interactions, id, live),
    requests: withRequest(state.requests, id, was, live),
    counts: recounted(state.counts, was, live),
  };
}

function withRequest(
  requests: SessionState['requests'],
  id: InteractionId,
  was: LiveInteraction | undefined,
  live: LiveInteraction | undefined,
): SessionState['requests'] {
  const [before, after] = [was, live].map(requestKeyOf);
  if (before === after) return requests;
  // A later ask of the same name has taken its place.
  const isTaken = before === undefined || valueAt(requests, before) !== id;
  const others = isTaken ? requests : withoutValue(requests, before);
  return after === undefined ? others : withValue(others, after, id);
}

function recounted(
  counts: InteractionCounts,
  was: LiveInteraction | undefined,
  live: LiveInteraction | undefined,
): InteractionCounts {
  const changed = (accepts: (one: LiveInteraction) => boolean): number =>
    Number(live !== undefined && accepts(live)) - Number(was !== undefined && accepts(was));
  return {
    open: counts.open + changed(({ decided }) => decided === null),
    awaited: counts.awaited + changed(isAwaited),
    deferred: counts.deferred + changed(({ deferred }) => deferred !== null),
    ofTools: counts.ofTools + changed(({ requested }) => requested.ask.tool !== undefined),
  };
}

/** How often each of the session's own grants was used. */
const withUse = (state: SessionState, { by: { grantId } }: EventOf<'interaction.decided'>): SessionState =>
  grantId === undefined || !state.grants.some(({ id }) => id === grantId)
    ? state
    : {
        ...state,
        grants: state.grants.map((grant) =>
          grant.id === grantId ? { ...grant, uses: (grant.uses ?? 0) + 1 } : grant,
        ),
      };

/**
 * An agent that sleeps until it is answered is woken by the answer. "Deny and interrupt" ends the turn by itself: what the agent takes
 * back and how the turn ends is the interrupt's doing.
 */
function afterDecision(state: SessionState, event: EventOf<'interaction.decided'>): SessionState {
  const { decision, interactionId } = event;
  if (interactionOf(state, interactionId)?.deferred === 'asleep' && wakes(state)) {
    return { ...state, wake: state.wake ?? 'answer' };
  }
  const interrupts = decision.type === 'deny' && decision.interrupt;
  return interrupts && state.turn?.interrupting === null
    ? withTurn(state, { interrupting: { since: event.at, overdue: false } })
    : state;
}
