import { describe, expect, it } from 'vitest';
import { diffLines } from '../../src/cli/render/diff-lines.ts';
import { interactionView, type ShownAsk } from '../../src/cli/render/interaction-view.ts';
import { plain } from '../../src/cli/render/paint.ts';

const approval = (input: Record<string, unknown>, more: Partial<ShownAsk> = {}): ShownAsk => ({
  kind: 'approval',
  toolName: 'Bash',
  title: 'Run a command',
  input,
  ...more,
});

const view = (ask: ShownAsk, most?: number) => interactionView(ask, plain, most).join('\n');

describe('what a person is asked', () => {
  it('[ASK1] shows the command as it would run, and every other field', () => {
    expect(
      view(
        approval(
          { command: 'rm -rf build\necho \u001b[8mhidden', timeout: 5 },
          { reason: 'clean\u001b[1m up' },
        ),
      ),
    ).toBe(
      '? Run a command (Bash)\n  reason: clean up\n  $ rm -rf build\n    echo \\u{1b}[8mhidden\n  timeout: 5',
    );
  });

  it('[ASK1] shows an edit as lines taken away and added', () => {
    const input = {
      file_path: '/a.ts',
      old_string: 'one\ntwo\nthree',
      new_string: 'one\n2\nthree',
      replace_all: true,
    };
    expect(view(approval(input, { toolName: 'Edit', title: 'Edit a.ts' }))).toBe(
      '? Edit a.ts\n  /a.ts\n    one\n  - two\n  + 2\n    three\n  replace_all: true',
    );
  });

  it('[ASK1] shows several edits of one file, and the whole of a new one', () => {
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: '' },
    ];
    expect(view(approval({ file_path: 'x', edits }))).toContain('- a\n  + b\n  - c');
    expect(view(approval({ file_path: 'x', content: 'new\n' }))).toContain('  x\n  + new');
  });

  it('[ASK1] what is too long is counted, not left out in silence', () => {
    const lines = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');
    expect(view(approval({ command: lines }), 10)).toMatch(/line 9\n {2}… 90 more lines not shown$/);
    expect(view(approval({ command: lines }), Number.POSITIVE_INFINITY)).toContain('line 99');
    expect(view(approval({ command: 'x'.repeat(5_000) }))).toMatch(/… \d+ more characters not shown$/);
  });

  it('[UI6] numbers the options of each question', () => {
    const ask: ShownAsk = {
      kind: 'question',
      toolName: 'AskUserQuestion',
      title: 'Two questions',
      input: {},
      questions: [
        {
          question: 'Which?',
          header: 'DB',
          multiSelect: false,
          options: [{ label: 'A', description: 'first' }, { label: 'B' }],
        },
        { question: 'Why?', multiSelect: true, options: [] },
      ],
    };
    expect(view(ask)).toBe(
      '? Two questions\n  [DB] Which?\n    1. A – first\n    2. B\n  Why? (several may be picked)',
    );
  });

  it('[ASK8] shows a plan as it is', () => {
    const ask = approval(
      { plan: '# Plan' },
      { toolName: 'ExitPlanMode', title: 'Go on?', plan: '# Plan\n1. look' },
    );
    expect(view(ask)).toBe('? Go on?\n  # Plan\n  1. look');
  });
});

describe('the lines of a change', () => {
  it('leaves out what is the same, but for the lines around', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7'].join('\n');
    const after = ['1', '2', '3', 'four', '5', '6', '7'].join('\n');
    expect(diffLines(before, after).map(({ sign, text }) => sign + text)).toEqual([
      ' 2',
      ' 3',
      '-4',
      '+four',
      ' 5',
      ' 6',
    ]);
  });

  it('tells additions and removals alone', () => {
    expect(diffLines('', 'a\nb\n')).toEqual([
      { sign: '+', text: 'a' },
      { sign: '+', text: 'b' },
    ]);
    expect(diffLines('a\na', 'a')).toEqual([
      { sign: ' ', text: 'a' },
      { sign: '-', text: 'a' },
    ]);
  });
});
