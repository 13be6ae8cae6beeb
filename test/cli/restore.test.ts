import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { makeBackup } from '../../src/cli/backup/backup.ts';
import { restoreBackup } from '../../src/cli/backup/restore.ts';
import { tarEnd, tarHeader, tarPadding } from '../../src/cli/backup/tar.ts';
import { latestVersion } from '../../src/log/migrations.ts';
import { endBeckons, runBeckon, spawnBeckon, startBeckon } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { smallDataDirectory } from '../support/small-data-directory.ts';

// Several servers are started: on a busy machine that takes its time.
afterEach(endBeckons);

const everything = { withRaw: true, isReplacing: false };

describe('a restore', () => {
  it('[STORE15] that is killed leaves nothing in the directory, and the next one works', async () => {
    const { dataDir, folder } = await smallDataDirectory();
    const file = join(folder, 'all.tar');
    await makeBackup(dataDir, file, everything);
    const target = join(folder, 'target');
    const bytes = await readFile(file);
    const { child, exited } = spawnBeckon(['restore', '-', '--data-dir', target]);
    child.stdin?.write(bytes.subarray(0, bytes.length - 8_000));
    await eventually('it is in the middle', () => existsSync(join(`${target}.restoring`, 'devices.json')));
    expect(existsSync(target)).toBe(false);
    child.kill('SIGKILL');
    await exited;
    expect(existsSync(target)).toBe(false);
    const again = await runBeckon(['restore', file, '--data-dir', target, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ dataDir: target, events: 50 });
    expect(existsSync(`${target}.restoring`)).toBe(false);
    expect(await readFile(join(target, 'devices.json'), 'utf8')).toBe('{"devices":[]}');
  });

  it('[STORE15] a directory with something in it, or with a server, is left as it is', async () => {
    const { dataDir, folder } = await smallDataDirectory();
    const file = join(folder, 'all.tar');
    await makeBackup(dataDir, file, everything);
    const full = join(folder, 'full');
    await mkdir(full);
    await writeFile(join(full, 'mine.txt'), 'mine');
    const refused = await runBeckon(['restore', file, '--data-dir', full, '--json']);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'directory_not_empty' } });
    expect(await readdir(full)).toEqual(expect.arrayContaining(['mine.txt']));
    expect(existsSync(join(full, 'token'))).toBe(false);
    const beckon = await startBeckon();
    const busy = await beckon.run(['restore', file, '--json']);
    expect(JSON.parse(busy.stdout)).toMatchObject({ error: { code: 'server_running' } });
    expect((await beckon.api('GET', '/api/health')).status).toBe(200);
    // One in which a command has only looked for a server counts as empty.
    const looked = join(folder, 'looked');
    await mkdir(looked);
    await runBeckon(['status', '--data-dir', looked]);
    expect(await readdir(looked)).toEqual(['server.lock']);
    expect((await runBeckon(['restore', file, '--data-dir', looked])).code).toBe(0);
    expect(existsSync(join(looked, 'token'))).toBe(true);
  });

  it('[STORE15] of a file that is cut short or changed anywhere, nothing is taken', async () => {
    const { dataDir, folder } = await smallDataDirectory();
    const file = join(folder, 'all.tar');
    await makeBackup(dataDir, file, everything);
    const bytes = await readFile(file);
    const target = join(folder, 'target');
    const refuses = async (content: Buffer, why: string): Promise<void> => {
      await expect(restoreBackup(Readable.from(pieces(content)), target), why).rejects.toThrow();
      expect(existsSync(target), why).toBe(false);
      expect(existsSync(`${target}.restoring`), why).toBe(false);
    };
    const step = Math.floor(bytes.length / 23);
    // Without the last block it is whole: one block of zeros ends an archive as well.
    for (let length = 0; length <= bytes.length - 1_024; length += step)
      await refuses(bytes.subarray(0, length), `cut at ${length}`);
    for (const at of contentPlaces(bytes)) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      await refuses(changed, `changed at ${at}`);
    }
    await refuses(Buffer.concat([bytes.subarray(0, -1_024), entry('late.txt', 'x'), tarEnd]), 'longer');
  });

  it('[STORE15] [SEC15] hostile archives write nothing anywhere', async () => {
    const { folder, dataDir } = await smallDataDirectory();
    const target = join(folder, 'deep', 'target');
    const manifest = (database: number) =>
      entry(
        'beckon-backup.json',
        JSON.stringify({
          beckonBackup: 1,
          version: '9.9.9',
          database,
          createdAt: '2026-11-15T12:00:00.000Z',
        }),
      );
    const link = entry('token', '');
    link.write('2', 156);
    const database = await readFile(join(dataDir, 'beckon.db'));
    const cases: [RegExp, Buffer[]][] = [
      [/no name/, [manifest(1), entry('../outside', 'x')]],
      [/no name/, [manifest(1), entry('a/../../outside', 'x')]],
      [/no name/, [manifest(1), entry('/tmp/outside-of-beckon', 'x')]],
      [/no name/, [manifest(1), entry('a\\..\\outside', 'x')]],
      [/must not have/, [manifest(1), entry('server.lock', 'x')]],
      [/must not have/, [manifest(1), entry('token', 'x'), entry('token', 'y')]],
      [/no archive/, [manifest(1), link]],
      [/newer Beckon/, [manifest(latestVersion() + 1), entry('beckon.db', 'x')]],
      [/no backup of Beckon/, [entry('beckon-backup.json', '{"beckonBackup":2}')]],
      [/no backup of Beckon/, [entry('notes.txt', 'hello')]],
      [/damaged/, [manifest(1), entry('beckon.db', database), entry('sha256sums', '')]],
      [/no archive/, [Buffer.from('PK\u0003\u0004'.padEnd(2_000, 'x'))]],
    ];
    for (const [why, parts] of cases) {
      const content = Readable.from(pieces(Buffer.concat([...parts, tarEnd])));
      await expect(restoreBackup(content, target), String(why)).rejects.toThrow(why);
      expect(await readdir(join(folder, 'deep'))).toEqual([]);
    }
    expect(existsSync('/tmp/outside-of-beckon')).toBe(false);
  });
});

function entry(path: string, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const header = tarHeader({ path, size: bytes.length, mode: 0o600, modifiedAt: new Date(0) });
  return Buffer.concat([header, bytes, tarPadding(bytes.length)]);
}

/** A byte of each file's content: headers have fields that nothing depends on, such as the time. */
function contentPlaces(archive: Buffer): number[] {
  const places: number[] = [];
  for (let at = 0; archive.readUInt8(at) !== 0; ) {
    const size = Number.parseInt(archive.toString('utf8', at + 124, at + 135), 8);
    if (size > 0) places.push(at + 512 + Math.floor(size / 2));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return places;
}

/** As a pipe would bring it, at odd places. */
function* pieces(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += 3_001) yield content.subarray(at, at + 3_001);
}
