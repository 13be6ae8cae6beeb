import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { headOf } from '../git-branch.ts';
import type { Git, GitCall } from './git.ts';
import { checkVersion } from './git-version.ts';
import { excludesOf, type Repository, smallFile } from './repository.ts';
import { type Store, storeAt, storeSettings } from './store.ts';

/** A repository of somebody's, as it is read and given worktrees. */
export interface RepositoryGit {
  readonly repository: Repository;
  /** The same for all its worktrees. */
  readonly key: string;
  /** What its folder is called. */
  readonly name: string;
  /**
   * One of the few things that only git itself can do to the repository: its refs and the list of its worktrees. None of them looks at
   * files of a work tree, so no filter and no diff program has anything to do; hooks are off.
   */
  own(args: readonly string[], input?: string): Promise<Result<Buffer>>;
  /** On a git directory of ours that reads the repository's objects: no setting of the repository holds. */
  read(args: readonly string[], more?: Partial<GitCall>): Promise<Result<Buffer>>;
  /** The same, for whoever looks at how it ended. */
  call: Store['call'];
  /** That git directory. */
  readonly reader: string;
}

const ownCommands: ReadonlySet<string> = new Set(['for-each-ref', 'update-ref', 'worktree']);

const recentEnough = new WeakSet<Git>();

export async function openRepository(
  git: Git,
  repository: Repository,
  { dataDir, home }: { readonly dataDir: string; readonly home: string },
): Promise<Result<RepositoryGit>> {
  const { commonDir, workTree } = repository;
  if (/[\p{C}]/u.test(commonDir + workTree))
    return refuse('invalid_value', 'The path of the repository has characters that git cannot be given.');
  const key = createHash('sha256').update(commonDir).digest('hex').slice(0, 12);
  const reader = join(dataDir, 'recordings', `reader-${key}`);
  for (const folder of ['objects', 'refs', 'info'])
    await mkdir(join(reader, folder), { recursive: true, mode: 0o700 });
  const isLong = await hasLongNames(repository);
  await writeFile(join(reader, 'config'), isLong ? longNamed(storeSettings) : storeSettings);
  // Line ends and encodings are git's own work, and as the person's own checkout has them; filters are programs.
  await writeFile(join(reader, 'info/attributes'), '* !filter !diff !merge\n');
  await writeFile(join(reader, 'info/exclude'), await excludesOf(repository, { home, dataDir }));
  await writeFile(join(reader, 'HEAD'), 'ref: refs/heads/none\n');
  const objects = join(commonDir, 'objects');
  const ours: Store = storeAt(git, reader, repository);
  const theirs: Store = storeAt(git, commonDir, repository);
  const version = recentEnough.has(git) ? accept(undefined) : await checkVersion(ours);
  if (!version.ok) return version;
  recentEnough.add(git);
  return accept({
    repository,
    key,
    name: basename(basename(commonDir) === '.git' ? dirname(commonDir) : workTree),
    own(args, input) {
      const [command = ''] = args;
      if (!ownCommands.has(command)) throw new Error(`git ${command} is not run on a repository.`);
      return theirs.run(args, { isFinished: true, ...(input !== undefined && { input }) });
    },
    read: (args, more) => ours.run(args, { objects, notFrom: workTree, ...more }),
    call: (args, more) => ours.call(args, { objects, notFrom: workTree, ...more }),
    reader,
  });
}

/** Objects are named by longer digests where a repository was made so. */
async function hasLongNames({ commonDir }: Repository): Promise<boolean> {
  const settings = (await smallFile(join(commonDir, 'config')))?.toString() ?? '';
  return /^\s*objectformat\s*=\s*"?sha256"?\s*$/im.test(settings);
}

const longNamed = (settings: string): string =>
  `${settings.replace('repositoryformatversion = 0', 'repositoryformatversion = 1')}[extensions]\n\tobjectformat = sha256\n`;

export interface Ref {
  readonly name: string;
  readonly commit: string;
  /** Where it is checked out. */
  readonly worktree: string;
}

/** Branches, remote branches and tags that lead to commits, those with the newest commits first. */
export async function refsOf({ own }: RepositoryGit): Promise<Result<readonly Ref[]>> {
  // Of a tag with a message, what it leads to.
  const format =
    '%(refname)%00%(objectname)%00%(objecttype)%00%(*objectname)%00%(*objecttype)%00%(worktreepath)';
  const listed = await own([
    'for-each-ref',
    '--sort=-committerdate',
    `--format=${format}`,
    ...['refs/heads', 'refs/remotes', 'refs/tags'],
  ]);
  if (!listed.ok) return listed;
  const refs = listed.value
    .toString()
    .split('\n')
    .flatMap((line): Ref[] => {
      const [name = '', object = '', type, peeled = '', peeledType, worktree = ''] = line.split('\0');
      const commit = type === 'commit' ? object : peeledType === 'commit' ? peeled : '';
      return commit === '' ? [] : [{ name, commit, worktree }];
    });
  return accept(refs);
}

/** What is checked out in a work tree. The commit is undefined while there is none. */
export async function headIn(
  workTree: string,
  refs: readonly Ref[],
): Promise<{ readonly branch: string | null; readonly commit: string | undefined }> {
  const head = (await headOf(workTree))?.trim() ?? '';
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null;
  if (branch !== null) return { branch, commit: commitOf(refs, `refs/heads/${branch}`) };
  return { branch, commit: /^[0-9a-f]{40,64}$/.test(head) ? head : undefined };
}

export const commitOf = (refs: readonly Ref[], name: string): string | undefined =>
  refs.find((ref) => ref.name === name)?.commit;

/** The commit that a person means: a branch, a remote one, a tag, or the beginning of a commit's own name. */
export async function findCommit(
  { read }: RepositoryGit,
  refs: readonly Ref[],
  name: string,
): Promise<string | undefined> {
  for (const folder of ['refs/heads/', 'refs/remotes/', 'refs/tags/', '']) {
    const commit = commitOf(refs, `${folder}${name}`);
    if (commit !== undefined) return commit;
  }
  if (!/^[0-9a-f]{7,64}$/.test(name)) return undefined;
  const found = await read(['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
  return found.ok ? found.value.toString().trim() : undefined;
}

export async function subjectOf({ read }: RepositoryGit, commit: string): Promise<string> {
  const told = await read(['log', '-1', '--format=%s', commit]);
  return told.ok ? told.value.toString().trim().slice(0, 200) : '';
}
