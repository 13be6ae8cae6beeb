import { isAbsolute } from 'node:path';
import { accept, type Result, refuse } from '../../../protocol/errors.ts';
import type { Pushed, PushShown, PushTarget } from '../../../protocol/landing.ts';
import { readBranch } from './refs.ts';
import type { RepositoryGit } from './repository-git.ts';
import type { Remote } from './settings.ts';

export interface PushOptions {
  /** Where the person's own settings and keys are. */
  readonly home: string;
  /** Where their agent for keys listens. */
  readonly sshAgent?: string | undefined;
}

/** Where a branch can be pushed, and where that really leads; undefined without a remote. */
export async function readPush(
  git: RepositoryGit,
  branch: string,
  options: PushOptions,
): Promise<Result<PushTarget | undefined>> {
  const { settings, repository } = git;
  const wanted = settings.remoteOf(branch) ?? 'origin';
  const { remotes } = settings;
  const remote =
    remotes.find(({ name }) => name === wanted) ?? (remotes.length === 1 ? remotes[0] : undefined);
  const commit = await readBranch(repository, branch);
  if (remote === undefined || commit === null) return accept(undefined);
  const url = await realUrl(git, remote, options);
  if (!url.ok) return url;
  const problem = isPushable(url.value) ? null : 'url';
  return accept({ branch, commit, remote: remote.name, url: withoutPassword(url.value), problem });
}

const longestMs = 5 * 60_000;
const mostBytes = 200_000;

/** Pushes one commit to one branch of the remote, never by force. Hooks of the repository do not run. */
export async function push(
  git: RepositoryGit,
  { shown, ...options }: { readonly shown: PushShown } & PushOptions,
): Promise<Result<Pushed>> {
  const target = await readPush(git, shown.branch, options);
  if (!target.ok) return target;
  const remote = git.settings.remotes.find(({ name }) => name === target.value?.remote);
  if (target.value === undefined || remote === undefined)
    return refuse('changes_moved', 'The remote is no longer there.');
  const { commit, url, problem } = target.value;
  if (commit !== shown.commit || url !== shown.url || remote.name !== shown.remote)
    return refuse('changes_moved', 'The branch, or where it would be pushed, is not what was shown.');
  if (problem !== null) return refuse('commit_refused', `${url} is no place that is pushed to here.`);
  const real = await realUrl(git, remote, options);
  if (!real.ok) return real;
  const args = [
    ...[
      'push',
      '--porcelain',
      '--no-verify',
      '--no-signed',
      '--no-follow-tags',
      '--recurse-submodules=no',
      '--no-force',
    ],
    `--receive-pack=${isFile(real.value) ? receiveWithoutHooks : 'git-receive-pack'}`,
    ...['--', remoteName, `${commit}:refs/heads/${shown.branch}`],
  ];
  const pushed = await git.call(args, {
    ...reaching(options),
    longestMs,
    mostBytes,
    tellsErrors: true,
  });
  if (pushed.end === 'closed') return refuse('shutting_down');
  if (pushed.end === 'missing') return refuse('git_not_available');
  const said = hidePassword(pushed.output.toString('utf8'), real.value);
  const output = pushed.end === 'late' ? `${said}\nIt took longer than five minutes and was ended.` : said;
  const done = pushed.end === 'done';
  if (done && remote.isFollowed) await follow(git, remote, shown);
  return accept({ done, output: output.trim().slice(-20_000) });
}

/** Under this name the remote stands in our settings alone. */
const remoteName = 'pushed-to';

const reaching = ({ home, sshAgent }: PushOptions) => ({
  settings: ['push.default=nothing', 'protocol.allow=never', ...allowed],
  reaches: { home },
  environment: sshAgent === undefined ? {} : { SSH_AUTH_SOCK: sshAgent },
});

const protocols = ['ssh', 'https', 'http', 'git', 'file'];
const allowed = protocols.map((name) => `protocol.${name}.allow=always`);

/** A repository on this disk may be the agent's own work, too: nothing that it is set to runs, and no work tree there is touched. */
const receiveWithoutHooks = [
  ...['git', '-c core.hooksPath=/dev/null', '-c core.fsmonitor=', '-c core.alternateRefsCommand=true'],
  ...['-c receive.denyCurrentBranch=refuse', '-c receive.autogc=false', '-c gc.auto=0', 'receive-pack'],
].join(' ');

/** With the person's own rewriting, as git itself does it. */
async function realUrl(git: RepositoryGit, remote: Remote, options: PushOptions): Promise<Result<string>> {
  await git.setRemote(remoteName, remote.url);
  const told = await git.run(['remote', 'get-url', '--push', remoteName], reaching(options));
  return told.ok ? accept(told.value.toString('utf8').replace(/\n$/, '')) : told;
}

/** No program in the place of an address, and nothing that could be taken for an option. */
export function isPushable(url: string): boolean {
  if (/[\p{C}\s]/u.test(url) || url.startsWith('-') || /^[\w+.-]*::/.test(url)) return false;
  const [, scheme, rest = ''] = /^([a-z0-9+.-]+):\/\/(.*)$/i.exec(url) ?? [];
  if (scheme !== undefined) {
    const [person = '', host = ''] = `@${rest.split('/')[0]}`.split(/@(?=[^@]*$)/);
    return protocols.includes(scheme.toLowerCase()) && !person.startsWith('@-') && !host.startsWith('-');
  }
  // As scp has it, or a path.
  return isAbsolute(url) || /^(?:[\w.][\w.-]*@)?[\w.][\w.-]*:[^-]/.test(url);
}

const isFile = (url: string): boolean => isAbsolute(url) || /^file:/i.test(url);

const withoutPassword = (url: string): string => url.replace(/^(\w+:\/\/[^:@/]*):[^@/]*@/, '$1:•••@');

function hidePassword(text: string, url: string): string {
  const password = /^\w+:\/\/[^:@/]*:([^@/]+)@/.exec(url)?.[1];
  return password === undefined ? text : text.replaceAll(password, '•••');
}

/** As git does it after a push: what is known of the remote's branch. That it fails is no matter: the next fetch sets it right. */
async function follow(git: RepositoryGit, { name }: Remote, { branch, commit }: PushShown): Promise<void> {
  await git.followRef(`refs/remotes/${name}/${branch}`, commit);
}
