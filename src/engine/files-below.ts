import { readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** A look at what is there, not a search through a whole disk. */
const mostLookedAt = 3_000;

export interface FilesBelow {
  /** Files, and what `isClosed` kept the look out of; nearest first. Links are left out: they lead elsewhere. */
  readonly paths: readonly string[];
  readonly isAll: boolean;
}

/** The files below a directory, if it lies in the session's own. */
export async function filesBelow(
  directory: string,
  cwd: string,
  isClosed: (directory: string) => boolean,
): Promise<FilesBelow | undefined> {
  const [start, home] = await Promise.all([realOf(directory), realOf(cwd)]);
  if (start === undefined || home === undefined || !`${start}${sep}`.startsWith(`${home}${sep}`))
    return undefined;
  const paths: string[] = [];
  const ahead = [start];
  for (let next = ahead.shift(); next !== undefined; next = ahead.shift()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(next, entry.name);
      if (entry.isDirectory() && !isClosed(path)) ahead.push(path);
      else if (!entry.isSymbolicLink()) paths.push(path);
      if (paths.length + ahead.length > mostLookedAt) return { paths, isAll: false };
    }
  }
  return { paths, isAll: true };
}

const realOf = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined);
