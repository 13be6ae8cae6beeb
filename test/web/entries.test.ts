import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../src/protocol/event.ts';
import {
  defaultOpenness as closed,
  type Entry,
  EntryReader,
  type Openness,
} from '../../src/web/conversation/entries.logic.ts';
import { countNew } from '../../src/web/pages/session/news.logic.ts';
import {
  asked,
  called,
  conversationOf,
  logOf,
  resolvedAsk,
  result,
  taken,
  text,
  turnEnded,
} from './support/samples.ts';

const opened = (...keys: string[]): Openness => ({
  chosen: new Map(keys.map((key) => [key, true])),
  areDetailsOpen: false,
});

const read = (id: string): NewEvent[] => [
  called(id, { file_path: `/p/${id}` }, { name: 'Read' }),
  result(id),
];

const told = (entries: readonly Entry[]): string[] =>
  entries.map((entry) => {
    const what = entry.kind === 'row' ? entry.row.item.kind : entry.kind;
    return `${'>'.repeat(entry.depth)}${what}`;
  });

describe('the entries of a conversation', () => {
  it('[UI3] fold runs of reads and searches into one, which opens to them', () => {
    const conversation = conversationOf(
      text('m1', 'Looking'),
      ...read('a'),
      ...read('b'),
      called('c', { pattern: 'x' }, { name: 'Grep' }),
      text('m2', 'Found'),
      ...read('d'),
    );
    const reader = new EntryReader();
    const entries = reader.read(conversation, closed);
    expect(told(entries)).toEqual(['text', 'fold', 'text', 'tool']);
    const fold = entries[1]?.key ?? '';
    expect(told(reader.read(conversation, opened(fold)))).toEqual([
      'text',
      'fold',
      '>tool',
      '>tool',
      '>tool',
      'text',
      'tool',
    ]);
  });

  it('[UI9] keep their keys when an older page makes a run longer at its beginning', () => {
    const log = logOf(...read('a'), ...read('b'), ...read('c'), ...read('d'));
    const conversation = conversationOf();
    for (const event of log.slice(4)) conversation.append(event);
    const reader = new EntryReader();
    const [before] = reader.read(conversation, closed);
    conversation.prepend(log.slice(0, 4));
    const after = reader.read(conversation, closed);
    expect(after).toHaveLength(1);
    expect(after[0]?.key).toBe(before?.key);
  });

  it('do not fold what failed: it must be seen', () => {
    const failed: NewEvent = { type: 'tool.result', toolCallId: 'b', isError: true, text: 'no such file' };
    const conversation = conversationOf(
      ...read('a'),
      called('b', {}, { name: 'Read' }),
      failed,
      ...read('c'),
    );
    expect(told(new EntryReader().read(conversation, closed))).toEqual(['tool', 'tool', 'tool']);
  });

  it('[SES12] have a sub-agent at work open and a finished one closed, at any depth', () => {
    const conversation = conversationOf(
      called('outer', {}, { startsAgent: true }),
      called('inner', {}, { startsAgent: true, parentToolCallId: 'outer' }),
      text('m1', 'From the depth', 'inner'),
    );
    const reader = new EntryReader();
    expect(told(reader.read(conversation, closed))).toEqual(['tool', '>tool', '>>text']);
    conversation.append({ ...result('inner', 'Report'), seq: 4, at: '2026-01-01' } as never);
    // Seen at work, it stays open; its report comes after what it did.
    expect(told(reader.read(conversation, closed))).toEqual(['tool', '>tool', '>>text', '>>report']);
    expect(told(new EntryReader().read(conversation, closed))).toEqual(['tool', '>tool']);
  });

  it('[SES12] [ASK2] show what a sub-agent asks also when the sub-agent is closed', () => {
    const conversation = conversationOf(
      called('outer', {}, { startsAgent: true }),
      text('m1', 'Inside', 'outer'),
      asked('i1', { toolCallId: 'x', parentToolCallId: 'outer' }),
    );
    const [outer] = conversation.rows;
    const closedOuter = { chosen: new Map([[outer?.key ?? '', false]]), areDetailsOpen: false };
    expect(told(new EntryReader().read(conversation, closedOuter))).toEqual(['tool', '>interaction']);
  });

  it('leave out the call that a card tells of, as long as it is open', () => {
    const conversation = conversationOf(called('t1'), asked('i1'));
    expect(told(new EntryReader().read(conversation, closed))).toEqual(['interaction']);
    conversation.append({ ...resolvedAsk('i1'), seq: 3, at: '' } as never);
    expect(told(new EntryReader().read(conversation, closed))).toEqual(['tool', 'interaction']);
  });

  it('leave out the mode and model that an agent starts with, but not that it changes them', () => {
    const mode = (permissionMode: string): NewEvent => ({
      type: 'mode.changed',
      permissionMode,
      by: { kind: 'agent' },
    });
    const conversation = conversationOf(
      mode('default'),
      taken('u1', 'Plan'),
      text('m1', 'Yes'),
      mode('plan'),
    );
    expect(told(new EntryReader().read(conversation, closed))).toEqual(['message', 'text', 'notice']);
  });

  it('are the same objects as long as nothing about them changed', () => {
    const conversation = conversationOf(taken('u1', 'Hi'), text('m1', 'Hello'), turnEnded());
    const reader = new EntryReader();
    const before = reader.read(conversation, closed);
    conversation.append({ ...text('m2', 'More'), seq: 4, at: '' } as never);
    const after = reader.read(conversation, closed);
    expect(before.every((entry, at) => entry === after[at])).toBe(true);
  });

  it('[UI9] are counted as new after the last one that was seen', () => {
    const conversation = conversationOf(
      taken('u1', 'Hi'),
      text('m1', 'Hello'),
      turnEnded(),
      taken('u2', 'And'),
    );
    const entries = new EntryReader().read(conversation, closed);
    expect(countNew(entries, entries[0]?.key)).toBe(2);
    expect(countNew(entries, entries.at(-1)?.key)).toBe(0);
    expect(countNew(entries, 'gone')).toBe(0);
  });
});

describe('a call that was cut short', () => {
  it('[SES7] is not at work for ever: its turn or its process ended without its result', () => {
    const exited: NewEvent = {
      type: 'process.exited',
      processId: 'p1',
      code: 1,
      signal: null,
      cause: 'by-itself',
      crashed: true,
      stderr: [],
    };
    for (const end of [turnEnded('interrupted'), exited]) {
      const conversation = conversationOf(called('t1'), end, called('t2'));
      expect(conversation.tool('t1')?.isOver).toBe(true);
      expect(conversation.tool('t2')?.isOver).toBe(false);
    }
  });
});
