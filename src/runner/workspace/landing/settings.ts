import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { accept, type Result, refuse } from '../../../protocol/errors.ts';
import type { Git } from '../git.ts';
import type { Repository } from '../repository.ts';

export interface Person {
  readonly name: string;
  readonly email: string;
}

/** The few settings of git that are looked at, as single values. */
export interface Settings {
  readonly author: Person | null;
  readonly objectFormat: string;
  readonly refStorage: string;
  readonly isBare: boolean;
  /** How files become what is stored, as settings for a call. */
  readonly conversion: readonly string[];
  readonly remotes: readonly Remote[];
  /** The remote of a branch, where one is set. */
  remoteOf(branch: string): string | undefined;
}

export interface Remote {
  readonly name: string;
  /** Where it is pushed to, as it is written down. */
  readonly url: string;
  /** Whether its branches are followed below `refs/remotes` in the usual way. */
  readonly isFollowed: boolean;
}

/** Reads the settings of the machine, the person and the repository; as with git, the later win. None of them comes into force. */
export async function readSettings(
  git: Git,
  { repository, home }: { readonly repository: Repository; readonly home: string },
): Promise<Result<Settings>> {
  const { gitDir, commonDir, workTree } = repository;
  const files = [
    '/etc/gitconfig',
    join(home, '.config', 'git', 'config'),
    join(home, '.gitconfig'),
    join(commonDir, 'config'),
    join(gitDir, 'config.worktree'),
  ].filter(existsSync);
  const values = new Map<string, string>();
  const lists = new Map<string, string[]>();
  for (const file of files) {
    // With the repository's own directory, so that the person's includes for certain directories hold.
    const args = ['config', '--file', file, '--includes', '--list', '-z'];
    const { end, output } = await git.run({ gitDir, workTree, args, environment: { HOME: home } });
    if (end === 'closed') return refuse('shutting_down');
    if (end !== 'done') return refuse('git_not_available', `git cannot read ${file}.`);
    for (const pair of output.toString('utf8').split('\0')) {
      const [name = '', ...value] = pair.split('\n');
      const key = name.replace(/^[^.]*|[^.]*$/g, (part) => part.toLowerCase());
      values.set(key, value.join('\n'));
      lists.set(key, [...(lists.get(key) ?? []), value.join('\n')]);
    }
  }
  return accept(settingsIn(values, lists));
}

function settingsIn(
  values: ReadonlyMap<string, string>,
  lists: ReadonlyMap<string, readonly string[]>,
): Settings {
  const name = plain(values.get('user.name'));
  const email = plain(values.get('user.email'));
  const names = [...values.keys()].flatMap((key) => /^remote\.(.+)\.(?:push)?url$/.exec(key)?.[1] ?? []);
  return {
    author: name === '' || email === '' ? null : { name, email },
    objectFormat: values.get('extensions.objectformat') ?? 'sha1',
    refStorage: values.get('extensions.refstorage') ?? 'files',
    isBare: values.get('core.bare') === 'true',
    conversion: Object.entries(conversions).flatMap(([key, allowed]) => {
      const value = values.get(key)?.toLowerCase();
      return value !== undefined && allowed.includes(value) ? [`${key}=${value}`] : [];
    }),
    remotes: [...new Set(names)].map((remote) => ({
      name: remote,
      url: values.get(`remote.${remote}.pushurl`) ?? values.get(`remote.${remote}.url`) ?? '',
      isFollowed: (lists.get(`remote.${remote}.fetch`) ?? []).includes(
        `+refs/heads/*:refs/remotes/${remote}/*`,
      ),
    })),
    remoteOf: (branch) => values.get(`branch.${branch}.pushremote`) ?? values.get(`branch.${branch}.remote`),
  };
}

/** Without what git leaves out of a name, so that what is shown is what is written. */
const plain = (text = ''): string =>
  text.replaceAll(/[<>\p{Cc}]/gu, '').replaceAll(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, '');

const isOrNot = ['true', 'false'];
const conversions: Readonly<Record<string, readonly string[]>> = {
  'core.autocrlf': [...isOrNot, 'input'],
  'core.eol': ['lf', 'crlf', 'native'],
  'core.filemode': isOrNot,
  'core.symlinks': isOrNot,
  'core.ignorecase': isOrNot,
  'core.precomposeunicode': isOrNot,
};
