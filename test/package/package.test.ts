import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { compile, type GuideProgram, programsIn } from '../support/guide-programs.ts';
import { endPrograms, runProgram } from '../support/run-program.ts';
import { watch } from '../support/watch.ts';
import { filesBelow, install, npm, pack, packagesThatBuild } from './tarball.ts';

// Packing, installing and compiling take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 600_000 });

const root = resolve(import.meta.dirname, '../..');
const ownNode = join(root, 'node_modules/.bin/node');
const nodes = [
  { version: 'the oldest Node that is promised', node: join(import.meta.dirname, 'node_modules/.bin/node') },
  { version: 'the Node of the project', node: ownNode },
];

const greet = `
import { defineTool } from 'beckon/tools';
import { z } from 'zod';

const words = (name: string): string => \`Good evening, \${name}\`;

export default defineTool({
  name: 'greet',
  description: 'Greets.',
  input: z.object({ name: z.string() }),
  handler: ({ name }) => words(name),
});
`;

/** Everything the package offers, from a program that knows nothing of types. */
const plain = `
import { createBeckon } from 'beckon';
import { BeckonError, DirectTransport, HttpTransport } from 'beckon/client';
import { CreateSession, operations } from 'beckon/protocol';
import { defineTool } from 'beckon/tools';
import { runTool } from 'beckon/tools/testing';

const beckon = await createBeckon({ dataDir: process.argv[2], ephemeral: true });
const { url } = await beckon.listen();
const http = new HttpTransport({ baseUrl: url, token: beckon.token });
const { id } = await http.createSession(CreateSession.parse({ agent: 'demo', key: 'one' }));
const refusal = await http.session('two').catch((error) => error);
const said = {
  isDirect: beckon.transport instanceof DirectTransport,
  isSame: (await beckon.transport.session('one')).id === id,
  refusal: refusal instanceof BeckonError && refusal.code,
  route: operations.createSession.path,
  tools: [typeof defineTool, typeof runTool],
  page: (await fetch(url)).headers.get('content-type'),
};
await beckon.close();
console.log(JSON.stringify(said));
`;

/** The same with types, in the strictest of projects. */
const typed = `
import { type Beckon, type BeckonOptions, createBeckon } from 'beckon';
import { BeckonError, HttpTransport, type Transport } from 'beckon/client';
import { type Event, Interaction, type Session } from 'beckon/protocol';
import { defineTool, ToolError } from 'beckon/tools';
import { runTool } from 'beckon/tools/testing';

const options: BeckonOptions = { dataDir: process.argv[2] ?? 'data', maxProcesses: 3, ephemeral: true };
const beckon: Beckon = await createBeckon(options);
const transports: Transport[] = [beckon.transport, new HttpTransport({ token: beckon.token })];
const sessions: readonly Session[] = await beckon.transport.sessions();
const kinds: Event['type'][] = ['agent.text', 'turn.ended'];
// @ts-expect-error it is a number
const wrong: BeckonOptions = { dataDir: 'x', port: '1' };
const withDriver: BeckonOptions = { dataDir: 'x', agents: { mine: { driver: './d.ts', speed: 3 } }, drivers: [], path: '/b' };
// @ts-expect-error a label is a text
const mislabelled: BeckonOptions = { dataDir: 'x', agents: { mine: { label: 3 } } };
const isOne: boolean = Interaction.safeParse(wrong).success;
await beckon.close();
console.log(transports.length, sessions.length, kinds.length, isOne, typeof BeckonError, typeof ToolError, typeof defineTool, typeof runTool);
`;

const samples = programsIn('docs/library.md');
const driverPrograms = programsIn('docs/writing-a-driver.md');
const programs: readonly GuideProgram[] = [
  ...samples,
  ...driverPrograms,
  { file: 'greet.ts', text: greet },
  { file: 'plain.js', text: plain },
  { file: 'typed.ts', text: typed },
];

let place: string;
let tarball: string;
let folder: string;
let program: string;
let installMs: number;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'beckon-package-'));
  tarball = await pack(place);
  folder = join(place, 'elsewhere');
  installMs = await install(tarball, folder, programs);
  program = join(folder, 'node_modules/beckon/bin/beckon.cjs');
});
afterEach(async () => {
  endPrograms();
  await endBeckons();
});
afterAll(() => rm(place, { recursive: true, force: true }));

const run = (node: string, ...args: string[]) => runProgram(node, args, { cwd: folder });

describe('the package', () => {
  it('[DOC1] is small, and holds what was built, the guides and the examples, and nothing else', () => {
    const packed = join(folder, 'node_modules/beckon');
    const files = filesBelow(packed).map((file) => relative(packed, file));
    const foreign = files.filter(
      (file) =>
        !/^(bin\/beckon\.cjs|package\.json|README\.md|AGENTS\.md|CONTEXT\.md|LICENSE)$/.test(file) &&
        !/^docs\/(.*\.(md|png)|proxy\/(nginx\.conf|Caddyfile))$|^examples\/.*\.ts$/.test(file) &&
        !/^dist\/web\/[^.]/.test(file) &&
        !/^dist\/(?!web\/).*(?<!\.test)\.(js|d\.ts)$/.test(file),
    );
    expect(foreign).toEqual([]);
    expect(files).toContain('dist/web/index.html');
    expect(statSync(tarball).size).toBeLessThan(2_000_000);
    console.log(`${files.length} files, ${statSync(tarball).size} bytes packed`);
  });

  it('[API19] [DOC1] every link of its README leads to a file in it, and of its guides those that do not lead into the source', () => {
    const packed = join(folder, 'node_modules/beckon');
    const documents = filesBelow(packed).filter((file) => file.endsWith('.md') && !file.includes('dist'));
    expect(documents.length).toBeGreaterThan(10);
    const missing = documents.flatMap((document) =>
      linksIn(readFileSync(document, 'utf8'))
        .map((target) => relative(packed, join(dirname(document), target)))
        .filter((target) => !existsSync(join(packed, target)))
        .map((target) => ({ document: relative(packed, document), target })),
    );
    const intoSource = /^(src|test|bench)\//;
    expect(missing.filter(({ target }) => !intoSource.test(target))).toEqual([]);
    expect(missing.filter(({ document }) => document === 'README.md')).toEqual([]);
  });

  it('[DOC1] is clean to publint', async () => {
    const pkgDir = join(folder, 'node_modules/beckon');
    const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('[DOC1] is installed in less than a minute, and nothing of it is compiled', () => {
    console.log(`installed in ${(installMs / 1000).toFixed(1)} s`);
    expect(installMs).toBeLessThan(60_000);
    expect(packagesThatBuild(folder)).toEqual([]);
    expect(filesBelow(folder).filter((file) => /\.node$|binding\.gyp$/.test(file))).toEqual([]);
  });

  it('[API1] runs by npx', async () => {
    const { code, stdout } = await npm(folder, 'exec', '--no', '--', 'beckon', '--version');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` });
  });

  it('[API1] [API19] an old Node is told what to do', async ({ skip }) => {
    const old = await machineNode();
    if (old === undefined) return skip('this machine has no Node that is too old');
    expect(await run(old.path, program)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        `^beckon: Node ${old.version} is too old; Beckon needs Node 22.18 or newer\\.\nIn a project, "npm install node@24" `,
      ),
    });
  });

  it('[DOC1] [API2] programs compile against its types, the samples of the guide among them', async () => {
    expect(await run(ownNode, ...compile)).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe.each(nodes)('the package on $version', ({ node }) => {
  it('[PERF5] is ready soon after it was started', async () => {
    const rounds = [];
    for (let round = 0; round < 3; round += 1) {
      const began = performance.now();
      await run(node, '-e', 'require("node:http").createServer().listen(0, () => process.exit())');
      const bareMs = performance.now() - began;
      const beckon = await startBeckon({ command: { node, program }, cwd: folder });
      const readyMs = performance.now() - began - bareMs;
      rounds.push({ readyMs, times: readyMs / bareMs });
      expect(beckon.stderr()).not.toContain('Warning');
      await beckon.stop();
    }
    const shown = rounds.map(({ readyMs, times }) => `${Math.round(readyMs)} ms (${times.toFixed(1)}×)`);
    console.log(`ready after ${shown.join(', ')}`);
    // A busy machine slows a bare server of Node as well.
    expect(Math.min(...rounds.map(({ times }) => times))).toBeLessThan(40);
  });

  it('[API1] serves the page, and an agent’s ask is answered over HTTP', async () => {
    const cwd = await temporaryDirectory();
    const beckon = await startBeckon({ command: { node, program }, cwd: folder });
    const page = await fetch(beckon.url);
    expect(await page.text()).toContain('<div id="root">');
    const news = await watch(beckon);
    const created = await beckon.api('POST', '/api/sessions', {
      agent: 'demo',
      cwd,
      prompt: 'run touch made',
    });
    const { data } = await news.until('an ask', ({ event }) => event === 'approval-requested');
    const { id } = created.body.session;
    const reply = await beckon.api('POST', `/api/sessions/${id}/approve`, {
      requestId: data.requestId,
      decision: 'allow',
    });
    expect(reply.status).toBe(200);
    await news.until('the end of the turn', isIdle);
    expect(existsSync(join(cwd, 'made'))).toBe(true);
    news.close();
    expect(await beckon.stop()).toEqual({ code: 0, signal: null });
  });

  it('[TOOL13] loads a tool in TypeScript from a place where nothing is installed', async () => {
    const cwd = await temporaryDirectory();
    writeFileSync(join(cwd, 'greet.ts'), greet);
    const args = ['--tools', join(cwd, 'greet.ts')];
    const beckon = await startBeckon({ command: { node, program }, cwd, args });
    const { body } = await beckon.api('GET', '/api/tools');
    expect(body.problems).toEqual([]);
    const news = await watch(beckon);
    const created = await beckon.api('POST', '/api/sessions', {
      agent: 'demo',
      prompt: 'call greet {"name":"Ada"}',
    });
    await news.until('the end of the turn', isIdle);
    news.close();
    const events = await beckon.api('GET', `/api/sessions/${created.body.session.id}/events`);
    expect(JSON.stringify(events.body.events)).toContain('Good evening, Ada');
  });

  it('[API13] a driver in TypeScript, from a place where nothing is installed, is answered by a person', async () => {
    const cwd = await temporaryDirectory();
    for (const { file, text } of driverPrograms) writeFileSync(join(cwd, file), text);
    const config = join(cwd, 'config.json');
    writeFileSync(config, '{"agents":{"mine":{"driver":"./my-driver.ts"}}}');
    const beckon = await startBeckon({ command: { node, program }, cwd, args: ['--config', config] });
    const news = await watch(beckon);
    const created = await beckon.api('POST', '/api/sessions', {
      agent: 'mine',
      cwd,
      prompt: 'run touch made',
    });
    const { data } = await news.until('an ask', ({ event }) => event === 'approval-requested');
    expect(existsSync(join(cwd, 'made'))).toBe(false);
    await beckon.api('POST', `/api/sessions/${created.body.session.id}/approve`, {
      requestId: data.requestId,
      decision: 'allow',
    });
    await news.until('the end of the turn', isIdle);
    news.close();
    expect(existsSync(join(cwd, 'made'))).toBe(true);
  });

  it('[API13] a driver passes the suite that is published with it', async () => {
    const { code, stdout } = await run(node, '--test', '--test-reporter=tap', 'my-driver.test.ts');
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(12);
    expect(code).toBe(0);
  });

  it('[API2] a program without types has all of it', async () => {
    const { code, stdout, stderr } = await run(node, 'plain.js', await temporaryDirectory());
    expect({ code, stderr: withoutExperiments(stderr) }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      isDirect: true,
      isSame: true,
      refusal: 'session_not_found',
      route: '/api/sessions',
      tools: ['function', 'function'],
      page: expect.stringContaining('text/html'),
    });
  });

  it('[API2] [DOC1] a program with types and the samples of the guide run as they are', async () => {
    const checked = await run(node, 'typed.ts', await temporaryDirectory());
    expect(checked).toMatchObject({ code: 0, stdout: '2 0 2 false function function function function\n' });
    const { code, stdout } = await run(node, 'in-process.ts');
    expect(stdout).toMatch(/^A person may look on: http:.*\nWrite: .*: allowed\n/);
    expect(code).toBe(0);
    expect(await run(node, 'check-input.ts')).toMatchObject({ code: 0 });
  });
});

// biome-ignore lint/suspicious/noExplicitAny: frames are of every shape
const isIdle = ({ event, data }: { event: string; data: any }): boolean =>
  event === 'session-updated' && data.status === 'idle' && data.usage.turns !== 0;

/** Node 22 says of itself what in it is an experiment. */
const withoutExperiments = (stderr: string): string =>
  stderr.replaceAll(/^\(.*ExperimentalWarning.*\n|^\(Use `node --trace-warnings.*\n/gm, '');

/** Where relative links lead, without their anchors and outside of code. */
const linksIn = (markdown: string): string[] =>
  [...markdown.replaceAll(/^```.*?^```/gms, '').matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

/** The Node that was here before the project brought its own, if that is too old. */
async function machineNode(): Promise<{ path: string; version: string } | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((one) => !one.includes('node_modules'));
  const path = folders.map((one) => join(one, 'node')).find((one) => existsSync(one));
  if (path === undefined) return undefined;
  const { stdout } = await run(path, '-p', 'process.versions.node');
  const [major = 0] = stdout.split('.').map(Number);
  return major < 22 ? { path, version: stdout.trim() } : undefined;
}
