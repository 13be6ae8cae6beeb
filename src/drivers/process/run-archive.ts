import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { SessionId } from '../../protocol/ids.ts';
import { givenBack } from './agent-output.ts';
import { folderOf, listRuns, outputPath, type RunDirectory, readRun, stderrPath } from './run-directory.ts';
import { withoutSecrets } from './without-secrets.ts';
import { readTold, type Told, toldPath } from './write-journal.ts';

const megabyte = 1024 * 1024;

export interface RunArchiveOptions {
  readonly dataDir: string;
  /** How much is kept of a session's runs that are over; the oldest go first. */
  readonly maxBytes?: number;
  /** What must not be read by whoever reads the files of this session. */
  readonly secretsOf?: (sessionId: SessionId) => readonly string[];
}

/** The files of runs that are over, and what went over the wire of all runs of a session, as one text. */
export class RunArchive {
  readonly #options: RunArchiveOptions;
  readonly #removed = new Set<SessionId>();
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(options: RunArchiveOptions) {
    this.#options = options;
  }

  /** Takes what is left of a run that is over; of a command nothing is kept. Never rejects: what cannot be kept is given up. */
  add(run: RunDirectory): Promise<void> {
    return this.#inTurn(async () => {
      const target = this.#placeOf(run);
      if (run.isCommand || this.#removed.has(run.sessionId)) {
        // First of all it is no longer listed: what is left of it after a crash could not be told from a run that goes on.
        await rm(join(run.path, 'about.json'), { force: true });
        await rm(run.path, { recursive: true, force: true });
        return;
      }
      await mkdir(this.#folderOf(run.sessionId), { recursive: true, mode: 0o700 });
      await rename(run.path, target);
      for (const name of ['in', 'hold', 'begun'])
        await rm(join(target, name), { recursive: true, force: true });
      await this.#makeRoom(run.sessionId);
    });
  }

  /** What is there at this moment, oldest first, in the form of the raw log. */
  read(sessionId: SessionId): Readable {
    return Readable.from(this.#read(sessionId), { objectMode: false });
  }

  remove(sessionId: SessionId): Promise<void> {
    this.#removed.add(sessionId);
    return this.#inTurn(async () => {
      await rm(this.#folderOf(sessionId), { recursive: true, force: true });
    });
  }

  /** Settles when all that was handed over is in its place. */
  async close(): Promise<void> {
    await this.#lastTurn;
  }

  async *#read(sessionId: SessionId): AsyncIterable<Buffer> {
    await this.#lastTurn;
    const over = (await this.#archived(sessionId)).flatMap((path) => readRun(path) ?? []);
    const live = listRuns(this.#options.dataDir).filter(
      (run) => run.sessionId === sessionId && !run.isCommand,
    );
    const secrets = this.#options.secretsOf?.(sessionId) ?? [];
    for (const run of [...over, ...live]) {
      const files = await this.#open(run);
      try {
        for await (const piece of rawOf(run, files)) yield withoutSecrets(piece, secrets);
      } finally {
        await Promise.all([files.out?.close(), files.err?.close()]);
      }
    }
  }

  /** A run that ends while it is read is put in its place, or makes room for another: what is open can be read to its end. */
  #open(run: RunDirectory): Promise<RawFiles> {
    const opened = this.#lastTurn.then(() => openRaw(existsSync(run.path) ? run.path : this.#placeOf(run)));
    this.#lastTurn = opened.catch(() => undefined);
    return opened;
  }

  async #archived(sessionId: SessionId): Promise<string[]> {
    const folder = this.#folderOf(sessionId);
    const names = await readdir(folder).catch(() => []);
    return names
      .filter((name) => name.startsWith('run '))
      .sort()
      .map((name) => join(folder, name));
  }

  async #makeRoom(sessionId: SessionId): Promise<void> {
    let room = this.#options.maxBytes ?? 16 * megabyte;
    for (const path of (await this.#archived(sessionId)).reverse()) {
      room -= await bytesOn(path);
      if (room < 0) await rm(path, { recursive: true, force: true });
    }
  }

  #folderOf(sessionId: SessionId): string {
    return join(this.#options.dataDir, 'raw', folderOf(sessionId));
  }

  #placeOf({ sessionId, startedAt, id }: RunDirectory): string {
    return join(this.#folderOf(sessionId), `run ${startedAt} ${folderOf(id)}`);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#lastTurn.then(work).catch(() => undefined);
    this.#lastTurn = turn;
    return turn;
  }
}

/** What a run has on the disk; space that was given back does not count. */
async function bytesOn(path: string): Promise<number> {
  const files = [
    outputPath({ path }),
    stderrPath({ path }),
    toldPath({ path }),
    `${toldPath({ path })}.older`,
  ];
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ blocks, size }) => Math.min(blocks * 512, size),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

interface RawFiles {
  readonly out: FileHandle | undefined;
  readonly err: FileHandle | undefined;
  readonly records: readonly Told[];
  /** How much of the output is no longer there. */
  readonly givenBack: number;
}

async function openRaw(path: string): Promise<RawFiles> {
  const [out, err] = await Promise.all(
    [outputPath({ path }), stderrPath({ path })].map((file) => open(file).catch(() => undefined)),
  );
  const told = toldPath({ path });
  const records = [...readTold(`${told}.older`).told, ...readTold(told).told];
  return { out, err, records, givenBack: givenBack({ path }) };
}

/**
 * Each piece of what the agent was told stands behind all the output that had been read by then. Its own output is told with the
 * time at which it had been read at the latest.
 */
async function* rawOf({ startedAt }: RunDirectory, files: RawFiles): AsyncIterable<Buffer> {
  const { records } = files;
  const end: Told = {
    kind: 'at',
    at: startedAt,
    ...records.at(-1),
    out: await sizeIn(files.out),
    err: await sizeIn(files.err),
    id: undefined,
    data: Buffer.alloc(0),
  };
  let out = files.givenBack;
  let err = 0;
  if (out > 0) yield Buffer.from(`== dropped ${startedAt} ${out}\n`);
  for (const record of [...records, end]) {
    yield* piece('out', record.at, files.out, out, record.out);
    yield* piece('err', record.at, files.err, err, record.err);
    out = Math.max(out, record.out);
    err = Math.max(err, record.err);
    if (record.kind === 'in') {
      yield Buffer.concat([Buffer.from(`== in ${record.at} ${record.data.length}\n`), record.data, lineEnd]);
    }
  }
}

async function* piece(
  kind: 'out' | 'err',
  at: string,
  file: FileHandle | undefined,
  start: number,
  end: number,
): AsyncIterable<Buffer> {
  if (file === undefined || end <= start) return;
  yield Buffer.from(`== ${kind} ${at} ${end - start}\n`);
  yield* createReadStream('', { fd: file, autoClose: false, start, end: end - 1 });
  yield lineEnd;
}

const sizeIn = async (file: FileHandle | undefined): Promise<number> => (await file?.stat())?.size ?? 0;

const lineEnd = Buffer.from('\n');
