import type { NewEvent, NewEventOf } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import { InteractionId, type MessageId } from '../protocol/ids.ts';
import type { Actor, Ask, Decision } from '../protocol/interaction.ts';
import type { AgentOption } from '../protocol/session.ts';
import { keptCommands, sameCommands } from './agent-commands.ts';
import type { CountedFact, FactOf } from './agent-fact.ts';
import { canonical } from './canonical.ts';
import type { Context } from './command.ts';
import { isAskedAgain, notDeferred, raisedAgain, suspend } from './deferred-asks.ts';
import { isTrust } from './grants.ts';
import { interruptedTurn, isHandedOver, settleAll, unanswered } from './interactions.ts';
import { askLimits, isFull } from './limits.ts';
import { requeueInFlight } from './messages.ts';
import { denialBy, heldRule, ruleRef, type Verdict, verdictOn } from './policy.ts';
import type { QueueItem, SessionState } from './state.ts';
import { askOfAgent, isBusy } from './status.ts';
import { interruptAsks } from './tool-asks.ts';
import { findTrust } from './trust.ts';

export type StoredFact = Exclude<CountedFact, { type: 'delta' }>;

const agent: Actor = { kind: 'agent' };
const server: Actor = { kind: 'server' };
const SECOND_CRASH_WITHIN_MS = 60_000;

/** What follows from something the agent's process did. The caller has made sure that it is this session's present process. */
export function observe(state: SessionState, fact: StoredFact, context: Context): readonly NewEvent[] {
  if (state.process === null) return [];
  if (state.life === 'stopped' && fact.type !== 'exited' && fact.type !== 'diagnostic') return [];
  switch (fact.type) {
    case 'ready':
      return state.process.phase === 'starting'
        ? [
            {
              type: 'process.ready',
              processId: state.process.id,
              agentSessionId: fact.agentSessionId,
              version: fact.version,
              capabilities: fact.capabilities,
              ...(fact.isolation !== undefined && { isolation: fact.isolation }),
            },
          ]
        : [];
    case 'identified':
      return fact.agentSessionId === state.agentSessionId
        ? []
        : [{ type: 'process.identified', agentSessionId: fact.agentSessionId }];
    case 'message-taken':
      return takeMessage(state, fact, context);
    case 'turn-started':
      return beginTurn(state, context, fact.messageIds);
    case 'turn-ended':
      return endTurn(state, fact, context);
    case 'said':
      return fact.event.type === 'agent.text' && fact.event.parentToolCallId === undefined
        ? [...beginTurn(state, context), fact.event]
        : [fact.event];
    case 'asked':
      return asked(state, fact.ask, context);
    case 'withdrawn':
      return withdrawn(state, fact.agentRequestId);
    case 'caught-up':
    case 'ending':
      return [];
    case 'mode-changed':
      return fact.permissionMode === state.permissionMode
        ? []
        : [{ type: 'mode.changed', permissionMode: fact.permissionMode, by: agent }];
    case 'model-changed':
      return fact.model === state.model ? [] : [{ type: 'model.changed', model: fact.model, by: agent }];
    case 'options-changed':
      return optionsTold(state, fact.options);
    case 'titled':
      return titled(state, fact.title);
    case 'commands-changed': {
      const commands = keptCommands(fact.commands);
      return sameCommands(commands, state.commands) ? [] : [{ type: 'commands.changed', commands }];
    }
    case 'diagnostic':
      return [fact];
    case 'exited':
      return exited(state, fact, context);
  }
}

const taken = (item: QueueItem): NewEvent => ({
  type: 'message.taken',
  messageId: item.queued.messageId,
  text: item.text,
  images: item.queued.images,
});

/**
 * A message that was handed over for a turn of its own begins that turn when it is taken, also if the agent says so only later:
 * in between the session would look idle, and the next message would be sent.
 */
function takeMessage(
  state: SessionState,
  { messageId, again }: FactOf<'message-taken'>,
  context: Context,
): NewEvent[] {
  const item = state.queue.find((other) => other.queued.messageId === messageId);
  if (item === undefined) return [];
  if (again === true) return [taken(item), notRunAgain];
  const begins = item.sending === 'send' && state.turn === null;
  return begins ? beginTurn(state, context, [messageId]) : [taken(item)];
}

const notRunAgain: NewEvent = {
  type: 'agent.notice',
  level: 'warning',
  code: 'not-run-again',
  text: 'The agent had this message already from before it ended, and does not run it again. Send another to go on.',
};

/** An agent that starts to work has taken what was handed to it, also if it did not say so. */
function beginTurn(state: SessionState, context: Context, known?: readonly MessageId[]): NewEvent[] {
  if (state.turn !== null) return [];
  const items = state.queue.filter(
    (item) => item.sending !== null && (known === undefined || known.includes(item.queued.messageId)),
  );
  const messageId = items[0]?.queued.messageId ?? known?.[0] ?? null;
  const turnId = items.find((item) => item.turnId !== undefined)?.turnId ?? context.mint('turn');
  const { reached: follows } = state;
  return [
    ...items.map(taken),
    { type: 'turn.started', turnId, messageId, ...(follows !== undefined && { follows }) },
  ];
}

const mostOptions = 50;
const mostChoices = 500;

/** However many an agent declares, the log and every snapshot stay small. */
function optionsTold(state: SessionState, told: readonly AgentOption[]): readonly NewEvent[] {
  const options = told.filter(({ choices }) => choices.length <= mostChoices).slice(0, mostOptions);
  return canonical(options) === canonical(state.options)
    ? []
    : [{ type: 'options.changed', options, by: agent }];
}

/** The agent's own title, unless someone has given the session another. */
function titled(state: SessionState, told: string): readonly NewEvent[] {
  const title = told.trim().slice(0, 500);
  if (state.isNamed || title === '' || title === state.title) return [];
  return [{ type: 'session.changed', title, by: agent }];
}

function endTurn(state: SessionState, fact: FactOf<'turn-ended'>, context: Context): readonly NewEvent[] {
  const { type: _, ...how } = fact;
  const nothingRan = state.turn === null && state.queue.every((item) => item.sending === null);
  if (nothingRan) {
    // Said outside of any turn: a failed start, which the exit that follows will tell more about.
    return fact.error === undefined
      ? []
      : [{ type: 'agent.notice', level: 'error', code: 'outside-turn', text: fact.error }];
  }
  const begun = beginTurn(state, context);
  const started = begun.find((event) => event.type === 'turn.started');
  const turnId = state.turn?.id ?? started?.turnId ?? '';
  const interrupted = state.turn?.interrupting != null && fact.outcome === 'failed';
  const outcome = interrupted ? 'interrupted' : fact.outcome;
  return [
    ...begun,
    ...(outcome === 'interrupted' ? interruptAsks(state) : []),
    ...(outcome === 'suspended' ? [] : notDeferred(state)),
    { type: 'turn.ended', turnId, ...how, outcome },
    ...(outcome === 'suspended' ? suspend(state) : []),
  ];
}

function asked(state: SessionState, ask: Ask, context: Context): readonly NewEvent[] {
  if (askOfAgent(state, ask.agentRequestId) !== undefined || state.process === null) return [];
  const raised = raisedAgain(state, ask);
  // Its turn goes on with the answer: taken for idle, it would be sent the next message into the middle of it.
  if (raised !== undefined) return [raised, ...beginTurn(state, context, [])];
  const interactionId = InteractionId.parse(context.mint('interaction'));
  const verdict = withTrust(
    verdictOn(ask, {
      rules: [...state.rules.map(heldRule), ...context.rulesIn(state)],
      grants: [...state.grants, ...context.grants],
      place: state,
      at: context.at,
    }),
    findTrust(state, ask, context.at),
  );
  const requested: NewEvent = {
    type: 'interaction.requested',
    interactionId,
    turnId: state.turn?.id ?? null,
    processId: state.process.id,
    ask: askedBecauseOf(verdict, ask),
    ...(verdict.is === 'ask' ? askLimits(state.askTimeout, context.at) : {}),
  };
  if (verdict.is === 'ask') return isFull(state) ? [requested, notShown(state, interactionId)] : [requested];
  return [requested, { type: 'interaction.decided', interactionId, ...decisionBy(verdict) }];
}

/** A time of trust answers what nothing narrower does; what a rule denies or sends to a person it does not touch. */
const withTrust = (verdict: Verdict, trust: Grant | undefined): Verdict =>
  verdict.is === 'ask' && verdict.rule === undefined && trust !== undefined
    ? { is: 'allow', grant: trust }
    : verdict;

/** What a rule sends to a person is marked so: nothing else may answer it, and it cannot be granted for later. */
const askedBecauseOf = (verdict: Verdict, ask: Ask): Ask =>
  verdict.is === 'ask' && verdict.rule !== undefined
    ? { ...ask, requiresPerson: true, rule: ruleRef(verdict.rule) }
    : ask;

function decisionBy(verdict: Exclude<Verdict, { is: 'ask' }>): {
  readonly outcome: 'allowed' | 'denied';
  readonly decision: Decision;
  readonly by: Actor;
} {
  if (verdict.is === 'deny') {
    const decision: Decision = { type: 'deny', message: denialBy(verdict.rule), interrupt: false };
    return { outcome: 'denied', decision, by: { kind: 'rule', rule: ruleRef(verdict.rule) } };
  }
  const by: Actor =
    'grant' in verdict
      ? { kind: 'grant', grantId: verdict.grant.id, ...(isTrust(verdict.grant) && { trust: true as const }) }
      : { kind: 'rule', rule: ruleRef(verdict.rule) };
  return { outcome: 'allowed', decision: { type: 'allow', scope: 'once' }, by };
}

/** Read from an agent that is interrupted or gone, behind more asks than can be shown: on record, and nobody is asked. */
const notShown = ({ turn }: SessionState, interactionId: InteractionId): NewEvent =>
  unanswered(
    interactionId,
    turn?.interrupting == null
      ? { outcome: 'lost', by: server, reason: 'The agent had asked too much to be shown.' }
      : { ...interruptedTurn, by: server },
  );

/** The agent took its ask back. After an interrupt that is the interrupt's doing, and is called so. */
function withdrawn(state: SessionState, agentRequestId: string): readonly NewEvent[] {
  const live = askOfAgent(state, agentRequestId);
  if (live === undefined) return [];
  const { outcome, reason } =
    state.turn?.interrupting == null
      ? ({ outcome: 'withdrawn', reason: 'The agent no longer needs an answer.' } as const)
      : interruptedTurn;
  const unused = live.decided === null ? '' : ' The answer was recorded, and came too late.';
  return [unanswered(live.requested.interactionId, { outcome, by: agent, reason: `${reason}${unused}` })];
}

function exited(state: SessionState, fact: FactOf<'exited'>, context: Context): readonly NewEvent[] {
  if (state.process === null) return [];
  const asked = state.process.phase === 'closing';
  const why = reasonOf(state, fact);
  const crashed = !asked && fact.hostLost === undefined && isCrash(state, fact);
  const events: NewEvent[] = settleAll(
    state,
    { outcome: 'lost', by: server, reason: why },
    context,
    // What was left open needs no process to be answered, what was put off is asked again by the next one, and a tool that was given its
    // answer is no part of the process.
    (live) =>
      live.leftOpen === null &&
      !isAskedAgain(state, live) &&
      (live.requested.ask.tool === undefined || !isHandedOver(live, context)),
  );
  if (state.turn !== null) {
    const interrupted = state.turn.interrupting !== null;
    events.push({
      type: 'turn.ended',
      turnId: state.turn.id,
      outcome: interrupted ? 'interrupted' : 'lost',
      ...(interrupted ? {} : { error: why }),
    });
  }
  events.push(...requeueInFlight(state, why), {
    type: 'process.exited',
    processId: state.process.id,
    code: fact.code,
    signal: fact.signal,
    cause: causeOf(fact, asked),
    crashed,
    reason: why,
    stderr: [...fact.stderr],
  });
  if (crashed && state.life === 'open' && !mayStartAgain(state, fact, context)) {
    events.push({ type: 'session.failed', reason: why, stderr: [...fact.stderr] });
  }
  return events;
}

function causeOf(fact: FactOf<'exited'>, asked: boolean): NewEventOf<'process.exited'>['cause'] {
  if (fact.startError !== undefined) return 'not-started';
  if (asked) return 'asked';
  return fact.hostLost === undefined ? 'by-itself' : 'host-ended';
}

function reasonOf(state: SessionState, fact: FactOf<'exited'>): string {
  if (fact.hostLost !== undefined) return fact.hostLost;
  if (fact.startError !== undefined) return `The agent could not be started: ${fact.startError}`;
  switch (state.process?.closing) {
    case 'shutdown':
      return 'The server was shut down, and the agent with it.';
    case 'stop':
      return 'The session was stopped.';
    case 'sleep':
    case 'turn-ended':
    case 'deferred':
    case 'failed':
      return 'The agent was put to sleep.';
    default:
      return fact.signal === null
        ? `The agent ended by itself with exit code ${fact.code}.`
        : `The agent was ended by ${fact.signal}.`;
  }
}

/** An end without an error is one, too, where work was under way, or was promised to those who wait for the start. */
const isCrash = (state: SessionState, fact: FactOf<'exited'>): boolean =>
  fact.code !== 0 || state.process?.phase === 'starting' || isBusy(state);

/** One crash is mended by itself; a second within a minute, or a program that cannot be started at all, is not. */
function mayStartAgain(state: SessionState, fact: FactOf<'exited'>, context: Context): boolean {
  if (fact.startError !== undefined) return false;
  if (state.lastCrashAt === null) return true;
  const since = Date.parse(context.at) - Date.parse(state.lastCrashAt);
  // Before the last one: the clock was set back, and nobody knows.
  return since < 0 || since >= SECOND_CRASH_WITHIN_MS;
}
