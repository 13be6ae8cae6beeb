import { describe, expect, it } from 'vitest';
import { showInvisible } from '../../src/model/suspicious-text.ts';
import type { NewEvent } from '../../src/protocol/event.ts';
import { tailOf } from '../../src/web/conversation/tail.logic.ts';
import { toolLine } from '../../src/web/conversation/tool-call.logic.ts';
import { summaryOf } from '../../src/web/interaction/ask-body.logic.ts';
import { passagesOf, plainText } from '../../src/web/text/plain-text.ts';
import {
  anInteraction,
  asked,
  called,
  conversationOf,
  resolvedAsk,
  result,
  taken,
  text,
} from './support/samples.ts';

describe('the tail of a conversation', () => {
  it('has the last things, oldest first, and of a sub-agent at work its last steps', () => {
    const tail = tailOf(
      conversationOf(taken('u1', 'Go'), called('t1', {}, { startsAgent: true }), text('m2', 'Inside', 't1')),
      5,
    );
    expect(tail.map(({ kind }) => kind)).toEqual(['message', 'tool', 'text']);
  });

  it('leaves out a call that waits for a person: the card tells of it', () => {
    expect(tailOf(conversationOf(called('t1'), asked('i1')), 5)).toEqual([]);
  });

  it('[ASK4] says of a call that was denied that it was not made', () => {
    const denied = { ...resolvedAsk('i1'), outcome: 'denied' } as NewEvent;
    const [line] = tailOf(
      conversationOf(called('t1'), asked('i1', { toolCallId: 't1' }), denied, result('t1')),
      5,
    );
    expect(line).toMatchObject({ kind: 'tool', notMade: 'denied' });
  });

  it('shows only the end of a long text, and knows code whose beginning is cut off', () => {
    const long = `Intro\n\`\`\`ts\n${'const a = 1;\n'.repeat(200)}`;
    const [line] = tailOf(conversationOf(text('m1', long)), 5);
    expect(line).toMatchObject({ kind: 'text', passages: [{ isCode: true }] });
    expect(JSON.stringify(line).length).toBeLessThan(1500);
  });
});

describe('a tool call in one line', () => {
  const lineOf = (...events: readonly NewEvent[]) => {
    const [row] = conversationOf(...events).rows;
    if (row?.item.kind !== 'tool') throw new Error('no tool');
    return toolLine(row.item, '/work/project');
  };

  it('says what was run and how long it took', () => {
    expect(lineOf(called('t1'), result('t1'))).toMatchObject({
      verb: 'command',
      subject: 'npm test',
      state: 'done',
      durationMs: 1000,
    });
  });

  it('says which file was changed, relative to the directory, and by how much', () => {
    const line = lineOf(
      called('t1', { file_path: '/work/project/src/app.ts' }, { name: 'Edit' }),
      result('t1', '', { detail: { structuredPatch: [{ lines: [' a', '-b', '+c', '+d'] }] } }),
    );
    expect(line).toMatchObject({ verb: 'edit', subject: 'src/app.ts', change: { added: 2, removed: 1 } });
  });

  it('is at work as long as a sub-agent in the background is', () => {
    const running = { type: 'task.changed', taskId: 'x', toolCallId: 't1', status: 'running' } as const;
    expect(lineOf(called('t1', {}, { startsAgent: true }), result('t1'), running).state).toBe('running');
  });
});

describe('what is asked, in short', () => {
  it('[UI12] shows invisible characters of a command instead of hiding them', () => {
    const sneaky = anInteraction({ subject: { kind: 'command', value: 'rm \u202efdsa' } });
    expect(summaryOf(sneaky, '/')).toMatchObject({ is: 'call', subject: 'rm \\u{202e}fdsa' });
  });

  it('[UI6] offers quick answers only for one question with one answer', () => {
    const one = { question: 'Which?', options: [{ label: 'A' }, { label: 'B' }], multiSelect: false };
    const ask = (questions: (typeof one)[]) =>
      summaryOf(anInteraction({ kind: 'question', questions }), '/').is;
    expect(ask([one])).toBe('choice');
    expect(ask([one, one])).toBe('questions');
    expect(ask([{ ...one, multiSelect: true }])).toBe('questions');
    expect(ask([{ ...one, options: [] }])).toBe('questions');
  });

  it('shows the first lines of a change', () => {
    const edit = anInteraction({
      toolName: 'Edit',
      subject: { kind: 'path', value: '/p/a.ts' },
      input: { file_path: '/p/a.ts', old_string: 'a\nb', new_string: 'c' },
    });
    expect(summaryOf(edit, '/p')).toMatchObject({
      subject: 'a.ts',
      change: [
        { sign: '-', text: 'a' },
        { sign: '-', text: 'b' },
        { sign: '+', text: 'c' },
      ],
      hiddenLines: 0,
    });
  });

  it('[UI5] says how much of a change it does not show', () => {
    const content = 'line\n'.repeat(200);
    const write = anInteraction({ toolName: 'Write', input: { file_path: '/p/a', content } });
    expect(summaryOf(write, '/p')).toMatchObject({ hiddenLines: 194 });
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: 'd' },
    ];
    const several = anInteraction({ toolName: 'MultiEdit', input: { file_path: '/p/a', edits } });
    expect(summaryOf(several, '/p')).toMatchObject({ change: { length: 4 }, hiddenLines: 0 });
  });
});

describe('text of others', () => {
  it('[UI12] loses terminal control and marks that reorder it', () => {
    expect(plainText('\u001b[31mred\u001b[0m \u001b]0;title\u0007a\u202eb\r\nc')).toBe('red ab\nc');
    expect(showInvisible('a\u200bb\n')).toBe('a\\u{200b}b\n');
  });

  it('is read as prose and code', () => {
    expect(passagesOf('**Bold** and `code`\n```ts\nlet *a* = 1;\n```\n- item')).toEqual([
      { isCode: false, text: 'Bold and code' },
      { isCode: true, text: 'let *a* = 1;' },
      { isCode: false, text: '• item' },
    ]);
  });
});
