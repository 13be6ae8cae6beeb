import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event, NewEvent } from '../../src/protocol/event.ts';
import { Conversation } from '../../src/web/conversation/conversation.logic.ts';
import type { Row } from '../../src/web/conversation/row.ts';
import { processorTime } from '../support/processor-time.ts';
import {
  asked,
  called,
  logOf,
  messageId,
  queued,
  resolvedAsk,
  result,
  sessionId,
  taken,
  text,
  turnEnded,
} from './support/samples.ts';

const owner = { id: sessionId('s1'), key: null };

function conversationOf(events: readonly Event[]): Conversation {
  const conversation = new Conversation(owner);
  for (const event of events) conversation.append(event);
  return conversation;
}

/** What is to be seen, without what only helps to draw it. */
const seen = (rows: readonly Row[]): unknown =>
  rows.map(({ item, children }) => ({ item, children: seen(children) }));

const kinds = (rows: readonly Row[]): string[] => rows.map(({ item }) => item.kind);

describe('a conversation', () => {
  it('[UI3] has messages, texts, tool calls with their results and the ends of turns in their order', () => {
    const { rows } = conversationOf(
      logOf(
        queued('u1', 'Fix it'),
        taken('u1', 'Fix it'),
        text('m1', 'Looking.'),
        called('t1'),
        result('t1', 'passed'),
        turnEnded(),
      ),
    );
    expect(kinds(rows)).toEqual(['message', 'text', 'tool', 'turn-end']);
    expect(rows[2]?.item).toMatchObject({ kind: 'tool', result: { text: 'passed' } });
  });

  it('[SES12] has the doings of sub-agents under the call that started them, at any depth', () => {
    const { rows } = conversationOf(
      logOf(
        called('outer', {}, { startsAgent: true }),
        called('inner', {}, { startsAgent: true, parentToolCallId: 'outer' }),
        text('m3', 'From the depth', 'inner'),
        asked('i1', { toolCallId: 'x', parentToolCallId: 'inner' }),
      ),
    );
    expect(kinds(rows)).toEqual(['tool']);
    expect(kinds(rows[0]?.children[0]?.children ?? [])).toEqual(['text', 'interaction']);
  });

  it('[MSG5] shows a message once, also when it is first on its way and then taken', () => {
    const conversation = conversationOf(logOf(queued('u1', 'Hello')));
    expect(conversation.rows[0]?.item).toMatchObject({ kind: 'message', isOnItsWay: true });
    conversation.append({ ...taken('u1', 'Hello'), seq: 2, at: '' } as Event);
    expect(conversation.rows.map(({ item }) => item)).toMatchObject([{ kind: 'message', isOnItsWay: false }]);
  });

  it('leaves what is only queued to the queue', () => {
    expect(conversationOf(logOf(queued('u1', 'Later', 'queue'))).rows).toEqual([]);
  });

  it('takes a message back that was removed before the agent took it', () => {
    const removed: NewEvent = {
      type: 'message.removed',
      messageId: messageId('u1'),
      cause: 'returned',
      by: { kind: 'person' },
    };
    expect(conversationOf(logOf(queued('u1', 'Hello'), removed)).rows).toEqual([]);
  });

  it('grows a text by fragments, and the stored text takes the place of the same row', () => {
    const conversation = new Conversation(owner);
    conversation.addDelta({ messageId: 'm1', block: 0, kind: 'text', text: 'Hel' });
    const [row] = conversation.rows;
    conversation.addDelta({ messageId: 'm1', block: 0, kind: 'text', text: 'lo' });
    expect(row?.item).toMatchObject({ text: 'Hello', isLive: true });
    conversation.append({ ...text('m1', 'Hello!'), seq: 1, at: '' } as Event);
    expect(conversation.rows).toEqual([row]);
    expect(row?.item).toMatchObject({ text: 'Hello!', isLive: false });
  });

  it('is not misled by a fragment that comes after the whole text', () => {
    const conversation = conversationOf(logOf(text('m1', 'Hello')));
    conversation.addDelta({ messageId: 'm1', block: 0, kind: 'text', text: 'lo' });
    expect(conversation.rows.map(({ item }) => item)).toMatchObject([{ text: 'Hello', isLive: false }]);
  });

  it('drops what was begun and never said when the turn ends', () => {
    const conversation = new Conversation(owner);
    conversation.addDelta({ messageId: 'm1', block: 0, kind: 'text', text: 'I was about to' });
    conversation.append({ ...turnEnded('interrupted'), seq: 1, at: '' } as Event);
    expect(kinds(conversation.rows)).toEqual(['turn-end']);
  });

  it('keeps what is being said when an older page with the end of a turn comes in front', () => {
    const conversation = new Conversation(owner);
    conversation.addDelta({ messageId: 'm9', block: 0, kind: 'text', text: 'Now' });
    conversation.prepend(logOf(text('m1', 'Then'), turnEnded()));
    expect(kinds(conversation.rows)).toEqual(['text', 'turn-end', 'text']);
  });

  it('tells a row that it changed, and every row above it', () => {
    const conversation = conversationOf(
      logOf(called('outer', {}, { startsAgent: true }), text('m2', 'a', 'outer')),
    );
    const [outer] = conversation.rows;
    const before = outer?.version ?? 0;
    conversation.append({ ...text('m3', 'b', 'outer'), seq: 3, at: '' } as Event);
    expect(outer?.version).toBeGreaterThan(before);
  });

  it('[ASK4] shows an interaction as open, and then how it ended', () => {
    const conversation = conversationOf(logOf(called('t1'), asked('i1')));
    expect(conversation.isAsked({ interactionId: 'i1' })).toBe(true);
    conversation.append({ ...resolvedAsk('i1'), seq: 3, at: '' } as Event);
    expect(conversation.rows[1]?.item).toMatchObject({
      interaction: { status: 'resolved', outcome: 'allowed' },
    });
    expect(conversation.tool('t1')).toMatchObject({ interactionId: 'i1' });
  });

  it('[UI9] is the same whether it was read in one piece or backwards in pages, wherever they are cut', () => {
    fc.assert(
      fc.property(logs, fc.array(fc.nat(30), { maxLength: 6 }), (events, cuts) => {
        const whole = conversationOf(events);
        const places = [...new Set(cuts.map((cut) => Math.min(cut, events.length)))].sort((a, b) => b - a);
        const paged = conversationOf(events.slice(places[0] ?? 0));
        places.forEach((to, index) => {
          paged.prepend(events.slice(places[index + 1] ?? 0, to));
        });
        expect(seen(paged.rows)).toEqual(seen(whole.rows));
      }),
      { numRuns: 500 },
    );
  });

  it('[UI9] takes a hundred thousand events in a time that grows no faster than they do', () => {
    const timeOf = (turns: number): number => {
      const events = logOf(
        ...Array.from({ length: turns }, (_, n) => [
          called(`t${n}`),
          result(`t${n}`),
          text(`m${n}`, 'x'),
        ]).flat(),
      );
      return processorTime(() => conversationOf(events));
    };
    timeOf(3_000);
    const small = Math.min(timeOf(3_000), timeOf(3_000), timeOf(3_000));
    expect(timeOf(33_000)).toBeLessThan(small * 11 * 6 + 200);
  });
});

/** Logs as agents make them: every result has its call before it, children come after the call that started them. */
const logs = fc
  .array(
    fc.record({
      what: fc.constantFrom('text', 'call', 'result', 'ask', 'resolve', 'child', 'message', 'end'),
      pick: fc.nat(50),
    }),
    {
      maxLength: 30,
    },
  )
  .map((steps) => {
    const calls: string[] = [];
    const open: string[] = [];
    const events = steps.flatMap(({ what, pick }, n): NewEvent[] => {
      const call = calls[pick % Math.max(1, calls.length)];
      const parent = pick % 3 === 0 && call !== undefined ? { parentToolCallId: call } : {};
      switch (what) {
        case 'call':
          calls.push(`t${n}`);
          return [called(`t${n}`, {}, { startsAgent: true, ...parent })];
        case 'result':
          return call === undefined ? [] : [result(call, `r${n}`)];
        case 'child':
          return call === undefined ? [] : [text(`m${n}`, 'child', call)];
        case 'ask':
          open.push(`i${n}`);
          return [asked(`i${n}`, { toolCallId: call ?? `none${n}`, ...parent })];
        case 'resolve': {
          const id = open.shift();
          return id === undefined ? [] : [resolvedAsk(id)];
        }
        case 'message':
          return [queued(`u${n}`, 'hi'), taken(`u${n}`, 'hi')];
        case 'end':
          return [turnEnded()];
        default:
          return [text(`m${n}`, 'words')];
      }
    });
    return logOf(...events);
  });
