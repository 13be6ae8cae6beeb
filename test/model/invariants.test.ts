import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionCommand } from '../../src/model/command.ts';
import { fold } from '../../src/model/fold.ts';
import type { StoredFact } from '../../src/model/observe.ts';
import { valuesOf } from '../../src/model/ordered-map.ts';
import type { LiveInteraction, SessionState } from '../../src/model/state.ts';
import { askOfAgent, interactionOf } from '../../src/model/status.ts';
import { pendingView, queueView, sessionView } from '../../src/model/views.ts';
import type { Event } from '../../src/protocol/event.ts';
import { GrantId, InteractionId, MessageId } from '../../src/protocol/ids.ts';
import { times } from '../support/seeded-random.ts';
import { bashAsk, capabilities, deployAsk, PlayedSession, person } from '../support/session-states.ts';

/** A move is chosen by numbers and fitted to the state it meets, so that every sequence is meaningful and shrinks well. */
type Move = (
  played: PlayedSession,
  counter: number,
) => SessionCommand | { fact: StoredFact } | { pass: number };

const nth = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];
const interactionAt = (played: PlayedSession, index: number): InteractionId =>
  InteractionId.parse(nth(played.liveIds(), index) ?? 'int_unknown');
const messageAt = (played: PlayedSession, index: number): MessageId =>
  nth(played.state.queue, index)?.queued.messageId ?? MessageId.parse('m_unknown');

const moves: Record<string, (index: number) => Move> = {
  send: (index) => (_, counter) => ({
    type: 'send',
    messageId: MessageId.parse(`message-${counter}`),
    text: `text ${counter}`,
    images: [],
    disposition: (['auto', 'queue', 'interrupt', 'steer'] as const)[index % 4] ?? 'auto',
    replace: index % 7 === 0,
    clientMessageId: index % 3 === 0 ? `client-${index}` : null,
    by: person,
  }),
  edit: (index) => (played) => ({
    type: 'edit-queued',
    messageId: messageAt(played, index),
    message: 'edited',
    position: (index % 3) + 1,
    by: person,
  }),
  remove: (index) => (played) => ({ type: 'remove-queued', messageId: messageAt(played, index), by: person }),
  allow: (index) => (played) => ({
    type: 'respond',
    interactionId: interactionAt(played, index),
    response: {
      type: 'allow',
      grantId: GrantId.parse(`grant-${index}`),
      scope: (['once', 'session', 'always'] as const)[index % 3],
      pattern: undefined,
      expiresAt: undefined,
      updatedInput: undefined,
      mode: undefined,
    },
    by: person,
  }),
  deny: (index) => (played) => ({
    type: 'respond',
    interactionId: interactionAt(played, index),
    response: { type: 'deny', interrupt: index % 2 === 0 },
    by: person,
  }),
  delivered: (index) => (played) => ({
    type: 'delivered',
    interactionId: interactionAt(played, index),
    ok: index % 4 !== 0,
  }),
  expire: (index) => (played) => ({ type: 'expire', interactionId: interactionAt(played, index) }),
  park: (index) => (played) => ({ type: 'park', interactionId: interactionAt(played, index) }),
  interrupt: () => () => ({ type: 'interrupt', by: person }),
  stop: () => () => ({ type: 'stop', by: person }),
  reopen: () => () => ({ type: 'reopen', by: person }),
  start: () => (_, counter) => ({ type: 'start-process', processId: `run-${counter}` }),
  sleep: () => () => ({ type: 'close-process', cause: 'sleep' }),
  lose: () => () => ({ type: 'lose-process', reason: 'the server ended' }),
  pass: (index) => () => ({ pass: index * 1000 }),
  ready: () => () => ({ fact: { type: 'ready', agentSessionId: 'a', version: '1', capabilities } }),
  taken: (index) => (played) => ({ fact: { type: 'message-taken', messageId: messageAt(played, index) } }),
  begins: (index) => () => ({
    fact: index % 3 === 0 ? { type: 'turn-started', messageIds: [] } : { type: 'turn-started' },
  }),
  ends: (index) => () => ({
    fact: {
      type: 'turn-ended',
      outcome: (['completed', 'interrupted', 'failed'] as const)[index % 3] ?? 'completed',
    },
  }),
  asks: (index) => (_, counter) => ({
    fact: {
      type: 'asked',
      ask: bashAsk(`request-${index % 5 === 0 ? 'same' : counter}`, index % 2 === 0 ? 'ls' : 'pwd'),
    },
  }),
  withdraws: (index) => (played) => ({
    fact: {
      type: 'withdrawn',
      agentRequestId:
        interactionOf(played.state, interactionAt(played, index))?.requested.ask.agentRequestId ?? 'none',
    },
  }),
  calls: (index) => () => ({
    fact: {
      type: 'said',
      event: {
        type: 'tool.called',
        agentMessageId: 'x',
        block: 0,
        toolCallId: `tool-${index % 4}`,
        name: 'Bash',
        input: {},
        startsAgent: index % 5 === 0,
      },
    },
  }),
  toolAsks: (index) => (played, counter) => ({
    type: 'tool-ask',
    interactionId: InteractionId.parse(`tool-${counter}`),
    ask: deployAsk({
      approvalScopes: ['once', 'session', 'always'],
      tool: {
        name: 'deploy',
        callId: 'call',
        attempt: 1,
        ...(index % 3 === 0 ? { replaces: interactionAt(played, index) } : {}),
      },
    }),
  }),
  endsAsk: (index) => (played) => ({
    type: 'end-ask',
    interactionId: interactionAt(played, index),
    outcome: index % 2 === 0 ? 'expired' : 'withdrawn',
    reason: 'The tool gave up.',
  }),
  leavesOpen: (index) => (played) => ({ type: 'leave-open', interactionId: interactionAt(played, index) }),
  deliversLate: (index) => (played, counter) => ({
    type: 'deliver-late',
    interactionId: interactionAt(played, index),
    messageId: MessageId.parse(`late-${counter}`),
    text: 'A late answer.',
  }),
  losesTools: () => () => ({ type: 'lose-tools' }),
  shutsDown: () => () => ({ type: 'close-process', cause: 'shutdown' }),
  exits: (index) => () => ({ fact: { type: 'exited', code: index % 2, signal: null, stderr: [] } }),
};

/** Agents ask and people answer far more often than servers die; the rare moves must not end every story at once. */
const frequent = [
  'send',
  'send',
  'asks',
  'asks',
  'asks',
  'allow',
  'allow',
  'deny',
  'delivered',
  'toolAsks',
  'toolAsks',
  'leavesOpen',
  'deliversLate',
  'begins',
  'ends',
  'start',
  'ready',
];
const script = fc.array(
  fc.tuple(fc.constantFrom(...Object.keys(moves), ...frequent, ...frequent), fc.nat(40)),
  { minLength: 1, maxLength: 60 },
);

function play(steps: readonly (readonly [string, number])[]): PlayedSession {
  const played = new PlayedSession().up();
  for (const [counter, [name, index]] of steps.entries()) {
    const move = moves[name]?.(index)(played, counter);
    if (move === undefined) continue;
    if ('pass' in move) played.pass(move.pass);
    else if ('fact' in move) played.fact(move.fact);
    else played.command(move);
  }
  return played;
}

const runs = { numRuns: times(500) };

describe('whatever people do and agents say', () => {
  it('[ASK3] [ASK4] an interaction has at most one decision and at most one outcome', () => {
    fc.assert(
      fc.property(script, (steps) => {
        const { log, state } = play(steps);
        const ends = new Map<string, number>();
        const decisions = new Map<string, number>();
        for (const event of log) {
          if (event.type === 'interaction.resolved') count(ends, event.interactionId);
          if (event.type === 'interaction.decided') count(decisions, event.interactionId);
        }
        for (const times of [...ends.values(), ...decisions.values()]) expect(times).toBe(1);
        const openRequests = valuesOf(state.interactions).map((live) => live.requested.ask.agentRequestId);
        expect(new Set(openRequests).size).toBe(openRequests.length);
        for (const event of log) {
          if (event.type !== 'interaction.requested') continue;
          const isLive = interactionOf(state, event.interactionId) !== undefined;
          expect(isLive).toBe(!ends.has(event.interactionId));
        }
      }),
      runs,
    );
  });

  it('[MSG2] [MSG3] a message that was taken in is queued, taken by the agent, or given back: never lost, never twice', () => {
    fc.assert(
      fc.property(script, (steps) => {
        const { log, state } = play(steps);
        const queued = new Set(state.queue.map((item) => item.queued.messageId));
        for (const event of log) {
          if (event.type === 'message.removed') expect(event.by).toEqual(person);
          if (event.type !== 'message.queued') continue;
          const ends = log.filter(
            (other) =>
              (other.type === 'message.taken' || other.type === 'message.removed') &&
              other.messageId === event.messageId,
          ).length;
          expect(ends + (queued.has(event.messageId) ? 1 : 0)).toBe(1);
        }
      }),
      runs,
    );
  });

  it('[TOOL6] a late answer is one message, stored in one step with the end of its ask', () => {
    fc.assert(
      fc.property(script, (steps) => {
        const { log } = play(steps);
        const answered = new Set<string>();
        for (const [index, event] of log.entries()) {
          if (event.type !== 'message.queued' || event.answers === undefined) continue;
          expect(answered.has(event.answers)).toBe(false);
          answered.add(event.answers);
          expect(log[index - 1]).toMatchObject({
            type: 'interaction.resolved',
            interactionId: event.answers,
            delivered: true,
            by: event.by,
          });
        }
      }),
      runs,
    );
  });

  it('[SES10] [TOOL6] the end of the server loses nothing that a tool asked', () => {
    fc.assert(
      fc.property(script, (steps) => {
        const played = play(steps);
        const before = valuesOf(played.state.interactions).filter(
          ({ requested }) => requested.ask.tool !== undefined,
        );
        played.command({ type: 'lose-process', reason: 'the server ended' });
        for (const { requested, decided } of before) {
          const after = interactionOf(played.state, requested.interactionId);
          expect(after?.leftOpen).not.toBeNull();
          expect(after?.decided).toEqual(decided);
        }
      }),
      runs,
    );
  });

  it('[STORE1] replaying the log gives the state, also from any snapshot of it', () => {
    fc.assert(
      fc.property(script, fc.nat(200), (steps, cut) => {
        const { log, state } = play(steps);
        expect(replay(null, log)).toEqual(state);
        const at = cut % log.length;
        const snapshot = replay(null, log.slice(0, at));
        const stored = snapshot === null ? null : (JSON.parse(JSON.stringify(snapshot)) as SessionState);
        expect(replay(stored, log.slice(at))).toEqual(state);
      }),
      runs,
    );
  });

  it('[SES4] status agrees with what is open, and `since` never lies in the future', () => {
    fc.assert(
      fc.property(script, (steps) => {
        const played = play(steps);
        const view = sessionView(played.state);
        expect(view.since <= played.now()).toBe(true);
        const waits = pendingView(played.state).some(({ leftOpen }) => leftOpen === undefined);
        expect(view.status === 'waiting').toBe(waits && played.state.life === 'open');
        if (played.state.life === 'stopped') {
          expect(played.state.queue).toEqual([]);
          // What is being written ends when it is known what became of it.
          expect(pendingView(played.state)).toEqual([]);
          expect(played.state.grants).toEqual([]);
        }
        if (played.state.process === null) expect(played.state.turn).toBeNull();
      }),
      runs,
    );
  });

  it('[SES15] what is counted as it comes and goes is what is there', () => {
    fc.assert(
      fc.property(script, (steps) => {
        const { state } = play(steps);
        const live = valuesOf(state.interactions);
        const many = (accepts: (one: LiveInteraction) => boolean) => live.filter(accepts).length;
        expect(state.counts).toEqual({
          open: many(({ decided }) => decided === null),
          awaited: many(({ decided, leftOpen }) => decided === null && leftOpen === null),
          deferred: many(({ deferred }) => deferred !== null),
          ofTools: many(({ requested }) => requested.ask.tool !== undefined),
        });
        const agents = live.filter(({ requested }) => requested.ask.tool === undefined);
        expect(state.requests.size).toBe(agents.length);
        for (const one of agents) expect(askOfAgent(state, one.requested.ask.agentRequestId)).toBe(one);
      }),
      runs,
    );
  });

  it('[MSG1] [MSG2] the position a sender is told is the one that is shown', () => {
    fc.assert(
      fc.property(script, (steps) => {
        let state: SessionState | null = null;
        for (const event of play(steps).log) {
          state = fold(state, event);
          if (event.type !== 'message.queued' || event.applied === 'send' || event.applied === 'steer')
            continue;
          const shown = queueView(state).find((item) => item.messageId === event.messageId);
          expect(shown?.position).toBe(event.position);
        }
      }),
      runs,
    );
  });

  it('[MSG1] only one message is in the program at a time, unless it steers', () => {
    fc.assert(
      fc.property(script, (steps) => {
        const { state } = play(steps);
        expect(state.queue.filter((item) => item.sending === 'send').length).toBeLessThanOrEqual(1);
      }),
      runs,
    );
  });
});

const count = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const replay = (from: SessionState | null, log: readonly Event[]): SessionState | null =>
  log.reduce<SessionState | null>((state, event) => fold(state, event), from);
