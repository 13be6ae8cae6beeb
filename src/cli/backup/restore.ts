import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { checkDatabase, type DatabaseFacts } from '../../log/copy-database.ts';
import { latestVersion } from '../../log/migrations.ts';
import type { Command } from '../command.ts';
import { isTaken, runningServer } from '../data-directory.ts';
import { Failure, UsageError } from '../failure.ts';
import { absolute, dataDirectoryOf } from '../paths.ts';
import { counted } from '../render/measures.ts';
import { print } from '../terminal/client-command.ts';
import { databaseName, isSafePath, Manifest, manifestName, sumsName } from './contents.ts';
import { readTar, type TarFile } from './tar.ts';
import { lockName, openWorkshop, syncDirectory } from './workshop.ts';

export const restore: Command = {
  usage: 'restore FILE [--data-dir DIR]',
  help: `Makes a data directory of what "beckon backup" wrote; a "-" reads it from the input. The directory must be empty, or not there yet,
and it stays so unless the whole file was read and found in order. Agents are not started; sessions go on when you write to them.

  --data-dir DIR    the directory to make (BECKON_DATA_DIR; default ~/.beckon)
  --json            print one JSON document for machines`,
  flags: { 'data-dir': { type: 'string' }, json: { type: 'boolean' } },
  mostWords: 1,
  async run(flags, console) {
    const [given] = flags.positionals;
    if (given === undefined) throw new UsageError('of which file? "beckon restore FILE"');
    const dataDir = dataDirectoryOf(flags, console);
    const source =
      given === '-' ? console.stdin : createReadStream(absolute(given, console.cwd, console.env));
    const { manifest, files, events, newestAt } = await restoreBackup(source, dataDir);
    print(console, flags, { dataDir, createdAt: manifest.createdAt, files, events, newestAt }, [
      `${dataDir} is as it was at ${manifest.createdAt}: ${counted(files, 'file')}, ${counted(events, 'event')}.`,
      `Start it with "beckon serve --data-dir ${dataDir}". Its token and its paired devices are those of the backup.`,
    ]);
    return 0;
  },
};

export interface Restored extends DatabaseFacts {
  readonly manifest: Manifest;
  readonly files: number;
}

/** Everything is written and checked beside the directory, and then gets its name in one step. */
export async function restoreBackup(source: Readable, dataDir: string): Promise<Restored> {
  // A link to a directory stays one.
  const target = await realpath(dataDir).catch(() => dataDir);
  await expectEmpty(target, dataDir);
  await mkdir(dirname(target), { recursive: true });
  const workshop = await openWorkshop(`${target}.restoring`);
  try {
    const { manifest, files } = await unpack(source, workshop.path);
    const facts = checkDatabase(join(workshop.path, databaseName));
    await syncDirectory(workshop.path);
    await putInPlace(workshop.path, target);
    workshop.release();
    return { manifest, files, ...facts };
  } catch (error) {
    await workshop.clear();
    throw error;
  }
}

async function expectEmpty(target: string, dataDir: string): Promise<void> {
  const names = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new Failure(`${dataDir} cannot be restored to: ${error.message}`);
  });
  if (names.length === 0) return;
  const server = await runningServer(target);
  if (server !== undefined || isTaken(target))
    throw new Failure(
      `a server runs on ${dataDir}${server === undefined ? '' : `: ${server.url} (process ${server.pid})`}`,
      'server_running',
    );
  if (names.some((name) => name !== lockName))
    throw new Failure(
      `${dataDir} is not empty; name another directory with --data-dir`,
      'directory_not_empty',
    );
}

async function unpack(
  source: Readable,
  folder: string,
): Promise<{ readonly manifest: Manifest; readonly files: number }> {
  const sums = new Map<string, string>();
  let manifest: Manifest | undefined;
  let claimed: string | undefined;
  for await (const file of readTar(source)) {
    if (claimed !== undefined) throw new Failure(`the backup goes on behind ${sumsName}`);
    if (manifest === undefined) {
      manifest = await readManifest(file, sums);
      continue;
    }
    if (file.path === sumsName) {
      claimed = (await contentOf(file)).toString();
      continue;
    }
    if (!isSafePath(file.path))
      throw new Failure(`the backup has a file "${file.path}", which is no name for one`);
    if (sums.has(file.path) || file.path === lockName)
      throw new Failure(`the backup must not have a file "${file.path}" here`);
    sums.set(file.path, await writeFile(file, join(folder, file.path)));
  }
  if (manifest === undefined || claimed === undefined) throw new Failure('the backup is cut short');
  const written = [...sums].map(([path, sum]) => `${sum}  ${path}\n`).join('');
  if (written !== claimed)
    throw new Failure('the backup is damaged: its files are not those that were put into it');
  if (!sums.has(databaseName)) throw new Failure(`the backup has no ${databaseName}`);
  return { manifest, files: sums.size };
}

async function readManifest(file: TarFile, sums: Map<string, string>): Promise<Manifest> {
  const isOne = file.path === manifestName && file.size < 10_000;
  const content = isOne ? await contentOf(file) : Buffer.alloc(0);
  const parsed = Manifest.safeParse(jsonIn(content.toString()));
  if (!parsed.success) throw new Failure('this is no backup of Beckon, or one of a newer Beckon');
  const { database, version } = parsed.data;
  if (database > latestVersion())
    throw new Failure(
      `the backup is of Beckon ${version}, whose database is of version ${database}; this Beckon knows versions up to ${latestVersion()}: use a newer Beckon`,
      'newer_version',
    );
  sums.set(manifestName, createHash('sha256').update(content).digest('hex'));
  return parsed.data;
}

function jsonIn(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

async function contentOf({ content }: TarFile): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** For the owner alone, whatever it was before; resolves with its sum. */
async function writeFile({ content, mode }: TarFile, place: string): Promise<string> {
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  const handle = await open(place, 'wx', (mode & 0o700) | 0o600);
  try {
    for await (const piece of content) {
      hash.update(piece);
      await handle.appendFile(piece);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

/** An empty directory gives its name away; until it has, nothing is there. */
async function putInPlace(from: string, target: string): Promise<void> {
  try {
    await rm(join(target, lockName), { force: true });
    await rmdir(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await rename(from, target);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EBUSY' || code === 'EXDEV')
      throw new Failure(`${target} is where a disk is mounted: name a directory below it`);
    throw new Failure(`${target} cannot be made: ${message}`);
  }
  await syncDirectory(dirname(target));
}
