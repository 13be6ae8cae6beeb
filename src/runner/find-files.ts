import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilesSearch } from '../engine/ports/runner.ts';
import { bestMatches } from '../model/file-match.ts';
import type { FoundFiles } from '../protocol/directory.ts';
import { accept, type Result } from '../protocol/errors.ts';
import { checkDirectory } from './directory.ts';
import type { FileListing, ListTracked } from './ports/file-listing.ts';
import { isShowable } from './showable-name.ts';

const longestMs = 3_000;
/** A list serves the next letters that are typed, too. */
const freshMs = 5_000;
const mostLists = 4;

/** Finds files of sessions' directories by a part of their path, without what git ignores. */
export function fileFinder(
  listTracked: ListTracked,
  mostWalked = 20_000,
): (search: FilesSearch) => Promise<Result<FoundFiles>> {
  const recent = new Map<string, { readonly at: number; readonly listing: Promise<FileListing> }>();

  function listingOf(directory: string): Promise<FileListing> {
    const known = recent.get(directory);
    if (known !== undefined && performance.now() - known.at < freshMs) return known.listing;
    const listing = list(directory, listTracked, mostWalked);
    recent.delete(directory);
    recent.set(directory, { at: performance.now(), listing });
    for (const oldest of recent.keys()) if (recent.size > mostLists) recent.delete(oldest);
    return listing;
  }

  return async ({ typed, most, ...place }) => {
    const checked = checkDirectory(place);
    if (!checked.ok) return checked;
    const { paths, isAll } = await listingOf(checked.value.real);
    return accept({ files: await existing(checked.value.real, bestMatches(paths, typed), most), isAll });
  };
}

/** Git lists what was removed, and submodules as if they were files. */
async function existing(directory: string, paths: readonly string[], most: number): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths.slice(0, 10 * most)) {
    if (files.length === most) break;
    const found = await lstat(join(directory, path)).catch(() => undefined);
    if (found?.isFile() || found?.isSymbolicLink()) files.push(path);
  }
  return files;
}

/** Sorted: those in fewer folders first. */
async function list(directory: string, listTracked: ListTracked, mostWalked: number): Promise<FileListing> {
  const { paths, isAll } = (await listTracked(directory)) ?? (await walked(directory, mostWalked));
  const depth = (path: string): number => path.split('/').length;
  const sorted = paths
    .filter((path) => !path.endsWith('/') && isShowable(path))
    .map((path) => ({ path, depth: depth(path) }))
    .sort((a, b) => a.depth - b.depth || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
  return { paths: [...new Set(sorted)], isAll };
}

/** Links are not followed: they lead elsewhere, or round and round. */
async function walked(directory: string, most: number): Promise<FileListing> {
  const until = performance.now() + longestMs;
  const paths: string[] = [];
  const ahead = [''];
  let seen = 0;
  for (let folder = ahead.shift(); folder !== undefined; folder = ahead.shift()) {
    const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      seen += 1;
      if (seen > most || performance.now() > until) return { paths, isAll: false };
      if (entry.isDirectory() && !unwalked.has(entry.name)) ahead.push(`${folder}${entry.name}/`);
      else if (entry.isFile()) paths.push(`${folder}${entry.name}`);
    }
  }
  return { paths, isAll: true };
}

const unwalked: ReadonlySet<string> = new Set(['.git', 'node_modules']);
