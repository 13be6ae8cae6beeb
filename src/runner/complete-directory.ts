import type { Dirent } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { DirectoryQuery } from '../engine/ports/runner.ts';
import type { DirectoryChoice, DirectoryCompletion } from '../protocol/directory.ts';
import { accept, type Result } from '../protocol/errors.ts';
import { checkDirectory, fromHome, isWithin } from './directory.ts';
import { headOf } from './git-branch.ts';
import { isShowable } from './showable-name.ts';

/** A folder of 100,000 is not read to its end for a list of names. */
const mostRead = 20_000;
const mostOffered = 100;

/** The directories that may be meant by the beginning of a path, and what is known of the one that it names already. */
export async function completeDirectory(query: DirectoryQuery): Promise<Result<DirectoryCompletion>> {
  const { cwd, roots } = query;
  const path = resolve(fromHome(cwd), fromHome(query.typed));
  const isWhole = query.typed === '' || query.typed.endsWith(sep);
  const named = checkDirectory({ cwd: path, realCwd: null, roots });
  const typed = named.ok ? { typed: await described(path, true) } : {};
  const parent = isWhole ? named : checkDirectory({ cwd: dirname(path), realCwd: null, roots });
  if (!parent.ok) {
    const offered = roots.map((root) => resolve(root)).filter((root) => root.startsWith(path));
    if (offered.length === 0 && !named.ok) return parent;
    const directories = await Promise.all(offered.map((root) => described(root)));
    return accept({ ...typed, directories, isAll: true });
  }
  const { names, isAll } = await namesIn(parent.value.real, isWhole ? '' : basename(path));
  const allowed = await directoriesAmong(names, parent.value.real, roots);
  const directories = await Promise.all(
    allowed.names.map((name) => described(join(parent.value.path, name))),
  );
  return accept({ ...typed, directories, isAll: isAll && allowed.isAll });
}

/** What may be a directory and begins so, sorted. */
async function namesIn(directory: string, beginning: string): Promise<{ names: Dirent[]; isAll: boolean }> {
  const wanted = beginning.toLowerCase();
  const names: Dirent[] = [];
  let read = 0;
  try {
    for await (const entry of await opendir(directory)) {
      read += 1;
      if (read > mostRead) break;
      const fits = entry.name.toLowerCase().startsWith(wanted) && isShowable(entry.name);
      if (fits && (entry.isDirectory() || entry.isSymbolicLink())) names.push(entry);
    }
  } catch {
    // Not ours to read, or gone meanwhile: nothing is offered.
  }
  const isHidden = ({ name }: Dirent): number => Number(name.startsWith('.'));
  names.sort((a, b) => isHidden(a) - isHidden(b) || a.name.localeCompare(b.name, 'en', { numeric: true }));
  return { names, isAll: read <= mostRead };
}

/** A link counts as what it leads to, if that is a directory within the roots. */
async function directoriesAmong(
  entries: readonly Dirent[],
  parent: string,
  roots: readonly string[],
): Promise<{ names: string[]; isAll: boolean }> {
  const names: string[] = [];
  let links = 0;
  for (const entry of entries) {
    if (names.length === mostOffered || links === 5 * mostOffered) return { names, isAll: false };
    if (entry.isSymbolicLink()) {
      links += 1;
      if (!(await leadsToAllowed(join(parent, entry.name), roots))) continue;
    }
    names.push(entry.name);
  }
  return { names, isAll: true };
}

const leadsToAllowed = async (link: string, roots: readonly string[]): Promise<boolean> => {
  const real = await realpath(link).catch(() => undefined);
  if (real === undefined || !(await stat(real).catch(() => undefined))?.isDirectory()) return false;
  if (roots.length === 0) return true;
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  return realRoots.some((root) => isWithin(real, root));
};

/** With `isInside`, a directory somewhere in a repository belongs to it, too. */
async function described(path: string, isInside = false): Promise<DirectoryChoice> {
  for (let at = path; ; at = dirname(at)) {
    const head = await headOf(at);
    if (head !== undefined) {
      const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
      return { path, isRepository: true, ...(branch !== undefined && isShowable(branch) && { branch }) };
    }
    if (!isInside || at === dirname(at)) return { path, isRepository: false };
  }
}
