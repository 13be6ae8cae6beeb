import { realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { accept, type Result, refuse } from '../protocol/errors.ts';

interface Directory {
  /** As it was given. */
  readonly path: string;
  /** Where that leads, with all links followed. */
  readonly real: string;
}

/** The directory to work in, if it exists and lies in one of the roots. Links are followed first, so that none leads out. */
export function checkDirectory(cwd: string, roots: readonly string[]): Result<Directory> {
  const path = resolve(cwd);
  const real = realDirectory(path);
  if (real === undefined) {
    return refuse('directory_not_found', `There is no directory "${path}".`, { field: 'cwd' });
  }
  if (roots.length === 0 || roots.some((root) => isWithin(real, realDirectory(resolve(root)))))
    return accept({ path, real });
  return refuse('directory_not_allowed', `"${path}" lies outside the configured roots.`, { field: 'cwd' });
}

/**
 * Where to start the agent of a session that was made before: roots may have been narrowed since, and a link in its path may have
 * been turned. With roots it is the real path, so that no link can be turned between this check and the start.
 */
export function checkAgain(
  { cwd, realCwd }: { readonly cwd: string; readonly realCwd: string | null },
  roots: readonly string[],
): Result<string> {
  const now = checkDirectory(cwd, roots);
  if (!now.ok) return now;
  if (roots.length === 0) return accept(cwd);
  if (realCwd === null || realCwd === now.value.real) return accept(now.value.real);
  return refuse(
    'directory_not_allowed',
    `"${cwd}" led to "${realCwd}" when the session was made, and leads to "${now.value.real}" now.`,
    { field: 'cwd' },
  );
}

function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

const isWithin = (path: string, root: string | undefined): boolean =>
  root !== undefined && (path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
