import { constants, mkdirSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import type { WorktreeNotes } from '../../protocol/worktree.ts';
import { type PathBytes, partsIn, toldPath } from './path-bytes.ts';
import { looker, placeOf } from './recording.ts';
import type { RepositoryGit } from './repository-git.ts';

export interface Filling {
  readonly path: string;
  /** Where git keeps what concerns this worktree. */
  readonly adminDir: string;
  readonly commit: string;
}

/** Writes the files of a commit, and the index that goes with them. Filters do not run: what they would fetch stays a pointer. */
export async function fillWorktree(
  { read }: RepositoryGit,
  { path, adminDir, commit }: Filling,
): Promise<Result<Pick<WorktreeNotes, 'submodules' | 'filters'>>> {
  const there = { workTree: path, index: join(adminDir, 'index'), longestMs: 10 * 60_000 };
  const written = await read(['read-tree', '-m', '-u', commit], there);
  if (!written.ok) {
    return written.refusal.code === 'shutting_down'
      ? written
      : refuse(
          'git_not_available',
          'git could not write the files of the base: some may not be there, or have names that this system cannot have.',
        );
  }
  const listed = await read(['ls-files', '--stage', '-z'], there);
  if (!listed.ok) return listed;
  const entries = await partsIn(listed.value);
  const filters = new Set<string>();
  for (const entry of entries.filter((line) => /(?:\t|\/)\.gitattributes$/.test(line)).slice(0, 100)) {
    const [, blob = ''] = entry.split(' ');
    const text = await read(['cat-file', 'blob', blob], { mostBytes: 1024 * 1024 });
    if (!text.ok) continue;
    for (const [, name = ''] of text.value.toString().matchAll(/^\s*[^#\s].*\sfilter=([\w.-]{1,50})/gm))
      filters.add(name);
  }
  return accept({
    submodules: entries.filter((line) => line.startsWith('160000 ')).length,
    filters: [...filters].sort(),
  });
}

/** What comes along is meant to be a few files with settings. */
const mostFiles = 2_000;
const mostBytes = 200 * 1024 * 1024;
const mostFileBytes = 50 * 1024 * 1024;
const mostTold = 50;

/**
 * Copies the ignored files that the project names. Only ignored ones: what is tracked is there already, and what is neither is
 * somebody's work. No link is followed, at neither end.
 */
export async function copyIncluded(
  { repository, read, reader }: RepositoryGit,
  path: string,
  patterns: readonly string[],
  { overlooksExisting = false } = {},
): Promise<Result<Pick<WorktreeNotes, 'copied' | 'left'>>> {
  if (patterns.length === 0) return accept({ copied: 0, left: [] });
  const list = join(reader, 'include');
  await writeFile(list, `${patterns.join('\n')}\n`);
  const there = { workTree: repository.workTree, index: join(repository.gitDir, 'index') };
  const named = await read(['ls-files', '--others', '--ignored', `--exclude-from=${list}`, '-z'], there);
  if (!named.ok) return named;
  const files = (await partsIn(named.value)).filter((name) => !name.endsWith('/'));
  if (files.length === 0) return accept({ copied: 0, left: [] });
  const ignored = await read([...ignoredEntries, '-z'], there);
  if (!ignored.ok) return ignored;
  const isIgnored = coversPaths(await partsIn(ignored.value));
  const left: string[] = [];
  const found = looker(repository.workTree);
  let [copied, bytes] = [0, 0];
  const lies = looker(path);
  for (const name of files.filter(isIgnored)) {
    if (overlooksExisting && lies(name) !== undefined) continue;
    const { size = 0 } = found(name) ?? {};
    const isWithin = copied < mostFiles && size <= mostFileBytes && bytes + size <= mostBytes;
    if (isWithin && found(name)?.isFile() === true && (await copyFile(repository.workTree, path, name))) {
      copied += 1;
      bytes += size;
    } else if (left.length < mostTold) left.push(toldPath(name));
  }
  return accept({ copied, left });
}

/** What git lists what is ignored with: files, and folders as a whole. */
export const ignoredEntries = [
  ...['ls-files', '--others', '--ignored', '--exclude-standard'],
  ...['--directory', '--no-empty-directory'],
];

function coversPaths(entries: readonly PathBytes[]): (path: PathBytes) => boolean {
  const listed = new Set<string>(entries);
  return (path) => {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      if (listed.has(path.slice(0, at + 1))) return true;
    return listed.has(path);
  };
}

async function copyFile(from: string, to: string, name: PathBytes): Promise<boolean> {
  if (/(?:^|\/)\.git(?:\/|$)/i.test(name) || !makeFolders(to, name)) return false;
  const source = await open(
    placeOf(from, name),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch(() => undefined);
  try {
    const stat = await source?.stat();
    if (source === undefined || !stat?.isFile() || stat.size > mostFileBytes) return false;
    await writeFile(placeOf(to, name), await source.readFile(), { flag: 'wx', mode: stat.mode & 0o777 });
    return true;
  } catch {
    return false;
  } finally {
    await source?.close();
  }
}

/** The base may have a link where the person's own tree has a folder: nothing is written through it. */
function makeFolders(top: string, name: PathBytes): boolean {
  const parts = name.split('/').slice(0, -1);
  for (let count = 1; count <= parts.length; count += 1) {
    const folder = parts.slice(0, count).join('/') as PathBytes;
    const found = looker(top)(folder);
    if (found === undefined) {
      try {
        mkdirSync(placeOf(top, folder));
      } catch {
        return false;
      }
    } else if (!found.isDirectory()) return false;
  }
  return true;
}
