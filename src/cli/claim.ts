import { realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type DirectoryLock, tryLock } from '../log/directory-lock.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { Failure } from './failure.ts';
import { nameless } from './running-server.ts';
import { readServerFile, removeServerFile } from './server-file.ts';

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
