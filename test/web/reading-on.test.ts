import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../src/protocol/event.ts';
import type { Conversation } from '../../src/web/conversation/conversation.logic.ts';
import {
  defaultOpenness as closed,
  type Entry,
  EntryReader,
} from '../../src/web/conversation/entries.logic.ts';
import { ListLayout } from '../../src/web/conversation/list-layout.logic.ts';
import { DigestReader } from '../../src/web/session/session-digest.logic.ts';
import {
  asked,
  at,
  called,
  conversationOf,
  logOf,
  queued,
  resolvedAsk,
  result,
  taken,
  text,
  turnEnded,
} from './support/samples.ts';

const rowsOf = (turns: number): NewEvent[] =>
  Array.from({ length: turns }, (_, n) => [
    taken(`u${n}`, 'Go on'),
    called(`t${n}`),
    result(`t${n}`),
    text(`m${n}`, 'Done'),
    turnEnded(),
  ]).flat();

/** Counts the rows that are looked at from now on. */
function countVisits(conversation: Conversation): () => number {
  const visited = new Set<unknown>();
  for (const row of conversation.rows) {
    let { item } = row;
    Object.defineProperty(row, 'item', {
      get: () => {
        visited.add(row);
        return item;
      },
      set: (next) => {
        item = next;
      },
    });
  }
  return () => visited.size;
}

const append = (conversation: Conversation, seq: number, event: NewEvent): void =>
  conversation.append({ ...event, seq, at: at(seq) } as never);

describe('reading on in a long conversation', () => {
  it('[UI25] an event has as few rows looked at after ten thousand rows as after forty', () => {
    const looked = [10, 2_500].map((turns) => {
      const conversation = conversationOf(...rowsOf(turns), called('late'));
      const reader = new EntryReader();
      const digest = new DigestReader();
      reader.read(conversation, closed);
      digest.read(conversation, '/p');
      const visits = countVisits(conversation);
      let seq = turns * 5 + 1;
      for (const event of [
        asked('i1', { toolCallId: 'late' }),
        resolvedAsk('i1'),
        result('late'),
        text('n1', 'One'),
        turnEnded(),
      ]) {
        seq += 1;
        append(conversation, seq, event);
        reader.read(conversation, closed);
        digest.read(conversation, '/p');
      }
      return visits();
    });
    expect(looked[1]).toBe(looked[0]);
    expect(looked[1]).toBeLessThan(10);
  });

  it('[UI25] only what stands behind a change is placed anew', () => {
    const conversation = conversationOf(...rowsOf(2_500));
    const reader = new EntryReader();
    const layout = new ListLayout(40);
    layout.update(reader.read(conversation, closed), reader.firstChanged);
    const height = layout.height;
    let guesses = 0;
    for (const entry of reader.read(conversation, closed)) {
      const { estimate } = entry;
      Object.defineProperty(entry, 'estimate', {
        get: () => {
          guesses += 1;
          return estimate;
        },
      });
    }
    append(conversation, 12_501, text('n1', 'One'));
    layout.update(reader.read(conversation, closed), reader.firstChanged);
    expect(layout.height).toBeGreaterThan(height);
    layout.measure(layout.count - 1, 500);
    expect(layout.height).toBeGreaterThan(height + 400);
    expect(guesses).toBeLessThan(5);
  });

  it('[UI25] brings the same as reading everything again, whatever comes', () => {
    fc.assert(
      fc.property(logs, fc.boolean(), (events, areDetailsOpen) => {
        const conversation = conversationOf();
        const [onward, anew] = [new EntryReader(), new EntryReader()];
        const openness = { chosen: new Map(), areDetailsOpen };
        const [digest, layout] = [new DigestReader(), new ListLayout(0)];
        for (const event of logOf(...events)) {
          conversation.append(event);
          if (event.seq % 3 === 0)
            conversation.addDelta({ messageId: `d${event.seq}`, block: 0, kind: 'text', text: 'live' });
          if (event.seq % 4 === 0) continue;
          const entries = onward.read(conversation, openness);
          layout.update(entries, onward.firstChanged);
          const whole = anew.read(conversation, { ...openness });
          expect(entries.map(told)).toEqual(whole.map(told));
          expect(layout.height).toBe(whole.reduce((sum, { estimate }) => sum + estimate, 0));
          expect(digest.read(conversation, '/p')).toEqual(new DigestReader().read(conversation, '/p'));
        }
      }),
      { numRuns: 1000 },
    );
  });
});

const told = (entry: Entry): unknown => [
  entry.kind,
  entry.key,
  entry.depth,
  entry.space,
  entry.estimate,
  entry.kind === 'fold' ? entry.rows.map(({ key }) => key) : entry.row.key,
];

const crashed: NewEvent = {
  type: 'process.exited',
  processId: 'p1',
  code: 1,
  signal: null,
  cause: 'by-itself',
  crashed: true,
  stderr: [],
};

const mode: NewEvent = { type: 'mode.changed', permissionMode: 'plan', by: { kind: 'agent' } };

const logs: fc.Arbitrary<NewEvent[]> = fc
  .array(
    fc.record({
      what: fc.constantFrom(
        ...(['text', 'call', 'agent', 'read', 'read', 'result', 'ask', 'tool-ask', 'resolve'] as const),
        ...(['child', 'message', 'edit', 'end', 'crash', 'fail', 'mode', 'blank'] as const),
      ),
      pick: fc.nat(50),
    }),
    { maxLength: 40 },
  )
  .map((steps) => {
    const calls: string[] = [];
    const open: string[] = [];
    return steps.flatMap(({ what, pick }, n): NewEvent[] => {
      const call = calls[pick % Math.max(1, calls.length)];
      const parent = pick % 4 === 0 && call !== undefined ? { parentToolCallId: call } : {};
      switch (what) {
        case 'text':
          return [text(`m${n}`, 'words')];
        case 'blank':
          return [text(`m${n}`, ' ')];
        case 'call':
          calls.push(`t${n}`);
          return [called(`t${n}`, {}, parent)];
        case 'agent':
          calls.push(`t${n}`);
          return [called(`t${n}`, {}, { startsAgent: true, ...parent })];
        case 'read':
          calls.push(`t${n}`);
          return [called(`t${n}`, { file_path: `/p/${n}` }, { name: 'Read', ...parent })];
        case 'edit':
          calls.push(`t${n}`);
          return [
            called(
              `t${n}`,
              { file_path: `/p/${pick % 3}`, old_string: 'a', new_string: 'b' },
              { name: 'Edit', ...parent },
            ),
          ];
        case 'result':
          return call === undefined ? [] : [result(call, `r${n}`, { isError: pick % 5 === 0 })];
        case 'child':
          return call === undefined ? [] : [text(`m${n}`, 'child', call)];
        case 'ask':
          open.push(`i${n}`);
          return [asked(`i${n}`, { toolCallId: call ?? `t${n + 3}`, ...parent })];
        case 'tool-ask': {
          open.push(`i${n}`);
          const callId = call ?? `t${n + 2}`;
          return [
            asked(`i${n}`, { toolCallId: callId, tool: { name: 'notify', callId, attempt: 1 }, ...parent }),
          ];
        }
        case 'resolve': {
          const id = open.shift();
          return id === undefined ? [] : [resolvedAsk(id)];
        }
        case 'message':
          return pick % 2 === 0 ? [queued(`u${n}`, 'hi')] : [taken(`u${n - 1}`, 'hi')];
        case 'end':
          return [turnEnded()];
        case 'crash':
          return [crashed];
        case 'fail':
          return [{ type: 'session.failed', reason: 'crashes', stderr: [] }];
        default:
          return [mode];
      }
    });
  });
