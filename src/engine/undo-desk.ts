import type { SessionState } from '../model/state.ts';
import { isBusy } from '../model/status.ts';
import type { UndoneChanges } from '../protocol/changes.ts';
import type { UndoChanges } from '../protocol/command.ts';
import { accept, type ErrorCode, messageOf, type Result, refuse } from '../protocol/errors.ts';
import type { Actor } from '../protocol/interaction.ts';
import type { LiveSession } from './live-session.ts';
import type { Machines } from './machines.ts';
import type { Ids } from './ports/ids.ts';
import type { Logger } from './ports/logger.ts';
import type { Undone } from './ports/workspace.ts';
import { workPlaceOf } from './turn-recorder.ts';

export interface UndoDeskOptions {
  readonly machines: Machines;
  readonly ids: Pick<Ids, 'order'>;
  readonly roots: readonly string[];
  readonly logger: Logger;
  /** All that may have a turn that runs. */
  readonly sessions: () => readonly LiveSession[];
}

/** Two recordings, and the turn that lies between them where it is one. */
export interface UndoSpan {
  readonly turnId: string | null;
  readonly before: string;
  readonly after: string;
}

/** Puts files back. While it does, no turn begins in that work tree; while a turn runs there, nothing is put back. */
export class UndoDesk {
  readonly #options: UndoDeskOptions;
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(options: UndoDeskOptions) {
    this.#options = options;
  }

  /** Settles when nothing is being put back in this work tree. */
  async whenClear(machine: string | null, root: string | null): Promise<void> {
    if (root === null) return;
    const key = keyOf(machine, root);
    for (let work = this.#underWay.get(key); work; work = this.#underWay.get(key)) await work;
  }

  async undo(
    session: LiveSession,
    span: UndoSpan,
    chosen: Pick<UndoChanges, 'choices' | 'rest' | 'shown'>,
    by: Actor,
  ): Promise<Result<UndoneChanges>> {
    const { machine, workTree } = session.state;
    if (workTree === null) return refuse('recording_not_found');
    const key = keyOf(machine, workTree);
    do {
      await this.whenClear(machine, workTree);
      await this.settle(session);
    } while (this.#underWay.has(key));
    if (session.state.restoring !== null)
      return machine === null ? refuse('shutting_down') : this.#options.machines.unreachable(machine);
    const running = this.#running(machine, workTree);
    if (running !== undefined) return running;
    const work = this.#putBack(session, span, chosen, by);
    const settled = work.catch(() => {});
    this.#underWay.set(key, settled);
    try {
      return await work;
    } finally {
      this.#underWay.delete(key);
    }
  }

  #running(machine: string | null, root: string): Result<never> | undefined {
    const found = this.#options
      .sessions()
      .find(({ state }) => isBusy(state) && worksIn(state, machine, root));
    if (found === undefined) return undefined;
    const { id, title } = found.state;
    return refuse(
      'turn_running',
      `A turn runs in this work tree, in the session "${title}". Wait for its end, or interrupt it.`,
      { sessionId: id, title },
    );
  }

  async #putBack(
    session: LiveSession,
    { turnId, before, after }: UndoSpan,
    { choices, rest, shown }: Pick<UndoChanges, 'choices' | 'rest' | 'shown'>,
    by: Actor,
  ): Promise<Result<UndoneChanges>> {
    const { machines, ids, roots } = this.#options;
    const { state, writer } = session;
    const orderId = ids.order();
    const begun = await writer.command({ type: 'restore', orderId, turnId, before, after, by });
    if (!begun.ok) return begun;
    const undone = await machines.ask(state.machine, (runner) =>
      runner.workspace('undo', {
        place: workPlaceOf(state, roots),
        orderId,
        session: state.id,
        before,
        after,
        ...(choices && { choices }),
        ...(rest && { rest }),
        ...(shown && { shown }),
      }),
    );
    return this.#note(session, orderId, undone);
  }

  /** What became of it is on record before anyone is told. */
  async #note(session: LiveSession, orderId: string, undone: Result<Undone>): Promise<Result<UndoneChanges>> {
    // It may have been done all the same: whoever has the machine again asks what became of it.
    if (!undone.ok && unsettled.has(undone.refusal.code)) return undone;
    const told = undone.ok ? outcomeOf(undone.value) : undone;
    const outcome = told.ok ? told.value : { code: told.refusal.code };
    const noted = await session.writer.insist({ type: 'note-restored', orderId, outcome });
    return noted.ok ? told : noted;
  }

  /** For an undo that is on record and whose end is not: the server ended, or its machine went away. It is not begun anew. */
  async settle(session: LiveSession): Promise<void> {
    const { machines, roots, logger } = this.#options;
    const { machine, workTree, restoring } = session.state;
    if (restoring === null || (workTree !== null && this.#underWay.has(keyOf(machine, workTree)))) return;
    const { orderId: order } = restoring;
    const place = workPlaceOf(session.state, roots);
    try {
      const found = await machines.ask(machine, (runner) => runner.workspace('undone', { place, order }));
      if (!found.ok) await this.#note(session, order, found);
      else if (found.value !== null) await this.#note(session, order, accept(found.value));
      else
        await session.writer.insist({
          type: 'note-restored',
          orderId: order,
          outcome: { code: 'not_begun' },
        });
    } catch (error) {
      logger.error({ sessionId: session.id, reason: messageOf(error) }, 'An undo could not be settled');
    }
  }
}

const unsettled: ReadonlySet<ErrorCode> = new Set(['machine_unreachable', 'shutting_down']);

const outcomeOf = (undone: Undone): Result<UndoneChanges> =>
  undone.done
    ? accept(undone)
    : refuse('undo_obstacles', undefined, { obstacles: undone.obstacles, shown: undone.shown });

const keyOf = (machine: string | null, root: string): string => JSON.stringify([machine, root]);

/** Where nothing was recorded yet, a session is taken for one of every work tree that its directory lies in. */
function worksIn(state: SessionState, machine: string | null, root: string): boolean {
  if (state.machine !== machine) return false;
  if (state.workTree !== null) return state.workTree === root;
  const cwd = state.realCwd ?? state.cwd;
  return cwd === root || cwd.startsWith(`${root}/`) || cwd.startsWith(`${root}\\`);
}
