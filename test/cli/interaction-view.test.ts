import { describe, expect, it } from 'vitest';
import { interactionView, type ShownAsk } from '../../src/cli/render/interaction-view.ts';
import { plain } from '../../src/cli/render/paint.ts';
import { callShapeOf } from '../../src/drivers/tool-calls.ts';

const approval = (input: Record<string, unknown>, more: Partial<ShownAsk> = {}): ShownAsk => ({
  kind: 'approval',
  toolName: 'Bash',
  title: 'Run a command',
  input,
  call: callShapeOf(more.toolName ?? 'Bash', input, '/work'),
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
    expect(view(approval({ ...input, note: 1 }, { toolName: 'Edit', title: 'Edit a.ts' }))).toBe(
      [
        '? Edit a.ts',
        '  ! it reaches out of the session’s directory',
        '  /a.ts',
        '  in every place where the old text stands:',
        '    one\n  - two\n  + 2\n    three',
        '  note: 1',
      ].join('\n'),
    );
  });

  it('[ASK1] shows several edits of one file, and the whole of a new one', () => {
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: '' },
    ];
    expect(view(approval({ file_path: 'x', edits }, { toolName: 'MultiEdit' }))).toContain(
      '- a\n  + b\n  - c',
    );
    expect(view(approval({ file_path: 'x', content: 'new\n' }, { toolName: 'Write' }))).toContain(
      '  x\n  + new',
    );
  });

  it('[ASK15] what must not be overlooked stands before what could be cut off', () => {
    const command = 'line\n'.repeat(100);
    const ask = approval(
      { command, run_in_background: true, dangerouslyDisableSandbox: true },
      { blockedPath: '/etc/ho\u0455ts' },
    );
    expect(view(ask, 5)).toContain(
      [
        '  ! it goes on in the background',
        '  ! it runs without the sandbox',
        '  ! the agent asks because of /etc/ho\\u{455}ts',
        '  $ line',
      ].join('\n'),
    );
  });

  it('[ASK1] shows a call of any kind with all that goes into it', () => {
    const shown = (toolName: string, input: Record<string, unknown>) =>
      view(approval(input, { toolName, title: toolName }))
        .split('\n')
        .slice(1);
    expect(shown('WebFetch', { url: 'https://a.example', prompt: 'Sum up', depth: 2 })).toEqual([
      '  https://a.example',
      '  prompt: Sum up',
      '  depth: 2',
    ]);
    expect(shown('Grep', { pattern: 'x+', '-i': true })).toEqual(['  pattern: x+', '  -i: true']);
    expect(shown('Task', { description: 'Look', prompt: 'Look around' })).toEqual([
      '  description: Look',
      '  task: Look around',
    ]);
    expect(shown('mcp__x__y', { a: { b: [1] }, c: 'd' })).toEqual(['  a: {"b":[1]}', '  c: d']);
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
