import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { copyDatabase } from '../../log/copy-database.ts';
import { tryLock } from '../../log/directory-lock.ts';
import type { Command } from '../command.ts';
import { Failure, UsageError } from '../failure.ts';
import { isSet } from '../flags.ts';
import { absolute, dataDirectoryOf } from '../paths.ts';
import { counted, inBytes } from '../render/measures.ts';
import { print } from '../terminal/client-command.ts';
import { version } from '../version.ts';
import { databaseName, filesToKeep, type Manifest, manifestName, sumsName } from './contents.ts';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';
import { openWorkshop, syncDirectory } from './workshop.ts';

export const backup: Command = {
  usage: 'backup FILE [--no-raw] [--force]',
  help: `Writes everything that is kept in the data directory into one file, while the server runs or not: the conversations, the token,
paired devices, keys, variables of sessions, templates, the configuration. The file is a tar archive for your eyes alone: whoever has
it can be you. "beckon restore FILE" makes a data directory of it.

  --no-raw          without the raw output of agents that have ended
  --force           replace the file if it is there
  --data-dir DIR    the data directory (BECKON_DATA_DIR; default ~/.beckon)
  --json            print one JSON document for machines`,
  flags: {
    'data-dir': { type: 'string' },
    'no-raw': { type: 'boolean' },
    force: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  mostWords: 1,
  async run(flags, console) {
    const [given] = flags.positionals;
    if (given === undefined) throw new UsageError('to which file? "beckon backup FILE"');
    const dataDir = dataDirectoryOf(flags, console);
    const file = absolute(given, console.cwd, console.env);
    const made = await makeBackup(dataDir, file, {
      withRaw: !isSet(flags, 'no-raw'),
      isReplacing: isSet(flags, 'force'),
    });
    print(console, flags, { file, ...made }, [
      `${file}: ${inBytes(made.bytes)}, ${counted(made.files, 'file')}, ${counted(made.events, 'event')}${
        made.newestAt === null ? '' : `, the newest of ${made.newestAt}`
      }`,
      'It holds the token and other secrets: keep it as you would keep a password.',
    ]);
    return 0;
  },
};

export interface MadeBackup {
  readonly bytes: number;
  readonly files: number;
  readonly events: number;
  readonly newestAt: string | null;
}

/** Whole or not at all: until it is, the file has another name. */
export async function makeBackup(
  dataDir: string,
  file: string,
  { withRaw, isReplacing }: { readonly withRaw: boolean; readonly isReplacing: boolean },
): Promise<MadeBackup> {
  if (!existsSync(join(dataDir, databaseName)))
    throw new Failure(`nothing is kept in ${dataDir}`, 'nothing_to_back_up');
  if (existsSync(file) && !isReplacing)
    throw new Failure(`${file} is there already; --force replaces it`, 'file_exists');
  if (!relative(dataDir, file).startsWith('..'))
    throw new Failure('a backup inside of the data directory would be part of the next one');
  const workshop = await openWorkshop(`${file}.part`);
  // Without a server, none may start while we read: it would write what we have read already. With one, its lock is what we meet.
  const claim = tryLock(dataDir);
  try {
    const database = join(workshop.path, databaseName);
    // Before the other files: what a session in it had beside the log was stored before its events were.
    const { version: form, events, newestAt } = copyDatabase(join(dataDir, databaseName), database, !claim);
    const manifest: Manifest = {
      beckonBackup: 1,
      version: await version(),
      database: form,
      createdAt: new Date().toISOString(),
    };
    const archive = join(workshop.path, 'archive');
    const handle = await open(archive, 'wx', 0o600);
    const writer = new ArchiveWriter(handle);
    try {
      await writer.add(manifestName, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
      await writer.addFile(databaseName, database);
      for (const path of await filesToKeep(dataDir, withRaw)) {
        const place = join(dataDir, path);
        const content = await readFile(place).catch(unlessGone);
        if (content !== undefined)
          await writer.add(path, content, (await stat(place).catch(unlessGone))?.mode);
      }
      await writer.end();
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(archive, file);
    await syncDirectory(dirname(file));
    return { bytes: writer.bytes, files: writer.files, events, newestAt };
  } finally {
    claim?.release();
    await workshop.clear();
  }
}

/** A session may be removed while we read. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

class ArchiveWriter {
  readonly #handle: FileHandle;
  readonly #sums: string[] = [];
  bytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  get files(): number {
    return this.#sums.length;
  }

  async add(path: string, content: Buffer, mode = 0o600): Promise<void> {
    await this.#write(tarHeader({ path, size: content.length, mode, modifiedAt: new Date() }));
    await this.#write(content);
    this.#note(path, createHash('sha256').update(content).digest('hex'));
    await this.#write(tarPadding(content.length));
  }

  /** Of a file that nobody changes meanwhile. */
  async addFile(path: string, file: string): Promise<void> {
    const { size, mtime } = await stat(file);
    const hash = createHash('sha256');
    await this.#write(tarHeader({ path, size, mode: 0o600, modifiedAt: mtime }));
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      hash.update(chunk);
      await this.#write(chunk);
    }
    this.#note(path, hash.digest('hex'));
    await this.#write(tarPadding(size));
  }

  async end(): Promise<void> {
    const sums = Buffer.from(this.#sums.join(''));
    await this.#write(tarHeader({ path: sumsName, size: sums.length, mode: 0o600, modifiedAt: new Date() }));
    await this.#write(sums);
    await this.#write(tarPadding(sums.length));
    await this.#write(tarEnd);
  }

  #note(path: string, sum: string): void {
    this.#sums.push(`${sum}  ${path}\n`);
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#handle.appendFile(bytes);
    this.bytes += bytes.length;
  }
}
