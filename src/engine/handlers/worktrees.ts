import type { CreateSession } from '../../protocol/command.ts';
import { accept, type ErrorCode, type Result, refuse } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/interaction.ts';
import type {
  GivenWorktree,
  RepositoryView,
  RestorableWorktreeView,
  WorktreeView,
} from '../../protocol/worktree.ts';
import { placeOn } from '../machines.ts';
import type { WorkPlace } from '../ports/workspace.ts';
import { done, type Handlers, type Room } from './room.ts';

export const worktreeHandlers = {
  async repository(room, { cwd, machine, base }) {
    const on = room.machines.find(machine);
    if (!on.ok) return on;
    const { cwd: usual, roots } = placeOn(on.value, room.settings);
    const place = { cwd: cwd ?? usual, realCwd: null, roots };
    const found = await room.machines.ask(on.value, (runner) =>
      runner.workspace('repository', { place, ...(base !== undefined && { base }) }),
    );
    if (found.ok)
      return accept({ status: 200, body: { repository: withAgreement(room, on.value, found.value) } });
    const { code, message } = found.refusal;
    // Whoever types a directory passes many that are none, or no repository: that is an answer.
    return answers.has(code)
      ? accept({ status: 200, body: { repository: null, problem: { code, message } } })
      : found;
  },

  /** Of a machine that cannot be reached nothing is told; its name is. */
  async listWorktrees(room) {
    const { machines } = room;
    const asked = [null, ...machines.names()].map(async (machine) => {
      const listed = await machines.ask(machine, (runner) => runner.workspace('listWorktrees', {}));
      return { machine, ...(listed.ok && listed.value) };
    });
    const told = await Promise.all(asked);
    const sessions = sessionsByWorktree(room);
    const worktrees = told.flatMap(({ machine, worktrees: there = [] }) =>
      there.map(
        (worktree): WorktreeView => ({
          ...worktree,
          ...(machine !== null && { machine }),
          sessions: sessions.get(worktree.id) ?? [],
        }),
      ),
    );
    const removed = told
      .flatMap(({ machine, removed: gone = [] }) =>
        gone.map(
          (worktree): RestorableWorktreeView => ({
            ...worktree,
            ...(machine !== null && { machine }),
            sessions: sessions.get(worktree.id) ?? [],
          }),
        ),
      )
      // Without files and without a session there is nothing to come back for.
      .filter((one) => one.files > 0 || one.sessions.length > 0)
      .sort((a, b) => (a.removedAt < b.removedAt ? 1 : -1));
    const silent = told.flatMap(({ machine, worktrees: there }) =>
      machine === null || there !== undefined ? [] : [machine],
    );
    return accept({ status: 200, body: { worktrees, removed, silent } });
  },

  async removeWorktree(room, { worktreeId, machine, shown, branch }) {
    const on = room.machines.find(machine);
    if (!on.ok) return on;
    const isUsed = (sessionsByWorktree(room).get(worktreeId) ?? []).some(
      ({ status }) => status !== 'stopped' && status !== 'failed',
    );
    if (isUsed) return refuse('worktree_in_use');
    const removed = await room.machines.ask(on.value, (runner) =>
      runner.workspace('removeWorktree', { worktreeId, shown, branch }),
    );
    return removed.ok ? accept({ status: 200, body: removed.value }) : removed;
  },

  async restoreWorktree(room, { worktreeId, machine }, { actor: by }) {
    const on = room.machines.find(machine);
    if (!on.ok) return on;
    const restored = await room.machines.ask(on.value, (runner) =>
      runner.workspace('restoreWorktree', { worktreeId }),
    );
    if (!restored.ok) return restored;
    const { setup: program, ...rest } = restored.value;
    const { repository } = rest.worktree;
    const agreed = program && {
      digest: program.digest,
      isAgreed: room.setups.isAgreed(on.value, repository, program.digest),
    };
    const sessions = (sessionsByWorktree(room).get(worktreeId) ?? []).flatMap(
      ({ id }) => room.registry.get(id) ?? [],
    );
    for (const { writer } of sessions)
      await writer.insist({ type: 'note-worktree-restored', by, ...(agreed && { setup: agreed }) });
    const runs = agreed?.isAgreed ? 'waiting' : 'unagreed';
    const setup = agreed === null ? 'none' : sessions.length === 0 ? 'noSession' : runs;
    return accept({ status: 200, body: { ...rest, setup } });
  },

  listSetups({ setups }) {
    return accept({ status: 200, body: { setups: setups.agreed } });
  },

  async revokeSetup({ setups }, { machine, repository, digest }, { actor: by }) {
    const isRevoked = await setups.revoke(machine ?? null, repository, digest, by);
    return isRevoked ? done : refuse('setup_not_found');
  },
} satisfies Partial<Handlers>;

const answers: ReadonlySet<ErrorCode> = new Set([
  'directory_not_found',
  'directory_not_allowed',
  'directory_too_wide',
  'no_repository',
  'base_not_found',
  'invalid_value',
  'git_not_available',
]);

function withAgreement({ setups }: Room, machine: string | null, view: RepositoryView): RepositoryView {
  const { setup, workTree } = view;
  if (setup === null) return view;
  return { ...view, setup: { ...setup, isAgreed: setups.isAgreed(machine, workTree, setup.digest) } };
}

function sessionsByWorktree({ registry }: Pick<Room, 'registry'>): Map<string, WorktreeView['sessions']> {
  const found = new Map<string, WorktreeView['sessions']>();
  for (const { id, title, status, worktree } of registry.list()) {
    if (worktree === undefined) continue;
    found.set(worktree.id, [...(found.get(worktree.id) ?? []), { id, title, status }]);
  }
  return found;
}

/** Makes the worktree that a session is to have; without one, it works where it was told to. */
export async function worktreeFor(
  room: Room,
  {
    input,
    machine,
    place,
    title,
    by,
  }: {
    readonly input: CreateSession;
    readonly machine: string | null;
    readonly place: WorkPlace;
    readonly title: string;
    readonly by: Actor;
  },
): Promise<Result<{ readonly cwd: string; readonly worktree: GivenWorktree }>> {
  const { base, branch, commit, setup: wanted } = input.worktree ?? {};
  const made = await room.machines.ask(machine, (runner) =>
    runner.workspace('makeWorktree', {
      place,
      orderId: room.ids.order(),
      title,
      ...(base !== undefined && { base }),
      ...(branch !== undefined && { branch }),
      ...(commit !== undefined && { commit }),
    }),
  );
  if (!made.ok) return made;
  const { worktree, cwd, notes, setup } = made.value;
  if (setup === null) return accept({ cwd, worktree: { ...worktree, notes } });
  const { digest } = setup;
  // Agreed to is what was shown; what lies there by now may be another.
  if (wanted === digest) await room.setups.agree(machine, worktree.repository, digest, by);
  const isAgreed = room.setups.isAgreed(machine, worktree.repository, digest);
  return accept({ cwd, worktree: { ...worktree, notes, setup: { digest, isAgreed } } });
}

/** The session did not come about: what was made for it goes again. */
export async function discardWorktree(
  { machines }: Pick<Room, 'machines'>,
  machine: string | null,
  worktreeId: string,
): Promise<void> {
  const listed = await machines.ask(machine, (runner) => runner.workspace('listWorktrees', {}));
  const shown = listed.ok ? listed.value.worktrees.find(({ id }) => id === worktreeId)?.shown : undefined;
  if (shown === undefined) return;
  await machines.ask(machine, (runner) =>
    runner.workspace('removeWorktree', { worktreeId, shown, branch: 'remove', isForgotten: true }),
  );
}
