import { realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { accept, type Result, refuse } from '../protocol/errors.ts';

/** The directory to work in, if it exists and lies in one of the roots. Links are followed first, so that none leads out. */
export async function checkDirectory(cwd: string, roots: readonly string[]): Promise<Result<string>> {
  const path = resolve(cwd);
  const real = await realDirectory(path);
  if (real === undefined) {
    return refuse('directory_not_found', `There is no directory "${path}".`, { field: 'cwd' });
  }
  if (roots.length === 0) return accept(path);
  const realRoots = await Promise.all(roots.map((root) => realDirectory(resolve(root))));
  const inside = realRoots.some((root) => root !== undefined && isWithin(real, root));
  return inside
    ? accept(path)
    : refuse('directory_not_allowed', `"${path}" lies outside the configured roots.`, { field: 'cwd' });
}

async function realDirectory(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

const isWithin = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
