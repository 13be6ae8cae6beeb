import { setTimeout as delay } from 'node:timers/promises';
import { type DirectoryLock, tryLock } from '../log/directory-lock.ts';
import { Failure } from './failure.ts';
import { readServerFile, removeServerFile } from './server-file.ts';

/** Takes the data directory for this process, or fails with the address of the server that has it. */
export async function claimDataDirectory(dataDir: string, patienceMs = 5_000): Promise<DirectoryLock> {
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
      throw new Failure(
        `another server has ${dataDir} and is still starting or ending; try again in a moment`,
      );
    }
    await delay(50);
  }
}

/** A file left by a killed server may still be there in the moment in which its successor takes the lock. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
