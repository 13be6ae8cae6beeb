import type { CommandOf } from '../../model/command.ts';
import { accept, type Result } from '../../protocol/errors.ts';
import type { LiveSession } from '../live-session.ts';
import type { WorkspaceReply, WorkspaceRequest } from '../ports/workspace.ts';
import { workPlaceOf } from '../turn-recorder.ts';
import type { Handlers, Room } from './room.ts';

type Order = 'commit' | 'land' | 'push';

/** What a person does with what an agent made: commit it, land it, push it. Each is on record before they are told that it is done. */
export const landingHandlers = {
  async readWorktree({ machines, settings }, { session: { state }, base }) {
    const place = workPlaceOf(state, settings.roots);
    const onto = base ?? state.worktree?.base;
    const found = await machines.ask(state.machine, (runner) =>
      runner.workspace('worktree', { place, ...(onto !== undefined && { base: onto }) }),
    );
    return found.ok ? accept({ status: 200, body: found.value }) : found;
  },

  async commitFiles(room, { session, ...order }, { actor: by }) {
    const done = await give(room, session, 'commit', order);
    if (!done.ok) return done;
    const [subject = ''] = order.message.trim().split('\n');
    const files = order.paths.length;
    const noted = await note(session, { type: 'branch.committed', ...done.value, subject, files, by });
    return noted.ok ? accept({ status: 200, body: done.value }) : noted;
  },

  async landBranch(room, { session, ...order }, { actor: by }) {
    const done = await give(room, session, 'land', order);
    if (!done.ok) return done;
    const { base, commit } = done.value;
    const { how, shown } = order;
    const noted = await note(session, { type: 'branch.landed', branch: shown.branch, base, how, commit, by });
    return noted.ok ? accept({ status: 200, body: done.value }) : noted;
  },

  async pushBranch(room, { session, ...order }, { actor: by }) {
    const done = await give(room, session, 'push', order);
    if (!done.ok || !done.value.done) return done.ok ? accept({ status: 200, body: done.value }) : done;
    const noted = await note(session, { type: 'branch.pushed', ...order.shown, by });
    return noted.ok ? accept({ status: 200, body: done.value }) : noted;
  },
} satisfies Partial<Handlers>;

function give<C extends Order>(
  { machines, settings, ids }: Room,
  { state }: LiveSession,
  call: C,
  order: Omit<WorkspaceRequest<C>, 'place' | 'orderId'>,
): Promise<Result<WorkspaceReply<C>>> {
  const request = { place: workPlaceOf(state, settings.roots), orderId: ids.order(), ...order };
  return machines.ask(state.machine, (runner) =>
    runner.workspace(call, request as unknown as WorkspaceRequest<C>),
  );
}

const note = (session: LiveSession, done: CommandOf<'note-branch'>['done']) =>
  session.writer.insist({ type: 'note-branch', done });
