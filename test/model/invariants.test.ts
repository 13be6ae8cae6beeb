import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../src/model/fold.ts';
import { valuesOf } from '../../src/model/ordered-map.ts';
import type { LiveInteraction, SessionState } from '../../src/model/state.ts';
import { askOfAgent, interactionOf } from '../../src/model/status.ts';
import { pendingView, queueView, sessionView } from '../../src/model/views.ts';
import type { Event } from '../../src/protocol/event.ts';
import { play, script } from '../support/random-moves.ts';
import { times } from '../support/seeded-random.ts';
import { person } from '../support/session-states.ts';

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
