import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accept, type Result, refuse } from '../../../protocol/errors.ts';
import type { Uncommitted, UncommittedFile } from '../../../protocol/landing.ts';
import { emptyTree } from '../commit.ts';
import { bytesOf, type PathBytes, partsIn, toldPath } from '../path-bytes.ts';
import { coversPath, type Recording } from '../store.ts';
import { readHead, underWay } from './refs.ts';
import { type RepositoryGit, withScratch } from './repository-git.ts';
import type { Person } from './settings.ts';

const mostFiles = 5_000;

/** What differs between the last commit and the files, as a commit would have it: with line ends as the repository stores them. */
export async function readUncommitted(
  git: RepositoryGit,
  { recording, excludes }: { readonly recording: Recording; readonly excludes: string },
): Promise<Result<Uncommitted>> {
  const { repository, settings } = git;
  const head = await readHead(repository);
  const found = await withScratch(git, async (folder) => {
    const index = join(folder, 'index');
    const copied = await copyIndex(git, index);
    if (!copied.ok) return copied;
    const changed = await trackedChanges(git, index, head.commit);
    if (!changed.ok) return changed;
    const others = await git.run(
      ['ls-files', '--others', `--exclude-from=${excludes}`, '--exclude-per-directory=.gitignore', '-z'],
      { index },
    );
    if (!others.ok) return others;
    const files = changed.value;
    // A folder among them is a repository of its own.
    for (const path of (await partsIn(others.value)).filter((one) => !one.endsWith('/')))
      files.set(path, { kind: files.has(path) ? 'modified' : 'added', added: null, removed: null });
    const filtered = await filteredPaths(git, [...files.keys()]);
    return filtered.ok ? accept({ files, filtered: filtered.value }) : filtered;
  });
  if (!found.ok) return found;
  const { files, filtered } = found.value;
  const isUnknown = coversPath(recording.unrecorded);
  const told = [...files].map(
    ([path, file]): UncommittedFile => ({
      path: toldPath(path),
      ...file,
      ...(filtered.has(path) ? { blocked: 'filter' } : isUnknown(path) ? { blocked: 'unrecorded' } : {}),
    }),
  );
  told.sort((one, other) => (one.path < other.path ? -1 : 1));
  return accept({
    recording: recording.id,
    head: head.commit,
    branch: head.branch,
    author: settings.author === null ? null : authorLine(settings.author),
    underWay: underWay(repository),
    files: told.slice(0, mostFiles),
    isAll: told.length <= mostFiles,
  });
}

export const authorLine = ({ name, email }: Person): string => `${name} <${email}>`;

/** The person's own index as it is, in a file of ours, with what it knows of the files brought up to date. */
export async function copyIndex(
  git: RepositoryGit,
  to: string,
  { gitDir, workTree } = git.repository,
): Promise<Result<void>> {
  await copyFile(join(gitDir, 'index'), to).catch(() => undefined);
  const { end } = await git.call(['update-index', '-q', '--refresh'], { index: to, workTree });
  if (end === 'done') return accept(undefined);
  // It also fails for files that differ; one that cannot be read fails here, too.
  const readable = await git.call(['ls-files', '-z', '--stage', '--', '.gitattributes'], {
    index: to,
    workTree,
  });
  if (readable.end === 'done') return accept(undefined);
  return readable.end === 'closed'
    ? refuse('shutting_down')
    : refuse(
        'commit_refused',
        'The index of the repository cannot be read, as when it is kept in two files.',
      );
}

type Found = Pick<UncommittedFile, 'kind' | 'added' | 'removed'>;

async function trackedChanges(
  git: RepositoryGit,
  index: string,
  head: string | null,
): Promise<Result<Map<PathBytes, Found>>> {
  const tree = head ?? emptyTree;
  const raw = await git.run(['diff-index', '-z', '--raw', '--no-renames', tree], { index });
  if (!raw.ok) return raw;
  const counted = await git.run(['diff-index', '-z', '--numstat', '--no-renames', tree], { index });
  if (!counted.ok) return counted;
  const files = new Map<PathBytes, Found>();
  const parts = await partsIn(raw.value);
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, before = '', after = '', status = ''] =
      /^:(\d+) (\d+) [0-9a-f]+ [0-9a-f]+ ([A-Z])/.exec(parts[at] ?? '') ?? [];
    const path = parts[at + 1];
    const isLink = before === '160000' || after === '160000';
    if (path !== undefined && !isLink)
      files.set(path, { kind: kinds[status] ?? 'modified', added: null, removed: null });
  }
  for (const line of await partsIn(counted.value)) {
    const [, added = '-', removed = '-', name = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(line) ?? [];
    const file = files.get(name as PathBytes);
    if (file !== undefined && added !== '-')
      files.set(name as PathBytes, { ...file, added: Number(added), removed: Number(removed) });
  }
  return accept(files);
}

const kinds: Readonly<Record<string, Found['kind']>> = { A: 'added', D: 'deleted', M: 'modified', T: 'type' };

/** The paths that a program of the repository's choice would have to change before they are stored. */
export async function filteredPaths(
  git: RepositoryGit,
  paths: readonly PathBytes[],
  more: Parameters<RepositoryGit['run']>[1] & { readonly cached?: true } = {},
): Promise<Result<ReadonlySet<PathBytes>>> {
  if (paths.length === 0) return accept(new Set());
  const { cached, ...rest } = more;
  const args = ['check-attr', ...(cached ? ['--cached'] : []), '-z', '--stdin', 'filter'];
  const told = await git.run(args, { ...rest, input: bytesOf(`${paths.join('\0')}\0`) });
  if (!told.ok) return told;
  const parts = await partsIn(told.value);
  const filtered = new Set<PathBytes>();
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [path, value] = [parts[at], parts[at + 2] as string];
    if (path !== undefined && value !== 'unspecified' && value !== 'unset') filtered.add(path);
  }
  return accept(filtered);
}
