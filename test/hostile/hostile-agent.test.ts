import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, readFile, realpath, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { signal } from '../support/running.ts';
import type { Told } from './agent.ts';
import { attacks, leftBehind, type Setting } from './attacks.ts';

const root = resolve(import.meta.dirname, '../..');
const document = join(root, 'docs/security.md');
const hasWalls = spawnSync('bwrap', ['--dev-bind', '/', '/', '--unshare-pid', 'true']).status === 0;
const helpers: Server[] = [];
const servers: { readonly child: ChildProcess; readonly dataDir: string }[] = [];
afterEach(async () => {
  for (const { child, dataDir } of servers.splice(0)) {
    // The agent may have left a server of its own.
    const text = await readFile(join(dataDir, 'server.json'), 'utf8').catch(() => '{}');
    const { pid } = JSON.parse(text);
    if (typeof pid === 'number') signal(pid, 'SIGKILL');
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
  for (const helper of helpers.splice(0)) helper.close();
  await endBeckons();
});

describe.skipIf(process.platform !== 'linux')(
  'an agent that wants to be allowed without a person (skipped where it is not Linux)',
  () => {
    it.each(['anyone', 'devices'] as const)(
      '[SEC10] gets through by the paths that are known, and by no other: decide %s',
      async (decide) => expectKnown(decide, await resultsUnder(decide)),
      60_000,
    );

    it.skipIf(!hasWalls)(
      '[SEC10] [SEC11] behind walls, too (skipped where bubblewrap does not work)',
      async () => {
        const results = Object.entries(await resultsUnder('walls'));
        // What it needs for an attack is not there.
        const isOutOfReach = (result: unknown): boolean => result === 'ENOENT' || result === 'ESRCH';
        expectKnown(
          'walls',
          Object.fromEntries(results.map(([name, result]) => [name, isOutOfReach(result) ? false : result])),
        );
      },
      60_000,
    );

    it('[SEC10] docs/security.md says which they are', () => {
      const text = readFileSync(document, 'utf8');
      const made = `${text.slice(0, text.indexOf(begin) + begin.length)}\n\n${table()}\n${text.slice(text.indexOf(end))}`;
      if (process.env.UPDATE_DOCS === '1') writeFileSync(document, made);
      expect(readFileSync(document, 'utf8')).toBe(made);
    });
  },
);

function expectKnown(setting: Setting, results: Readonly<Record<string, unknown>>): void {
  const certain = attacks.filter(({ dependsWith }) => !dependsWith?.includes(setting));
  expect(certain.map(({ name }) => [name, results[name]])).toEqual(
    certain.map(({ name, knownWith }) => [name, knownWith.includes(setting)]),
  );
}

const begin = '<!-- what was tried: made by test/hostile/hostile-agent.test.ts with UPDATE_DOCS=1 -->';
const end = '<!-- end of what was tried -->';

function table(): string {
  const rows = attacks.map(({ name, knownWith, dependsWith }) => {
    const cells = (['anyone', 'devices', 'walls'] as const).map((setting) => {
      if (dependsWith?.includes(setting)) return 'depends';
      return knownWith.includes(setting) ? '**gets through**' : 'stopped';
    });
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  return `${['| the agent … | `anyone` | `devices` | `anyone`, behind walls |', '|---|---|---|---|', ...rows].join('\n')}\n`;
}

async function resultsUnder(setting: Setting): Promise<Record<string, boolean | string>> {
  const dataDir = await realpath(await temporaryDirectory());
  const person = await pairedPerson(dataDir);
  const output = join(await temporaryDirectory(), 'server.log');
  const child = await serveIntoFile(output, dataDir, setting, await hostileProgram());
  servers.push({ child, dataDir });
  const { url } = JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8'));
  const call = async (method: string, path: string, body: object = {}) => {
    const reply = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...person },
      body: JSON.stringify(body),
    });
    expect(reply.ok, `${method} ${path}`).toBe(true);
    return reply.json() as Promise<{ session: { id: string } }>;
  };
  await call('POST', '/api/sessions', { agent: 'demo', key: 'the-record' });
  await call('POST', '/api/sessions/the-record/stop');
  await call('POST', '/api/sessions', { agent: 'demo', key: 'another', prompt: 'hello' });

  const cwd = await realpath(await temporaryDirectory());
  await writeFile(join(cwd, 'stolen-cookie'), person.cookie);
  const told: Told = {
    secrets: [person.cookie.slice('beckon='.length), person['x-beckon-key']],
    recordUrl: await servesRecord(dataDir, person),
    serverPid: child.pid ?? 0,
    serverOutput: output,
  };
  await writeFile(join(cwd, 'for-the-test-alone.json'), JSON.stringify(told));
  await runsCommands(join(cwd, 'runs-commands.sock'));
  const { session } = await call('POST', '/api/sessions', { agent: 'claude', cwd, key: 'hostile' });
  await call('POST', `/api/sessions/${session.id}/message`, { message: 'Begin.' });
  await call('POST', `/api/sessions/${session.id}/message`, { message: 'Then stop.', disposition: 'queue' });
  await expect.poll(() => resultsIn(cwd)).toBeDefined();
  const results = JSON.parse((await resultsIn(cwd)) ?? '{}');
  const stopped = await fetch(`${await urlIn(dataDir)}/api/sessions/${session.id}/stop`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...person, ...afresh },
    body: '{}',
  });
  expect(stopped.status).toBe(200);
  return {
    ...results,
    [leftBehind]: await answers(Number(await readFile(join(cwd, 'left-behind'), 'utf8'))),
  };
}

/** The server before had the same port, and took its connections with it. */
const afresh = { connection: 'close' };

const urlIn = async (dataDir: string): Promise<string> =>
  JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')).url;

/** Whether someone listens there. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
  });
}

/** Shows whoever asks what the person sees. */
async function servesRecord(dataDir: string, person: Record<string, string>): Promise<string> {
  const server = createHttpServer(async (request, response) => {
    const reply = await fetch((await urlIn(dataDir)) + request.url, { headers: { ...person, ...afresh } });
    response.end(await reply.text());
  });
  helpers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A program of the person that does what it is told, for whoever reaches its socket. */
async function runsCommands(path: string): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    socket.end(execFileSync('sh', ['-c', await text(socket)]));
  });
  helpers.push(server);
  await once(server.listen(path), 'listening');
}

const resultsIn = (cwd: string): Promise<string | undefined> =>
  readFile(join(cwd, 'results.json'), 'utf8').catch(() => undefined);

/** A browser that was let in before: what it and its page send. */
async function pairedPerson(dataDir: string): Promise<{ cookie: string; 'x-beckon-key': string }> {
  const before = await startBeckon({ dataDir });
  const reply = await fetch(`${before.url}/api/pair`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: before.pairingCode }),
  });
  const { key } = (await reply.json()) as { key: string };
  const [cookie = ''] = (reply.headers.get('set-cookie') ?? '').split(';');
  await before.stop();
  return { cookie, 'x-beckon-key': key };
}

/** As under a service manager: what the server prints goes into a file. */
async function serveIntoFile(
  path: string,
  dataDir: string,
  setting: Setting,
  claude: string,
): Promise<ChildProcess> {
  const output = openSync(path, 'w', 0o600);
  const [decide, isolation] = setting === 'walls' ? ['anyone', 'require'] : [setting, 'off'];
  const child = spawn(
    process.execPath,
    [
      join(root, 'bin/beckon.cjs'),
      ...['serve', '--port', '0', '--no-open', '--data-dir', dataDir],
      ...['--decide', decide, '--claude', claude, '--isolation', isolation],
    ],
    { stdio: ['ignore', output, output] },
  );
  const failed = once(child, 'exit').then(() => {
    throw new Error('The server did not start');
  });
  failed.catch(() => undefined);
  const ready = eventually('the server is ready', async () =>
    (await readFile(join(dataDir, 'server.json'), 'utf8').catch(() => '')).includes('url'),
  );
  await Promise.race([ready, failed]);
  return child;
}

async function hostileProgram(): Promise<string> {
  const path = join(await temporaryDirectory(), 'hostile');
  const program = join(import.meta.dirname, 'agent.ts');
  await writeFile(path, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(path, 0o755);
  return path;
}
