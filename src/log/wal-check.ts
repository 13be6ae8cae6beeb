import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { endianness } from 'node:os';

/** What became of a database's files while no server ran. */
export interface WalDamage {
  readonly cause: 'log-missing' | 'log-damaged' | 'database-missing';
  /** Something that was committed is neither in the log nor in the database. */
  readonly isLost: boolean;
  /** The database has more than what is left of the log: with that, SQLite would show older pages beside newer ones. */
  readonly isLogOutdated: boolean;
}

/**
 * Looks for commits that are gone. SQLite reads its write-ahead log up to the first frame that is not whole, and takes that for the end,
 * without a word. A killed server leaves a witness, the first page of the shared memory (`-shm`): how many frames were committed, and how
 * many of them the database has, too. SQLite makes it anew when it opens the database, so this must come first.
 * `wasInUse`: whether the last server wrote something and did not end in order.
 */
export function checkWal(path: string, wasInUse: boolean): WalDamage | undefined {
  const shared = readSharedHeader(`${path}-shm`);
  const log = readLog(`${path}-wal`);
  if (bytesOf(path) === 0) {
    return log.frames > 0 || wasInUse
      ? { cause: 'database-missing', isLost: true, isLogOutdated: log.frames > 0 }
      : undefined;
  }
  const cause = log.bytes === 0 ? 'log-missing' : 'log-damaged';
  if (shared !== undefined && describes(shared, log)) {
    const { committed, checkpointed } = shared;
    const found = log.isOf(shared.salts) ? log.committed : 0;
    if (found >= committed) return undefined;
    return { cause, isLost: committed > checkpointed, isLogOutdated: log.bytes > 0 && found < checkpointed };
  }
  const isLost = log.isBroken || (wasInUse && log.bytes === 0);
  return isLost ? { cause, isLost, isLogOutdated: false } : undefined;
}

/** After a power cut the shared memory may be older than the log; then it tells nothing. */
const describes = (shared: SharedHeader, log: Log): boolean =>
  log.salts === undefined || ((log.salts.readUInt32BE() - shared.salts.readUInt32BE()) | 0) <= 0;

interface SharedHeader {
  /** Frames of the log that belong to a commit, and those of them that the database has. */
  readonly committed: number;
  readonly checkpointed: number;
  readonly salts: Buffer;
}

/** https://sqlite.org/walformat.html: twice the same 48 bytes in the machine's own order, then how far the last checkpoint came. */
function readSharedHeader(path: string): SharedHeader | undefined {
  const bytes = startOf(path, 136);
  if (bytes.length < 136 || !bytes.subarray(0, 48).equals(bytes.subarray(48, 96))) return undefined;
  const isBig = endianness() === 'BE';
  const number = (at: number): number => (isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  const [first, second] = checksum(bytes, 0, 40, isBig, 0, 0);
  if (number(0) !== formatVersion || first !== number(40) || second !== number(44)) return undefined;
  return { committed: number(16), checkpointed: number(96), salts: bytes.subarray(32, 40) };
}

interface Log {
  readonly bytes: number;
  /** Undefined if it has no valid header. */
  readonly salts: Buffer | undefined;
  readonly frames: number;
  /** The number of the last frame that belongs to a commit, if all up to it are whole. */
  readonly committed: number;
  /** A commit of the same log comes after a frame that is not whole, or its header is not whole. */
  readonly isBroken: boolean;
  isOf(salts: Buffer): boolean;
}

function readLog(path: string): Log {
  const bytes = bytesOf(path);
  const header = startOf(path, headerBytes);
  const isBig = (header.length === headerBytes && header.readUInt32BE() & 1) === 1;
  const [first, second] = header.length < headerBytes ? [] : checksum(header, 0, 24, isBig, 0, 0);
  const isWhole =
    first !== undefined && header.readUInt32BE(24) === first && header.readUInt32BE(28) === second;
  if (!isWhole)
    return { bytes, salts: undefined, frames: 0, committed: 0, isBroken: bytes > 0, isOf: () => false };
  const salts = header.subarray(16, 24);
  const walked = walk(path, { pageBytes: header.readUInt32BE(8), isBig, salts, from: [first, second] });
  return { bytes, salts, ...walked, isOf: (other) => salts.equals(other) };
}

function walk(
  path: string,
  log: {
    readonly pageBytes: number;
    readonly isBig: boolean;
    readonly salts: Buffer;
    readonly from: [number, number];
  },
): Pick<Log, 'frames' | 'committed' | 'isBroken'> {
  const frameBytes = frameHeaderBytes + log.pageBytes;
  let [first, second] = log.from;
  let frames = 0;
  let committed = 0;
  let isWhole = true;
  for (const frame of framesOf(path, frameBytes)) {
    const isOfThisLog = frame.subarray(8, 16).equals(log.salts);
    if (!isWhole && !isOfThisLog) {
      // What follows is left from an earlier round, or damaged as well.
      [first, second] = [frame.readUInt32BE(16), frame.readUInt32BE(20)];
      continue;
    }
    const ofHead = checksum(frame, 0, 8, log.isBig, first, second);
    const [a, b] = checksum(frame, frameHeaderBytes, frameBytes, log.isBig, ...ofHead);
    [first, second] = [frame.readUInt32BE(16), frame.readUInt32BE(20)];
    const fits = isOfThisLog && a === first && b === second;
    const isCommit = frame.readUInt32BE(4) !== 0;
    // An aborted transaction, too, leaves frames behind the last commit, but no commit.
    if (!isWhole && fits && isCommit) return { frames, committed, isBroken: true };
    isWhole &&= fits;
    if (!isWhole) continue;
    frames += 1;
    if (isCommit) committed = frames;
  }
  return { frames, committed, isBroken: false };
}

function* framesOf(path: string, frameBytes: number): Iterable<Buffer> {
  const file = openSync(path, 'r');
  try {
    const chunk = Buffer.allocUnsafe(frameBytes * framesAtOnce);
    for (let at = headerBytes; ; ) {
      const read = readSync(file, chunk, 0, chunk.length, at);
      const whole = Math.floor(read / frameBytes);
      for (let frame = 0; frame < whole; frame += 1)
        yield chunk.subarray(frame * frameBytes, (frame + 1) * frameBytes);
      if (whole < framesAtOnce) return;
      at += read;
    }
  } finally {
    closeSync(file);
  }
}

const formatVersion = 3_007_000;
const headerBytes = 32;
const frameHeaderBytes = 24;
const framesAtOnce = 64;

/** SQLite's own: two sums over pairs of 32-bit numbers. */
function checksum(
  bytes: Buffer,
  from: number,
  to: number,
  isBig: boolean,
  first: number,
  second: number,
): [number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let a = first;
  let b = second;
  for (let at = from; at < to; at += 8) {
    a = (a + view.getUint32(at, !isBig) + b) >>> 0;
    b = (b + view.getUint32(at + 4, !isBig) + a) >>> 0;
  }
  return [a, b];
}

function startOf(path: string, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return Buffer.alloc(0);
  }
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, 0));
  } finally {
    closeSync(file);
  }
}

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
