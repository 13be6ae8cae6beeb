import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, readFile, realpath, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { signal } from '../support/running.ts';
import { attacks, type Setting } from './attacks.ts';

const root = resolve(import.meta.dirname, '../..');
const document = join(root, 'docs/security.md');
const servers: { readonly child: ChildProcess; readonly dataDir: string }[] = [];
afterEach(async () => {
  for (const { child, dataDir } of servers.splice(0)) {
    // The agent may have left a server of its own.
    const text = await readFile(join(dataDir, 'server.json'), 'utf8').catch(() => '{}');
    const { pid } = JSON.parse(text);
    if (typeof pid === 'number') signal(pid, 'SIGKILL');
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
  await endBeckons();
});

describe.skipIf(process.platform !== 'linux')('an agent that wants to be allowed without a person', () => {
  it.each<Setting>(['anyone', 'devices'])(
    '[SEC10] gets through by the paths that are known, and by no other: decide %s',
    async (decide) => {
      const results = await resultsUnder(decide);
      const known = attacks.map(({ name, knownWith }) => [name, knownWith.includes(decide)]);
      expect(Object.entries(results)).toEqual(known);
    },
    60_000,
  );

  it('[SEC10] docs/security.md says which they are', () => {
    const text = readFileSync(document, 'utf8');
    const made = `${text.slice(0, text.indexOf(begin) + begin.length)}\n\n${table()}\n${text.slice(text.indexOf(end))}`;
    if (process.env.UPDATE_DOCS === '1') writeFileSync(document, made);
    expect(readFileSync(document, 'utf8')).toBe(made);
  });
});

const begin = '<!-- what was tried: made by test/hostile/hostile-agent.test.ts with UPDATE_DOCS=1 -->';
const end = '<!-- end of what was tried -->';

function table(): string {
  const rows = attacks.map(({ name, knownWith }) => {
    const cells = (['anyone', 'devices'] as const).map((setting) =>
      knownWith.includes(setting) ? '**gets through**' : 'stopped',
    );
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  return `${['| the agent … | `anyone` | `devices` |', '|---|---|---|', ...rows].join('\n')}\n`;
}

async function resultsUnder(decide: Setting): Promise<Record<string, boolean | string>> {
  const dataDir = await realpath(await temporaryDirectory());
  const person = await pairedPerson(dataDir);
  const child = await serveIntoFile(dataDir, decide, await hostileProgram());
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

  const cwd = await realpath(await temporaryDirectory());
  await writeFile(join(cwd, 'stolen-cookie'), person.cookie);
  const secrets = [person.cookie.slice('beckon='.length), person['x-beckon-key']];
  await writeFile(join(cwd, 'for-the-test-alone.json'), JSON.stringify(secrets));
  const { session } = await call('POST', '/api/sessions', { agent: 'claude', cwd, key: 'hostile' });
  await call('POST', `/api/sessions/${session.id}/message`, { message: 'Begin.' });
  await call('POST', `/api/sessions/${session.id}/message`, { message: 'Then stop.', disposition: 'queue' });
  await expect.poll(() => resultsIn(cwd), { timeout: 55_000 }).toBeDefined();
  return JSON.parse((await resultsIn(cwd)) ?? '{}');
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
async function serveIntoFile(dataDir: string, decide: Setting, claude: string): Promise<ChildProcess> {
  const output = openSync(join(await temporaryDirectory(), 'server.log'), 'w', 0o600);
  const child = spawn(
    process.execPath,
    [
      join(root, 'bin/beckon.cjs'),
      ...['serve', '--port', '0', '--no-open', '--data-dir', dataDir],
      // What is open where the system has no walls.
      ...['--decide', decide, '--claude', claude, '--isolation', 'off'],
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
