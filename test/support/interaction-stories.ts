import fc from 'fast-check';
import type { Commit } from '../../src/engine/session-writer.ts';
import { valuesOf } from '../../src/model/ordered-map.ts';
import type { SessionState } from '../../src/model/state.ts';
import type { Event } from '../../src/protocol/event.ts';
import type { InteractionId } from '../../src/protocol/ids.ts';
import { question } from './deferred-question.ts';
import { type Move, moves, nth, play, type Steps } from './random-moves.ts';
import { bashAsk, PlayedSession, person } from './session-states.ts';

/** What lets an agent sleep while its question waits, and ask it again, beside what agents and people do anyway. */
const allMoves: Record<string, (index: number) => Move> = {
  ...moves,
  question: () => (_, counter) => ({
    fact: { type: 'asked', ask: { ...question(`question-${counter}`), toolCallId: `asks-${counter}` } },
  }),
  defer: (index) => (played) => ({ type: 'defer', interactionId: idAt(played, index) }),
  notDeferred: (index) => (played) => ({ type: 'not-deferred', interactionId: idAt(played, index) }),
  missing: (index) => (played) => ({ type: 'deferred-missing', interactionId: idAt(played, index) }),
  suspends: () => () => ({ fact: { type: 'turn-ended', outcome: 'suspended' } }),
  asksAgain: (index) => (played, counter) => {
    const asked = nth(valuesOf(played.state.interactions), index)?.requested.ask ?? bashAsk('x', 'ls');
    return { fact: { type: 'asked', ask: { ...asked, agentRequestId: `again-${counter}` } } };
  },
  answers: (index) => (played) => ({
    type: 'respond',
    interactionId: idAt(played, index),
    response: { type: 'answer', answers: [{ selected: ['A'] }] },
    by: person,
  }),
};

const idAt = (played: PlayedSession, index: number): InteractionId =>
  nth(played.liveIds(), index) ?? ('int_unknown' as InteractionId);

/** Stories that chance alone would hardly tell; each may be cut short, and anything may happen between two of them. */
const phrases = {
  fallsAsleep: ['begins', 'question', 'defer', 'suspends', 'exits'],
  wakes: ['start', 'ready', 'asksAgain', 'answers', 'delivered'],
  isAnswered: ['begins', 'question', 'answers', 'delivered'],
  isWithdrawn: ['begins', 'asks', 'withdraws'],
  isParked: ['begins', 'question', 'park', 'defer', 'expire'],
  sleepsTwice: [
    ...['begins', 'question', 'defer', 'suspends', 'exits'],
    ...['send', 'start', 'ready', 'asksAgain', 'exits'],
  ],
  crashes: ['exits', 'start', 'ready', 'asksAgain'],
  isLeft: ['begins', 'toolAsks', 'leavesOpen', 'allow', 'deliversLate'],
  isInterrupted: ['begins', 'asks', 'interrupt', 'ends'],
  isLost: ['begins', 'asks', 'allow', 'lose', 'start', 'ready'],
};

const oneMove = fc
  .tuple(fc.constantFrom(...Object.keys(allMoves)), fc.nat(40))
  .map(([name, index]): Steps => [[name, index]]);
const phrase = fc
  .tuple(fc.constantFrom(...Object.values(phrases)), fc.nat(20), fc.nat(2))
  .map(([names, most, index]): Steps => names.slice(0, most + 1).map((name) => [name, index]));
/** What becomes of a session in which much is asked. */
export const story = fc
  .array(fc.oneof({ arbitrary: oneMove, weight: 3 }, { arbitrary: phrase, weight: 2 }), {
    minLength: 1,
    maxLength: 25,
  })
  .map((parts): Steps => parts.flat());

/** The session after a story. */
export const playStory = (
  steps: Steps,
  played: PlayedSession = new PlayedSession({ key: 'task-1' }).up(),
): PlayedSession => play(steps, allMoves, played);

/** One event as the engine tells of it. */
export const commitOf = (before: SessionState, event: Event, after: SessionState): Commit => ({
  before,
  after,
  steps: [{ event, before, after }],
  live: [],
  checkpoint: undefined,
  place: { own: { from: 1, to: 1 }, newest: 1, unacknowledged: [] },
});
