import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { SessionId } from '../../protocol/ids.ts';
import { givenBack } from './give-back.ts';
import {
  folderOf,
  listRuns,
  outputPath,
  type RunDirectory,
  readRun,
  sizeOf,
  stderrPath,
} from './run-directory.ts';
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
      const target = join(this.#folderOf(run.sessionId), `run ${run.startedAt} ${folderOf(run.id)}`);
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
      for await (const piece of rawOf(run)) yield withoutSecrets(piece, secrets);
    }
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

/**
 * Each piece of what the agent was told stands behind all the output that had been read by then. Its own output is told with the
 * time at which it had been read at the latest.
 */
async function* rawOf(run: RunDirectory): AsyncIterable<Buffer> {
  const records = [...readTold(`${toldPath(run)}.older`).told, ...readTold(toldPath(run)).told];
  const end: Told = {
    kind: 'at',
    at: run.startedAt,
    ...records.at(-1),
    out: sizeOf(outputPath(run)),
    err: sizeOf(stderrPath(run)),
    id: undefined,
    data: Buffer.alloc(0),
  };
  let out = givenBack(run);
  let err = 0;
  if (out > 0) yield Buffer.from(`== dropped ${run.startedAt} ${out}\n`);
  for (const record of [...records, end]) {
    yield* piece('out', record.at, outputPath(run), out, record.out);
    yield* piece('err', record.at, stderrPath(run), err, record.err);
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
  path: string,
  start: number,
  end: number,
): AsyncIterable<Buffer> {
  if (end <= start) return;
  yield Buffer.from(`== ${kind} ${at} ${end - start}\n`);
  yield* createReadStream(path, { start, end: end - 1 });
  yield lineEnd;
}

const lineEnd = Buffer.from('\n');
