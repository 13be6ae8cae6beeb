import type { HttpTransport } from '../../client/http-transport.ts';
import { showSuspicious } from '../../model/suspicious-text.ts';
import type { CreateSession } from '../../protocol/command.ts';
import type { RepositoryView, RestoredWorktree, WorktreeView } from '../../protocol/worktree.ts';
import type { Console } from '../console.ts';
import { Failure, UsageError } from '../failure.ts';
import { isSet, onlyWith, type ParsedFlags, textFlag } from '../flags.ts';
import { age, counted } from '../render/measures.ts';
import { whoText } from '../render/outcome-line.ts';
import type { Paint } from '../render/paint.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientCommand, isShortFor } from './client-command.ts';

export const worktrees = clientCommand({
  usage: 'worktrees [--remove ID [--shown WHAT] [--with-branch]] [--restore ID]',
  help: `Lists the worktrees that were made for sessions: repository, branch and base, commits since, what lies in it and in no commit, and
its sessions. One that no session has is left over; it stays until it is removed here. Those that were removed are listed below, as long as
their files are recorded.`,
  flags: {
    remove: { type: 'string' },
    shown: { type: 'string' },
    'with-branch': { type: 'boolean' },
    restore: { type: 'string' },
  },
  flagsHelp: `  --remove ID       tell all that would be lost with a worktree; the id may be shortened
  --shown WHAT      and remove it, if that is still so. What is in no commit is recorded first; ignored folders are not
  --with-branch     its branch, too, with the commits that are on no other
  --restore ID      bring one back that was removed: where it was, on its branch, with what was in no commit; staged files come back
                    unstaged, and the setup runs again where it is agreed to`,
  async run({ flags, paint, connect }) {
    onlyWith(flags, 'remove', 'shown', 'with-branch');
    const transport = await connect();
    const name = textFlag(flags, 'remove');
    const list = await transport.worktrees();
    const gone = textFlag(flags, 'restore');
    if (gone !== undefined) {
      if (name !== undefined) throw new UsageError('--remove and --restore do not go together');
      const { id, machine } = named(list.removed, gone, 'removed worktree');
      const restored = await transport.restoreWorktree(id, machine === undefined ? {} : { machine });
      return [restored, restoredLines(restored)];
    }
    if (name === undefined) return [list, listLines(list, Date.now(), paint)];
    const worktree = named(list.worktrees, name, 'worktree');
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

type WorktreeList = Awaited<ReturnType<HttpTransport['worktrees']>>;

const shortest = 8;
const short = (id: string): string => id.slice(0, 12);

function named<T extends { readonly id: string; readonly branch: string }>(
  list: readonly T[],
  name: string,
  what: string,
): T {
  const like = list.filter(({ id, branch }) => branch === name || isShortFor(id, name));
  const [found] = like;
  if (like.length !== 1 || found === undefined)
    throw new Failure(`"${name}" names ${like.length === 0 ? `no ${what}` : `several ${what}s`}`);
  return found;
}

function listLines({ worktrees: list, removed, silent }: WorktreeList, now: number, paint: Paint): string[] {
  const lines = list.flatMap((worktree) => [
    `${paint('bold', oneLine(worktree.branch))}  from ${oneLine(worktree.base)} ${worktree.baseCommit.slice(0, 7)}  ${standing(worktree)}`,
    `  ${oneLine(worktree.path)}${worktree.machine === undefined ? '' : ` on ${oneLine(worktree.machine)}`}`,
    `  ${worktree.sessions.length === 0 ? 'left over' : worktree.sessions.map(({ title, status }) => `${oneLine(title)} (${status})`).join(', ')}, ${age(worktree.createdAt, now)}, id ${short(worktree.id)}`,
  ]);
  return [
    ...(lines.length === 0 ? ['no worktrees'] : lines),
    ...removed.map(
      ({ branch, base, files, removedAt, id, sessions }) =>
        `${paint('dim', 'removed')} ${oneLine(branch)}  from ${oneLine(base)}  ${counted(files, 'file')} recorded${sessions.map(({ title }) => `, ${oneLine(title)}`).join('')}, ${age(removedAt, now)}, id ${short(id)}`,
    ),
    ...silent.map((machine) => `(${oneLine(machine)} cannot be reached: nothing is known of those there)`),
  ];
}

/** What came back, and what did not. */
function restoredLines({ worktree, files, lost, isMoved, notes, setup }: RestoredWorktree): string[] {
  return [
    `${oneLine(worktree.path)} is back, with ${counted(files, 'file')} that ${files === 1 ? 'was' : 'were'} in no commit`,
    ...(files === 0 ? [] : ['what was staged is no longer staged']),
    ...(isMoved ? [`${oneLine(worktree.branch)} has got other commits since`] : []),
    ...(lost.length === 0 ? [] : [`not recorded, and gone: ${lost.map(oneLine).join(', ')}`]),
    ...(notes.left.length === 0 ? [] : [`did not come along: ${notes.left.map(oneLine).join(', ')}`]),
    ...setupWords[setup],
  ];
}

const setupWords: Readonly<Record<RestoredWorktree['setup'], readonly string[]>> = {
  none: [],
  waiting: ['the setup of the project runs before the agent starts'],
  unagreed: ['the setup of the project does not run: nobody has agreed to it'],
  noSession: ['the setup of the project does not run: no session has this worktree'],
};

export const setups = clientCommand({
  usage: 'setups [--revoke DIGEST]',
  help: 'Lists the setups of projects that run in worktrees of their repositories, because somebody has agreed to them.',
  flags: { revoke: { type: 'string' } },
  flagsHelp: '  --revoke DIGEST   let this one run no longer; the digest may be shortened',
  async run({ flags, connect }) {
    const transport = await connect();
    let list = await transport.setups();
    const revoke = textFlag(flags, 'revoke');
    if (revoke !== undefined) {
      const like = list.filter(({ digest }) => revoke.length >= shortest && digest.startsWith(revoke));
      if (like.length === 0)
        throw new Failure(`"${revoke}" names no setup; ${shortest} characters are needed`);
      // The same content may be agreed to in several repositories.
      for (const { machine, repository, digest } of like)
        await transport.revokeSetup({ repository, digest, ...(machine !== undefined && { machine }) });
      list = await transport.setups();
    }
    const lines = list.map(
      ({ digest, machine, repository, agreedAt, by }) =>
        `${short(digest)}  ${machine === undefined ? '' : `${oneLine(machine)}: `}${oneLine(repository)}  ${age(agreedAt, Date.now())}  (${whoText(by)})`,
    );
    return [{ setups: list }, lines.length === 0 ? ['Nobody has agreed to a setup.'] : lines];
  },
});

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
