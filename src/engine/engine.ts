import type { Context } from '../model/command.ts';
import { deferrable } from '../model/deferred-asks.ts';
import type { SessionState } from '../model/state.ts';
import { canSleep } from '../model/status.ts';
import { pendingView, queueView, sessionView } from '../model/views.ts';
import type { ChannelState } from '../protocol/channel.ts';
import { accept, type Result, refuse } from '../protocol/errors.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { MachineLoad } from '../protocol/machine.ts';
import type { ToolCatalogue } from '../protocol/tool.ts';
import { Announcements } from './announcements.ts';
import { AskHistory } from './ask-history.ts';
import { ChangedPaths } from './changed-paths.ts';
import { createClients } from './clients.ts';
import { createDispatcher } from './dispatcher.ts';
import { GrantBook } from './grant-book.ts';
import { recentSessions } from './handlers/sessions.ts';
import type { LiveSession } from './live-session.ts';
import { Machines, placeOn } from './machines.ts';
import { createNoticeFeed } from './notices.ts';
import { PolicyBook } from './policy-book.ts';
import type { Clock } from './ports/clock.ts';
import type { ControlRoom, News } from './ports/control-room.ts';
import type { EventLog, Place } from './ports/event-log.ts';
import type { Ids } from './ports/ids.ts';
import type { Logger } from './ports/logger.ts';
import type { MachineSource } from './ports/machine.ts';
import type { NoticeFeed } from './ports/notice-feed.ts';
import type { Runner, ToolAccess } from './ports/runner.ts';
import type { SessionEnv } from './ports/session-env.ts';
import type { StorageWatch } from './ports/storage-watch.ts';
import type { Templates } from './ports/templates.ts';
import type { ToolDesk } from './ports/tool-desk.ts';
import { ProcessBudget } from './process-budget.ts';
import { recover, serveMachine, unclaimedOf } from './recovery.ts';
import { SessionRegistry } from './session-registry.ts';
import type { SessionWriter } from './session-writer.ts';
import type { EngineSettings } from './settings.ts';
import { SetupDesk } from './setup-desk.ts';
import { Stillness } from './stillness.ts';
import { AskDesk } from './tool-desk.ts';
import { forgetRecordings } from './turn-recorder.ts';
import { UndoDesk } from './undo-desk.ts';

export interface EngineOptions {
  readonly log: EventLog;
  /** Of the machine that this server runs on. */
  readonly runner: Runner;
  /** The other machines, where there are any. */
  readonly machines?: MachineSource;
  /** How busy this one is. */
  readonly localLoad?: () => MachineLoad | undefined;
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

/** Opens the control room on a log: takes up the sessions of earlier runs, then serves. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { log, clock, ids, logger, settings } = options;
  const { whileBusy = 'queue' } = settings;
  const listeners = new Set<(news: News) => void>();
  const book = new GrantBook({ log, clock, logger });
  const policies = new PolicyBook({
    book,
    logger,
    async policyFile({ machine = null, cwd, realCwd }) {
      const { roots } = placeOn(machine, settings);
      const file = await machines.ask(machine, async (runner) =>
        accept(await runner.policyFile({ cwd, realCwd, roots })),
      );
      return file.ok ? file.value : undefined;
    },
  });
  const setups: SetupDesk = new SetupDesk({
    book,
    machines: {
      ask: (machine, question) => machines.ask(machine, question),
      away: (machine) => machines.away(machine),
    },
    logger,
  });
  const clients = createClients(ids.client, clock);
  const lifetime = { closing: false };

  const machines: Machines = new Machines({
    local: options.runner,
    source: options.machines,
    localLoad: options.localLoad,
    clock,
    named: () => registry.machines(),
  });
  const context = (machine: string | null): Omit<Context, 'storedSeq'> => ({
    at: clock.now(),
    mint: (kind) => ids[kind](),
    grants: book.grants,
    away: machines.away(machine),
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
  const undos = new UndoDesk({
    machines,
    ids,
    logger,
    roots: settings.roots,
    sessions: () => registry.inMemory(),
  });
  const announcements: Announcements = new Announcements(log, (id) => {
    const view = registry.view(id);
    return view && { view, queue: registry.queue(id) };
  });
  const registry: SessionRegistry = new SessionRegistry(
    {
      log,
      undos,
      announcements,
      book,
      env: options.env,
      clock,
      ids,
      logger,
      machines,
      tools,
      toolAccess: options.toolAccess ?? (() => null),
      roots: settings.roots,
      recordingMs: settings.recordingMs,
      context,
      publish,
      onChange: (state) => changed(state),
    },
    settings.mostAtRest,
  );

  const history = new AskHistory({ log, session: (id) => registry.view(id) });

  const budgets = new Map<string | null, ProcessBudget>();
  /** Each machine has room for as many agents; a session stands in line only behind those of its own. */
  const budgetOf = (machine: string | null): ProcessBudget => {
    const known = budgets.get(machine) ?? newBudget();
    budgets.set(machine, known);
    return known;
  };
  const newBudget = () =>
    new ProcessBudget({
      most: settings.mostProcesses,
      state: (id) => registry.get(id)?.state,
      start: async (id) => {
        await options.listening;
        const session = registry.get(id);
        if (session === undefined || lifetime.closing) return false;
        if (!(await setups.ready(session)) || lifetime.closing) return false;
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
    const removed = machines.away(state.machine)
      ? undefined
      : machines.runner(state.machine)?.rawLog.remove(id);
    await Promise.all([options.env.remove(id), removed, releaseWorktree(state)]);
    void forgetRecordings(state, { machines, roots: settings.roots, logger });
    return accept(undefined);
  };

  /** The worktree stays; git's own commands may take it away from now on. */
  const releaseWorktree = async ({ machine, worktree }: SessionState): Promise<void> => {
    if (worktree === undefined || registry.list().some((one) => one.worktree?.id === worktree.id)) return;
    await machines
      .ask(machine, (runner) => runner.workspace('releaseWorktree', { worktreeId: worktree.id }))
      .catch((error: unknown) => logger.warn({ error }, 'A worktree was not released'));
  };

  /** Nothing is started on a machine that is away. */
  const notice = (state: SessionState): void => {
    if (machines.away(state.machine) === undefined) budgetOf(state.machine).notice(state);
  };

  const turns = new Map<SessionId, string>();
  /** What a person changes between two turns holds in the next. */
  const lookAtTurn = ({ id, turn, machine, cwd, realCwd }: SessionState): void => {
    if (turn === null) {
      turns.delete(id);
      return;
    }
    turns.set(id, turn.id);
    void policies.look({ machine, cwd, realCwd });
  };

  /** After each commit. */
  const changed = (state: SessionState): void => {
    if (!lifetime.closing) {
      notice(state);
      if (turns.get(state.id) !== state.turn?.id) lookAtTurn(state);
    }
    if (state.worktree?.setup === 'running' && state.life !== 'open') {
      const session = registry.get(state.id);
      if (session !== undefined) setups.end(session);
    }
    if (state.ephemeral && state.life !== 'open' && state.process === null) {
      const session = registry.get(state.id);
      if (session !== undefined) {
        void remove(session).catch((error: unknown) => logger.error({ error }, 'A session was not removed'));
      }
    }
  };

  await recover(options, registry, { book, policies, machines, setups }, announcements);
  for (const { state } of registry.inMemory()) {
    if (state.process !== null) budgetOf(state.machine).adopt(state.id);
    notice(state);
  }
  for (const session of registry.inMemory()) {
    tools.takeUp(session.writer);
    if (session.state.machine === null) void undos.settle(session);
  }

  const idle = new Stillness<SessionWriter>(clock, IDLE_CHECK_MS);
  const asking = new Stillness<SessionWriter>(clock, IDLE_CHECK_MS);
  const cancelIdleCheck = every(clock, IDLE_CHECK_MS, () => {
    for (const { state, writer } of registry.inMemory()) {
      if (machines.away(state.machine) !== undefined) continue;
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

  listeners.add((news) => {
    if (news.kind !== 'session' || news.news.type !== 'event') return;
    const { event } = news.news;
    if (event.type !== 'process.exited' || event.cause !== 'host-ended') return;
    const machine = registry.get(news.sessionId)?.state.machine ?? null;
    if (machine !== null) void machines.findUnclaimed(machine);
  });

  const sessionsOn = (machine: string): LiveSession[] =>
    registry.inMemory().filter(({ state }) => state.machine === machine);
  machines.open({
    onBack(name, left) {
      serveMachine(name, left, sessionsOn(name));
    },
    unclaimed: (name, left) => unclaimedOf(name, left, (id) => registry.get(id)?.state),
    onServed(name) {
      for (const session of sessionsOn(name)) {
        notice(session.state);
        // What waited for the machine goes on.
        void session.drained();
        void undos.settle(session);
      }
    },
    onAway(name) {
      for (const session of sessionsOn(name)) void session.drained();
    },
    onChange() {
      const states = machines.states();
      if (states.length === 0) return;
      publish([
        { kind: 'announcement', announcement: { type: 'machines-changed', data: { machines: states } } },
      ]);
    },
    onFailure: (name, error) =>
      logger.warn({ machine: name, reason: String(error) }, 'A machine could not be asked what runs there'),
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
    machines.close();
    registry.close();
    await Promise.all(registry.inMemory().map(endSession));
    book.close();
    tools.close();
    listeners.clear();
  };

  const toolCatalogue = options.toolCatalogue ?? (() => ({ tools: [], problems: [] }));
  const dispatch = createDispatcher({
    ...options,
    machines,
    registry,
    book,
    history,
    policies,
    setups,
    clients,
    undos,
    changedPaths: new ChangedPaths({ machines, roots: settings.roots }),
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
        ...(machines.areSeveral && { machines: machines.states() }),
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
      if (!found.ok) return found;
      const { id, state } = found.value;
      const runner = machines.away(state.machine) ? undefined : machines.runner(state.machine);
      return runner === undefined
        ? machines.unreachable(state.machine ?? '')
        : accept(runner.rawLog.read(id));
    },
    storage: storage.current,
    // Agents on other machines are not this program's to end: they go on, and the next server takes them up.
    close: () =>
      end((session) => (session.state.machine === null ? shutDown(session) : letGo(session, tools))),
    detach: () => end((session) => letGo(session, tools)),
  };
}

async function letGo(session: LiveSession, tools: AskDesk): Promise<void> {
  const { run } = session.effects;
  const isHere = session.state.machine === null;
  if (isHere && run !== null && run.detach === undefined) return shutDown(session);
  // What its tools do ends with the server, also where the agent does not. What cannot be stored now is found at the next start.
  await session.writer.command({ type: 'lose-tools' });
  tools.runEnded(session.id, 'The server ends.');
  session.effects.agent.detach();
  await session.drained();
  await session.effects.recorder.settledSoon();
  session.dispose();
}

async function shutDown(session: LiveSession): Promise<void> {
  const closing = await session.writer.command({ type: 'close-process', cause: 'shutdown' });
  // Where that cannot be written down, the agent must not outlive the server all the same.
  if (!closing.ok) session.effects.close();
  await session.effects.closed;
  await session.drained();
  // A turn that ended with the server has an end, too.
  await session.effects.recorder.settledSoon();
  session.dispose();
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
