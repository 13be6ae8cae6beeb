import { type Result, refuse } from '../protocol/errors.ts';
import type { NewEvent } from '../protocol/event.ts';
import type { Actor } from '../protocol/interaction.ts';
import { becomes, type CommandOf, type Context, type Decided, type SessionCommand } from './command.ts';
import { defer, deferredMissing, isAskedAgain, keepAsking } from './deferred-asks.ts';
import { expiredGrant, findKeyGrant, keyGrant, revokedGrant, trustIn } from './grants.ts';
import { deliver, expire, isHandedOver, park, respond, settleAll } from './interactions.ts';
import { giveUp, takeRun } from './machine-away.ts';
import { editQueued, removeQueued, requeueInFlight, send } from './messages.ts';
import { noteRecording, noteRestored } from './recordings.ts';
import { draftComment, editComment, markSeen, removeComment, returnedText, sendComments } from './review.ts';
import type { SessionState } from './state.ts';
import { canSleep, wantsProcess } from './status.ts';
import { deliverLate, endAsk, leaveBehind, leaveOpen, toolAsk } from './tool-asks.ts';
import { trustGrant } from './trust.ts';

const server: Actor = { kind: 'server' };

/** Says what follows from a command, or why it cannot be. Pure: the same state and command always give the same answer. */
export function decide(state: SessionState, command: SessionCommand, context: Context): Result<Decided> {
  switch (command.type) {
    case 'send':
      return send(state, command, context.away);
    case 'edit-queued':
      return editQueued(state, command);
    case 'remove-queued':
      return removeQueued(state, command);

    case 'draft-comment':
      return draftComment(state, command);
    case 'edit-comment':
      return editComment(state, command);
    case 'remove-comment':
      return removeComment(state, command);
    case 'send-comments':
      return sendComments(state, command, context.away);
    case 'mark-seen':
      return markSeen(state, command);

    case 'respond':
      return respond(state, command, context);
    case 'delivered':
      return deliver(state, command, context);
    case 'defer':
      return defer(state, command.interactionId);
    case 'not-deferred':
      return keepAsking(state, command.interactionId);
    case 'deferred-missing':
      return deferredMissing(state, command.interactionId);
    case 'park':
      return park(state, command.interactionId);
    case 'expire':
      return expire(state, command.interactionId);

    case 'tool-ask':
      return toolAsk(state, command, context);
    case 'end-ask':
      return endAsk(state, command);
    case 'leave-open':
      return leaveOpen(state, command);
    case 'deliver-late':
      return deliverLate(state, command);
    case 'lose-tools':
      return becomes(...leaveBehind(state));

    case 'interrupt':
      return interrupt(state, command.by);
    case 'interrupt-overdue':
      return state.turn?.id === command.turnId && state.turn.interrupting?.overdue === false
        ? becomes({ type: 'turn.overdue', turnId: command.turnId })
        : becomes();

    case 'note-recording':
      return noteRecording(state, command);
    case 'note-setup': {
      const { type: _, ...noted } = command;
      return becomes({ type: 'setup.changed', ...noted });
    }
    case 'note-worktree-restored': {
      const { type: _, ...noted } = command;
      return becomes({ type: 'worktree.restored', ...noted });
    }
    case 'note-branch':
      return becomes(command.done);
    case 'note-restored':
      return noteRestored(state, command);
    case 'restore':
      return becomes({ ...command, type: 'files.restoring' });

    case 'stop':
      return stop(state, command.by, context);
    case 'reopen':
      return reopen(state, command.by);
    case 'fork':
      return becomes({ type: 'session.forked', into: command.into, turnId: command.turnId, by: command.by });
    case 'start-process':
      return startProcess(state, command.processId);
    case 'close-process':
      return closeProcess(state, command.cause);
    case 'lose-process':
      return becomes(...loseProcess(state, command, context));
    case 'give-up':
      return giveUp(state, command, context);
    case 'take-run':
      return takeRun(state, command, context);

    case 'change':
      return change(state, command);
    case 'set-mode':
      return state.permissionMode === command.permissionMode
        ? becomes()
        : becomes({ type: 'mode.changed', permissionMode: command.permissionMode, by: command.by });
    case 'set-model':
      return state.model === command.model
        ? becomes()
        : becomes({ type: 'model.changed', model: command.model, by: command.by });
    case 'set-option':
      return setOption(state, command);
    case 'expire-grant':
      return becomes(...state.grants.filter(({ id }) => id === command.grantId).map(expiredGrant));
    case 'trust':
      return giveTrust(state, command, context);
    case 'end-trust':
      return becomes(...endTrust(state, command.by));
    case 'revoke-grant': {
      const grant = state.grants.find(({ id }) => id === command.grantId);
      return grant === undefined ? refuse('grant_not_found') : becomes(revokedGrant(grant, command.by));
    }
    case 'add-rule':
      return state.life === 'stopped'
        ? refuse('session_stopped')
        : becomes({ type: 'rule.created', rule: command.rule });
    case 'remove-rule':
      return state.rules.some(({ id }) => id === command.ruleId)
        ? becomes({ type: 'rule.ended', ruleId: command.ruleId, cause: 'removed', by: command.by })
        : refuse('rule_not_found');
    case 'keep-approval':
      return keepApproval(state, command, context);
    case 'forget-approvals':
      return becomes(
        ...state.grants
          .filter((grant) => grant.subjectKind === 'key' && grant.toolName === command.toolName)
          .map((grant) => revokedGrant(grant, command.by)),
      );
  }
}

/** What is open in a session must stay in sight: it is not archived before that is answered. */
/** The agent has confirmed it, and may have told so before: who wanted it is recorded in any case. */
function setOption(state: SessionState, { id, value, by }: CommandOf<'set-option'>): Result<Decided> {
  const options = state.options.map((option) => (option.id === id ? { ...option, value } : option));
  return becomes({ type: 'options.changed', options, changed: { id, value }, by });
}

function change(state: SessionState, { type: _, ...changes }: CommandOf<'change'>): Result<Decided> {
  if (changes.archived === true && state.counts.open > 0) return refuse('session_waiting');
  const { labels, ...rest } = changes;
  return becomes({ type: 'session.changed', ...rest, ...(labels && { labels: [...labels] }) });
}

function keepApproval(
  state: SessionState,
  command: CommandOf<'keep-approval'>,
  context: Context,
): Result<Decided> {
  if (state.life === 'stopped') return refuse('session_stopped');
  if (findKeyGrant(state.grants, command, context.at) !== undefined) return becomes();
  const grant = { ...keyGrant(command, context.at), scope: 'session' as const, sessionId: state.id };
  return becomes({ type: 'grant.created', grant });
}

/** From now on for so long, in place of the time of trust that there may be. What is open stays open: nobody has said anything of it. */
function giveTrust(
  state: SessionState,
  { grantId, minutes, by }: CommandOf<'trust'>,
  context: Context,
): Result<Decided> {
  if (state.life !== 'open') return refuse(state.life === 'failed' ? 'session_failed' : 'session_stopped');
  const grant = trustGrant({ grantId, minutes, by, sessionId: state.id, at: context.at });
  return becomes(...endTrust(state, by), { type: 'grant.created', grant });
}

function endTrust(state: SessionState, by: Actor): readonly NewEvent[] {
  const trust = trustIn(state);
  return trust === undefined ? [] : [revokedGrant(trust, by)];
}

function interrupt(state: SessionState, by: Actor): Result<Decided> {
  if (state.turn === null) return refuse('no_turn_running');
  if (state.capabilities?.interrupt === false) {
    return refuse('agent_refused', 'This agent cannot be interrupted.');
  }
  if (state.turn.interrupting !== null) return becomes();
  return becomes({ type: 'turn.interrupting', turnId: state.turn.id, by });
}

/**
 * Everything that was open ends here, in one step: becomes() can be answered or sent to a session that is being stopped. An answer that
 * is being written ends when it is known what became of it.
 */
function stop(state: SessionState, by: Actor, context: Context): Result<Decided> {
  if (state.life === 'stopped') return becomes();
  const events: NewEvent[] = [];
  const returned = state.queue.flatMap(returnedText);
  for (const item of state.queue) {
    events.push({ type: 'message.removed', messageId: item.queued.messageId, cause: 'returned', by });
  }
  const end = { outcome: 'interrupted', by, reason: 'The session was stopped.' } as const;
  events.push(...settleAll(state, end, context, (live) => !isHandedOver(live, context)));
  if (state.turn !== null) events.push({ type: 'turn.ended', turnId: state.turn.id, outcome: 'interrupted' });
  for (const grant of state.grants) {
    events.push({ ...revokedGrant(grant, by), cause: 'session-ended' });
  }
  for (const { id } of state.rules) {
    events.push({ type: 'rule.ended', ruleId: id, cause: 'session-ended', by });
  }
  if (state.process !== null) {
    events.push({ type: 'process.closing', processId: state.process.id, cause: 'stop' });
  }
  events.push({ type: 'session.stopped', by, returned });
  return becomes(...events);
}

function reopen(state: SessionState, by: Actor): Result<Decided> {
  const resting = state.life !== 'open' || state.status === 'asleep';
  if (!resting)
    return refuse('session_already_running', `The session is ${state.status}; there is nothing to resume.`);
  return becomes({ type: 'session.reopened', by });
}

function startProcess(state: SessionState, processId: string): Result<Decided> {
  if (!wantsProcess(state) || state.wake === null) return becomes();
  const { agentSessionId, forkPoint } = state;
  // Until the agent has told the name of its copy, that is still to be made.
  const isToFork = agentSessionId === null && forkPoint !== undefined;
  return becomes({
    type: 'process.starting',
    processId,
    cause: state.wake,
    ...(isToFork
      ? { resume: forkPoint.agentSessionId, fork: { at: forkPoint.at } }
      : { resume: agentSessionId }),
  });
}

/** A session that waits for a person, or works, is never put to sleep. */
function closeProcess(state: SessionState, cause: 'sleep' | 'shutdown'): Result<Decided> {
  if (state.process === null || state.process.phase === 'closing') return becomes();
  if (cause === 'sleep' && !canSleep(state)) return becomes();
  const closing: NewEvent = { type: 'process.closing', processId: state.process.id, cause };
  return becomes(...(cause === 'shutdown' ? leaveBehind(state) : []), closing);
}

/** For a start that finds a session whose process died with the server, and a machine that comes back without it. */
function loseProcess(
  state: SessionState,
  { reason, cause = 'server-ended' }: CommandOf<'lose-process'>,
  context: Context,
): NewEvent[] {
  const end = { outcome: 'lost', by: server, reason } as const;
  const events: NewEvent[] = [
    ...leaveBehind(state),
    ...settleAll(
      state,
      end,
      context,
      (live) => live.requested.ask.tool === undefined && !isAskedAgain(state, live),
    ),
  ];
  if (state.turn !== null) {
    events.push({ type: 'turn.ended', turnId: state.turn.id, outcome: 'lost', error: reason });
  }
  events.push(...requeueInFlight(state, reason), {
    type: 'process.exited',
    processId: state.process?.id ?? '',
    code: null,
    signal: null,
    cause,
    crashed: false,
    reason,
    stderr: [],
  });
  return events;
}
