import type { Context } from '../model/command.ts';
import { deferrable } from '../model/deferred-asks.ts';
import type { SessionState } from '../model/state.ts';
import { canSleep, hasToolAsk, wantsProcess } from '../model/status.ts';
import { isAtRest, SUMMARY_VERSION, summaryOf } from '../model/summary.ts';
import { pendingView, queueView, sessionView } from '../model/views.ts';
import type { ChannelState } from '../protocol/channel.ts';
import { accept, type Result, refuse } from '../protocol/errors.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { ToolCatalogue } from '../protocol/tool.ts';
import { Announcements } from './announcements.ts';
import { AskHistory } from './ask-history.ts';
import { createClients } from './clients.ts';
import { createDispatcher } from './dispatcher.ts';
import { GrantBook } from './grant-book.ts';
import { recentSessions } from './handlers/sessions.ts';
import type { LiveSession } from './live-session.ts';
import { createNoticeFeed } from './notices.ts';
import { PolicyBook } from './policy-book.ts';
import type { Clock } from './ports/clock.ts';
import type { ControlRoom, News } from './ports/control-room.ts';
import type { EventLog, Place } from './ports/event-log.ts';
import type { Ids } from './ports/ids.ts';
import type { Logger } from './ports/logger.ts';
import type { NoticeFeed } from './ports/notice-feed.ts';
import type { Checkpoint, LeftRun, Runner, ToolAccess } from './ports/runner.ts';
import type { SessionEnv } from './ports/session-env.ts';
import type { StorageWatch } from './ports/storage-watch.ts';
import type { Templates } from './ports/templates.ts';
import type { ToolDesk } from './ports/tool-desk.ts';
import { ProcessBudget } from './process-budget.ts';
import { SessionRegistry, storedSession } from './session-registry.ts';
import type { SessionWriter, Stored } from './session-writer.ts';
import type { EngineSettings } from './settings.ts';
import { Stillness } from './stillness.ts';
import { AskDesk } from './tool-desk.ts';

export interface EngineOptions {
  readonly log: EventLog;
  readonly runner: Runner;
  readonly env: SessionEnv;
  readonly templates: Templates;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** More than the log knows of its disk, where there is more to know. */
  readonly storage?: StorageWatch;
  /** No agent is started before this: it would look for its tools at an address that does not answer yet. */
  readonly listening?: Promise<unknown>;
  /** Where a session's agent finds the interactive tools; asked at each start of a process. */
  readonly toolAccess?: (sessionId: SessionId) => ToolAccess | null;
  /** The tools that are offered, for people to look at. */
  readonly toolCatalogue?: () => ToolCatalogue;
  /** The ways to reach people and programs outside of the page, for people to look at. */
  readonly channels?: () => readonly ChannelState[];
  readonly settings: EngineSettings;
}

export interface Engine extends ControlRoom {
  /** Where the interactive tools of this program ask. */
  readonly tools: ToolDesk;
  /** What deserves to be told outside of the page. */
  readonly notices: NoticeFeed;
  /** Puts every agent to an end, stores how it ended, and lets go of everything. */
  close(): Promise<void>;
  /** Lets go of everything; agents that can live on by themselves do, for the next server to take up. */
  detach(): Promise<void>;
}

const IDLE_CHECK_MS = 5000;
const SUMMARIES_AT_ONCE = 500;

/** Opens the control room on a log: takes up the sessions of earlier runs, then serves. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { log, runner, clock, ids, logger, settings } = options;
  const { whileBusy = 'queue' } = settings;
  const listeners = new Set<(news: News) => void>();
  const book = new GrantBook({ log, clock, logger });
  const policies = new PolicyBook({ book, runner, roots: settings.roots, logger });
  const clients = createClients(ids.client, clock);
  const lifetime = { closing: false };

  const context = (): Omit<Context, 'storedSeq'> => ({
    at: clock.now(),
    mint: (kind) => ids[kind](),
    grants: book.grants,
    rulesIn: (place) => policies.rulesIn(place),
  });
  const publish = (news: readonly News[]): void => {
    for (const one of news) {
      for (const listener of listeners) tell(listener, one);
    }
  };
  const tell = (listener: (news: News) => void, news: News): void => {
    try {
      listener(news);
    } catch (error) {
      // One listener's fault must not keep the news from the others, nor from the agent.
      logger.error({ reason: String(error) }, 'A listener failed');
    }
  };

  const tools = new AskDesk({
    writer: (id) => registry.get(id)?.writer,
    clients,
    book,
    log,
    clock,
    ids,
    logger,
  });
  const announcements = new Announcements(log, (id) => {
    const view = registry.view(id);
    return view && { view, queue: registry.queue(id) };
  });
  const registry = new SessionRegistry(
    {
      log,
      announcements,
      book,
      env: options.env,
      clock,
      ids,
      logger,
      runner,
      tools,
      toolAccess: options.toolAccess ?? (() => null),
      roots: settings.roots,
      context,
      publish,
      onChange: (state) => changed(state),
    },
    settings.mostAtRest,
  );

  const history = new AskHistory({ log, session: (id) => registry.view(id) });

  const budget = new ProcessBudget({
    most: settings.mostProcesses,
    state: (id) => registry.get(id)?.state,
    start: async (id) => {
      await options.listening;
      const session = registry.get(id);
      if (session === undefined || lifetime.closing) return false;
      // Before its agent can ask for anything.
      await policies.look(session.state);
      if (lifetime.closing) return false;
      const started = await session.writer.insist({ type: 'start-process', processId: ids.process() });
      return started.ok && started.value.length > 0;
    },
    sleep: (id) => void registry.get(id)?.writer.command({ type: 'close-process', cause: 'sleep' }),
  });

  const remove = async (session: LiveSession): Promise<Result<undefined>> => {
    const { id, writer } = session;
    do {
      await session.effects.closed;
      const drained = await session.drained();
      if (!drained.ok) return drained;
      if (session.state.life === 'open') return refuse('session_not_stopped');
      // An event stored after the removal would be a log without a beginning.
    } while (!writer.retire());
    const { state } = session;
    const onStored = (place: Place): void => {
      registry.forget(session);
      history.forget();
      publish(announcements.ofRemoval(state, place));
    };
    await log.remove(id, { key: state.key, onStored }).catch((error: unknown) => {
      writer.reinstate();
      throw error;
    });
    await Promise.all([options.env.remove(id), runner.rawLog.remove(id)]);
    return accept(undefined);
  };

  const turns = new Map<SessionId, string>();
  /** What a person changes between two turns holds in the next. */
  const lookAtTurn = ({ id, turn, cwd, realCwd }: SessionState): void => {
    if (turn === null) {
      turns.delete(id);
      return;
    }
    turns.set(id, turn.id);
    void policies.look({ cwd, realCwd });
  };

  /** After each commit. */
  const changed = (state: SessionState): void => {
    if (!lifetime.closing) {
      budget.notice(state);
      if (turns.get(state.id) !== state.turn?.id) lookAtTurn(state);
    }
    if (state.ephemeral && state.life !== 'open' && state.process === null) {
      const session = registry.get(state.id);
      if (session !== undefined) {
        void remove(session).catch((error: unknown) => logger.error({ error }, 'A session was not removed'));
      }
    }
  };

  await recover(options, registry, { book, policies }, announcements);
  for (const { state } of registry.inMemory()) {
    if (state.process !== null) budget.adopt(state.id);
    budget.notice(state);
  }
  for (const { writer } of registry.inMemory()) tools.takeUp(writer);

  const idle = new Stillness<SessionWriter>(clock, IDLE_CHECK_MS);
  const asking = new Stillness<SessionWriter>(clock, IDLE_CHECK_MS);
  const cancelIdleCheck = every(clock, IDLE_CHECK_MS, () => {
    for (const { state, writer } of registry.inMemory()) {
      if (state.process !== null) void policies.look(state);
      const { since } = state;
      if (idle.of(writer, canSleep(state) ? { what: since, since } : undefined) >= settings.idleMs) {
        void writer.command({ type: 'close-process', cause: 'sleep' });
      }
      const ask = settings.deferAsksMs === null ? undefined : deferrable(state)?.requested;
      const asked = asking.of(writer, ask && { what: ask.interactionId, since: ask.at });
      if (ask !== undefined && asked >= (settings.deferAsksMs ?? 0)) {
        void writer.command({ type: 'defer', interactionId: ask.interactionId });
      }
    }
  });

  const storage: StorageWatch = options.storage ?? {
    current: () => log.storage,
    listen: (listener) => log.onStorage(listener),
  };
  const forgetStorage = storage.listen((data) =>
    publish([{ kind: 'announcement', announcement: { type: 'storage-changed', data } }]),
  );

  const end = async (endSession: (session: LiveSession) => Promise<void>): Promise<void> => {
    lifetime.closing = true;
    cancelIdleCheck();
    history.close();
    forgetStorage();
    registry.close();
    await Promise.all(registry.inMemory().map(endSession));
    book.close();
    tools.close();
    listeners.clear();
  };

  const toolCatalogue = options.toolCatalogue ?? (() => ({ tools: [], problems: [] }));
  const dispatch = createDispatcher({
    ...options,
    registry,
    book,
    history,
    policies,
    clients,
    toolCatalogue,
    channels: options.channels ?? (() => []),
    remove,
    lifetime,
  });

  const listen = (listener: (news: News) => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  return {
    dispatch,
    clients,
    tools,
    notices: createNoticeFeed({ log, announcements, registry, listen }),
    listen,
    whileBusy,
    overview() {
      const sessions = registry.inMemory().map((session) => session.state);
      return {
        ...recentSessions(registry),
        pending: sessions.flatMap(pendingView).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)),
        queues: Object.fromEntries(
          sessions
            .map((state) => [state.id, queueView(state)] as const)
            .filter(([, queue]) => queue.length > 0),
        ),
        storage: storage.current(),
        whileBusy,
      };
    },
    announcementCursor: () => announcements.cursor,
    announcementsAfter: (cursor, limit) => announcements.after(cursor, limit),
    snapshot(idOrKey) {
      const found = registry.find(idOrKey);
      if (!found.ok) return found;
      const { state, partial } = found.value;
      return accept({
        session: sessionView(state),
        pending: pendingView(state),
        queue: queueView(state),
        partial: partial.blocks(),
        commands: state.commands,
        lastSeq: state.lastSeq,
      });
    },
    eventsAfter: (id, seq, limit) => log.page(id, { after: seq, limit }).events,
    image(idOrKey, imageId) {
      const found = registry.find(idOrKey);
      if (!found.ok) return found;
      const blob = log.blob(found.value.id, imageId);
      return blob === undefined ? refuse('image_not_found') : accept(blob);
    },
    rawLog(idOrKey) {
      const found = registry.find(idOrKey);
      return found.ok ? accept(runner.rawLog.read(found.value.id)) : found;
    },
    storage: storage.current,
    close: () => end(shutDown),
    detach: () => end((session) => letGo(session, tools)),
  };
}

async function letGo(session: LiveSession, tools: AskDesk): Promise<void> {
  const { run } = session.effects;
  if (run !== null && run.detach === undefined) return shutDown(session);
  // What its tools do ends with the server, also where the agent does not. What cannot be stored now is found at the next start.
  await session.writer.command({ type: 'lose-tools' });
  tools.runEnded(session.id, 'The server ends.');
  session.effects.agent.detach();
  await session.drained();
  session.dispose();
}

async function shutDown(session: LiveSession): Promise<void> {
  const closing = await session.writer.command({ type: 'close-process', cause: 'shutdown' });
  // Where that cannot be written down, the agent must not outlive the server all the same.
  if (!closing.ok) session.effects.close();
  await session.effects.closed;
  await session.drained();
  session.dispose();
}

async function recover(
  options: EngineOptions,
  registry: SessionRegistry,
  { book, policies }: { readonly book: GrantBook; readonly policies: PolicyBook },
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
      continue;
    }
    try {
      const stored = storedSession(start);
      if (stored === undefined) continue;
      if (isAtRest(stored.state)) unsummarized.push(stored);
      else
        settled.push(
          settle(
            registry.takeUp(stored),
            { checkpoint: start.checkpoint, runs: left },
            { registry, policies, announcements, options },
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
  const claimed = new Set(registry.inMemory().map(({ state }) => state.process?.id));
  const strays = left.filter(({ runId }) => !claimed.has(runId));
  await Promise.all(strays.map(({ runId }) => runner.end(runId)));
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
    announcements,
    options,
  }: {
    readonly registry: SessionRegistry;
    readonly policies: PolicyBook;
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

function every(clock: Clock, milliseconds: number, callback: () => void): () => void {
  let cancel = (): void => {};
  const arm = (): void => {
    cancel = clock.after(milliseconds, () => {
      callback();
      arm();
    });
  };
  arm();
  return () => cancel();
}
