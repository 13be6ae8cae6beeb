import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeBackup } from '../../src/cli/backup/backup.ts';
import { filesToKeep } from '../../src/cli/backup/contents.ts';
import {
  type Beckon,
  endBeckons,
  runBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { smallDataDirectory } from '../support/small-data-directory.ts';

// Several servers are started: on a busy machine that takes its time.
afterEach(endBeckons);

const everything = { withRaw: true, isReplacing: false };
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('a backup of a server at work', () => {
  it('[STORE14] [SEC15] has everything that was acknowledged before it began, and a server elsewhere goes on with it', async () => {
    const folder = await temporaryDirectory();
    const beckon = await startBeckon({ cwd: folder });
    await writeFile(join(beckon.dataDir, 'config.json'), '{"idleMinutes": 7}');
    await beckon.api('POST', '/api/templates', { name: 'greet', prompt: 'Say hello' });
    const paired = await fetch(`${beckon.url}/api/pair`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: beckon.pairingCode }),
    });
    const cookie = paired.headers.get('set-cookie')?.split(';')[0] ?? '';
    const { key } = (await paired.json()) as { key: string };
    const env = { SECRET: 'of the session' };
    const { body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', key: 'with-env', env });
    expect(body.session.key).toBe('with-env');

    const load = keepAsking(beckon);
    await eventually('asks come in', () => load.acknowledged.length >= 5);
    const before = [...load.acknowledged];
    const file = join(folder, 'all.tar');
    const made = await beckon.run(['backup', file, '--json']);
    expect(made, made.stderr).toMatchObject({ code: 0 });
    // It went on meanwhile.
    await eventually('and go on', () => load.acknowledged.length > before.length);
    await load.end();
    const logs = await Promise.all(before.map((id) => eventsOf(beckon, id)));

    expect(await modeOf(file)).toBe(0o600);
    expect(existsSync(`${file}.part`)).toBe(false);
    await beckon.stop();
    const dataDir = join(folder, 'elsewhere', 'beckon');
    const restored = await runBeckon(['restore', file, '--data-dir', dataDir]);
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    expect(await modeOf(dataDir)).toBe(0o700);
    for (const name of ['token', 'tool-secret', 'devices.json', 'beckon.db', 'templates.json'])
      expect(await modeOf(join(dataDir, name)), name).toBe(0o600);

    const other = await startBeckon({ dataDir });
    expect(other.token).toBe(beckon.token);
    for (const [index, id] of before.entries()) {
      const events = await eventsOf(other, id);
      const first = logs[index]?.slice(0, acknowledgedEvents) ?? [];
      expect(first).toHaveLength(acknowledgedEvents);
      expect(events.slice(0, acknowledgedEvents)).toEqual(first);
    }
    expect((await other.api('GET', '/api/templates')).body.templates).toHaveLength(1);
    expect(await readFile(join(dataDir, 'env', `${body.session.id}.json`), 'utf8')).toBe(JSON.stringify(env));
    const byDevice = await fetch(`${other.url}/api/sessions`, { headers: { cookie, 'x-beckon-key': key } });
    expect(byDevice.status).toBe(200);
    expect(await readFile(join(dataDir, 'config.json'), 'utf8')).toContain('idleMinutes');
  });

  it('[STORE14] every file of a data directory is in it or belongs to one run, and other programs can read it', async () => {
    const folder = await temporaryDirectory();
    const beckon = await startBeckon({ cwd: folder });
    const asked = { agent: 'demo', prompt: 'hello', env: { A: '1' } };
    const { id } = (await beckon.api('POST', '/api/sessions', asked)).body.session;
    const statusOf = async () => (await beckon.api('GET', `/api/sessions/${id}`)).body.session.status;
    await eventually('the agent has done its work', async () => (await statusOf()) === 'idle');
    await writeFile(join(beckon.dataDir, 'of-a-later-version.json'), '{}');
    const file = join(folder, 'all.tar');
    const inside = (await readdir(beckon.dataDir, { recursive: true, withFileTypes: true }))
      .filter((found) => !found.isDirectory())
      .map((found) => relative(beckon.dataDir, join(found.parentPath, found.name)));
    await makeBackup(beckon.dataDir, file, everything);
    const listed = spawnSync('tar', ['-tf', file], { encoding: 'utf8' }).stdout.trim().split('\n');
    const left = inside.filter((name) => !listed.includes(name));
    const ofOneRun = /^(server\.(json|lock)|port|(run|mcp)(\/.*)?|beckon\.db-(wal|shm|in-use))$/;
    expect(left.filter((name) => !ofOneRun.test(name))).toEqual([]);
    expect(listed).toEqual(expect.arrayContaining(['of-a-later-version.json', 'token', 'tool-secret']));
    const out = join(folder, 'out');
    await mkdir(out);
    expect(spawnSync('tar', ['-xf', file, '-C', out]).status).toBe(0);
    const checked = spawnSync('sha256sum', ['--quiet', '-c', 'sha256sums'], { cwd: out, encoding: 'utf8' });
    expect(checked.stdout + checked.stderr).toBe('');
  });
});

describe('a backup without a server', () => {
  it('[STORE14] has what a killed server left in its write-ahead log; a damaged log is left for the server to tell of', async () => {
    const folder = await temporaryDirectory();
    const beckon = await startBeckon();
    const { body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', title: 'Before the kill' });
    await beckon.kill9();
    const wal = join(beckon.dataDir, 'beckon.db-wal');
    expect((await stat(wal)).size).toBeGreaterThan(0);
    const file = join(folder, 'all.tar');
    expect((await beckon.run(['backup', file])).code).toBe(0);
    const dataDir = join(folder, 'restored');
    await runBeckon(['restore', file, '--data-dir', dataDir]);
    const other = await startBeckon({ dataDir });
    expect((await other.api('GET', `/api/sessions/${body.session.id}`)).body.session.title).toBe(
      'Before the kill',
    );

    await truncate(wal, 5_000);
    const refused = await beckon.run(['backup', file, '--force']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('start the server once');
    // The server still sees it.
    const after = await startBeckon({ dataDir: beckon.dataDir });
    expect((await after.api('GET', '/api/health')).body.storage.missing).toHaveLength(1);
  });

  it('[STORE14] what cannot be meant is refused, and a file that is there is kept', async () => {
    const { dataDir, folder } = await smallDataDirectory();
    const file = join(folder, 'all.tar');
    await writeFile(file, 'mine');
    await expect(makeBackup(dataDir, file, everything)).rejects.toThrow('--force');
    expect(await readFile(file, 'utf8')).toBe('mine');
    await expect(makeBackup(dataDir, join(dataDir, 'in.tar'), everything)).rejects.toThrow(
      'part of the next',
    );
    await expect(makeBackup(folder, join(folder, 'x.tar'), everything)).rejects.toThrow('nothing is kept');
    // What a backup that was killed left beside it.
    await mkdir(`${file}.part`);
    await writeFile(join(`${file}.part`, 'archive'), 'half');
    await makeBackup(dataDir, file, { ...everything, isReplacing: true });
    expect(existsSync(`${file}.part`)).toBe(false);
    expect(await filesToKeep(dataDir, false)).not.toContain('raw/ses_1/a');
    expect(await filesToKeep(dataDir, true)).toContain('raw/ses_1/a');
    expect((await runBeckon(['backup'])).code).toBe(2);
  });
});

/** Events with which every session begins: that it was made, and its first message. */
const acknowledgedEvents = 2;

/** Sessions that ask, one after the other; an id is noted when the server has acknowledged it. */
function keepAsking(beckon: Beckon) {
  const acknowledged: string[] = [];
  let isOver = false;
  const going = (async () => {
    while (!isOver && acknowledged.length < 40) {
      const { status, body } = await beckon.api('POST', '/api/sessions', {
        agent: 'demo',
        prompt: 'run echo hello',
      });
      if (status === 201) acknowledged.push(body.session.id);
    }
  })();
  return {
    acknowledged,
    end() {
      isOver = true;
      return going;
    },
  };
}

const eventsOf = async (beckon: Beckon, id: string): Promise<unknown[]> =>
  (await beckon.api('GET', `/api/sessions/${id}/events?after=0`)).body.events;
