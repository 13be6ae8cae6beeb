import { type Result, refuse } from '../protocol/errors.ts';
import type { EventOf } from '../protocol/event.ts';
import { becomes, type CommandOf, type Decided } from './command.ts';
import type { SessionState, TurnRecordings } from './state.ts';

const MOST_TURNS = 200;

/** What is on record of the files around a turn. */
export const recordingsOf = (state: SessionState, turnId: string): TurnRecordings | undefined =>
  state.recordings.find((turn) => turn.turnId === turnId);

/** Puts a recording, or the reason why there is none, on record: each end of a turn once, and a reason only where it is news. */
export function noteRecording(state: SessionState, command: CommandOf<'note-recording'>): Result<Decided> {
  const { type: _, turnId, when, made } = command;
  if (recordingsOf(state, turnId)?.[when] != null) return becomes();
  if (made.ok) return becomes({ type: 'files.recorded', turnId, when, ...made.value });
  const { code } = made.refusal;
  return code === state.unrecorded ? becomes() : becomes({ type: 'files.unrecorded', turnId, when, code });
}

/** What became of what is being put back: on record before anyone is told, and once. */
export function noteRestored(
  { restoring }: SessionState,
  { orderId, outcome }: CommandOf<'note-restored'>,
): Result<Decided> {
  if (restoring?.orderId !== orderId) return becomes();
  if ('code' in outcome) return becomes({ type: 'files.unrestored', orderId, code: outcome.code });
  const { before, after, paths } = outcome;
  return becomes({
    type: 'files.restored',
    ...restoring,
    before,
    after,
    paths: paths.slice(0, MOST_PATHS),
    files: paths.length,
  });
}

const MOST_PATHS = 1000;

/** The state after a recording. */
export function withRecording(state: SessionState, event: EventOf<'files.recorded'>): SessionState {
  const { turnId, when, recording } = event;
  const known = recordingsOf(state, turnId) ?? { turnId, at: event.at, start: null, end: null, late: [] };
  const turn: TurnRecordings = {
    ...known,
    [when]: recording,
    late: event.late ? [...known.late, when] : known.late,
  };
  const others = state.recordings.filter((one) => one.turnId !== turnId);
  return {
    ...state,
    recordings: [...others, turn].slice(-MOST_TURNS),
    firstRecording: state.firstRecording ?? recording,
    workTree: event.root,
    unrecorded: null,
  };
}

export const withoutTurn = (state: SessionState, turnId: string): SessionState => ({
  ...state,
  recordings: state.recordings.filter((turn) => turn.turnId !== turnId),
});

/** Why a turn's files cannot be told, in words. */
export function notRecorded(state: SessionState, when: 'start' | 'end'): Result<never> {
  const why = state.unrecorded === null ? '' : ` (${state.unrecorded})`;
  const moment = when === 'start' ? 'before this turn began' : 'when this turn ended';
  return refuse('recording_not_found', `The files were not recorded ${moment}${why}.`);
}
