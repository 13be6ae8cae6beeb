import type { SessionState } from '../model/state.ts';
import { hasToolAsk, wantsProcess } from '../model/status.ts';
import { isAtRest, SUMMARY_VERSION, summaryOf } from '../model/summary.ts';
import type { Announcements } from './announcements.ts';
import type { EngineOptions } from './engine.ts';
import type { GrantBook } from './grant-book.ts';
import type { LiveSession } from './live-session.ts';
import type { Machines } from './machines.ts';
import type { PolicyBook } from './policy-book.ts';
import type { Checkpoint, LeftRun } from './ports/runner.ts';
import { type SessionRegistry, storedSession } from './session-registry.ts';
import type { Stored } from './session-writer.ts';
import type { SetupDesk } from './setup-desk.ts';
import { forgetRecordings } from './turn-recorder.ts';

const SUMMARIES_AT_ONCE = 500;

/** Takes up what earlier servers left on this machine. Sessions of other machines wait until theirs comes. */
export async function recover(
  options: EngineOptions,
  registry: SessionRegistry,
  {
    book,
    policies,
    machines,
    setups,
  }: {
    readonly book: GrantBook;
    readonly policies: PolicyBook;
    readonly machines: Machines;
    readonly setups: SetupDesk;
  },
  announcements: Announcements,
): Promise<void> {
  const { log, runner, logger } = options;
  const left = await runner.left();
  const settled: Promise<unknown>[] = [];
  const unsummarized: Stored[] = [];
  for (const start of log.streams(SUMMARY_VERSION)) {
    if (start.stream === 'global') {
      const events = [...start.eventsAfter(0)];
      book.load(events);
      policies.load(events);
      setups.load(events);
      continue;
    }
    try {
      const stored = storedSession(start);
      if (stored === undefined) continue;
      if (isAtRest(stored.state)) unsummarized.push(stored);
      else if (stored.state.machine !== null) awaitMachine(registry.takeUp(stored), start.checkpoint);
      else
        settled.push(
          settle(
            registry.takeUp(stored),
            { checkpoint: start.checkpoint, runs: left },
            { registry, policies, machines, announcements, options },
          ),
        );
    } catch (error) {
      // One log that cannot be understood must not keep all others closed.
      logger.error({ sessionId: start.stream, reason: String(error) }, 'A session cannot be read');
    }
    if (unsummarized.length >= SUMMARIES_AT_ONCE) await summarize(unsummarized.splice(0), registry, options);
  }
  await summarize(unsummarized, registry, options);
  await Promise.all(settled);
  const strays = unclaimedOf(null, left, (id) => registry.get(id)?.state);
  await Promise.all(strays.map(({ runId }) => runner.end(runId)));
}

/** What runs on another machine goes on there, whether or not it can be reached: nothing is lost by silence. */
function awaitMachine({ state, effects, writer }: LiveSession, checkpoint: Checkpoint | undefined): void {
  if (state.process !== null) effects.agent.await(state, checkpoint);
  effects.watchOpen(state);
  if (hasToolAsk(state)) void writer.insist({ type: 'lose-tools' });
}

/**
 * A machine has come and told what runs there. Its sessions attach to what is theirs; an agent that it no longer has is gone; one
 * that was only about to be started is started.
 */
export function serveMachine(
  machine: string,
  left: readonly LeftRun[],
  sessions: readonly LiveSession[],
): void {
  const runs = new Set(left.map(({ runId }) => runId));
  for (const { state, effects, writer } of sessions) {
    const { process: run } = state;
    if (run === null) continue;
    if (runs.has(run.id)) effects.agent.attachAgain(state);
    else if (run.phase === 'starting') effects.agent.startAgain();
    else {
      const reason = `The machine "${machine}" came back without the agent, which has ended there.`;
      void writer.insist({ type: 'lose-process', reason, cause: 'host-ended' });
    }
  }
}

/** The runs on a machine that no session of it has; what a machine tells of another's sessions counts for nothing. */
export function unclaimedOf(
  machine: string | null,
  left: readonly LeftRun[],
  state: (id: LeftRun['sessionId']) => SessionState | undefined,
): readonly LeftRun[] {
  return left.filter(({ runId, sessionId }) => {
    const session = state(sessionId);
    return session?.machine !== machine || session.process?.id !== runId;
  });
}

/** For sessions at rest that were stored before there were summaries, or with others: the next start need not read them. */
async function summarize(
  sessions: readonly Stored[],
  registry: SessionRegistry,
  { log, clock, logger }: EngineOptions,
): Promise<void> {
  if (sessions.length === 0) return;
  const at = clock.now();
  const parts = sessions.map(({ state }) => ({
    stream: state.id,
    at,
    events: [],
    summary: { version: SUMMARY_VERSION, of: summaryOf(state) },
  }));
  await log.append({ parts }).catch((error: unknown) => {
    logger.error(
      { reason: String(error) },
      'Sessions could not be listed in the database; they stay in memory',
    );
    for (const stored of sessions) registry.takeUp(stored);
  });
}

/**
 * An agent that is still there is taken up where it was left; one that was only about to be started is started. Otherwise what was
 * under way when the server ended is over; an ephemeral session is gone altogether then.
 */
async function settle(
  session: LiveSession,
  left: { readonly checkpoint: Checkpoint | undefined; readonly runs: readonly LeftRun[] },
  {
    registry,
    policies,
    machines,
    announcements,
    options,
  }: {
    readonly registry: SessionRegistry;
    readonly policies: PolicyBook;
    readonly machines: Machines;
    readonly announcements: Announcements;
    readonly options: EngineOptions;
  },
): Promise<void> {
  const { id, state, writer, effects } = session;
  const isTakenUp = left.runs.some(({ runId }) => runId === state.process?.id);
  if (isTakenUp) effects.agent.attach(state, left.checkpoint);
  // A log that came here without its end: nobody works on the turn, and nobody ever will.
  const isTorn = state.process === null && state.turn !== null;
  const isToStart = !isTakenUp && !isTorn && (wantsProcess(state) || state.process?.phase === 'starting');
  if (state.ephemeral && !isTakenUp && !isToStart) {
    registry.forget(session);
    const removed = Promise.all([
      options.log.remove(id, { key: state.key, onStored: (place) => announcements.ofRemoval(state, place) }),
      options.env.remove(id),
      options.runner.rawLog.remove(id),
    ]);
    await removed.catch((error: unknown) => options.logger.error({ error }, 'A session was not removed'));
    void forgetRecordings(state, { machines, roots: options.settings.roots, logger: options.logger });
    return;
  }
  effects.watchOpen(state);
  // Ahead of whatever the agent has to say: its tools did not live on with it.
  if (hasToolAsk(state)) void writer.insist({ type: 'lose-tools' });
  if (isToStart)
    void Promise.resolve(options.listening)
      .then(() => policies.look(state))
      .then(() => effects.agent.startAgain());
  if (isTakenUp || isToStart || (state.process === null && !isTorn)) return;
  const reason = 'The server ended while this was under way, and the agent with it.';
  const lost = await writer.command({ type: 'lose-process', reason });
  // The disk can be read but not written: it opens all the same, and this is stored as soon as it can be.
  if (!lost.ok) void writer.insist({ type: 'lose-process', reason });
}
