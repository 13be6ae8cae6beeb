import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callShapeOf, expectedShape, resultShapeOf } from '../../src/drivers/tool-calls.ts';
import { valueAt, withValueAt } from '../../src/model/json-pointer.ts';
import {
  editableOf,
  editBetween,
  mainPartOf,
  type ToolCall,
  toolCallOf,
  toolCallSoFar,
  toolOutputOf,
} from '../../src/model/tool-call.ts';
import { CallShape } from '../../src/protocol/tool-call.ts';

type Input = Record<string, unknown>;

const callOf = (toolName: string, input: Input): ToolCall =>
  toolCallOf({ input, call: callShapeOf(toolName, input) });

describe('a tool call', () => {
  it('[ASK15] has its parts by what it does, and all the rest of its input beside them', () => {
    expect(callOf('Bash', { command: 'ls', description: 'Look', timeout: 5 })).toEqual({
      is: 'command',
      command: 'ls',
      description: 'Look',
      directory: null,
      others: [{ at: '/timeout', name: 'timeout', value: 5, isRisky: false }],
      risks: [],
    });
    const edits = [
      { old_string: 'a', new_string: 'b', why: { deep: [1] } },
      { old_string: 'c', new_string: '', replace_all: true },
    ];
    expect(callOf('MultiEdit', { file_path: '/x', edits })).toMatchObject({
      is: 'change',
      does: 'edit',
      path: '/x',
      edits: [
        { before: 'a', after: 'b', isEverywhere: false },
        { before: 'c', after: '', isEverywhere: true },
      ],
      others: [{ at: '/edits/0/why', name: 'edits.0.why', value: { deep: [1] } }],
    });
  });

  it('[ASK15] is fields, all of them, where nothing is said of it or what is said is not so', () => {
    const input = { command: 5, text: 'x' };
    const others = [
      { at: '/command', name: 'command', value: 5, isRisky: false },
      { at: '/text', name: 'text', value: 'x', isRisky: false },
    ];
    expect(toolCallOf({ input })).toEqual({ is: 'fields', title: null, others, risks: [] });
    for (const command of ['/command', '/nowhere', '', 'text', '/text/length', '/constructor'])
      expect(toolCallOf({ input, call: { is: 'command', command } })).toMatchObject({ is: 'fields', others });
    expect(toolCallOf({ input: { a: '' }, call: { is: 'read', path: '/a' } }).is).toBe('fields');
  });

  it('[ASK15] tells its risks, also where its parts cannot be read', () => {
    const input = { command: 'x', run_in_background: true, nested: { off: true } };
    const risks = [
      { kind: 'background' as const, at: '/run_in_background' },
      { kind: 'dangerous' as const, at: '/nested/off' },
    ];
    for (const command of ['/command', '/nowhere']) {
      const call = toolCallOf({ input, call: { is: 'command', command, risks } });
      expect(call.risks).toEqual(['background', 'dangerous']);
      expect(call.others.filter(({ isRisky }) => isRisky).map(({ name }) => name)).toEqual([
        'run_in_background',
        'nested',
      ]);
    }
  });

  it('[POL6] says that it may change the rules of its directory', () => {
    const change: CallShape = { is: 'change', does: 'write', path: '/path', edits: [] };
    for (const path of ['.beckon/policy.json', '/work/shop/.Beckon/policy.json'])
      expect(toolCallOf({ input: { path }, call: change }).risks).toEqual(['policy']);
    const command = { is: 'command', command: '/command' } as const;
    expect(toolCallOf({ input: { command: 'rm -r .beckon' }, call: command }).risks).toEqual(['policy']);
    expect(toolCallOf({ input: { command: 'ls beckon' }, call: command }).risks).toEqual([]);
  });

  it('is told as far as it has been written', () => {
    const soFar = (json: string, toolName: string) =>
      mainPartOf(toolCallSoFar(json, expectedShape(toolName)))?.text;
    expect(soFar('{"command":"npm run \\"te', 'Bash')).toBe('npm run "te');
    expect(soFar('{"comm', 'Bash')).toBeUndefined();
    expect(soFar('{"content":"{\\"file_path\\": \\"/no\\"}","file_path": "/yes', 'Write')).toBe('/yes');
    expect(soFar('{"x":"y"', 'mcp__a__b')).toBeUndefined();
  });

  it('[ASK6] is edited in the one text that matters, wherever that stands', () => {
    const input = { 'a/b': [{ 'c~d': 'old', keep: 1 }], keep: 2 };
    const at = '/a~1b/0/c~0d';
    const call = { is: 'command', command: at } as const;
    expect(editableOf({ input, call })).toEqual({ what: 'command', at, text: 'old' });
    const edited = withValueAt(input, at, 'new');
    expect(edited).toEqual({ 'a/b': [{ 'c~d': 'new', keep: 1 }], keep: 2 });
    expect(editBetween({ input, call }, edited)).toEqual({ before: 'old', after: 'new' });
    expect(editBetween({ input, call }, { ...edited, keep: 3 }).after).toContain('"keep": 3');
  });

  it('[UI3] has brought what its result points to, and nothing where that is not there', () => {
    const detail = { file: { filePath: '/a', content: 'x', startLine: 7, numLines: 1 } };
    const output = resultShapeOf('', detail, false);
    expect(toolOutputOf({ detail, output })).toMatchObject({
      amount: { of: 'lines', count: 1 },
      file: { path: '/a', text: 'x', firstLine: 7 },
    });
    expect(toolOutputOf({ detail: {}, output }).file).toBeNull();
    expect(toolOutputOf(null)).toMatchObject({ exitCode: null, changed: null, plan: null });
  });
});

/** Inputs in which every text is another, so that it can be told whether it is shown. */
const inputs = fc
  .dictionary(
    fc.constantFrom('a', 'b/c', 'd~e', 'f', 'g', '0', '__proto__', 'length'),
    fc.jsonValue({ maxDepth: 3 }),
  )
  .map((input) => JSON.parse(JSON.stringify(input)) as Input)
  .map((input) => distinct(input) as Input);

function distinct(value: unknown, at = ''): unknown {
  if (typeof value === 'string') return value === '' ? '' : `text at ${at}`;
  if (Array.isArray(value)) return value.map((each, place) => distinct(each, `${at}/${place}`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, distinct(each, `${at}/${name}`)]),
  );
}

interface Leaf {
  readonly at: string;
  readonly value: unknown;
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** What is at the ends of an input; `everything` has what is on the way, too. */
function leavesOf(value: unknown, at = '', everything = false): Leaf[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const below = inner.flatMap(([name, each]) => leavesOf(each, `${at}/${escaped(name)}`, everything));
  return inner.length === 0 || everything ? [{ at, value }, ...below] : below;
}

/** Shapes that tell the truth, lie, or both. */
const callsWith = (pointers: readonly string[]) => {
  const pointer = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('', ...pointers) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('/nowhere', 'a', '/a/', '//', '/a/-', '/a/01', '/a~2', '/length'),
    },
  );
  const maybe = fc.option(pointer, { nil: undefined });
  const risks = fc.array(fc.record({ kind: fc.constantFrom('background', 'dangerous'), at: pointer }), {
    maxLength: 2,
  });
  const edit = fc.record({ path: maybe, before: maybe, after: pointer, everywhere: maybe });
  return fc
    .oneof(
      fc.record({
        is: fc.constant('command'),
        command: pointer,
        description: maybe,
        directory: maybe,
        risks,
      }),
      fc.record({
        is: fc.constant('change'),
        does: fc.constantFrom('write', 'edit', 'delete', 'move'),
        path: pointer,
        to: maybe,
        edits: fc.array(edit, { maxLength: 3 }),
        risks,
      }),
      fc.record({ is: fc.constant('read'), path: pointer }),
      fc.record({ is: fc.constant('search'), in: fc.constant('text'), pattern: maybe, path: maybe }),
      fc.record({ is: fc.constant('page'), url: pointer, prompt: maybe }),
      fc.record({
        is: fc.constant('todos'),
        todos: fc.array(fc.record({ text: pointer, state: fc.constant('open') }), { maxLength: 3 }),
      }),
      fc.record({ is: fc.constant('plan'), text: maybe }),
      fc.record({ is: fc.constant('agent'), task: maybe, description: maybe }),
      fc.record({ is: fc.constant('question'), questions: fc.array(pointer, { maxLength: 3 }) }),
      fc.record({ is: fc.constant('fields'), title: maybe, risks }),
    )
    .map((shape) => CallShape.parse(shape));
};

const asked = inputs.chain((input) =>
  fc.record({
    input: fc.constant(input),
    call: callsWith(leavesOf(input, '', true).map(({ at }) => at)),
  }),
);

describe('whatever is said of a call', () => {
  it('[ASK15] everything that goes in is in a part that is shown, or among the other fields', () => {
    fc.assert(
      fc.property(asked, ({ input, call }) => {
        const { others, risks: _, ...parts } = toolCallOf({ input, call });
        const shown = new Set(leavesOf(parts).map(({ value }) => value));
        shown.delete(null);
        const isAmongOthers = ({ at }: Leaf): boolean =>
          others.some((other) => at === other.at || at.startsWith(`${other.at}/`));
        for (const other of others) expect(valueAt(input, other.at)).toEqual(other.value);
        const leftOut = leavesOf(input).filter(
          (leaf) => leaf.at !== '' && !isAmongOthers(leaf) && !shown.has(leaf.value),
        );
        expect(leftOut).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });
});
