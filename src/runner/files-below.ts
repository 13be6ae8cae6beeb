import { readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { FilesBelow, FilesQuery } from '../engine/ports/runner.ts';
import { isSensitive } from '../model/sensitive-files.ts';

/** A look at what is there, not a search through a whole disk. */
const mostLookedAt = 3_000;

/** The files below a directory, if it lies in the session's own. */
export async function filesBelow({ directory, cwd, readOnly }: FilesQuery): Promise<FilesBelow | undefined> {
  const [start, home] = await Promise.all([realOf(directory), realOf(cwd)]);
  if (start === undefined || home === undefined || !`${start}${sep}`.startsWith(`${home}${sep}`))
    return undefined;
  const paths: string[] = [];
  const sensitive: string[] = [];
  const found = (isAll: boolean): FilesBelow => ({ paths, sensitive, isAll });
  const ahead = [start];
  for (let next = ahead.shift(); next !== undefined; next = ahead.shift()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(next, entry.name);
      const isClosed = isSensitive(join(path, 'any-file'), readOnly);
      if (entry.isDirectory() && !isClosed) ahead.push(path);
      else if (!entry.isSymbolicLink()) {
        paths.push(path);
        if (isClosed || isSensitive(path, readOnly)) sensitive.push(path);
      }
      if (paths.length + ahead.length > mostLookedAt) return found(false);
    }
  }
  return found(true);
}

const realOf = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined);
