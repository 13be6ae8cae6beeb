import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ownerOf } from '../process/owner.ts';

/** The system takes no longer path for a socket: 108 bytes on Linux, 104 on macOS. */
const longestSocketPath = 100;

export interface Places {
  /** Of mode 0700, whatever the mode of the data directory is. */
  readonly folder: string;
  readonly spools: string;
  readonly compiled: string;
  readonly log: string;
}

export function keeperPlaces(dataDir: string): Places {
  const folder = join(resolve(dataDir), 'keeper');
  return {
    folder,
    spools: join(folder, 'spools'),
    compiled: join(folder, 'compiled'),
    log: join(folder, 'log'),
  };
}

export function makeFolder({ folder }: Places): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/**
 * Keepers are numbered, and a number is not given again while it is to be seen: a socket that refuses belongs to a keeper that is
 * dead, and never to one that is about to listen. Newest first.
 */
export function keeperNumbers({ folder }: Places, platform = process.platform): number[] {
  if (platform === 'win32') return pipeNumbers;
  try {
    return readdirSync(folder)
      .flatMap((name) => /^(\d+)\.sock$/.exec(name)?.slice(1) ?? [])
      .map(Number)
      .sort((a, b) => b - a);
  } catch {
    return [];
  }
}

/** Pipes on Windows end with their process and cannot be listed by us: a few numbers are tried. */
const pipeNumbers = [4, 3, 2, 1];

export function socketPath({ folder }: Places, number: number, platform = process.platform): string {
  if (platform !== 'win32') return join(folder, `${number}.sock`);
  return `\\\\.\\pipe\\beckon-keeper-${ownerOf(folder)}-${number}`;
}

/** Whom to end when it does not answer. Right for as long as the socket lets connect: both are of the same process. */
export function keeperPid(places: Places, number: number): number | undefined {
  try {
    return Number(readFileSync(pidPath(places, number), 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

export function writeKeeperPid(places: Places, number: number): void {
  try {
    writeFileSync(pidPath(places, number), `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // A full disk: it works without.
  }
}

/** Nobody finds the keeper of this number any more. */
export function removeName(places: Places, number: number): void {
  // In this order: as soon as the socket is gone, the number may be another's.
  rmSync(pidPath(places, number), { force: true });
  if (process.platform !== 'win32') rmSync(socketPath(places, number), { force: true });
}

const pidPath = ({ folder }: Places, number: number): string => join(folder, `${number}.pid`);

/** Calls `use` with a path that the system takes, and that leads to `path` for as long as that lasts. */
export async function withShortPath<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
  if (process.platform === 'win32' || Buffer.byteLength(path) <= longestSocketPath) return use(path);
  // In a fresh directory of our own: a known name in a shared place could have been laid there by someone else.
  const directory = mkdtempSync(join(tmpdir(), 'beckon-'));
  const link = join(directory, 'k');
  try {
    symlinkSync(resolve(path, '..'), link);
    return await use(join(link, path.slice(path.lastIndexOf('/') + 1)));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
