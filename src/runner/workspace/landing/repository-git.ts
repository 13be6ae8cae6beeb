import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accept, type Result, refuse } from '../../../protocol/errors.ts';
import type { Git, GitCall, GitOutcome } from '../git.ts';
import { checkVersion, type GitVersion } from '../git-version.ts';
import { type Repository, smallFile } from '../repository.ts';
import { endGitOn } from '../store.ts';
import { readSettings, type Settings } from './settings.ts';

type More = Partial<Omit<GitCall, 'args' | 'gitDir'>> & {
  /** New objects go into this folder, and the repository's are only read. */
  readonly scratch?: string;
};

/**
 * Git on the objects of a repository, with a git directory of ours: its settings, hooks and refs are not there. Each ref is moved with
 * the repository's own directory, by `update-ref` alone.
 */
export interface RepositoryGit {
  readonly repository: Repository;
  readonly gitDir: string;
  readonly settings: Settings;
  /** Of git itself. */
  readonly version: GitVersion;
  run(args: readonly string[], more?: More): Promise<Result<Buffer>>;
  call(args: readonly string[], more?: More): Promise<GitOutcome>;
  /** Moves a ref if it still is where it was; `from` null where it must not be there. */
  moveRef(move: RefMove): Promise<Result<void>>;
  /** Names a remote in our own settings. */
  setRemote(name: string, url: string): Promise<void>;
  /** Sets what is known of a remote's branch. */
  followRef(ref: string, to: string): Promise<void>;
}

export interface RefMove {
  readonly ref: string;
  readonly from: string | null;
  readonly to: string;
  /** For the log of refs. */
  readonly reason: string;
}

export const repositoryGitDir = (dataDir: string, { commonDir }: Repository): string =>
  join(dataDir, 'repositories', createHash('sha256').update(commonDir).digest('hex').slice(0, 32));

/** Refuses, in words, what cannot be worked with. */
export async function openRepositoryGit(
  git: Git,
  { repository, gitDir, home }: { repository: Repository; gitDir: string; home: string },
): Promise<Result<RepositoryGit>> {
  // How lines end is part of what is committed. A filter that it names is not there to be run.
  const attributes = await smallFile(join(repository.commonDir, 'info/attributes'));
  await writeFile(join(gitDir, 'info/attributes'), attributes ?? '');
  const settings = await readSettings(git, { repository, home });
  if (!settings.ok) return settings;
  const { objectFormat, refStorage } = settings.value;
  if (objectFormat !== 'sha1' || refStorage !== 'files')
    return refuse(
      'commit_refused',
      'The repository is kept in a way (SHA-256, reftable) that is not written here.',
    );
  const objects = join(repository.commonDir, 'objects');
  const shallow = join(repository.commonDir, 'shallow');
  const identity = identityOf(settings.value);

  const call = (args: readonly string[], { scratch, environment, settings: more = [], ...rest }: More = {}) =>
    git.run({
      gitDir,
      workTree: repository.workTree,
      args,
      settings: [...settings.value.conversion, ...more],
      ...rest,
      environment: {
        GIT_OBJECT_DIRECTORY: scratch ?? objects,
        ...(scratch !== undefined && { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(objects) }),
        ...(existsSync(shallow) && { GIT_SHALLOW_FILE: shallow }),
        ...identity,
        ...environment,
      },
    });
  const run: RepositoryGit['run'] = async (args, more) => outcomeOf(args, await call(args, more));
  const version = await checkVersion({ run });
  if (!version.ok) return version;
  return accept({
    repository,
    gitDir,
    settings: settings.value,
    version: version.value,
    run,
    call,
    moveRef,
    followRef,
    setRemote,
  });

  function setRemote(name: string, url: string): Promise<void> {
    const value = url.replaceAll(/["\\\n]/g, (letter) => (letter === '\n' ? '' : `\\${letter}`));
    return writeFile(join(gitDir, 'config'), `${ownSettings}[remote "${name}"]\n\turl = "${value}"\n`);
  }

  async function followRef(ref: string, to: string): Promise<void> {
    const { workTree, gitDir: own } = repository;
    await git.run({
      gitDir: own,
      workTree,
      args: ['update-ref', '-m', 'update by push', ref, to],
      environment: identity,
    });
  }

  async function moveRef({ ref, from, to, reason }: RefMove): Promise<Result<void>> {
    const args = [
      'update-ref',
      '--create-reflog',
      '-m',
      reason.slice(0, 200),
      ref,
      to,
      from ?? '0'.repeat(40),
    ];
    const { workTree, gitDir: own } = repository;
    const moved = await git.run({ gitDir: own, workTree, args, environment: identity });
    if (moved.end === 'done') return accept(undefined);
    return moved.end === 'failed'
      ? refuse('changes_moved', `${ref} was moved meanwhile, or is locked.`)
      : (outcomeOf(args, moved) as Result<never>);
  }
}

function outcomeOf(args: readonly string[], { end, output }: GitOutcome): Result<Buffer> {
  if (end === 'done') return accept(output);
  return end === 'closed'
    ? refuse('shutting_down')
    : refuse('git_not_available', `git ${args[0]} did not do what it was to do.`);
}

/** Whoever asks is who commits. */
function identityOf({ author }: Settings): Record<string, string> {
  if (author === null) return {};
  const { name, email } = author;
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

/** Objects that only a preview needs, and what else is of one call alone, in a folder that is gone afterwards. */
export async function withScratch<T>(
  { gitDir }: Pick<RepositoryGit, 'gitDir'>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(gitDir, 'scratch-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As git reads a list of paths: one in quotes may have a colon in it. */
const quoted = (path: string): string => `"${path.replaceAll(/["\\]/g, (letter) => `\\${letter}`)}"`;

/** Makes the directory what git takes for one of its own; once, for it ends what a killed server left at work there. */
export async function prepareRepositoryGit(gitDir: string): Promise<void> {
  for (const folder of ['objects', 'refs', 'info'])
    await mkdir(join(gitDir, folder), { recursive: true, mode: 0o700 });
  await endGitOn(gitDir);
  for (const name of await readdir(gitDir))
    if (/\.lock$|^scratch-|^index\.next/.test(name))
      await rm(join(gitDir, name), { recursive: true, force: true });
  await writeFile(join(gitDir, 'config'), ownSettings);
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
}

const ownSettings = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n';
