import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createToolHost, type ToolHost } from '../../src/tools/host/tool-host.ts';
import { MemoryDesk } from '../../src/tools/testing/memory-desk.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { patienceMs } from '../support/patience.ts';
import { nativeImport } from './native-import.ts';
import { session, settled } from './tool-bench.ts';

let folder: string;
let hosts: ToolHost[];
let complaints: string[];
let desk: MemoryDesk;
const clock = new FakeClock();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'beckon-tool-files-'));
  hosts = [];
  complaints = [];
  desk = new MemoryDesk();
});
afterEach(async () => {
  for (const host of hosts) await host.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function openHost(...files: string[]): Promise<ToolHost> {
  const complain = (details: object, message: string) => {
    complaints.push(`${message} ${JSON.stringify(details)}`);
  };
  const host = await createToolHost({
    desk,
    files,
    clock,
    logger: { info: () => {}, warn: complain, error: complain },
    importModule: nativeImport,
  });
  hosts.push(host);
  return host;
}

const call = (host: ToolHost, name: string, args: unknown = {}) =>
  host.call(session, name, args, { callId: 'call_1', signal: new AbortController().signal });

const names = (host: ToolHost): string[] => host.tools.map(({ name }) => name);

/** A file with a tool that says something; typed, so that only a file whose types are taken out can be loaded. */
const source = (name: string, says: string): string => `
import { defineTool, type Tool } from 'beckon/tools';
import { z } from 'zod';
const says: string = ${JSON.stringify(says)};
const tool: Tool<never> | unknown = defineTool({
  name: '${name}', description: 'Says something.', input: z.object({}), handler: (): string => says,
});
export default tool;
`;

/** Settles at the next change after which the host is as wanted. */
async function until(host: ToolHost, what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`Never came: ${what}`)), patienceMs);
  const check = async (): Promise<void> => {
    if (await isSo()) resolve();
  };
  const unlisten = host.onChange(() => void check());
  await check();
  return promise.finally(() => {
    clearTimeout(timer);
    unlisten();
  });
}

describe('loading', () => {
  it('[TOOL13] a TypeScript file is loaded where nothing is installed, and its tool described and run', async () => {
    const file = write(
      'weather.ts',
      `
import { defineTool, ToolError } from 'beckon/tools';
import { z } from 'zod';
interface Place { readonly city: string }
export default defineTool({
  name: 'weather',
  description: 'Tells the weather.',
  askFirst: true,
  input: z.object({ city: z.string().describe('Where'), days: z.number().int().default(1) }),
  handler: ({ city, days }: Place & { days: number }) => {
    if (city === 'nowhere') throw new ToolError('no_place', 'There is no such place.');
    return { city, days, sunny: true };
  },
});
`,
    );
    const host = await openHost(file);
    expect(host.problems).toEqual([]);
    expect(host.tools).toContainEqual({
      name: 'weather',
      description: 'Tells the weather.',
      askFirst: true,
      file,
      inputSchema: expect.objectContaining({
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Where' },
          days: expect.objectContaining({ type: 'integer', default: 1 }),
        },
        required: ['city'],
      }),
    });
    expect(await call(host, 'weather', { city: 'Rome' })).toMatchObject({
      ok: true,
      value: { city: 'Rome', days: 1, sunny: true },
    });
    // The file's copy of ToolError is not the one of these tests; each is known for what it is.
    expect(await call(host, 'weather', { city: 'nowhere' })).toMatchObject({ ok: false, code: 'no_place' });
  });

  it('[TOOL13] a file with imports is a module, also in a package that says otherwise', async () => {
    write('package.json', '{"type": "commonjs"}');
    write('words.ts', 'export const says: string = "from beside";');
    const file = write(
      'tool.ts',
      source('changing', '').replace(/const says.*/, "import { says } from './words.ts';"),
    );
    const own = write(
      'own.ts',
      "const { sep } = require('node:path'); const text: string = sep; module.exports = { text };",
    );
    const host = await openHost(file, own);
    expect(host.problems).toMatchObject([{ file: own, message: expect.stringContaining('exports no tool') }]);
    expect(await call(host, 'changing')).toMatchObject({ text: 'from beside' });
  });

  it('[TOOL13] several tools: an array, named exports, beside exports that are none', async () => {
    const tool = (name: string) =>
      `defineTool({ name: '${name}', description: 'd', input: z.object({}), handler: () => '${name}' })`;
    const file = write(
      'many.ts',
      `import { defineTool } from 'beckon/tools';
       import { z } from 'zod';
       export const one = ${tool('one')};
       export const config = { name: 'no tool', colour: 'red' };
       export function format() {}
       export default [one, ${tool('two')}];
       export { one as again };
       export const three = ${tool('three')};`,
    );
    const host = await openHost(file);
    expect(names(host).sort()).toEqual(['ask_user', 'one', 'three', 'two']);
    expect(host.problems).toEqual([]);
  });

  it('[TOOL13] a zod that is installed beside the file is used', async () => {
    mkdirSync(join(folder, 'node_modules/zod'), { recursive: true });
    write('node_modules/zod/package.json', '{"name":"zod","type":"module","exports":"./index.js"}');
    write('node_modules/zod/index.js', 'export const z = 1; throw new Error("the zod beside the file");');
    const host = await openHost(write('tool.ts', source('x', 'hi')));
    expect(host.problems).toMatchObject([{ message: 'the zod beside the file' }]);
  });

  it('[TOOL13] what goes wrong is named with file and line, and the rest works', async () => {
    const files = {
      syntax: write('syntax.ts', 'export const fine = 1;\n\nexport const broken: number = ;\n'),
      enumerated: write('enumerated.ts', '\nenum Colour { Red }\nexport default Colour;'),
      throwing: write('throwing.ts', '\n\n\nthrow new Error("no configuration");'),
      lacking: write('lacking.ts', 'import x from "no-such-package";\nexport default x;'),
      empty: write('empty.ts', ''),
      missing: join(folder, 'missing.ts'),
      nowhere: join(folder, 'no/such/folder.ts'),
      good: write('good.ts', source('good', 'still here')),
    };
    const host = await openHost(...Object.values(files));
    expect(host.problems).toEqual([
      { file: files.syntax, line: 3, message: 'Expression expected' },
      { file: files.enumerated, line: 2, message: expect.stringContaining('enum') },
      { file: files.throwing, line: 4, message: 'no configuration' },
      { file: files.lacking, message: expect.stringContaining("Cannot find package 'no-such-package'") },
      { file: files.empty, message: expect.stringContaining('exports no tool') },
      { file: files.missing, message: `the file ${files.missing} does not exist` },
      { file: files.nowhere, message: `the file ${files.nowhere} does not exist` },
    ]);
    expect(complaints.filter((line) => line.startsWith('A tool is not loaded'))).toHaveLength(7);
    expect(await call(host, 'good')).toMatchObject({ ok: true, text: 'still here' });
  });

  const part = {
    name: "name: 'x'",
    description: "description: 'd'",
    input: 'input: z.object({})',
    handler: "handler: () => 'x'",
  };
  it.each([
    ['no name', { name: '' }, 'no name'],
    ['a name an agent cannot say', { name: "name: 'my tool'" }, 'letters, digits'],
    ['a name that is too long', { name: `name: '${'x'.repeat(65)}'` }, 'at most 64'],
    ['no description', { description: '' }, 'no description'],
    ['no input', { input: '' }, 'no z.object'],
    ['an input that is no object', { input: 'input: z.string()' }, 'no z.object'],
    ['an input of another making', { input: 'input: { safeParse() {} }' }, 'no z.object'],
    [
      'an input no JSON can hold',
      { input: 'input: z.object({ when: z.date() })' },
      'Date cannot be represented',
    ],
    ['no handler', { handler: '' }, 'no handler'],
  ])('[TOOL13] %s is said, and the file’s other tool works', async (_, change, words) => {
    const body = Object.values({ ...part, ...change }).filter((one) => one !== '');
    const file = write(
      'tool.ts',
      `import { defineTool } from 'beckon/tools';
       import { z } from 'zod';
       export const wrong = defineTool({ ${body.join(', ')} } as never);
       export const right = defineTool({ name: 'right', description: 'd', input: z.object({}), handler: () => 'r' });`,
    );
    const host = await openHost(file);
    expect(host.problems).toMatchObject([{ file, message: expect.stringContaining(words) }]);
    expect(names(host)).toEqual(['ask_user', 'right']);
  });

  it('[TOOL13] a tool that was not made with defineTool is named', async () => {
    const file = write('plain.ts', "export default { name: 'plain', handler: () => 'x' };");
    expect((await openHost(file)).problems).toEqual([
      { file, tool: 'plain', message: 'it was not made with defineTool' },
    ]);
  });

  it('[TOOL13] of two tools with one name the first is offered; ask_user is taken', async () => {
    const first = write('a.ts', source('same', 'first'));
    const second = write('b.ts', source('same', 'second'));
    const third = write('c.ts', source('ask_user', 'mine'));
    const host = await openHost(first, second, third, first);
    expect(names(host)).toEqual(['ask_user', 'same']);
    expect(await call(host, 'same')).toMatchObject({ text: 'first' });
    expect(host.problems).toEqual([
      { file: second, tool: 'same', message: `its name is taken by a tool of ${first}` },
      { file: third, tool: 'ask_user', message: 'its name is taken by a tool of Beckon itself' },
    ]);
  });

  it('[TOOL13] a file that never finishes loading does not keep the server from starting', async () => {
    const slow = write(
      'slow.ts',
      'await new Promise(() => setInterval(() => {}, 1e6).unref()); export default 1;',
    );
    const opening = openHost(slow, write('good.ts', source('good', 'here')));
    for (let turn = 0; clock.armed === 0 && turn < 1000; turn += 1) await settled();
    clock.pass(20_000);
    const host = await opening;
    expect(host.problems).toMatchObject([{ file: slow, message: 'it took longer than 20 seconds to load' }]);
    expect(names(host)).toEqual(['ask_user', 'good']);
  });

  it('[TOOL10] a tool knows Beckon’s errors by instanceof', async () => {
    const file = write(
      'catching.ts',
      `import { defineTool, ToolError } from 'beckon/tools';
       import { z } from 'zod';
       export default defineTool({
         name: 'catching', description: 'd', input: z.object({}),
         handler: (_, context) =>
           context
             .requestInteraction({ type: 'approval', prompt: 'x', onResponse: () => ({ complete: 1 }) })
             .catch((error) => [error instanceof ToolError, error instanceof Error, new Error() instanceof ToolError]),
       });`,
    );
    desk.isAvailable = () => false;
    expect(await call(await openHost(file), 'catching')).toMatchObject({ value: [true, true, false] });
  });

  it('an unknown tool is an error in words', async () => {
    expect(await call(await openHost(), 'nobody')).toMatchObject({
      ok: false,
      code: 'unknown_tool',
      message: 'There is no tool called "nobody".',
    });
  });
});

describe('reloading', () => {
  const says = async (host: ToolHost, name = 'changing') => (await call(host, name)).text;

  it('[TOOL13] a changed file is loaded again', async () => {
    const file = write('tool.ts', source('changing', 'one'));
    const host = await openHost(file);
    expect(await says(host)).toBe('one');
    write('tool.ts', source('changing', 'two'));
    await until(host, 'the new version', async () => (await says(host)) === 'two');
  });

  it('[TOOL13] an editor that replaces the file is noticed, time and again', async () => {
    const file = write('tool.ts', source('changing', 'version 0'));
    const host = await openHost(file);
    for (const version of [1, 2, 3]) {
      renameSync(write('.tool.ts.swp', source('changing', `version ${version}`)), file);
      await until(host, `version ${version}`, async () => (await says(host)) === `version ${version}`);
    }
  });

  it('[TOOL13] a change in what the file imports by a path is a change of the tool', async () => {
    mkdirSync(join(folder, 'lib'));
    write('lib/words.ts', "export const words: string = 'one';");
    const file = write(
      'tool.ts',
      `import { words } from './lib/words.ts';\n${source('changing', '').replace('(): string => says', '() => words')}`,
    );
    const host = await openHost(file);
    expect(host.problems).toEqual([]);
    expect(await says(host)).toBe('one');
    write('lib/words.ts', "export const words: string = 'two';");
    await until(host, 'the new words', async () => (await says(host)) === 'two');
  });

  it('[TOOL13] what the file imports is missing for a while: named, and forgotten when it is back', async () => {
    const words = "export const words: string = 'one';";
    write('words.ts', words);
    const host = await openHost(
      write(
        'tool.ts',
        `import { words } from './words.ts';\n${source('changing', '').replace('(): string => says', '() => words')}`,
      ),
    );
    renameSync(join(folder, 'words.ts'), join(folder, 'away.ts'));
    await until(host, 'the problem', () => host.problems.length > 0);
    expect(await says(host)).toBe('one');
    renameSync(join(folder, 'away.ts'), join(folder, 'words.ts'));
    await until(host, 'the end of the problem', () => host.problems.length === 0);
  });

  it('[TOOL13] a broken version keeps the one before it and is named; the next good one is taken', async () => {
    const file = write('tool.ts', source('changing', 'one'));
    const host = await openHost(file);
    write('tool.ts', 'export const broken: = ;');
    await until(host, 'the problem', () => host.problems.some(({ line }) => line === 1));
    expect(host.problems).toMatchObject([
      { file, message: expect.stringContaining('the version before it is still used') },
    ]);
    expect(await says(host)).toBe('one');
    write('tool.ts', source('changing', 'three'));
    await until(host, 'the good version', async () => (await says(host)) === 'three');
    expect(host.problems).toEqual([]);
  });

  it('[TOOL13] a file that is not there yet is loaded when it comes; one that goes is named and no longer offered', async () => {
    const file = join(folder, 'tool.ts');
    const host = await openHost(file);
    expect(names(host)).toEqual(['ask_user']);
    write('tool.ts', source('changing', 'come'));
    await until(host, 'the file', () => names(host).includes('changing'));
    rmSync(file);
    await until(host, 'the problem', () => host.problems.length > 0);
    // An editor may take it away for a moment, and an agent must not notice.
    clock.pass(1999);
    expect(host.problems[0]?.message).toMatch(/does not exist.*still used/);
    expect(await says(host)).toBe('come');
    clock.pass(1);
    await until(host, 'the end of the tool', () => !names(host).includes('changing'));
    expect(host.problems).toEqual([{ file, message: `the file ${file} does not exist` }]);
    expect(await call(host, 'changing')).toMatchObject({ ok: false, code: 'unknown_tool' });
    write('tool.ts', source('changing', 'back'));
    await until(host, 'the file again', () => names(host).includes('changing'));
    expect(await says(host)).toBe('back');
    expect(host.problems).toEqual([]);
    clock.pass(2000);
    await settled();
    expect(await says(host)).toBe('back');
  });

  it('[TOOL13] a file whose folder goes, or is not there yet, is loaded when it comes', async () => {
    const inner = join(folder, 'inner');
    const host = await openHost(join(inner, 'tool.ts'));
    for (const words of ['first', 'second']) {
      mkdirSync(inner);
      write('inner/tool.ts', source('changing', words));
      clock.pass(2000);
      await until(host, words, async () => names(host).includes('changing') && (await says(host)) === words);
      write('inner/tool.ts', source('changing', `${words}, changed`));
      await until(host, 'the change', async () => (await says(host)) === `${words}, changed`);
      rmSync(inner, { recursive: true });
      await until(host, 'the problem', () => host.problems.length > 0);
      clock.pass(2000);
      await until(host, 'the end of the tool', () => !names(host).includes('changing'));
    }
  });

  it('[TOOL13] tools come and go with the file', async () => {
    const host = await openHost(write('tool.ts', source('before', 'x')));
    write('tool.ts', source('after', 'x'));
    await until(host, 'the other tool', () => names(host).includes('after'));
    expect(names(host)).toEqual(['ask_user', 'after']);
  });

  it('[TOOL13] a run that is open goes on with the code it began with', async () => {
    const asking = (word: string): string =>
      source('changing', '').replace(
        '(): string => says',
        `(_, context) => context.requestInteraction({
          type: 'approval', prompt: 'May I?', onResponse: () => ({ complete: '${word}' }),
        })`,
      );
    const host = await openHost(write('tool.ts', asking('old')));
    const result = call(host, 'changing');
    while (desk.puts.length === 0) await settled();
    write('tool.ts', asking('new'));
    const listed = Promise.withResolvers<void>();
    host.onChange(() => listed.resolve());
    await listed.promise;
    for (const put of desk.puts) await desk.respond(put.id, { action: 'approve' });
    expect(await result).toMatchObject({ ok: true, text: 'old' });
  });

  it('[TOOL13] a closed host looks no more', async () => {
    const file = write('tool.ts', source('changing', 'one'));
    const host = await openHost(file);
    const watching = await openHost(file);
    await host.close();
    write('tool.ts', source('changing', 'two'));
    await until(watching, 'the change, elsewhere', async () => (await says(watching)) === 'two');
    expect(await call(host, 'changing')).toMatchObject({ ok: false, code: 'run_ended' });
  });
});

describe('ask_user', () => {
  it('[TOOL12] asks in a questionnaire without a limit, and gives the answer as JSON', async () => {
    const host = await openHost();
    const result = call(host, 'ask_user', { question: 'Which branch?' });
    while (desk.puts.length === 0) await settled();
    const [put] = desk.puts;
    expect(put?.ask).toMatchObject({
      kind: 'form',
      title: 'Which branch?',
      form: { presentation: 'questionnaire', fields: [{ id: 'answer', type: 'text', required: true }] },
    });
    expect(put?.ask.expiresAt).toBeUndefined();
    if (put !== undefined) await desk.respond(put.id, { action: 'submit', input: { answer: 'main' } });
    expect((await result).text).toBe('{"ok":true,"answer":"main"}');
  });

  it('[TOOL12] says when the person would not', async () => {
    const host = await openHost();
    const result = call(host, 'ask_user', { question: 'Which branch?', inputType: 'textarea' });
    while (desk.puts.length === 0) await settled();
    const [put] = desk.puts;
    expect(put?.ask.form?.fields[0]?.type).toBe('textarea');
    if (put !== undefined) await desk.respond(put.id, { action: 'cancel' });
    expect((await result).text).toBe('{"ok":false,"cancelled":true}');
  });

  it.each([[{ inputType: 'select', options: ['a', 'b'] }], [{ options: ['a', 'b'] }]])(
    '[TOOL12] %o is a choice',
    async (more) => {
      const host = await openHost();
      const result = call(host, 'ask_user', { question: 'Which?', ...more });
      while (desk.puts.length === 0) await settled();
      const [put] = desk.puts;
      expect(put?.ask.form?.fields[0]).toMatchObject({
        type: 'select',
        options: [{ value: 'a' }, { value: 'b' }],
      });
      if (put !== undefined) await desk.respond(put.id, { action: 'submit', input: { answer: 'b' } });
      expect((await result).text).toBe('{"ok":true,"answer":"b"}');
    },
  );

  it.each([
    [{}, '"question"'],
    [{ question: '' }, '"question"'],
    [{ question: 'x', inputType: 'select' }, '"options": needed for select'],
    [{ question: 'x', inputType: 'colour' }, '"inputType"'],
    [{ question: 'x', options: ['a', 'a'] }, '"options": two are the same'],
  ])('[TOOL12] %o does not fit, and the error names the field', async (args, words) => {
    const result = await call(await openHost(), 'ask_user', args);
    expect(result).toMatchObject({ ok: false, code: 'invalid_arguments' });
    expect(result.text).toContain(words);
  });

  it('[TOOL15] [TOOL12] nobody there: the question stays open, and its answer becomes a message', async () => {
    desk.isAvailable = () => false;
    const result = await call(await openHost(), 'ask_user', { question: 'Anyone?' });
    expect(result).toMatchObject({
      ok: true,
      value: { status: 'queued', message: expect.stringContaining('will reach you as a message') },
    });
    const [put] = desk.puts;
    expect(put).toMatchObject({ leftOpen: { message: expect.any(String) }, outcome: undefined });
    if (put === undefined) throw new Error('Nothing was asked');
    await desk.respond(put.id, { action: 'submit', input: { answer: 'Me' } });
    expect(desk.lateMessages).toEqual([expect.stringContaining('{"ok":true,"answer":"Me"}')]);
  });
});
