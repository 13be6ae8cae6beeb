import type { HttpTransport } from '../../client/http-transport.ts';
import { showSuspicious } from '../../model/suspicious-text.ts';
import type { CreateSession } from '../../protocol/command.ts';
import type { RepositoryView, WorktreeView } from '../../protocol/worktree.ts';
import type { Console } from '../console.ts';
import { Failure, UsageError } from '../failure.ts';
import { isSet, onlyWith, type ParsedFlags, textFlag } from '../flags.ts';
import { age, counted } from '../render/measures.ts';
import type { Paint } from '../render/paint.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientCommand, isShortFor } from './client-command.ts';

export const worktrees = clientCommand({
  usage: 'worktrees [--remove ID [--shown WHAT] [--with-branch]]',
  help: `Lists the worktrees that were made for sessions: repository, branch and base, commits since, what lies in it and in no commit, and
its sessions. One that no session has is left over; it stays until it is removed here.`,
  flags: {
    remove: { type: 'string' },
    shown: { type: 'string' },
    'with-branch': { type: 'boolean' },
  },
  flagsHelp: `  --remove ID       tell all that would be lost with a worktree; the id may be shortened
  --shown WHAT      and remove it, if that is still so. What is in no commit is recorded first; ignored folders are not
  --with-branch     its branch, too, with the commits that are on no other`,
  async run({ flags, paint, connect }) {
    onlyWith(flags, 'remove', 'shown', 'with-branch');
    const transport = await connect();
    const name = textFlag(flags, 'remove');
    const list = await transport.worktrees();
    if (name === undefined) return [list, listLines(list.worktrees, list.silent, Date.now(), paint)];
    const worktree = named(list.worktrees, name);
    const shown = textFlag(flags, 'shown');
    if (shown === undefined) return [{ worktree }, lossLines(worktree, paint)];
    if (shown.length < shortest || !worktree.shown.startsWith(shown))
      throw new Failure(
        `what lies in it is no longer what was shown; look again: beckon worktrees --remove ${short(worktree.id)}`,
      );
    const removed = await transport.removeWorktree(worktree.id, {
      shown: worktree.shown,
      branch: isSet(flags, 'with-branch') ? 'remove' : 'keep',
      ...(worktree.machine !== undefined && { machine: worktree.machine }),
    });
    const { branch, recording } = removed;
    return [
      removed,
      [
        `removed${branch === null ? ', with its branch' : `; the branch ${oneLine(branch)} stays`}`,
        ...(recording === null ? [] : [`what was in no commit is recorded as ${recording.slice(0, 12)}`]),
      ],
    ];
  },
});

const shortest = 8;
const short = (id: string): string => id.slice(0, 12);

function named(list: readonly WorktreeView[], name: string): WorktreeView {
  const like = list.filter(({ id, branch }) => branch === name || isShortFor(id, name));
  const [found] = like;
  if (like.length !== 1 || found === undefined)
    throw new Failure(`"${name}" names ${like.length === 0 ? 'no worktree' : 'several worktrees'}`);
  return found;
}

function listLines(
  list: readonly WorktreeView[],
  silent: readonly string[],
  now: number,
  paint: Paint,
): string[] {
  const lines = list.flatMap((worktree) => [
    `${paint('bold', oneLine(worktree.branch))}  from ${oneLine(worktree.base)} ${worktree.baseCommit.slice(0, 7)}  ${standing(worktree)}`,
    `  ${oneLine(worktree.path)}${worktree.machine === undefined ? '' : ` on ${oneLine(worktree.machine)}`}`,
    `  ${worktree.sessions.length === 0 ? 'left over' : worktree.sessions.map(({ title, status }) => `${oneLine(title)} (${status})`).join(', ')}, ${age(worktree.createdAt, now)}, id ${short(worktree.id)}`,
  ]);
  return [
    ...(lines.length === 0 ? ['no worktrees'] : lines),
    ...silent.map((machine) => `(${oneLine(machine)} cannot be reached: nothing is known of those there)`),
  ];
}

function standing({ state, ahead, behind, work }: WorktreeView): string {
  if (state === 'missing') return 'its folder is gone';
  if (state === 'unreadable') return 'it cannot be said what is in it';
  const parts = [
    ...(ahead ? [`${counted(ahead, 'commit')} ahead`] : []),
    ...(behind ? [`${behind} behind`] : []),
    ...(work.uncommitted.length > 0 ? [`${work.uncommitted.length} uncommitted`] : []),
    ...(work.untracked.length > 0 ? [`${work.untracked.length} untracked`] : []),
    ...(work.ignored.length > 0 ? [`${work.ignored.length} ignored`] : []),
  ];
  return parts.length === 0 ? 'nothing to lose' : parts.join(', ');
}

/** Exactly what would be lost, and how to go on. */
function lossLines(worktree: WorktreeView, paint: Paint): string[] {
  const { work, sessions } = worktree;
  const block = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0
      ? []
      : [paint('bold', `${title} (${lines.length})`), ...lines.map((line) => `  ${line}`)];
  const files = (list: WorktreeView['work']['ignored']): string[] =>
    list.map(
      ({ path, files: count }) =>
        `${oneLine(path)}${count === undefined ? '' : `  ${counted(count, 'file')}`}`,
    );
  const [first] = sessions.filter(({ status }) => status !== 'stopped' && status !== 'failed');
  return [
    `${oneLine(worktree.path)} on ${oneLine(worktree.branch)}: ${standing(worktree)}`,
    ...block('uncommitted', files(work.uncommitted)),
    ...block('untracked', files(work.untracked)),
    ...block('ignored', files(work.ignored)),
    ...block(
      'commits on no other branch',
      work.unmerged.map(({ commit, subject }) => `${commit.slice(0, 7)} ${oneLine(subject)}`),
    ),
    ...(work.isAll ? [] : ['(and more: the lists are cut)']),
    first === undefined
      ? `nothing was done. To remove it: beckon worktrees --remove ${short(worktree.id)} --shown ${worktree.shown.slice(0, 12)}`
      : `the session "${oneLine(first.title)}" works here: stop it first`,
  ];
}

/** What `beckon new` asks for; undefined without a worktree. */
export async function worktreeWish(
  flags: ParsedFlags,
  where: Pick<CreateSession, 'cwd' | 'machine'>,
  {
    console,
    transport,
    isDefault,
  }: { readonly console: Console; readonly transport: HttpTransport; readonly isDefault: boolean },
): Promise<CreateSession['worktree']> {
  const [base, branch, setup] = ['base', 'branch', 'setup'].map((name) => textFlag(flags, name));
  if (!isSet(flags, 'worktree') && !isDefault) {
    if (base ?? branch ?? setup) throw new UsageError('--base, --branch and --setup go with --worktree');
    return undefined;
  }
  const { repository, problem } = await transport.repository({
    ...where,
    ...(base !== undefined && { base }),
  });
  if (repository === null) throw new Failure(problem?.message ?? 'no worktree can be made there');
  const agreed = agreedSetup(repository, setup);
  const program = repository.setup;
  if (program !== null && agreed === undefined && !program.isAgreed) console.stderr.write(setupNote(program));
  return {
    ...(base !== undefined && { base }),
    ...(branch !== undefined && { branch }),
    ...(repository.base !== null && { commit: repository.base.commit }),
    ...(agreed !== undefined && { setup: agreed }),
  };
}

function agreedSetup({ setup }: RepositoryView, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (setup === null) throw new Failure('the project has no .beckon/setup');
  if (given.length < shortest || !setup.digest.startsWith(given))
    throw new Failure('the setup is not the one that was shown; run without --setup to see it');
  return setup.digest;
}

function setupNote({ path, text, digest }: NonNullable<RepositoryView['setup']>): string {
  const how =
    text === null
      ? 'It is no text that could be shown, so it cannot be agreed to.'
      : `To let it run in worktrees of this repository: beckon new --worktree --setup ${digest.slice(0, 12)}`;
  return [
    `${path} of this project has not been agreed to, and does not run:`,
    ...(text === null ? [] : text.split('\n').map((line) => `  ${showSuspicious(line)}`)),
    how,
    '',
  ].join('\n');
}
