import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { agentStatus } from '../../src/drivers/process/run-admin.ts';
import { tryLock } from '../../src/log/directory-lock.ts';
import {
  type Beckon,
  type BeckonOptions,
  endBeckons,
  runBeckon,
  type Spawned,
  spawnBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { agentProcesses, markedProcesses } from '../support/marked-processes.ts';
import { endWatches, watchSession } from '../support/watch.ts';

afterEach(async () => {
  endWatches();
  await endBeckons();
});

const pace = { BECKON_DEMO_PACE: '0' };

interface Asking {
  readonly id: string;
  readonly requestId: string;
  readonly file: string;
  readonly agents: readonly number[];
}

/** An agent that asks whether it may make a file. */
async function asking(beckon: Beckon): Promise<Asking> {
  const file = join(beckon.dataDir, 'made-by-the-agent');
  const { body } = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    cwd: beckon.dataDir,
    prompt: `run echo made >> ${file}`,
  });
  const { id } = body.session;
  const { interactionId } = await (await watchSession(beckon, id)).event('interaction.requested');
  return { id, requestId: interactionId, file, agents: pids(beckon.dataDir) };
}

const pids = (dataDir: string): number[] => agentProcesses(dataDir).map(({ pid }) => pid);

/** The very agent that asked gets its answer, and does what it was allowed. */
async function expectAnswerable(beckon: Beckon, asked: Asking): Promise<void> {
  const { body } = await beckon.api('GET', '/api/pending');
  expect(body.pending).toMatchObject([{ requestId: asked.requestId, status: 'open' }]);
  expect(pids(beckon.dataDir)).toEqual(asked.agents);
  const watching = await watchSession(beckon, asked.id);
  const reply = await beckon.api('POST', `/api/sessions/${asked.id}/approve`, {
    requestId: asked.requestId,
    decision: 'allow',
  });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect(await watching.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  expect(await readFile(asked.file, 'utf8')).toBe('made\n');
  expect(await watching.event('interaction.resolved')).toMatchObject({ outcome: 'allowed', delivered: true });
}

const start = (options: BeckonOptions = {}): Promise<Beckon> => startBeckon({ env: pace, ...options });

describe('agents go on without their server', () => {
  it('[ASK2] [SES10] when it is killed; neither a port that is taken nor a second server does them harm', async () => {
    const first = await start();
    const asked = await asking(first);
    await first.kill9();

    const other = await start();
    const { port } = new URL(other.url);
    const refused = await runBeckon(['--port', port, '--data-dir', first.dataDir, '--no-open']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use') });
    expect(pids(first.dataDir)).toEqual(asked.agents);

    const second = await start({ dataDir: first.dataDir });
    const third = await runBeckon(['--port', '0', '--data-dir', first.dataDir, '--no-open']);
    expect(third).toMatchObject({ code: 1, stderr: expect.stringContaining(second.url) });
    await expectAnswerable(second, asked);
  });

  it('[TOOL11] [SES10] the next server with --port 0 is where they look for their tools, unless that port is taken', async () => {
    const first = await start();
    const asked = await asking(first);
    await first.kill9();
    const second = await start({ dataDir: first.dataDir });
    expect(second.url).toBe(first.url);
    await second.kill9();
    const { port } = new URL(first.url);
    const stranger = createServer().listen(Number(port), '127.0.0.1');
    await once(stranger, 'listening');
    const third = await start({ dataDir: first.dataDir });
    expect(third.url).not.toBe(first.url);
    stranger.close();
    await expectAnswerable(third, asked);
  });

  it('[SES7] [ASK2] when it ends by an error that nobody caught, exit 1', async () => {
    const bug = `data:text/javascript,process.on('SIGWINCH',()=>{throw(new(Error)('boom'))})`;
    const first = await start({ env: { ...pace, NODE_OPTIONS: `--import ${bug}` } });
    const asked = await asking(first);
    expect(await first.stop('SIGWINCH')).toEqual({ code: 1, signal: null });
    expect(first.stderr()).toContain('boom');
    await expect(stat(join(first.dataDir, 'server.json'))).rejects.toThrow('ENOENT');
    await expectAnswerable(await start({ dataDir: first.dataDir }), asked);
  });

  it.each<[string, BeckonOptions]>([
    ['--keep-agents', { args: ['--keep-agents'] }],
    ['BECKON_KEEP_AGENTS', { env: { ...pace, BECKON_KEEP_AGENTS: '1' } }],
  ])('[SES7] [ASK2] when it is asked to end, with %s', async (_, options) => {
    const first = await start(options);
    const asked = await asking(first);
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    const second = await start({ dataDir: first.dataDir });
    await expectAnswerable(second, asked);
    const { body } = await second.api('GET', `/api/sessions/${asked.id}/events?limit=1000`);
    const types = body.events.map(({ type }: { type: string }) => type);
    expect(types).not.toContain('process.exited');
    expect(types.filter((type: string) => type === 'process.starting')).toHaveLength(1);
  });

  it('[SES7] [ASK5] with --ephemeral they do not: the next start ends what is left', async () => {
    const first = await start({ args: ['--ephemeral'] });
    const asked = await asking(first);
    await first.kill9();
    const second = await start({ dataDir: first.dataDir, args: ['--ephemeral'] });
    expect(pids(first.dataDir)).toEqual([]);
    const { body } = await second.api('GET', `/api/sessions/${asked.id}/interactions/${asked.requestId}`);
    expect(body.interaction).toMatchObject({
      outcome: 'lost',
      resolvedReason: expect.stringContaining('server'),
    });
    expect((await second.api('GET', `/api/sessions/${asked.id}`)).body.session.status).toBe('asleep');
    expect(existsSync(asked.file)).toBe(false);
  });

  it('[SES7] the configuration file says the same with keepAgents and ephemeral', async () => {
    const dataDir = await temporaryDirectory();
    await writeFile(join(dataDir, 'config.json'), JSON.stringify({ keepAgents: true }));
    const first = await start({ dataDir });
    const asked = await asking(first);
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    expect(pids(dataDir)).toEqual(asked.agents);
    await writeFile(join(dataDir, 'config.json'), JSON.stringify({ ephemeral: true }));
    const second = await start({ dataDir });
    expect(pids(dataDir)).toEqual([]);
    expect((await second.api('GET', `/api/sessions/${asked.id}`)).body.session.status).toBe('asleep');
  });

  it('[SES10] [ASK5] nothing of ours can be killed that takes an agent with it: the shells that hold it are, and it is answered', async () => {
    const beckon = await start();
    const asked = await asking(beckon);
    const holders = markedProcesses(beckon.dataDir).filter(({ marker }) => marker.endsWith('/holder'));
    expect(holders).toHaveLength(2);
    for (const { pid } of holders) process.kill(pid, 'SIGKILL');
    await expectAnswerable(beckon, asked);
    const watching = await watchSession(beckon, asked.id);
    for (const pid of asked.agents) process.kill(pid, 'SIGKILL');
    expect(await watching.event('process.exited')).toMatchObject({
      reason: expect.stringContaining('not known'),
    });
  });
});

describe('beckon restart', () => {
  it('[SES10] [ASK2] puts another server in the place of the running one, at the same address; agents go on', async () => {
    const first = await start({ args: ['--host', '127.0.0.2'] });
    const asked = await asking(first);
    const second = restart(first.dataDir, ['--data-dir', first.dataDir], { BECKON_PORT: '0' });
    const [, url] = /^Beckon is ready: (http:\S+)\/#pair/.exec(await second.firstLine) ?? [];
    expect(url).toBe(first.url);
    expect(await first.exited).toEqual({ code: 0, signal: null });
    await expectAnswerable(first, asked);
  });

  it('[API1] [SES10] with a command line that no server can be started with it ends nothing', async () => {
    const first = await start();
    const config = join(first.dataDir, 'no-such-file.json');
    for (const args of [['--port', '70000'], ['--config', config], ['a-word']]) {
      const refused = await runBeckon(['restart', '--data-dir', first.dataDir, ...args]);
      expect(refused.code, refused.stderr).toBeGreaterThan(0);
    }
    expect((await first.api('GET', '/api/health')).status).toBe(200);
  });

  it('[API1] starts one where none runs', async () => {
    const dataDir = await temporaryDirectory();
    const only = restart(dataDir, ['--port', '0', '--data-dir', dataDir, '--no-open']);
    expect(await only.firstLine).toMatch(/^Beckon is ready/);
  });
});

const restart = (dataDir: string, args: readonly string[], env: Record<string, string> = {}): Spawned =>
  spawnBeckon(['restart', ...args, '--claude', join(dataDir, 'no-such-program')], {
    env: { ...pace, ...env },
  });

describe('beckon status', () => {
  it('[SES4] tells of server and agents, with a server and without', async () => {
    const beckon = await start();
    const nothing = await beckon.run(['status']);
    expect(nothing.stdout).toMatch(
      new RegExp(`server +${beckon.url} +process ${beckon.pid} +up (?:now|\\d+ (?:s|min))`),
    );
    expect(nothing.stdout).toContain('No agents.');

    const asked = await asking(beckon);
    const some = await beckon.run(['status']);
    expect(some).toMatchObject({ code: 0, stderr: '' });
    expect(some.stdout).toContain('1 agent running');
    expect(some.stdout).toMatch(new RegExp(`${asked.id} +\\d+ MB +process ${asked.agents[0]} +up`));

    await beckon.kill9();
    const without = await beckon.run(['status', '--json']);
    expect(JSON.parse(without.stdout)).toMatchObject({
      server: null,
      agents: [{ sessionId: asked.id, pid: asked.agents[0], running: true }],
    });
  });

  it('[SES17] tells which agents end with the server, and so does the list of agents', async () => {
    const beckon = await start();
    const { stdout: kinds } = await beckon.run(['agents']);
    expect(kinds).toMatch(/^claude-sdk .*ends with the server$/m);
    expect(kinds).not.toMatch(/^demo .*ends with the server$/m);
    await beckon.stop();

    const ephemeral = await start({ dataDir: beckon.dataDir, args: ['--ephemeral'] });
    const { id } = await asking(ephemeral);
    expect((await ephemeral.run(['agents'])).stdout).toMatch(/^demo .*ends with the server$/m);
    const { body } = await ephemeral.api('GET', `/api/sessions/${id}`);
    expect(body.session.capabilities.outlivesServer).toBe(false);
    const told = await ephemeral.run(['status']);
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(told.stdout).toContain(`1 agent ends with the server\n  ${id}  Demo agent`);
    expect(told.stdout).not.toContain('No agents.');
    const { endingWithServer } = JSON.parse((await ephemeral.run(['status', '--json'])).stdout);
    expect(endingWithServer).toEqual([{ sessionId: id, agent: 'demo' }]);
  });

  it('[API4] of a directory that is not there: nothing runs', async () => {
    const dataDir = join(await temporaryDirectory(), 'never-made');
    const status = await runBeckon(['status', '--data-dir', dataDir]);
    expect(status).toMatchObject({ code: 0, stdout: expect.stringMatching(/server +not running/) });
    expect(await runBeckon(['stop-all', '--data-dir', dataDir])).toMatchObject({ code: 0 });
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('beckon stop-all', () => {
  it('[SES7] ends the server with its agents', async () => {
    const beckon = await start({ args: ['--keep-agents'] });
    await asking(beckon);
    const stopped = await beckon.run(['stop-all']);
    expect(stopped).toMatchObject({ code: 0, stdout: expect.stringContaining(beckon.url) });
    expect(await beckon.exited).toEqual({ code: 0, signal: null });
    expect(pids(beckon.dataDir)).toEqual([]);
  });

  it('[SES7] says so when it cannot end a server because that tells no address, and ends the agents all the same', async () => {
    const first = await start();
    await asking(first);
    await first.kill9();
    await rm(join(first.dataDir, 'server.json'));
    const lock = tryLock(first.dataDir);
    const stopped = await first.run(['stop-all']);
    lock?.release();
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining('tells no address') });
    expect(pids(first.dataDir)).toEqual([]);
  });

  it('[SES7] ends agents that no server looks after; what they asked is lost, and says so', async () => {
    const first = await start();
    const asked = await asking(first);
    await first.kill9();
    const stopped = await first.run(['stop-all']);
    expect(stopped).toMatchObject({ code: 0, stderr: '' });
    expect(stopped.stdout).toBe('No server ran.\nEnded 1 agent that went on without a server.\n');
    expect(pids(first.dataDir)).toEqual([]);
    expect((await agentStatus(first.dataDir)).filter(({ running }) => running)).toEqual([]);
    expect((await first.run(['stop-all'])).stdout).toBe('No server ran.\n');

    const second = await start({ dataDir: first.dataDir });
    await eventually('what it asked is lost', async () => {
      const { body } = await second.api('GET', `/api/sessions/${asked.id}/interactions/${asked.requestId}`);
      return body.interaction.outcome === 'lost';
    });
  });
});
