import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLock } from '../../log/directory-lock.ts';
import { Failure } from '../failure.ts';

export interface Workshop {
  readonly path: string;
  /** Lets go of it and leaves it where it is. */
  release(): void;
  /** Removes it. */
  clear(): Promise<void>;
}

/** A directory beside what is made in it, for this process alone. What an earlier one that was killed left there is removed. */
export async function openWorkshop(path: string): Promise<Workshop> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const lock = tryLock(path);
  if (lock === undefined) throw new Failure(`another command is at work in ${path}`);
  for (const name of await readdir(path))
    if (name !== lockName) await rm(join(path, name), { recursive: true, force: true });
  return {
    path,
    release: () => lock.release(),
    async clear() {
      await rm(path, { recursive: true, force: true });
      lock.release();
    },
  };
}

/** What `tryLock` makes in a directory; it is all that a command which only looked for a server leaves in an empty one. */
export const lockName = 'server.lock';

/** So that a name is on the disk before anyone relies on it. Where a directory cannot be opened, as on Windows, the system sees to it. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => undefined);
  if (directory === undefined) return;
  await directory.sync().catch(() => undefined);
  await directory.close();
}
