import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { callShapeOf, expectedShape, resultShapeOf } from '../../src/drivers/tool-calls.ts';
import { CallShape } from '../../src/protocol/tool-call.ts';

let folder: string;
let repo: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-')));
  repo = join(folder, 'repo');
  mkdirSync(join(repo, 'src'), { recursive: true });
  symlinkSync(folder, join(repo, 'link'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('[API11] what a call does', () => {
  test.each<[string, Record<string, unknown>, CallShape]>([
    ['Bash', { command: 'ls', timeout: 5 }, { is: 'command', command: '/command' }],
    [
      'PowerShell',
      { command: 'ls', description: 'Look', cwd: 'src' },
      { is: 'command', command: '/command', description: '/description', directory: '/cwd' },
    ],
    ['Bash', { command: ['ls'] }, { is: 'fields' }],
    ['Monitor', { command: 'tail -f x', description: 3 }, { is: 'command', command: '/command' }],
    ['Read', { file_path: 'a', limit: 3 }, { is: 'read', path: '/file_path' }],
    ['NotebookRead', { notebook_path: 'a' }, { is: 'read', path: '/notebook_path' }],
    [
      'Write',
      { file_path: 'a', content: '' },
      { is: 'change', does: 'write', path: '/file_path', edits: [{ after: '/content' }] },
    ],
    [
      'Edit',
      { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: false },
      {
        is: 'change',
        does: 'edit',
        path: '/file_path',
        edits: [{ before: '/old_string', after: '/new_string', everywhere: '/replace_all' }],
      },
    ],
    [
      'Edit',
      { file_path: 'a', old_string: 3, new_string: 'y', replace_all: 'yes' },
      { is: 'change', does: 'edit', path: '/file_path', edits: [{ after: '/new_string' }] },
    ],
    [
      'MultiEdit',
      { file_path: 'a', edits: [{ old_string: 'x', new_string: 'y' }, { new_string: 'z' }] },
      {
        is: 'change',
        does: 'edit',
        path: '/file_path',
        edits: [
          { before: '/edits/0/old_string', after: '/edits/0/new_string' },
          { after: '/edits/1/new_string' },
        ],
      },
    ],
    [
      'MultiEdit',
      { file_path: 'a', edits: [{ new_string: 'z' }, 'hidden'] },
      { is: 'change', does: 'edit', path: '/file_path', edits: [] },
    ],
    [
      'NotebookEdit',
      { notebook_path: 'a', new_source: 'x' },
      { is: 'change', does: 'edit', path: '/notebook_path', edits: [{ after: '/new_source' }] },
    ],
    ['Edit', { path: 'a', new_string: 'y' }, { is: 'fields', title: '/path' }],
    ['LS', { path: 'src' }, { is: 'search', in: 'directory', path: '/path' }],
    ['Glob', { pattern: '*.[jt]s' }, { is: 'search', in: 'names', pattern: '/pattern' }],
    ['Grep', { pattern: 'x', path: 3 }, { is: 'search', in: 'text', pattern: '/pattern' }],
    ['WebSearch', { query: 'x' }, { is: 'search', in: 'web', pattern: '/query' }],
    ['WebFetch', { url: 'https://a.b', prompt: 'p' }, { is: 'page', url: '/url', prompt: '/prompt' }],
    ['WebFetch', { prompt: 'p' }, { is: 'fields' }],
    [
      'TodoWrite',
      {
        todos: [
          { content: 'a', status: 'completed', activeForm: 'b' },
          { content: 'c', status: 'in_progress', activeForm: 'd' },
          { content: 'e', status: 'pending', activeForm: 'f' },
        ],
      },
      {
        is: 'todos',
        todos: [
          { text: '/todos/0/content', state: 'done' },
          { text: '/todos/1/activeForm', state: 'active' },
          { text: '/todos/2/content', state: 'open' },
        ],
      },
    ],
    ['TodoWrite', { todos: [{ content: 'a' }, { status: 'pending' }] }, { is: 'fields' }],
    ['ExitPlanMode', { plan: '# Plan' }, { is: 'plan', text: '/plan' }],
    ['ExitPlanMode', {}, { is: 'plan' }],
    [
      'AskUserQuestion',
      { questions: [{ question: 'A?' }, { question: 'B?' }] },
      { is: 'question', questions: ['/questions/0/question', '/questions/1/question'] },
    ],
    ['AskUserQuestion', { questions: [{ question: 'A?' }, {}] }, { is: 'fields' }],
    [
      'Task',
      { prompt: 'Look around', description: 'Look', subagent_type: 'x' },
      { is: 'agent', task: '/prompt', description: '/description' },
    ],
    ['KillShell', { shell_id: '1' }, { is: 'fields' }],
    ['mcp__a__b', { query: 'x', description: 'y' }, { is: 'fields', title: '/query' }],
    ['toString', {}, { is: 'fields' }],
  ])('%s %j', (name, input, shape) => {
    expect(callShapeOf(name, input)).toEqual(shape);
  });

  it('is told by the name alone while the input is still being written', () => {
    expect(expectedShape('Bash')).toEqual({
      is: 'command',
      command: '/command',
      description: '/description',
    });
    expect(expectedShape('mcp__a__b')).toBeUndefined();
  });

  it('can be stored, whatever an agent sends', () => {
    const names = fc.constantFrom('Bash', 'Edit', 'MultiEdit', 'TodoWrite', 'AskUserQuestion', 'Glob', 'x');
    const fields = fc.constantFrom(
      ...['command', 'file_path', 'edits', 'todos', 'questions', 'pattern', 'path', 'dangerously/~'],
    );
    const text = fc.constantFrom('', 'a', '~', '../x', '/etc', 'a\0');
    const entry = fc.dictionary(fc.constantFrom('new_string', 'content', 'question', 'status'), text);
    const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }), fc.array(entry, { maxLength: 3 }));
    fc.assert(
      fc.property(names, fc.dictionary(fields, value), (name, input) => {
        CallShape.parse(callShapeOf(name, input, repo));
      }),
    );
  });
});

describe('[API11] what must not be overlooked in a call', () => {
  const risks = (name: string, input: Record<string, unknown>) => callShapeOf(name, input, repo).risks;

  it('that it runs on in the background, or outside of its sandbox', () => {
    expect(risks('Bash', { command: 'x', run_in_background: true, dangerouslyDisableSandbox: true })).toEqual(
      [
        { kind: 'background', at: '/run_in_background' },
        { kind: 'sandbox-off', at: '/dangerouslyDisableSandbox' },
      ],
    );
    expect(
      risks('Bash', { command: 'x', run_in_background: false, dangerouslyDisableSandbox: false }),
    ).toBeUndefined();
    expect(risks('Other', { 'dangerously/so': 'yes' })).toEqual([
      { kind: 'dangerous', at: '/dangerously~1so' },
    ]);
  });

  test.each([
    ['Read', { file_path: '/etc/passwd' }, '/file_path'],
    ['Read', { file_path: '~/x' }, '/file_path'],
    ['Edit', { file_path: 'link/x', new_string: '' }, '/file_path'],
    ['Write', { file_path: 'src/../../x', content: '' }, '/file_path'],
    ['LS', { path: '..' }, '/path'],
    ['Glob', { pattern: '/etc/**' }, '/pattern'],
    ['Glob', { pattern: '../**' }, '/pattern'],
    ['Bash', { command: 'ls', cwd: '/' }, '/cwd'],
  ])('that %s %j reaches out of the session’s directory', (name, input, at) => {
    expect(risks(name, input)).toEqual([{ kind: 'outside-directory', at }]);
    expect(callShapeOf(name, input).risks).toBeUndefined();
  });

  test.each([
    ['Read', { file_path: 'src/a' }],
    ['Glob', { pattern: '**/*.[jt]s' }],
    ['Grep', { pattern: '../x', path: 'src' }],
    ['Bash', { command: 'ls', cwd: '.' }],
    ['LS', { path: '.' }],
  ])('and not that %s %j stays in it', (name, input) => {
    expect(risks(name, input)).toBeUndefined();
  });
});

describe('[API11] what a call brought', () => {
  const ran = { stdout: '', stderr: '', interrupted: false, isImage: false };

  test.each<[string, string, unknown, boolean, ReturnType<typeof resultShapeOf>]>([
    ['a command that failed', 'Exit code 2\nNo', undefined, true, { exitCode: 2 }],
    ['a command that ended well', '', ran, false, { exitCode: 0 }],
    ['one that was stopped', '', { ...ran, interrupted: true }, false, undefined],
    ['one that runs on', '', { ...ran, backgroundTaskId: 'b' }, false, undefined],
    ['one that was not run', 'No', undefined, true, undefined],
    ['a text that looks like it', 'Exit code 2', undefined, false, undefined],
    [
      'a part of a file',
      '',
      { type: 'text', file: { filePath: '/a', content: 'x\n', numLines: 1, startLine: 7 } },
      false,
      {
        amount: { of: 'lines', count: 1 },
        file: { path: '/file/filePath', text: '/file/content', firstLine: 7 },
      },
    ],
    ['found files', '', { numFiles: 0, filenames: [] }, false, { amount: { of: 'files', count: 0 } }],
    [
      'an edit',
      '',
      { structuredPatch: [{ oldStart: 1, newStart: 1, lines: [' a', '-b', '+c', '+d'] }] },
      false,
      { patch: '/structuredPatch', changed: { added: 2, removed: 1 } },
    ],
    [
      'a new file',
      '',
      { type: 'create', content: 'a\nb\n', structuredPatch: [] },
      false,
      { changed: { added: 2, removed: 0 } },
    ],
    ['a plan', '', { plan: '# Plan', isAgent: false }, false, { plan: '/plan' }],
    ['whatever else', 'words', [1], false, undefined],
  ])('%s', (_, text, detail, isError, shape) => {
    expect(resultShapeOf(text, detail, isError)).toEqual(shape);
  });
});
