import { tmpdir } from 'node:os';
import { afterEach } from 'vitest';
import { type Engine, type EngineSettings, openEngine } from '../../src/engine/index.ts';
import type { Caller, News, Reply } from '../../src/engine/ports/control-room.ts';
import type { EventLog } from '../../src/engine/ports/event-log.ts';
import type { Logger } from '../../src/engine/ports/logger.ts';
import type { MachineSource } from '../../src/engine/ports/machine.ts';
import type { Runner, ToolAccess } from '../../src/engine/ports/runner.ts';
import type { SessionEnv } from '../../src/engine/ports/session-env.ts';
import type { Announcement, AnnouncementType, SessionSnapshot } from '../../src/protocol/announcement.ts';
import type { ErrorCode, Refusal } from '../../src/protocol/errors.ts';
import type { Event, EventOf, EventType } from '../../src/protocol/event.ts';
import type { SessionId } from '../../src/protocol/ids.ts';
import type { Ask, Interaction } from '../../src/protocol/interaction.ts';
import { type OperationDefinition, type OperationName, operations } from '../../src/protocol/operation.ts';
import { commonRefusals } from '../../src/protocol/server-operation.ts';
import type { Session } from '../../src/protocol/session.ts';
import type { AgentDriver } from '../../src/runner/ports/agent-driver.ts';
import type { KeptProcess } from '../../src/runner/ports/process-host.ts';
import { countingIds } from './counting-ids.ts';
import { FakeClock } from './fake-clock.ts';
import { memoryLog } from './memory-log.ts';
import { patienceMs } from './patience.ts';
import { runnerOf } from './runner-of.ts';
import { type ScriptedAgent, ScriptedDriver } from './scripted-driver.ts';
import { templatesInMemory } from './templates-in-memory.ts';

export interface RoomOptions {
  readonly log?: EventLog;
  readonly clock?: FakeClock;
  readonly settings?: Partial<EngineSettings>;
  /** Keeps the ids of a second engine on the same log apart from the first one's. */
  readonly run?: string;
  readonly endLeftovers?: () => Promise<unknown>;
  readonly toolAccess?: (sessionId: SessionId) => ToolAccess | null;
  /** The processes that outlived an earlier engine. */
  readonly kept?: readonly KeptProcess[];
  readonly listening?: Promise<unknown>;
  /** Beside the scripted one. */
  readonly others?: (parts: { readonly clock: FakeClock; readonly logger: Logger }) => readonly AgentDriver[];
  /** Puts something between the engine and the runner. */
  readonly carry?: (runner: Runner) => Runner;
  /** The other machines. */
  readonly machines?: MachineSource;
}

const open = new Set<EngineRoom>();

/** Ends every room a test has opened. */
export function endRoomsAfterEach(): void {
  afterEach(async () => {
    for (const room of open) await room.end();
    open.clear();
  });
}

/** The real engine on a log, with a clock that stands still and an agent that says what it is told to. */
export async function openRoom(options: RoomOptions = {}): Promise<EngineRoom> {
  const driver = new ScriptedDriver();
  const clock = options.clock ?? new FakeClock();
  const log = options.log ?? memoryLog();
  const env = new EnvInMemory();
  const complaints: string[] = [];
  const removedRaw: string[] = [];
  const endedKept: string[] = [];
  const logger = {
    info: () => {},
    warn: (details: object, message: string) => void complaints.push(`${message} ${JSON.stringify(details)}`),
    error: (details: object, message: string) =>
      void complaints.push(`${message} ${JSON.stringify(details)}`),
  };
  const { kept, endLeftovers } = options;
  const local = runnerOf([driver, ...(options.others?.({ clock, logger }) ?? [])], {
    ...(kept && { kept }),
    ...(endLeftovers && { endLeftovers }),
    onEnded: (id) => endedKept.push(id),
    onRemoved: (sessionId) => removedRaw.push(sessionId),
  });
  const runner = options.carry?.(local) ?? local;
  const engine = await openEngine({
    log,
    runner,
    ...(options.machines === undefined ? {} : { machines: options.machines }),
    env,
    templates: templatesInMemory(),
    clock,
    ids: countingIds(options.run),
    logger,
    ...(options.toolAccess === undefined ? {} : { toolAccess: options.toolAccess }),
    ...(options.listening === undefined ? {} : { listening: options.listening }),
    settings: {
      defaultCwd: tmpdir(),
      roots: [],
      mostProcesses: 100,
      idleMs: 600_000,
      askTimeout: null,
      deferAsksMs: null,
      recordingMs: 2000,
      ...options.settings,
    },
  });
  const room = new EngineRoom({ engine, driver, clock, log, env, complaints, removedRaw, endedKept });
  open.add(room);
  return room;
}

export class EnvInMemory implements SessionEnv {
  readonly kept = new Map<string, Readonly<Record<string, string>>>();
  /** Set, nothing can be loaded. */
  broken = false;

  async save(sessionId: string, env: Readonly<Record<string, string>>): Promise<void> {
    this.kept.set(sessionId, env);
  }

  load(sessionId: string): Readonly<Record<string, string>> {
    if (this.broken) throw new Error('The environment cannot be read');
    return this.kept.get(sessionId) ?? {};
  }

  async remove(sessionId: string): Promise<void> {
    this.kept.delete(sessionId);
  }
}

interface Parts {
  readonly engine: Engine;
  readonly driver: ScriptedDriver;
  readonly clock: FakeClock;
  readonly log: EventLog;
  readonly env: EnvInMemory;
  readonly complaints: string[];
  readonly removedRaw: string[];
  readonly endedKept: string[];
}

export const person: Caller = { actor: { kind: 'person', where: 'test' } };
export const other: Caller = { actor: { kind: 'person', where: 'elsewhere' } };

/** What the table says an operation may be refused with. */
function refusalsOf(name: OperationName): readonly ErrorCode[] {
  const operation: OperationDefinition = operations[name];
  return [...commonRefusals, ...(operation.refusals ?? [])];
}

export class EngineRoom {
  readonly engine: Engine;
  readonly driver: ScriptedDriver;
  readonly clock: FakeClock;
  readonly log: EventLog;
  readonly env: EnvInMemory;
  readonly complaints: string[];
  readonly removedRaw: string[];
  readonly endedKept: string[];
  readonly news: News[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(parts: Parts) {
    this.engine = parts.engine;
    this.driver = parts.driver;
    this.clock = parts.clock;
    this.log = parts.log;
    this.env = parts.env;
    this.complaints = parts.complaints;
    this.removedRaw = parts.removedRaw;
    this.endedKept = parts.endedKept;
    this.engine.listen((news) => {
      this.news.push(news);
      this.look();
    });
    this.driver.onChange = () => this.look();
  }

  /** Lets all who wait look again. */
  look(): void {
    for (const check of this.#waiting) check();
  }

  /** What the operation replies; a refusal fails the test. */
  async do(operation: OperationName, input: Record<string, unknown> = {}, caller = person): Promise<Reply> {
    const result = await this.engine.dispatch(operation, input, caller);
    if (!result.ok) throw new Error(`${operation}: ${result.refusal.code}: ${result.refusal.message}`);
    return result.value;
  }

  /** Why the operation is refused; a reply fails the test. */
  async refused(
    operation: OperationName,
    input: Record<string, unknown> = {},
    caller = person,
  ): Promise<Refusal> {
    const result = await this.engine.dispatch(operation, input, caller);
    if (result.ok) throw new Error(`${operation} replied ${JSON.stringify(result.value)}`);
    const { code } = result.refusal;
    if (!refusalsOf(operation).includes(code)) throw new Error(`${operation} does not declare ${code}`);
    return result.refusal;
  }

  async create(input: Record<string, unknown> = {}): Promise<Session> {
    return (await this.do('createSession', { agent: 'demo', ...input })).body.session as Session;
  }

  /** A session whose agent is up and idle. */
  async idle(input: Record<string, unknown> = {}): Promise<[string, ScriptedAgent]> {
    const { id } = await this.create(input);
    const agent = await this.until('it is started', () =>
      this.driver.agents.findLast(({ start }) => start.sessionId === id),
    );
    agent.ready();
    await this.event(id, 'process.ready');
    return [id, agent];
  }

  /** A session in the middle of a turn. */
  async running(input: Record<string, unknown> = {}): Promise<[string, ScriptedAgent]> {
    const [id, agent] = await this.idle(input);
    await this.do('sendMessage', { session: id, message: 'go on' });
    await this.until('it is sent', () => agent.sent().length > 0);
    agent.begin();
    await this.event(id, 'turn.started');
    return [id, agent];
  }

  /** Lets the agent ask, and waits until the interaction is stored. */
  async asks(id: string, ask: Ask): Promise<Interaction> {
    this.driver.agent(id).report({ type: 'asked', ask });
    const requested = await this.event(
      id,
      'interaction.requested',
      (event) => event.ask.agentRequestId === ask.agentRequestId,
    );
    return this.interaction(id, requested.interactionId);
  }

  async interaction(id: string, interactionId: string): Promise<Interaction> {
    return (await this.do('getInteraction', { session: id, interactionId })).body.interaction as Interaction;
  }

  async session(id: string): Promise<Session> {
    return (await this.do('getSession', { session: id })).body.session as Session;
  }

  snapshot(id: string): SessionSnapshot {
    const result = this.engine.snapshot(id);
    if (!result.ok) throw new Error(result.refusal.message);
    return result.value;
  }

  async queue(id: string): Promise<string[]> {
    const { queue } = (await this.do('getQueue', { session: id })).body;
    return (queue as { message: string }[]).map((item) => item.message);
  }

  /** The stored events of a session. */
  events(id: string): Event[] {
    return [...this.log.page(id as SessionId, { after: 0, limit: 1000 }).events];
  }

  all<T extends EventType>(id: string, type: T): EventOf<T>[] {
    return this.events(id).filter((event): event is EventOf<T> => event.type === type);
  }

  announcements<T extends AnnouncementType>(type: T): (Announcement & { type: T })[] {
    return this.news
      .flatMap((news) => (news.kind === 'announcement' ? [news.announcement] : []))
      .filter((one): one is Announcement & { type: T } => one.type === type);
  }

  /** The first stored event of a type that fits, come or to come. */
  async event<T extends EventType>(
    id: string,
    type: T,
    fits: (event: EventOf<T>) => boolean = () => true,
  ): Promise<EventOf<T>> {
    return this.until(`${type} in ${id}`, () => this.all(id, type).find(fits));
  }

  /** What `look` finds, as soon as it finds something; it looks again at all news, and at all that is written to an agent. */
  async until<T>(what: string, look: () => T | undefined | false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const check = (): void => {
      const found = look();
      if (found !== undefined && found !== false) resolve(found);
    };
    const timer = setTimeout(() => reject(new Error(`Never came: ${what}`)), patienceMs);
    this.#waiting.add(check);
    check();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(check);
    });
  }

  /** Everything that has arrived for the session so far is worked through; what is asked for does not exist. */
  async drained(id: string): Promise<void> {
    await this.engine.dispatch('removeQueued', { session: id, messageId: 'none' }, person);
  }

  /** As if the server had been killed: nobody hears of it, and nothing is tidied up. */
  abandon(): void {
    open.delete(this);
  }

  async end(): Promise<void> {
    for (const agent of this.driver.agents) agent.endsWhenAsked = true;
    await this.engine.close();
  }
}
