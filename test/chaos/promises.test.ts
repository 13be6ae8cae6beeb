import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/protocol/event.ts';
import { emptyLedger } from './clients.ts';
import { type Evidence, findBrokenPromises } from './promises.ts';
import type { AgentRecord, Run } from './record.ts';

const event = (fields: object): Event => fields as Event;

/** A message, an ask and its answer, as they should be. */
const records: readonly AgentRecord[] = [
  { kind: 'start', run: 'p1', sessionId: 'a', pid: 1 },
  { kind: 'message', uuid: 'u1', text: 'm1' },
  { kind: 'said', text: 'm1 line 0' },
  { kind: 'asking', requestId: 'r1', toolUseId: 'call1' },
  { kind: 'asked', toolUseId: 'call1' },
  { kind: 'answer', requestId: 'r1', response: { behavior: 'allow' } },
];
const log: readonly object[] = [
  { type: 'message.queued', messageId: 'u1', text: 'm1' },
  { type: 'agent.text', text: 'm1 line 0' },
  { type: 'interaction.requested', interactionId: 'i1', processId: 'p1', ask: { toolCallId: 'call1' } },
  { type: 'interaction.decided', interactionId: 'i1', outcome: 'allowed' },
  { type: 'interaction.resolved', interactionId: 'i1', outcome: 'allowed', delivered: true },
];

function evidence({
  events = log,
  said = records,
  more = [] as readonly Run[],
  won = ['allowed'],
}): Evidence {
  const ledger = emptyLedger();
  ledger.messages.set('m1', { session: 's', text: 'm1', isAcknowledged: true });
  ledger.won.set('i1', won);
  const numbered = events.map((fields, index) => event({ seq: index + 1, ...fields }));
  return {
    logs: new Map([['s', numbered]]),
    runs: [{ run: 'p1', pid: 1, records: said, ended: true }, ...more],
    ledger,
    serversKilled: 0,
  };
}

const without = <T extends { readonly kind?: string; readonly type?: string }>(
  list: readonly T[],
  name: string,
): T[] => list.filter(({ kind, type }) => kind !== name && type !== name);
const twice = <T extends { readonly kind?: string; readonly type?: string }>(
  list: readonly T[],
  name: string,
): T[] => list.flatMap((one) => (one.kind === name || one.type === name ? [one, one] : [one]));

describe('what the chaos holds servers to', () => {
  it('finds nothing wrong with what is right', () => {
    expect(findBrokenPromises(evidence({}))).toEqual([]);
  });

  it.each<[string, Parameters<typeof evidence>[0], RegExp]>([
    ['a message that is not in the log', { events: without(log, 'message.queued') }, /not in the log/],
    ['a message that reached nobody', { said: without(records, 'message') }, /reached nobody/],
    ['a message that came twice', { said: twice(records, 'message') }, /told 2 times/],
    [
      'a message that reached two runs',
      { more: [{ run: 'p2', pid: 2, records: records.slice(1, 2), ended: true }] },
      /reached 2 runs/,
    ],
    ['an answer that came twice', { said: twice(records, 'answer') }, /read twice/],
    ['an answer that nobody decided', { events: without(log, 'interaction.decided') }, /nobody decided/],
    ['an answer to another', { said: without(records, 'asking') }, /never asked/],
    [
      'another answer than was decided',
      { events: log.map((one) => ({ ...one, outcome: 'denied' })) },
      /the agent read "allow"/,
    ],
    ['two who were told that they won', { won: ['allowed', 'allowed'] }, /2 callers/],
    ['a delivery that was none', { said: without(records, 'answer') }, /did not read it/],
    ['an ask that nobody knows of', { events: without(log, 'interaction.requested') }, /and nobody knows/],
    ['a line that is lost', { events: without(log, 'agent.text') }, /and nobody knows/],
    ['a line that is there twice', { events: twice(log, 'agent.text') }, /2 times in the log/],
    ['two ends', { events: twice(log, 'interaction.resolved') }, /2 ends/],
    ['a gap', { events: log.map((one, index) => ({ ...one, seq: index + 2 })) }, /gap/],
  ])('finds %s', (_, given, words) => {
    expect(findBrokenPromises(evidence(given)).join('\n')).toMatch(words);
  });
});
