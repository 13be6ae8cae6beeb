import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isLocked } from '../log/directory-lock.ts';
import { Failure } from './failure.ts';
import { readServerFile, type ServerFile } from './server-file.ts';

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
