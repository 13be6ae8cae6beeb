import { describe, expect, it } from 'vitest';
import { expectedShape } from '../../src/drivers/tool-calls.ts';
import type { Hunk } from '../../src/model/diff-lines.ts';
import { toolOutputOf } from '../../src/model/tool-call.ts';
import type { NewEvent } from '../../src/protocol/event.ts';
import type { ToolItem } from '../../src/web/conversation/row.ts';
import { cutLines } from '../../src/web/conversation/tool-body.tsx';
import { toolLine } from '../../src/web/conversation/tool-call.logic.ts';
import { detailOf } from '../../src/web/conversation/tool-detail.logic.ts';
import { allTokens, money, shortCount } from '../../src/web/session/figures.logic.ts';
import { DigestReader } from '../../src/web/session/session-digest.logic.ts';
import { called, conversationOf, result } from './support/samples.ts';

function callOf(...events: readonly NewEvent[]): ToolItem {
  const [row] = conversationOf(...events).rows;
  if (row?.item.kind !== 'tool') throw new Error('There is no call.');
  return row.item;
}

const resultWith = (detail: unknown, text = 'ok', isError = false): NewEvent =>
  result('t1', text, { detail, isError });

function hunksOf(item: ToolItem): readonly Hunk[] {
  const detail = detailOf(item);
  if (detail.is !== 'change') throw new Error(`It is shown as ${detail.is}.`);
  return detail.hunks;
}

const exitCodeOf = ({ result: told }: ToolItem): number | null => toolOutputOf(told).exitCode;

describe('an edit', () => {
  const patch = {
    structuredPatch: [
      {
        oldStart: 10,
        newStart: 10,
        lines: [
          ...Array.from({ length: 8 }, (_, at) => ` line ${at}`),
          '-const a = 1;',
          '+const b = 1;',
          ' end',
        ],
      },
    ],
  };

  it('[UI3] is shown with line numbers, little around it, and what differs within a line', () => {
    const hunks = hunksOf(callOf(called('t1', { file_path: '/p/a' }, { name: 'Edit' }), resultWith(patch)));
    expect(hunks).toHaveLength(1);
    expect(hunks[0]?.map(({ sign, before, after }) => [sign, before, after])).toEqual([
      [' ', 15, 15],
      [' ', 16, 16],
      [' ', 17, 17],
      ['-', 18, null],
      ['+', null, 18],
      [' ', 19, 19],
    ]);
    const [removed, added] = (hunks[0] ?? []).filter(({ sign }) => sign !== ' ');
    expect([
      removed?.marks.map((mark) => removed.text.slice(...mark)),
      added?.marks.map((mark) => added.text.slice(...mark)),
    ]).toEqual([['a'], ['b']]);
  });

  it('[UI3] that waits is made from what it would take out and put in', () => {
    const input = { file_path: '/p/a', old_string: 'a\nb\nc', new_string: 'a\nx\nc' };
    const [lines = []] = hunksOf(callOf(called('t1', input, { name: 'Edit' })));
    expect(lines.map(({ sign, text }) => sign + text)).toEqual([' a', '-b', '+x', ' c']);
  });

  it('[UI3] of a new file is all of its lines', () => {
    const write = callOf(
      called('t1', { file_path: '/p/a.txt', content: 'one\ntwo\n' }, { name: 'Write' }),
      resultWith({ type: 'create', content: 'one\ntwo\n', structuredPatch: [] }),
    );
    expect(detailOf(write)).toMatchObject({ is: 'change', hunks: [[{ after: 1 }, { after: 2 }]] });
    expect(toolLine(write, '/p').change).toEqual({ added: 2, removed: 0 });
  });
});

describe('a command', () => {
  it('has an exit code, where it was run to its end', () => {
    const ended = { stdout: '', stderr: '', interrupted: false };
    expect(exitCodeOf(callOf(called('t1'), resultWith(ended)))).toBe(0);
    expect(exitCodeOf(callOf(called('t1'), resultWith('Error', 'Exit code 3\nboom', true)))).toBe(3);
    expect(exitCodeOf(callOf(called('t1'), resultWith(undefined, 'The user said no', true)))).toBeNull();
    expect(exitCodeOf(callOf(called('t1'), resultWith({ ...ended, backgroundTaskId: '1' })))).toBeNull();
    expect(exitCodeOf(callOf(called('t1')))).toBeNull();
  });

  it('is told as far as it has been written', () => {
    const conversation = conversationOf();
    const delta = {
      messageId: 'm1',
      block: 0,
      kind: 'tool-input',
      toolCallId: 't1',
      toolName: 'Bash',
      call: expectedShape('Bash'),
    } as const;
    conversation.addDelta({ ...delta, text: '{"command":"npm run \\"te' });
    const item = conversation.tool('t1');
    expect(item && toolLine(item, '/').subject).toBe('npm run "te');
  });
});

describe('long output', () => {
  it('is cut after whole lines, and says how many there are', () => {
    const text = Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n');
    expect(cutLines(text, 3)).toEqual({
      text: 'line 0\nline 1\nline 2',
      shown: 3,
      lines: 50,
      isTooLong: false,
    });
    expect(cutLines(text, 50)).toMatchObject({ text, shown: 50, lines: 50 });
    expect(cutLines('x'.repeat(10_000), 3).text).toHaveLength(1200);
    expect(cutLines('x'.repeat(1_000_000), Number.POSITIVE_INFINITY)).toMatchObject({ isTooLong: true });
  });
});

describe('what a session has come to', () => {
  it('[UI3] has each changed file once, the last first, the latest to-dos, and sub-agents with their state', () => {
    const patch = { structuredPatch: [{ lines: ['+a', '-b'] }] };
    const edit = (id: string, path: string): NewEvent[] => [
      called(id, { file_path: path }, { name: 'Edit' }),
      result(id, '', { detail: patch }),
    ];
    const todos = (status: string): NewEvent[] => [
      called(
        `todo-${status}`,
        { todos: [{ content: 'Do', activeForm: 'Doing', status }] },
        { name: 'TodoWrite' },
      ),
      result(`todo-${status}`),
    ];
    const conversation = conversationOf(
      ...todos('pending'),
      ...edit('e1', '/p/a.ts'),
      ...edit('e2', '/p/b.ts'),
      ...edit('e3', '/p/a.ts'),
      called('agent', { description: 'Look' }, { startsAgent: true }),
      ...todos('in_progress'),
    );
    expect(new DigestReader().read(conversation, '/p')).toMatchObject({
      todos: [{ text: 'Doing', state: 'active' }],
      files: [
        { path: 'a.ts', added: 2, removed: 2 },
        { path: 'b.ts', added: 1, removed: 1 },
      ],
      agents: [{ name: 'Look', state: 'running' }],
    });
  });
});

describe('figures', () => {
  it('are short, and exact only where it matters', () => {
    expect(shortCount(840, 'en')).toBe('840');
    expect(shortCount(12_345, 'en')).toBe('12.3K');
    expect(money(0.0312, 'en')).toBe('$0.03');
    expect(money(0.0004, 'en')).toBe('$0.0004');
    expect(allTokens({ inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 })).toBe(10);
  });
});
