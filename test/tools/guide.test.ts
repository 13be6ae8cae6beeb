import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { commands } from '../../src/cli/command.ts';
import { readConfigFile } from '../../src/cli/config-file.ts';
import { serveFlags } from '../../src/cli/settings.ts';
import { type Beckon, endBeckons, startBeckon } from '../support/beckon-process.ts';
import { patienceMs } from '../support/patience.ts';
import { linkSource } from '../support/source-package.ts';

// Programs are compiled and started here; on a busy machine that takes its time.
const root = resolve(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/interactive-tools.md'), 'utf8');

/** The samples by language. A program begins with a comment that names its file. */
const samples = [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
  language,
  text,
  file: /^\/\/ (\S+\.ts)\n/.exec(text)?.[1],
}));
const programs = samples.flatMap(({ language, text, file }) =>
  language === 'ts' && file !== undefined ? [{ file, text }] : [],
);
const jsonSamples = samples.flatMap(({ language, text }) => (language === 'json' ? [text] : []));
const tools = ['greet', 'pick-reviewer', 'issue-number', 'with-fallback', 'ask-the-owner'].map(
  (name) => `${name}.ts`,
);

let folder: string;
const children = new Set<ChildProcess>();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'beckon-guide-'));
  // As in a project that has Beckon among its dependencies.
  mkdirSync(join(folder, 'node_modules/@modelcontextprotocol'), { recursive: true });
  linkSource(folder);
  for (const name of ['zod', '@modelcontextprotocol/client', '@types']) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const { file, text } of programs) writeFileSync(join(folder, file), text);
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program of Node's in the folder of the samples. */
function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...env } });
  children.add(child);
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return new Promise<{ code: number | null; output: string }>((done) =>
    child.on('close', (code) => {
      children.delete(child);
      done({ code, output });
    }),
  );
}

describe('docs/interactive-tools.md', () => {
  it('[DOC1] every program in it has a name, and every sample is of a kind that is checked here', () => {
    expect(samples.filter(({ language, file }) => language === 'ts' && file === undefined)).toEqual([]);
    expect([...new Set(samples.map(({ language }) => language))].sort()).toEqual(['json', 'sh', 'ts']);
    expect(programs.map(({ file }) => file)).toEqual(expect.arrayContaining(tools));
  });

  it('[DOC1] every program compiles', async () => {
    const options = {
      compilerOptions: {
        target: 'ES2024',
        lib: ['ES2024'],
        module: 'NodeNext',
        types: ['node'],
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        verbatimModuleSyntax: true,
        erasableSyntaxOnly: true,
        skipLibCheck: true,
      },
      files: programs.map(({ file }) => file),
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    expect(await run([compiler, '-p', '.'])).toEqual({ code: 0, output: '' });
  });

  it('[DOC1] the tests in it pass', async () => {
    const tests = programs.map(({ file }) => file).filter((file) => file.endsWith('.test.ts'));
    expect(tests).toHaveLength(1);
    // As the guide says it: with its package.json, and by its command.
    const [project = ''] = jsonSamples.filter((text) => text.includes('"scripts"'));
    const { scripts, dependencies } = JSON.parse(project);
    expect(scripts.test).toBe('node --test');
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(dependencies).toEqual({ beckon: own.version, zod: own.dependencies.zod });
    writeFileSync(join(folder, 'package.json'), project);
    const { code, output } = await run([...scripts.test.split(' ').slice(1)]);
    expect(output).toMatch(/pass 4/);
    expect(code).toBe(0);
  });

  it('[DOC1] the configuration in it is one', async () => {
    const configurations = jsonSamples.filter((text) => !text.includes('"scripts"'));
    expect(configurations).toHaveLength(1);
    for (const text of configurations) {
      const file = join(folder, 'config.json');
      writeFileSync(file, text);
      expect(await readConfigFile(file, true, {})).toEqual({
        tools: [join(folder, 'tools/pick-reviewer.ts')],
      });
    }
  });

  it('[DOC1] the commands in it exist', () => {
    const lines = samples
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => text.trim().split('\n'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const [program, first = ''] = line.split(' ');
      if (program === 'npm') {
        expect(['install', 'test']).toContain(first);
        continue;
      }
      expect(program).toBe('beckon');
      const known = first.startsWith('--') ? Object.keys(serveFlags) : Object.keys(commands);
      expect(known).toContain(first.replace(/^--/, ''));
    }
  });

  describe('on a real server', () => {
    let beckon: Beckon;
    let sessionId: string;
    beforeAll(async () => {
      const files = [
        ...tools.map((file) => join(folder, file)),
        join(root, 'examples/tools/approval-gate.ts'),
      ];
      beckon = await startBeckon({ args: ['--tools', ...files] });
      const created = await beckon.api('POST', '/api/sessions', { agent: 'demo', prompt: 'hello' });
      sessionId = created.body.session.id;
      const status = async () => (await beckon.api('GET', `/api/sessions/${sessionId}`)).body.session.status;
      await vi.waitUntil(async () => (await status()) === 'idle', { timeout: patienceMs });
    });
    afterAll(endBeckons);

    const call = async (tool: string, args: object): Promise<string> => {
      const given = ['call-a-tool.ts', beckon.url, sessionId, tool, JSON.stringify(args)];
      const { code, output } = await run(given, { BECKON_DATA_DIR: beckon.dataDir });
      expect(code, output).toBe(0);
      return output;
    };

    /** Called again as long as the one who is to answer is not connected yet. */
    const callUntilAnswered = async (tool: string, args: object): Promise<string> => {
      let said = '';
      const isAnswered = async (): Promise<boolean> => {
        said = await call(tool, args);
        return !/nobody is there|interaction_unavailable/.test(said);
      };
      await vi.waitUntil(isAnswered, { timeout: patienceMs });
      return said;
    };

    const answer = (program: string, input: string) =>
      run([program, beckon.url, input], { BECKON_TOKEN: beckon.token });

    it('[DOC1] [TOOL11] [TOOL13] the tools are listed by name, and nothing is wrong with them', async () => {
      const { stdout, code } = await beckon.run(['tools', '--json']);
      expect(code).toBe(0);
      const listed = JSON.parse(stdout);
      expect(listed.problems).toEqual([]);
      expect(listed.tools.map(({ name }: { name: string }) => name)).toEqual([
        'ask_user',
        'greet',
        'pick_reviewer',
        'ask_issue',
        'choose_port',
        'ask_owner',
        'deploy',
      ]);
    });

    it('[DOC1] [TOOL10] [TOOL11] an MCP client calls a tool with the session’s key; nobody is there', async () => {
      expect(await call('choose_port', { suggested: 8080 })).toContain('Nobody was there to ask.');
    });

    it('[DOC1] [TOOL11] [TOOL4] the sample for HTTP answers a form', async () => {
      const answering = answer('answer-over-http.ts', '{"name":"Ada"}');
      expect(await callUntilAnswered('greet', { politely: true })).toContain('Good day, Ada!');
      expect(await answering).toEqual({ code: 0, output: '200\n' });
    });

    it('[DOC1] [TOOL11] [TOOL7] the sample for WebSocket answers an approval; the next call asks nobody', async () => {
      const args = { branch: 'main', environment: 'staging' };
      const answering = answer('answer-over-websocket.ts', 'session');
      expect(await callUntilAnswered('deploy', args)).toContain('\\"deployed\\":true');
      expect(await answering).toEqual({ code: 0, output: 'allowed\n' });
      expect(await call('deploy', args)).toContain('\\"deployed\\":true');
    });
  });
});
