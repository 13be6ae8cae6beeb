import { recordingsOf } from '../model/recordings.ts';
import type { SessionState } from '../model/state.ts';
import { accept, messageOf, type Result, refuse } from '../protocol/errors.ts';
import { type Machines, placeOn } from './machines.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Recorded, WorkPlace } from './ports/workspace.ts';
import type { SessionWriter } from './session-writer.ts';
import type { UndoDesk } from './undo-desk.ts';

export interface TurnRecorderOptions {
  readonly writer: Pick<SessionWriter, 'id' | 'state' | 'insist'>;
  readonly machines: Pick<Machines, 'runner' | 'ask'>;
  readonly undos: Pick<UndoDesk, 'whenClear'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly roots: readonly string[];
  readonly recordingMs: number;
}

/** Where a session's files are. */
export const workPlaceOf = (
  { machine, cwd, realCwd }: SessionState,
  roots: readonly string[],
): WorkPlace => ({ cwd, realCwd, roots: placeOn(machine, { defaultCwd: '', roots }).roots });

/** The recordings that only this session had go with it. Nobody waits for it, and on a machine that is away they stay. */
export async function forgetRecordings(
  state: SessionState,
  { machines, roots, logger }: Pick<TurnRecorderOptions, 'machines' | 'roots' | 'logger'>,
): Promise<void> {
  if (state.workTree === null) return;
  const order = { place: workPlaceOf(state, roots), session: state.id };
  await machines
    .ask(state.machine, (runner) => runner.workspace('forget', order))
    .catch((error: unknown) =>
      logger.error({ sessionId: state.id, reason: messageOf(error) }, 'Recordings were not removed'),
    );
}

/** Has the files recorded around each turn of a session: before its message is handed over, and when it has ended. */
export class TurnRecorder {
  readonly #options: TurnRecorderOptions;
  /** The turn whose start was recorded last, or is being recorded. */
  #started: string | undefined;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(options: TurnRecorderOptions) {
    this.#options = options;
  }

  /** Settles when everything that was to be recorded so far is on record, or cannot be. */
  get settled(): Promise<unknown> {
    return this.#underWay;
  }

  /** The same, though not for longer than a message would wait: for the end of the server. */
  async settledSoon(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(this.#options.recordingMs, resolve);
    void this.#underWay.then(() => resolve());
    await promise;
    cancel();
  }

  /**
   * Settles when the message of this turn may be handed over: its files are recorded, or cannot be, or it has waited long enough.
   * Undefined where it need not wait at all.
   */
  beforeTurn(turnId: string, { isLate = false } = {}): Promise<void> | undefined {
    const { writer, machines, undos, clock, recordingMs } = this.#options;
    const { state } = writer;
    if (machines.runner(state.machine)?.recordsFiles !== true) return undefined;
    if (recordingsOf(state, turnId)?.start != null) return undefined;
    let isOver = isLate;
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(recordingMs, () => {
      isOver = true;
      resolve();
    });
    this.#started = turnId;
    void this.#record(turnId, 'start', () => isOver).then(resolve);
    return waited.then(() => {
      cancel();
      const { machine, workTree } = writer.state;
      return undos.whenClear(machine, workTree);
    });
  }

  /** For a turn that began by itself, or whose beginning was not seen. */
  turnBegan(turnId: string): void {
    const { writer, machines } = this.#options;
    const { state } = writer;
    if (machines.runner(state.machine)?.recordsFiles !== true) return;
    if (this.#started === turnId || recordingsOf(state, turnId)?.start != null) return;
    this.#started = turnId;
    void this.#record(turnId, 'start', () => true);
  }

  /** Nobody waits for it. */
  turnEnded(turnId: string, { isLate = false } = {}): void {
    const { writer, machines } = this.#options;
    if (machines.runner(writer.state.machine)?.recordsFiles !== true) return;
    void this.#record(turnId, 'end', () => isLate);
  }

  /** What an earlier server did not get to: of a turn that runs its start, of one that is over its end. */
  catchUp(): void {
    const { state } = this.#options.writer;
    const last = state.recordings.at(-1);
    if (state.turn !== null) this.turnBegan(state.turn.id);
    else if (
      last !== undefined &&
      last.end === null &&
      !state.queue.some(({ turnId }) => turnId === last.turnId)
    )
      this.turnEnded(last.turnId, { isLate: true });
  }

  #record(turnId: string, when: 'start' | 'end', isLate: () => boolean): Promise<void> {
    const before = this.#underWay;
    const done = this.#made().then(async (made) => {
      // The start of a turn is on record before its end.
      await before;
      // The next server finds that it is missing.
      if (!made.ok && made.refusal.code === 'shutting_down') return;
      const told = made.ok
        ? accept({
            recording: made.value.recording,
            unrecorded: made.value.unrecorded.length,
            root: made.value.root,
            ...(isLate() && { late: true as const }),
          })
        : made;
      await this.#options.writer.insist({ type: 'note-recording', turnId, when, made: told });
    });
    this.#underWay = done;
    return done;
  }

  async #made(): Promise<Result<Recorded>> {
    const { writer, machines, roots, logger } = this.#options;
    const { state } = writer;
    const place = workPlaceOf(state, roots);
    try {
      return await machines.ask(state.machine, (runner) =>
        runner.workspace('record', { place, session: state.id }),
      );
    } catch (error) {
      logger.error({ sessionId: writer.id, reason: messageOf(error) }, 'Files could not be recorded');
      return refuse('internal_error');
    }
  }
}
