import { notRecorded, recordingsOf } from '../../model/recordings.ts';
import type { SessionState, TurnRecordings } from '../../model/state.ts';
import { isBusy } from '../../model/status.ts';
import type { ChangesSince, RecordedTurn } from '../../protocol/changes.ts';
import type { UndoChanges } from '../../protocol/command.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import type { LiveSession } from '../live-session.ts';
import { workPlaceOf } from '../turn-recorder.ts';
import type { UndoSpan } from '../undo-desk.ts';
import type { Handlers, Room } from './room.ts';

const MOST_TURNS = 50;
const LONGEST_TITLE = 200;

export const changeHandlers = {
  async sessionChanges(room, { session, since = 'start', turn }) {
    const { machines, settings, changedPaths } = room;
    const ends = await endsOf(room, session, since, turn);
    if (!ends.ok) return ends;
    const { turnId, before, after } = ends.value;
    const { state } = session;
    const place = workPlaceOf(state, settings.roots);
    const changes = await machines.ask(state.machine, (runner) =>
      runner.workspace('changes', { place, session: state.id, before, after }),
    );
    if (!changes.ok) return inWords(changes);
    const { value } = changes;
    const sorted =
      since === 'turn'
        ? accept({ between: [], both: [] })
        : await changedPaths.sortOut(state, value.files, value);
    if (!sorted.ok) return sorted;
    const branch = await machines.ask(state.machine, async (runner) =>
      accept(await runner.branch(value.root)),
    );
    return accept({
      status: 200,
      body: {
        ...value,
        ...sorted.value,
        since,
        turnId,
        isLive: isBusy(state),
        turns: turnsTold(room, session),
        branch: branch.ok ? branch.value : null,
      },
    });
  },

  async changePatch({ machines, settings }, { session, before, after, path, context }) {
    const { state } = session;
    const place = workPlaceOf(state, settings.roots);
    const patch = await machines.ask(state.machine, (runner) =>
      runner.workspace('patch', {
        place,
        before,
        after,
        ...(path !== undefined && { path }),
        ...(context !== undefined && { context }),
      }),
    );
    return patch.ok ? accept({ status: 200, body: patch.value }) : patch;
  },

  async changeContent({ machines, settings }, { session, at, path }) {
    const { state } = session;
    const place = workPlaceOf(state, settings.roots);
    const content = await machines.ask(state.machine, (runner) =>
      runner.workspace('content', { place, at, path }),
    );
    return content.ok ? accept({ status: 200, body: content.value ?? { base64: null } }) : content;
  },

  async undo(room, { session, ...input }, { actor }) {
    if (session.state.workTree === null) return notRecorded(session.state, 'start');
    const span = await undoSpanOf(session, input);
    if (!span.ok) return span;
    const undone = await room.undos.undo(session, span.value, input, actor);
    return undone.ok ? accept({ status: 200, body: undone.value }) : inWords(undone);
  },
} satisfies Partial<Handlers>;

/** What is on record of a session was recorded once. */
const inWords = (refused: Extract<Result<never>, { ok: false }>): Result<never> =>
  refused.refusal.code === 'recording_not_found'
    ? refuse(
        'recording_not_found',
        'These files are no longer kept: their recordings were given up to keep within the bound.',
      )
    : refused;

interface Ends {
  readonly turnId: string | null;
  readonly before: string;
  readonly after: string;
}

/** What is to be compared with what. */
export async function endsOf(
  room: Room,
  session: LiveSession,
  since: ChangesSince,
  named: string | undefined,
): Promise<Result<Ends>> {
  switch (since) {
    case 'commit':
      return accept({ turnId: null, before: 'commit', after: 'now' });
    case 'start': {
      const first = session.state.firstRecording;
      if (first !== null) return accept({ turnId: null, before: first, after: 'now' });
      // No turn yet: nothing has changed, unless nothing can be told.
      const { state } = session;
      const place = workPlaceOf(state, room.settings.roots);
      const now = await room.machines.ask(state.machine, (runner) =>
        runner.workspace('record', { place, session: state.id }),
      );
      if (!now.ok) return now;
      return accept({ turnId: null, before: now.value.recording, after: now.value.recording });
    }
    case 'turn': {
      const turn = await turnOf(
        session,
        named ?? session.state.turn?.id ?? session.state.recordings.at(-1)?.turnId,
      );
      if (!turn.ok) return turn;
      const { turnId, start, end } = turn.value;
      if (start === null) return notRecorded(session.state, 'start');
      if (isRunning(session.state, turnId)) return accept({ turnId, before: start, after: 'now' });
      return end === null ? notRecorded(session.state, 'end') : accept({ turnId, before: start, after: end });
    }
  }
}

/** What is recorded of a turn, once that is all there will be. */
async function turnOf(session: LiveSession, turnId: string | undefined): Promise<Result<TurnRecordings>> {
  const { recorder } = session.effects;
  await recorder.settled;
  // The server ended before it got to it.
  if (session.state.recordings.at(-1)?.turnId === turnId) {
    recorder.catchUp();
    await recorder.settled;
  }
  const turn = turnId === undefined ? undefined : recordingsOf(session.state, turnId);
  return turn === undefined ? notRecorded(session.state, 'start') : accept(turn);
}

const isRunning = ({ turn, queue }: SessionState, turnId: string): boolean =>
  turn?.id === turnId || queue.some((item) => item.turnId === turnId);

async function undoSpanOf(
  session: LiveSession,
  { turnId, before, after }: Pick<UndoChanges, 'turnId' | 'before' | 'after'>,
): Promise<Result<UndoSpan>> {
  if (turnId === undefined) {
    return before === undefined || after === undefined
      ? refuse('malformed_request', 'Name a turn, or two recordings.', { field: 'turnId' })
      : accept({ turnId: null, before, after });
  }
  if (before !== undefined || after !== undefined)
    return refuse('malformed_request', 'Name a turn, or two recordings, not both.', { field: 'turnId' });
  if (isRunning(session.state, turnId)) return refuse('turn_running', undefined, { sessionId: session.id });
  const turn = await turnOf(session, turnId);
  if (!turn.ok) return turn;
  const { start, end } = turn.value;
  if (start === null) return notRecorded(session.state, 'start');
  return end === null ? notRecorded(session.state, 'end') : accept({ turnId, before: start, after: end });
}

function turnsTold({ log, changedPaths }: Room, session: LiveSession): RecordedTurn[] {
  const newest = session.state.recordings.toReversed().slice(0, MOST_TURNS);
  return newest.map(({ turnId, at, start, end, late }) => {
    const files =
      start === null || end === null ? undefined : changedPaths.known({ before: start, after: end });
    const title = titleOf(log, session, turnId);
    return {
      turnId,
      startedAt: at,
      ...(title !== undefined && { title }),
      ...(files != null && { files: files.size }),
      ...(late.length > 0 && { isLate: true as const }),
    };
  });
}

/** The first line of the message that began it. */
function titleOf(log: Room['log'], session: LiveSession, turnId: string): string | undefined {
  for (const started of log.findByReference(session.id, turnId)) {
    if (started.type !== 'turn.started' || started.messageId === null) continue;
    for (const taken of log.findByReference(session.id, started.messageId))
      if (taken.type === 'message.taken') return taken.text.trim().split('\n')[0]?.slice(0, LONGEST_TITLE);
  }
  return undefined;
}
