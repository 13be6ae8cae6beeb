import fc from 'fast-check';
import type { SessionCommand } from '../../src/model/command.ts';
import type { StoredFact } from '../../src/model/observe.ts';
import { interactionOf } from '../../src/model/status.ts';
import { GrantId, InteractionId, MessageId } from '../../src/protocol/ids.ts';
import { bashAsk, capabilities, deployAsk, PlayedSession, person } from './session-states.ts';

/** A move is chosen by numbers and fitted to the state it meets, so that every sequence is meaningful and shrinks well. */
export type Move = (
  played: PlayedSession,
  counter: number,
) => SessionCommand | { fact: StoredFact } | { pass: number };

export const nth = <T>(list: readonly T[], index: number): T | undefined =>
  list[index % Math.max(1, list.length)];
const interactionAt = (played: PlayedSession, index: number): InteractionId =>
  InteractionId.parse(nth(played.liveIds(), index) ?? 'int_unknown');
const messageAt = (played: PlayedSession, index: number): MessageId =>
  nth(played.state.queue, index)?.queued.messageId ?? MessageId.parse('m_unknown');

export const moves: Record<string, (index: number) => Move> = {
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
export const script = fc.array(
  fc.tuple(fc.constantFrom(...Object.keys(moves), ...frequent, ...frequent), fc.nat(40)),
  { minLength: 1, maxLength: 60 },
);

export type Steps = readonly (readonly [string, number])[];

export function play(steps: Steps, known = moves, played = new PlayedSession().up()): PlayedSession {
  for (const [counter, [name, index]] of steps.entries()) {
    const move = known[name]?.(index)(played, counter);
    if (move === undefined) continue;
    if ('pass' in move) played.pass(move.pass);
    else if ('fact' in move) played.fact(move.fact);
    else played.command(move);
  }
  return played;
}
