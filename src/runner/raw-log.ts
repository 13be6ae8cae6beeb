import { appendFile, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { SessionId } from '../protocol/ids.ts';
import type { RawDirection, RawLog } from './ports/raw-log.ts';

export interface RawLogOptions {
  /** Each session has a folder of its own in it. */
  readonly directory: string;
  /** How much is kept of a session: the older half is dropped when the newer half is full. */
  readonly maxBytes?: number;
  /** How much may wait for a slow disk, of one session and of all. */
  readonly maxWaitingBytes?: number;
  readonly maxWaitingBytesInAll?: number;
  readonly now?: () => string;
}

/**
 * Two files per session, of the form `== out 2026-01-01T00:00:00.000Z 12\n` and so many bytes and `\n`, again and again.
 * `== dropped TIME COUNT\n` stands where bytes are missing.
 */
export const openRawLog = (options: RawLogOptions): RawLog => new RawFiles(options);

class RawFiles implements RawLog {
  readonly #directory: string;
  readonly #maxFileBytes: number;
  readonly #maxWaiting: number;
  readonly #maxWaitingInAll: number;
  readonly #now: () => string;
  readonly #sessions = new Map<SessionId, Session>();
  readonly #unwritten = new Set<Session>();
  #waitingInAll = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: RawLogOptions) {
    this.#directory = options.directory;
    this.#maxFileBytes = (options.maxBytes ?? 16 * megabyte) / 2;
    // one write must fit into one file
    this.#maxWaiting = Math.min(options.maxWaitingBytes ?? 4 * megabyte, this.#maxFileBytes);
    this.#maxWaitingInAll = options.maxWaitingBytesInAll ?? 32 * megabyte;
    this.#now = options.now ?? (() => new Date().toISOString());
  }

  append(sessionId: SessionId, direction: RawDirection, chunk: Buffer): void {
    const session = this.#session(sessionId);
    const kept = chunk.subarray(0, this.#closed ? 0 : this.#room(session));
    if (kept.length > 0) this.#keep(session, direction, kept);
    session.gapBytes += chunk.length - kept.length;
    this.#writeSoon(session);
  }

  read(sessionId: SessionId): Readable {
    return Readable.from(this.#read(this.#session(sessionId)), { objectMode: false });
  }

  async remove(sessionId: SessionId): Promise<void> {
    const session = this.#session(sessionId);
    await inTurn(session, async () => {
      this.#take(session);
      session.fileBytes = undefined;
      await rm(session.directory, { recursive: true, force: true });
    });
    if (session.waiting.length === 0) this.#sessions.delete(sessionId);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all(
      [...this.#sessions.values()].map((session) => inTurn(session, () => this.#append(session))),
    );
  }

  #session(id: SessionId): Session {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    // an id is no path: neither "/" nor ".." may lead out of the directory
    const folder = encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E');
    const session: Session = {
      directory: join(this.#directory, folder),
      waiting: [],
      waitingBytes: 0,
      fileBytes: undefined,
      gapBytes: 0,
      isWriting: false,
      lastTurn: Promise.resolve(),
    };
    this.#sessions.set(id, session);
    return session;
  }

  #room(session: Session): number {
    const own = this.#maxWaiting - session.waitingBytes;
    const inAll = this.#maxWaitingInAll - this.#waitingInAll;
    return Math.max(0, Math.min(own, inAll) - 2 * headerBytes);
  }

  #keep(session: Session, direction: RawDirection, chunk: Buffer): void {
    this.#unwritten.add(session);
    if (session.gapBytes > 0) {
      this.#push(session, { kind: 'dropped', at: this.#now(), bytes: session.gapBytes, chunks: [] });
      session.gapBytes = 0;
    }
    const last = session.waiting.at(-1);
    if (last?.kind === direction) {
      last.chunks.push(chunk);
      last.bytes += chunk.length;
    } else {
      this.#push(session, { kind: direction, at: this.#now(), bytes: chunk.length, chunks: [chunk] });
    }
    session.waitingBytes += chunk.length;
    this.#waitingInAll += chunk.length;
  }

  #push(session: Session, entry: Entry): void {
    session.waiting.push(entry);
    session.waitingBytes += headerBytes;
    this.#waitingInAll += headerBytes;
  }

  #writeSoon(session: Session): void {
    if (session.waiting.length === 0) return;
    if (session.waitingBytes >= writtenAtOnce) void this.#write(session);
    else this.#timer ??= setTimeout(() => void this.#writeAll(), pauseMs).unref();
  }

  /** One after the other: a hundred files at once would stand in the way of a decision that waits for the disk. */
  async #writeAll(): Promise<void> {
    for (const session of [...this.#unwritten]) await this.#write(session);
    this.#timer = undefined;
    for (const session of this.#unwritten) this.#writeSoon(session);
  }

  /** What comes while it is being written goes with the next write: no more than one at a time. */
  async #write(session: Session): Promise<void> {
    if (session.isWriting) return;
    session.isWriting = true;
    await inTurn(session, () => this.#append(session));
    session.isWriting = false;
    this.#writeSoon(session);
  }

  async #append(session: Session): Promise<void> {
    const counted = session.waitingBytes;
    const entries = session.waiting;
    if (entries.length === 0) return;
    session.waiting = [];
    this.#unwritten.delete(session);
    const block = Buffer.concat(entries.flatMap(blockOf));
    try {
      await this.#makeRoom(session, block.length);
      await appendFile(currentFile(session), block, { mode: 0o600 });
      session.fileBytes = (session.fileBytes ?? 0) + block.length;
    } catch {
      session.fileBytes = undefined;
      for (const { kind, bytes } of entries) if (kind !== 'dropped') session.gapBytes += bytes;
    }
    session.waitingBytes -= counted;
    this.#waitingInAll -= counted;
  }

  async #makeRoom(session: Session, bytes: number): Promise<void> {
    if (session.fileBytes === undefined) {
      await mkdir(session.directory, { recursive: true, mode: 0o700 });
      session.fileBytes = await bytesOf(currentFile(session));
    }
    if (session.fileBytes + bytes <= this.#maxFileBytes || session.fileBytes === 0) return;
    await rename(currentFile(session), previousFile(session));
    session.fileBytes = 0;
  }

  #take(session: Session): void {
    this.#waitingInAll -= session.waitingBytes;
    session.waiting = [];
    session.waitingBytes = 0;
    this.#unwritten.delete(session);
  }

  async *#read(session: Session): AsyncIterable<Buffer> {
    const files = await inTurn(session, async () => {
      await this.#append(session);
      return Promise.all([openIfThere(previousFile(session)), openIfThere(currentFile(session))]);
    });
    try {
      for (const { handle, bytes } of files.filter((file) => file !== undefined)) {
        if (bytes > 0) yield* handle.createReadStream({ end: bytes - 1, autoClose: false });
      }
    } finally {
      await Promise.all(files.map((file) => file?.handle.close()));
    }
  }
}

const megabyte = 1024 * 1024;
const writtenAtOnce = megabyte / 4;
/** Each write opens and closes a file: a hundred busy sessions would spend more on that than on all else. */
const pauseMs = 500;
/** More than any header has. */
const headerBytes = 64;

interface Session {
  readonly directory: string;
  waiting: Entry[];
  /** With what is just being written, so that memory stays bounded while a disk is stuck. */
  waitingBytes: number;
  /** The size of the newer file, once it is known. */
  fileBytes: number | undefined;
  /** Dropped, but not yet said so in the file. */
  gapBytes: number;
  isWriting: boolean;
  lastTurn: Promise<unknown>;
}

interface Entry {
  readonly kind: RawDirection | 'dropped';
  readonly at: string;
  readonly chunks: Buffer[];
  bytes: number;
}

/** Writing, rotating, reading and removing the files of one session never overlap. */
function inTurn<T>(session: Session, work: () => Promise<T>): Promise<T> {
  const turn = session.lastTurn.then(work);
  session.lastTurn = turn.catch(() => undefined);
  return turn;
}

const blockOf = ({ kind, at, bytes, chunks }: Entry): Buffer[] => {
  const header = Buffer.from(`== ${kind} ${at} ${bytes}\n`);
  return kind === 'dropped' ? [header] : [header, ...chunks, lineEnd];
};
const lineEnd = Buffer.from('\n');

const currentFile = (session: Session): string => join(session.directory, 'newer');
const previousFile = (session: Session): string => join(session.directory, 'older');

const bytesOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

async function openIfThere(path: string): Promise<{ handle: FileHandle; bytes: number } | undefined> {
  try {
    const handle = await open(path);
    return { handle, bytes: (await handle.stat()).size };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
