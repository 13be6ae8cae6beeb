import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { Console } from '../../src/cli/console.ts';
import { run } from '../../src/cli/run.ts';
import { agentStatus } from '../../src/drivers/process/run-admin.ts';
import {
  endBeckons,
  runBeckon,
  spawnBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';
import { drilledAgent } from '../support/drilled-agent.ts';
import { holds } from '../support/eventually.ts';
import { agentProcesses } from '../support/marked-processes.ts';
import { workOf } from '../support/reply-meter.ts';
import { runProgram } from '../support/run-program.ts';

afterEach(endBeckons);

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
const serveIn = (dataDir: string, ...args: string[]) =>
  runBeckon(['serve', '--port', '0', '--data-dir', dataDir, '--no-open', ...args]);

describe('starting', () => {
  it('[PERF5] says in exactly one line on stdout that it is ready, soon after it was started', async () => {
    const beckon = await startBeckon();
    const worked = workOf(beckon.pid);
    expect(beckon.stdout()).toMatch(/^Beckon is ready: http:\/\/127\.0\.0\.1:\d+\/#pair=[\w-]+\n$/);
    expect((await fetch(`${beckon.url}/api/health`)).status).toBe(200);
    // Of the processor: other tests share the machine. What one waits for is measured by the benchmark.
    // On a machine that is slow at everything, as long as Node takes eighty times to start without any work.
    const bare = await runProgram(process.execPath, ['-p', 'process.cpuUsage().user / 1000'], {
      cwd: tmpdir(),
    });
    expect(worked).toBeLessThan(Math.max(2_500, 80 * Number(bare.stdout)));
  });

  it('[SEC1] without a command it serves; every route but health needs the token', async () => {
    const dataDir = await temporaryDirectory();
    const { firstLine } = spawnBeckon(['--port', '0', '--data-dir', dataDir, '--no-open']);
    const url = /http:[^#]+/.exec(await firstLine)?.[0] ?? '';
    expect((await fetch(`${url}api/health`)).status).toBe(200);
    expect((await fetch(`${url}api/sessions`)).status).toBe(401);
    const token = (await readFile(join(dataDir, 'token'), 'utf8')).trim();
    const reply = await fetch(`${url}api/sessions`, { headers: { authorization: `Bearer ${token}` } });
    expect(await reply.json()).toEqual({ sessions: [], total: 0 });
  });

  it('[SEC3] secrets are files for the owner alone, and the token is kept across restarts', async () => {
    const dataDir = join(await temporaryDirectory(), 'made', 'by-beckon');
    const first = await startBeckon({ dataDir });
    expect(await modeOf(dataDir)).toBe('700');
    expect(await modeOf(join(dataDir, 'token'))).toBe('600');
    expect(await modeOf(join(dataDir, 'server.json'))).toBe('600');
    expect(Buffer.from(first.token, 'base64url')).toHaveLength(32);
    expect(JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8'))).toMatchObject({
      url: first.url,
      pid: first.pid,
    });
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    await expect(stat(join(dataDir, 'server.json'))).rejects.toThrow('ENOENT');
    const second = await startBeckon({ dataDir });
    expect(second.token).toBe(first.token);
  });

  it('[SEC3] neither token nor pairing code nor a session’s environment is logged, at whatever level', async () => {
    const beckon = await startBeckon({ env: { BECKON_LOG: 'trace' } });
    await fetch(`${beckon.url}/api/sessions?token=${beckon.token}`, {
      headers: { cookie: `beckon=${beckon.token}` },
    });
    const secretEnv = { MY_KEY: 'sk-very-secret' };
    const created = await beckon.api('POST', '/api/sessions', {
      agent: 'demo',
      prompt: 'hello',
      env: secretEnv,
    });
    expect(created.status).toBe(201);
    await beckon.stop();
    expect(beckon.stderr()).toContain('Ready');
    for (const secret of [beckon.token, beckon.pairingCode, 'sk-very-secret']) {
      expect(beckon.stderr()).not.toContain(secret);
    }
  });

  it('[SEC3] a token file that was opened to others is closed again; one that holds no token is refused', async () => {
    const dataDir = await temporaryDirectory();
    await writeFile(join(dataDir, 'token'), `${'t'.repeat(43)}\n`, { mode: 0o644 });
    const beckon = await startBeckon({ dataDir });
    expect(await modeOf(join(dataDir, 'token'))).toBe('600');
    expect((await beckon.api('GET', '/api/agents')).status).toBe(200);
    await beckon.stop();
    await writeFile(join(dataDir, 'token'), 'short');
    expect(await serveIn(dataDir)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('no usable token'),
    });
  });

  it('[SEC2] warns of the risk when it is bound to more than this machine', async () => {
    const beckon = await startBeckon({ args: ['--host', '0.0.0.0'] });
    expect(beckon.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(beckon.stderr()).toContain('everyone on the network can reach Beckon');
  });
});

describe('[STORE7] a lock file that holds something', () => {
  it.each([
    ['nothing', ''],
    ['a word', 'garbage'],
    ['zeros', '\0'.repeat(5_000)],
    ['half a database', 'SQLite format 3\0 and then something else'.repeat(200)],
  ])('%s is no reason not to start, and keeps the second server out', async (_, content) => {
    const dataDir = await temporaryDirectory();
    await writeFile(join(dataDir, 'server.lock'), content);
    const beckon = await startBeckon({ dataDir });
    await writeFile(join(dataDir, 'server.lock'), 'garbage while it is held');
    expect(await serveIn(dataDir)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`a server already runs on ${dataDir}: ${beckon.url}`),
    });
  });
});

describe('settings', () => {
  it('[SEC4] the configuration limits where sessions may work', async () => {
    const dataDir = await temporaryDirectory();
    await mkdir(join(dataDir, 'inside'));
    await writeFile(join(dataDir, 'config.json'), JSON.stringify({ roots: ['inside'] }));
    const beckon = await startBeckon({ dataDir });
    const create = (cwd: string) => beckon.api('POST', '/api/sessions', { agent: 'demo', cwd });
    expect((await create(join(dataDir, 'inside'))).status).toBe(201);
    expect(await create(dataDir)).toMatchObject({
      status: 422,
      body: { error: { code: 'directory_not_allowed' } },
    });
  });

  it('[API1] flags win over the environment, and that over the file', async () => {
    const dataDir = await temporaryDirectory();
    await writeFile(
      join(dataDir, 'config.json'),
      JSON.stringify({ host: '127.0.0.3', claude: '/from/file' }),
    );
    const env = { BECKON_HOST: '127.0.0.2', BECKON_DATA_DIR: dataDir, BECKON_PORT: '0', BECKON_NO_OPEN: '1' };
    const byEnv = spawnBeckon([], { env });
    expect(await byEnv.firstLine).toContain('http://127.0.0.2:');
    byEnv.child.kill();
    await byEnv.exited;
    const byFlag = spawnBeckon(['--host', '127.0.0.1'], { env });
    expect(await byFlag.firstLine).toContain('http://127.0.0.1:');
  });

  it('[API1] `--claude` naming no program means that claude is not available', async () => {
    const beckon = await startBeckon({ args: ['--claude', '/no/such/claude'] });
    const { body } = await beckon.api('GET', '/api/agents');
    const available = body.agents.map(({ name, available }: { name: string; available: boolean }) => [
      name,
      available,
    ]);
    expect(available).toEqual(
      expect.arrayContaining([
        ['claude', false],
        ['demo', true],
      ]),
    );
  });

  it.each([
    ['{"port": "x"}', '"port" must be a number'],
    ['{"idleMinutes": -1}', '"idleMinutes" must be more than 0'],
    ['{"prot": 1}', '"prot" is not known here; did you mean "port"?'],
    ['{', 'is no JSON'],
  ])('[SES11] a configuration of %s is refused with the field named', async (content, sentence) => {
    const dataDir = await temporaryDirectory();
    await writeFile(join(dataDir, 'config.json'), content);
    expect(await serveIn(dataDir)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    });
  });

  it('[API1] a configuration that was named must be there', async () => {
    const dataDir = await temporaryDirectory();
    const config = await serveIn(dataDir, '--config', join(dataDir, 'gone.json'));
    expect(config).toMatchObject({ code: 1, stderr: expect.stringContaining('gone.json') });
  });

  it('[API1] a wrong command line ends with 2 and names what is wrong', async () => {
    const unknown = await runBeckon(['serve', '--prot', '1', '--frobnicate']);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('--prot');
    expect(unknown.stderr).toContain('--frobnicate');
    expect(await runBeckon(['frobnicate'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"frobnicate"'),
    });
    expect(await runBeckon(['--port', 'many'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"many"'),
    });
    expect(await runBeckon(['--no-open', 'ls'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"ls"'),
    });
    expect(await runBeckon(['--port'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--port') });
  });

  it('[API1] every command has a help, and the version is told', async () => {
    const help = await runBeckon(['--help']);
    expect(help.code).toBe(0);
    const names = [...help.stdout.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name ?? '');
    expect(names).toEqual(
      expect.arrayContaining([
        'serve',
        'new',
        'ls',
        'pending',
        'send',
        'approve',
        'deny',
        'answer',
        'watch',
        'stop',
      ]),
    );
    // In this process: to start one for each takes a machine that has other work longer than a test may.
    for (const name of names) {
      const stdout = new PassThrough();
      const streams = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
      const code = await run([name, '--help'], { env: {}, cwd: '/', ...streams } as unknown as Console);
      expect({ code, told: String(stdout.read()) }).toEqual({
        code: 0,
        told: expect.stringMatching(/^usage: beckon /),
      });
    }
    expect((await runBeckon(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('[API1] [API19] an old Node is told what to do, in two sentences', async () => {
    const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.19.0'}})`;
    const old = await runBeckon(['--version'], { env: { NODE_OPTIONS: `--import ${pretend}` } });
    expect(old).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^beckon: Node 20\.19\.0 is too old; Beckon needs Node 22\.18 or newer\.\nIn a project, "npm install node@24" .*\n$/,
      ),
    });
  });
});

describe('one server per data directory', () => {
  it('[API1] a second one says where the first is and ends with 1', async () => {
    const first = await startBeckon();
    const second = await serveIn(first.dataDir);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toContain(first.url);
    expect((await first.api('GET', '/api/health')).status).toBe(200);
  });

  it('[API1] of several that start in one moment exactly one serves, and the others name it', async () => {
    const dataDir = await temporaryDirectory();
    const all = Array.from({ length: 4 }, () =>
      spawnBeckon(['serve', '--port', '0', '--data-dir', dataDir, '--no-open']),
    );
    const lines = await Promise.all(all.map(({ firstLine }) => firstLine));
    const ready = lines.filter((line) => line.startsWith('Beckon is ready'));
    expect(ready).toHaveLength(1);
    const url = /http:\/\/[\d.:]+/.exec(ready[0] ?? '')?.[0] ?? 'none';
    for (const each of all) {
      if (each.stdout() !== '') continue;
      expect(await each.exited).toEqual({ code: 1, signal: null });
      // One that has waited for the address of a slow starter for five seconds says just that.
      expect(
        [url, 'tells no address'].some((told) => each.stderr().includes(told)),
        each.stderr(),
      ).toBe(true);
    }
  });

  it('[STORE2] after kill -9 nothing it left stands in the way', async () => {
    const first = await startBeckon();
    await first.kill9();
    expect(await readFile(join(first.dataDir, 'server.json'), 'utf8')).toContain(first.url);
    const lost = await first.run(['ls']);
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('no server runs on') });
    const second = await startBeckon({ dataDir: first.dataDir });
    expect(second.token).toBe(first.token);
    expect((await second.run(['ls'])).code).toBe(0);
  });

  it('[API1] a port in use is told in one sentence, exit 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await holds(() => expect(taken.listening).toBe(true));
    const { port } = taken.address() as { port: number };
    const dataDir = await temporaryDirectory();
    const refused = await runBeckon(['--port', String(port), '--data-dir', dataDir, '--no-open'], {
      env: { BECKON_LOG: 'silent' },
    });
    taken.close();
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: `beckon: port ${port} on 127.0.0.1 is in use; take another with --port, or any free one with --port 0\n`,
    });
    await expect(stat(join(dataDir, 'server.json'))).rejects.toThrow('ENOENT');
  });
});

describe('ending', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('[SES7] %s ends it cleanly with its agents', async (signal) => {
    const beckon = await startBeckon();
    const created = await beckon.api('POST', '/api/sessions', {
      agent: 'demo',
      prompt: 'tour',
      cwd: beckon.dataDir,
    });
    const path = `/api/sessions/${created.body.session.id}`;
    await holds(async () => expect((await beckon.api('GET', path)).body.session.status).toBe('waiting'));
    expect(agentProcesses(beckon.dataDir)).not.toEqual([]);
    expect(await agentStatus(beckon.dataDir)).toHaveLength(1);
    expect(await beckon.stop(signal)).toEqual({ code: 0, signal: null });
    expect(agentProcesses(beckon.dataDir)).toEqual([]);
  });

  it('[SES7] streams that are open do not keep it from ending', async () => {
    const beckon = await startBeckon();
    const stream = await fetch(`${beckon.url}/api/events`, {
      headers: { authorization: `Bearer ${beckon.token}` },
    });
    expect(stream.status).toBe(200);
    expect(await beckon.stop()).toEqual({ code: 0, signal: null });
  });
});

describe('ending under difficulties', () => {
  const stubborn = async (options: Parameters<typeof startBeckon>[0] = {}) => {
    const args = ['--claude', drilledAgent(await temporaryDirectory()), ...(options.args ?? [])];
    const beckon = await startBeckon({ ...options, args });
    const body = { agent: 'claude', prompt: '!ignore-sigterm', cwd: beckon.dataDir };
    const { id } = (await beckon.api('POST', '/api/sessions', body)).body.session;
    await holds(async () => {
      const { events } = (await beckon.api('GET', `/api/sessions/${id}/events`)).body;
      expect(JSON.stringify(events)).toMatch(/child pid \d+/);
    });
    expect(agentProcesses(beckon.dataDir).length).toBeGreaterThan(1);
    return beckon;
  };

  it('[SES7] an agent that ignores SIGTERM is ended within the time, with what it started', async () => {
    const beckon = await stubborn();
    expect(await beckon.stop()).toEqual({ code: 0, signal: null });
    expect(agentProcesses(beckon.dataDir)).toEqual([]);
  });

  it('[SES7] how long an end in order may take is a number of seconds', async () => {
    const args = ['serve', '--port', '0', '--data-dir', await temporaryDirectory(), '--no-open'];
    const refused = await runBeckon(args, { env: { BECKON_END_SECONDS: 'soon' } });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('from 1 to 600, not "soon"') });
  });

  it('[SES7] a second signal ends it at once; the next start ends what was left', async () => {
    const beckon = await stubborn();
    process.kill(beckon.pid, 'SIGTERM');
    await holds(() => expect(beckon.stderr()).toContain('a second signal ends at once'));
    expect(await beckon.stop()).toEqual({ code: 1, signal: null });
    await startBeckon({ dataDir: beckon.dataDir });
    await holds(() => expect(agentProcesses(beckon.dataDir)).toEqual([]));
  });
});
