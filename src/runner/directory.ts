import { realpathSync, statSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve, sep } from 'node:path';
import type { Directory, FilesBelow, FilesQuery } from '../engine/ports/runner.ts';
import type { WorkPlace } from '../engine/ports/workspace.ts';
import { isSensitive } from '../model/sensitive-files.ts';
import { accept, type Result, refuse } from '../protocol/errors.ts';

/**
 * The directory to work in, if it exists and lies in one of the roots. Links are followed first, so that none leads out; with roots,
 * none may have been turned since the session was made.
 */
export function checkDirectory({ cwd, realCwd, roots }: WorkPlace): Result<Directory> {
  const path = resolve(fromHome(cwd));
  const real = realDirectory(path);
  if (real === undefined) {
    return refuse('directory_not_found', `There is no directory "${path}".`, { field: 'cwd' });
  }
  const directory = { path, real, name: basename(path) };
  if (roots.length === 0) return accept(directory);
  if (!roots.some((root) => isWithin(real, realDirectory(resolve(root)))))
    return refuse('directory_not_allowed', `"${path}" lies outside the configured roots.`, { field: 'cwd' });
  if (realCwd === null || realCwd === real) return accept(directory);
  return refuse(
    'directory_not_allowed',
    `"${cwd}" led to "${realCwd}" when the session was made, and leads to "${real}" now.`,
    { field: 'cwd' },
  );
}

/** On another machine no shell has said where `~` is. */
export const fromHome = (path: string): string =>
  path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;

/** Where to start an agent. With roots it is the real path, so that no link can be turned between the check and the start. */
export function startDirectory(place: WorkPlace): Result<string> {
  const checked = checkDirectory(place);
  if (!checked.ok) return checked;
  return accept(place.roots.length === 0 ? place.cwd : checked.value.real);
}

function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

export const isWithin = (path: string, root: string | undefined): boolean =>
  root !== undefined && (path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));

/** A look at what is there, not a search through a whole disk. */
const mostLookedAt = 3_000;

/** The files below a directory, if it lies in the session's own. */
export async function filesBelow({ directory, cwd, readOnly }: FilesQuery): Promise<FilesBelow | undefined> {
  const [start, home] = await Promise.all([realOf(directory), realOf(cwd)]);
  if (start === undefined || !isWithin(start, home)) return undefined;
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
