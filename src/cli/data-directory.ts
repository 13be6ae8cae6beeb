import { existsSync } from 'node:fs';
import { mkdir, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type DirectoryLock, isLocked, tryLock } from '../log/directory-lock.ts';
import { messageOf } from '../protocol/errors.ts';
import { Failure } from './failure.ts';
import { readSecretFile, writeSecretFile } from './secret-files.ts';
import { IsolationReport } from './server-lines.ts';

/** Makes the data directory, and takes it for this process; or fails with the address of the server that has it. */
export async function claimDataDirectory(dataDir: string, patienceMs = 5_000): Promise<DirectoryLock> {
  await prepareDataDirectory(dataDir);
  const path = await realpath(dataDir);
  // Not even tried: on POSIX, closing a file lets go of all locks that the same process has on it.
  if (ours.has(path)) throw new Failure(`this program has ${dataDir} open already`);
  ours.add(path);
  try {
    return asOurs(path, await lockOf(dataDir, patienceMs));
  } catch (error) {
    ours.delete(path);
    throw error;
  }
}

async function lockOf(dataDir: string, patienceMs: number): Promise<DirectoryLock> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const lock = tryLock(dataDir);
    if (lock !== undefined) {
      // What a killed server left would name an address that is nobody's, or by now somebody else's.
      await removeServerFile(dataDir);
      return lock;
    }
    const other = await readServerFile(dataDir);
    if (other !== undefined && isAlive(other.pid)) {
      throw new Failure(`a server already runs on ${dataDir}: ${other.url} (process ${other.pid})`);
    }
    if (Date.now() > deadline) {
      throw new Failure(nameless(dataDir));
    }
    await delay(50);
  }
}

/** The directories that this process has. */
const ours = new Set<string>();

const asOurs = (path: string, lock: DirectoryLock): DirectoryLock => ({
  release() {
    ours.delete(path);
    lock.release();
  },
});

/** A file left by a killed server may still be there in the moment in which its successor takes the lock. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Makes the directory for one person's eyes. One that is there already keeps its mode: it may be shared on purpose, and every secret in it is a file of mode 0600. */
async function prepareDataDirectory(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Failure(`the data directory ${dir} cannot be made: ${messageOf(error)}`);
  }
  if (!(await stat(dir)).isDirectory()) throw new Failure(`the data directory ${dir} is no directory`);
}

const startPatienceMs = 5_000;

/** The server of a data directory, if one runs there. A killed one leaves its file behind: whoever has its port now must not get our token. */
export async function runningServer(dataDir: string): Promise<ServerFile | undefined> {
  return isTaken(dataDir) ? readServerFile(dataDir) : undefined;
}

/** The same, once a server that is about to start or to end has done so. */
export async function settledServer(dataDir: string): Promise<ServerFile | undefined> {
  const deadline = Date.now() + startPatienceMs;
  for (;;) {
    const server = await runningServer(dataDir);
    if (server !== undefined || !isTaken(dataDir) || Date.now() > deadline) return server;
    await delay(50);
  }
}

/** Signals the server and waits for its end; false when it goes on after that. */
export async function endServer(
  dataDir: string,
  { pid, isEmbedded }: ServerFile,
  signal: NodeJS.Signals,
  patienceMs: number,
): Promise<boolean> {
  if (isEmbedded)
    throw new Failure(`the server on ${dataDir} is part of another program (process ${pid}): end that`);
  signalServer(pid, signal);
  const deadline = Date.now() + patienceMs;
  while (isTaken(dataDir)) {
    if (Date.now() > deadline) return false;
    await delay(50);
  }
  return true;
}

export const isTaken = (dataDir: string): boolean => existsSync(dataDir) && isLocked(dataDir);

/** Why nothing can be said of the server that has the directory, or asked of it. */
export const nameless = (dataDir: string): string =>
  `another server has ${dataDir} and tells no address: it is about to start or to end, or is part of a program that does not listen`;

function signalServer(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** How the terminal client finds the server of a data directory. What else is wrong in it, but address and process, is left out. */
const ServerFile = z.object({
  url: z.string(),
  /** What it is bound to, which the url does not always tell. */
  host: z.string().optional().catch(undefined),
  /** Where people reach it from elsewhere. */
  publicUrl: z.string().optional().catch(undefined),
  pid: z.number(),
  /** Who decides there, for the one that is started in its place. */
  decide: z.string().optional().catch(undefined),
  /** The file by which it has its other machines, for the one that is started in its place. */
  cluster: z.string().optional().catch(undefined),
  /** The process is another program's, which has the server in it: no command may end it. */
  isEmbedded: z.boolean().optional().catch(undefined),
  startedAt: z.string().catch(''),
  isolation: IsolationReport.optional().catch(undefined),
});
export type ServerFile = z.infer<typeof ServerFile>;

const serverPath = (dataDir: string): string => join(dataDir, 'server.json');

export function writeServerFile(dataDir: string, content: ServerFile): Promise<void> {
  return writeSecretFile(serverPath(dataDir), `${JSON.stringify(content, null, 2)}\n`);
}

export function removeServerFile(dataDir: string): Promise<void> {
  return rm(serverPath(dataDir), { force: true });
}

/** What the file says, if it is there and whole; whether that server still lives, only the lock can tell. */
async function readServerFile(dataDir: string): Promise<ServerFile | undefined> {
  const text = await readSecretFile(serverPath(dataDir));
  if (text === undefined) return undefined;
  try {
    return ServerFile.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The port of the server before, which agents that live on and open pages know. */
export async function readLastPort(dataDir: string): Promise<number | undefined> {
  const port = Number(await readSecretFile(join(dataDir, 'port')));
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
}

export const writeLastPort = (dataDir: string, port: number): Promise<void> =>
  writeSecretFile(join(dataDir, 'port'), `${port}\n`);
