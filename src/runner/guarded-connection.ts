import { inspect } from 'node:util';
import { z } from 'zod';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import { AgentFact, type Diagnostic } from '../model/agent-fact.ts';
import { faultsIn } from '../protocol/check.ts';
import { messageOf } from '../protocol/errors.ts';
import type { Ask, Decision } from '../protocol/interaction.ts';
import type { AgentConnection, OutgoingMessage, ReadingMark, Report } from './ports/agent-driver.ts';
import type { WriteOutcome } from './ports/process-host.ts';

/** Calls code of the driver, in its name. */
export type WatchedCall = <T>(what: string, code: () => T) => T;

export interface GuardOptions {
  /** The name of the agent, whatever the driver calls itself. */
  readonly name: string;
  readonly label?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs code of the driver, so that an error that nobody catches is known to be its own. */
  readonly asDriver: <T>(code: () => T) => T;
  /** Runs what follows from it in the server, which is not the driver's doing. */
  readonly asServer: <T>(code: () => T) => T;
  /** Ends the processes that the driver has started for a run. */
  readonly endProcesses: (runId: string) => Promise<void>;
}

/** How long what is asked of a driver may take, and how much it may tell of what nobody has taken yet. */
export const guardLimits = {
  probeMs: 5_000,
  startMs: 120_000,
  orderMs: 60_000,
  /** Less than the server has for its own end. */
  closeMs: 5_000,
  /** Code of a driver that runs longer than this keeps everyone else waiting, and that is told. */
  blockedMs: 200,
  factsWhilePaused: 20_000,
} as const;

interface GuardedConnectionOptions extends GuardOptions {
  readonly runId: string;
  readonly report: Report;
  readonly watched: WatchedCall;
}

type Exited = Extract<AgentFact, { type: 'exited' }>;

const needed = [
  ...(['send', 'answer', 'interrupt', 'setPermissionMode', 'setModel'] as const),
  ...(['close', 'pause', 'resume'] as const),
];

const Mark = z.object({ processId: z.string(), offset: z.int().min(0), memory: z.unknown() });
const Outcome = z.union([
  z.object({ ok: z.literal(true) }),
  z.object({
    ok: z.literal(false),
    code: z.string(),
    message: z.string(),
    uncertain: z.literal(true).exactOptional(),
  }),
]);

/** One run of a guarded driver. Whatever the driver does, each promise settles, and `exited` is told once, as the last fact. */
export class GuardedConnection implements AgentConnection {
  readonly #options: GuardedConnectionOptions;
  #inner: AgentConnection | undefined;
  #phase: 'starting' | 'ready' | 'ended' = 'starting';
  /** What was told before the start returned. */
  #early: Parameters<Report>[] | undefined = [];
  readonly #unsettled = new Set<() => void>();
  readonly #exited = Promise.withResolvers<void>();
  #closing: Promise<void> | undefined;
  #isPaused = false;
  #whilePaused = 0;
  #stopWaiting = (): void => {};
  #isTold = false;
  readonly detach?: () => void;
  readonly defer?: (ask: Ask) => Promise<void>;

  constructor(options: GuardedConnectionOptions) {
    this.#options = options;
  }

  /** Throws where the driver gave nothing that could be a connection. */
  begin(inner: unknown, how: 'start' | 'attach'): void {
    this.#inner = connectionOf(inner);
    const { defer, detach } = this.#inner;
    if (typeof defer === 'function')
      Object.assign(this, {
        defer: (ask: Ask) => this.#order('defer', (connection) => defer.call(connection, ask)),
      });
    if (typeof detach === 'function') Object.assign(this, { detach: () => this.#detach() });
    queueMicrotask(() => {
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const told of early) this.heard(...told);
      if (how === 'attach' || this.#phase !== 'starting') return;
      const limit = guardLimits.startMs;
      this.#stopWaiting = this.#options.clock.after(limit, () =>
        this.#fail(`The driver did not say within ${limit / 1000} seconds that the agent is ready.`),
      );
    });
  }

  readonly heard: Report = (facts, mark) => {
    if (this.#early !== undefined) {
      this.#early.push([facts, mark]);
      return;
    }
    if (this.#phase === 'ended') {
      this.#warnOnce('A driver told something of a run that has ended');
      return;
    }
    const known = factsIn(facts);
    const end = known.findIndex(({ type }) => type === 'exited');
    const before = end === -1 ? known : known.slice(0, end);
    this.#whilePaused = this.#isPaused ? this.#whilePaused + before.length : 0;
    if (this.#whilePaused > guardLimits.factsWhilePaused) {
      this.#fail(`The driver told more than ${guardLimits.factsWhilePaused} things while it was to wait.`);
      return;
    }
    if (before.some(({ type }) => type === 'ready')) {
      this.#phase = 'ready';
      this.#stopWaiting();
    }
    const exited = known[end];
    if (before.length > 0) this.#tell(before, exited === undefined ? markOf(mark) : undefined);
    if (exited?.type === 'exited') this.#end(exited, markOf(mark));
  };

  async send(message: OutgoingMessage, how: 'turn' | 'steer'): Promise<void> {
    await this.#order('send', (inner) => inner.send(message, how)).catch((error: unknown) => {
      // Nobody would ever say what became of the message; with the end of the run it goes back into the queue.
      if (how === 'turn') this.#fail(`The driver could not send a message: ${messageOf(error)}`);
      throw error;
    });
  }

  async answer(ask: Ask, decision: Decision): Promise<WriteOutcome> {
    if (this.#phase === 'ended') return { ok: false, code: 'not-open', message: hasEnded };
    try {
      const outcome = Outcome.safeParse(await this.#order('answer', (inner) => inner.answer(ask, decision)));
      return outcome.success
        ? outcome.data
        : maybe('The driver does not say whether the answer was written.');
    } catch (error) {
      return maybe(messageOf(error));
    }
  }

  interrupt(id?: string): Promise<void> {
    return this.#order('interrupt', (inner) => inner.interrupt(id));
  }

  setPermissionMode(mode: string): Promise<void> {
    return this.#order('setPermissionMode', (inner) => inner.setPermissionMode(mode));
  }

  setModel(model: string): Promise<void> {
    return this.#order('setModel', (inner) => inner.setModel(model));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  pause(): void {
    this.#isPaused = true;
    this.#call('pause', (inner) => inner.pause());
  }

  resume(): void {
    this.#isPaused = false;
    this.#call('resume', (inner) => inner.resume());
  }

  stored(mark: ReadingMark): void {
    this.#call('stored', (inner) => inner.stored?.(mark));
  }

  #detach(): void {
    this.#call('detach', (inner) => inner.detach?.());
    this.#over();
    this.#exited.resolve();
  }

  async #close(): Promise<void> {
    if (this.#phase === 'ended') return this.#exited.promise;
    const limit = guardLimits.closeMs;
    const words = `The driver did not end its agent within ${limit / 1000} seconds.`;
    const { clock, watched } = this.#options;
    const inner = this.#inner;
    const closed = watchedPromise(() => watched('close', () => inner?.close())).then(
      () => 'The driver did not tell that its agent has ended.',
      (error: unknown) => `The driver could not end its agent: ${messageOf(error)}`,
    );
    const fault = await inTime(clock, limit, Promise.race([closed, this.#exited.promise]), () => words);
    if (typeof fault === 'string') this.#fail(fault);
    await this.#exited.promise;
  }

  /** Settles with what the driver's promise brings, and at the latest when it has taken too long or the run is over. */
  #order<T>(what: string, code: (inner: AgentConnection) => Promise<T>): Promise<T> {
    const inner = this.#inner;
    if (inner === undefined || this.#phase === 'ended') return Promise.reject(new Error(hasEnded));
    const { clock, watched } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const limit = guardLimits.orderMs;
    const isOver = (): void => reject(new Error('The agent ended before the driver was done'));
    const cancel = clock.after(limit, () =>
      reject(new Error(`The driver was not done with "${what}" after ${limit / 1000} seconds`)),
    );
    this.#unsettled.add(isOver);
    const settle = (): void => {
      cancel();
      this.#unsettled.delete(isOver);
    };
    watchedPromise(() => watched(what, () => code(inner))).then(resolve, reject);
    promise.then(settle, settle);
    return promise;
  }

  /** For what nobody waits for: an error in it is the end of the run. */
  #call(what: string, code: (inner: AgentConnection) => void): void {
    const inner = this.#inner;
    if (inner === undefined || this.#phase === 'ended') return;
    try {
      this.#options.watched(what, () => code(inner));
    } catch (error) {
      this.#fail(`The driver failed in "${what}": ${messageOf(error)}`);
    }
  }

  /** Ends the run without the driver's help, with these words for a reason. */
  #fail(words: string): void {
    if (this.#phase === 'ended') return;
    const { name, logger, runId, endProcesses } = this.#options;
    logger.warn({ agent: name, run: runId, reason: words }, 'A run was ended because of its driver');
    const isStarting = this.#phase === 'starting';
    this.#over();
    if (this.#closing === undefined) {
      const { watched } = this.#options;
      void watchedPromise(() => watched('close', () => this.#inner?.close())).catch(() => {});
    }
    const exited: Exited = {
      type: 'exited',
      code: null,
      signal: null,
      stderr: isStarting ? [] : [words],
      ...(isStarting && { startError: words }),
    };
    const ended = endProcesses(runId).catch(() => {});
    void inTime(this.#options.clock, guardLimits.closeMs, ended, () => {}).then(() => this.#tellEnd(exited));
  }

  /** An answer that was just written settles first: what is not known when `exited` is told is never known. */
  #end(exited: Exited, mark: ReadingMark | undefined): void {
    this.#phase = 'ended';
    this.#stopWaiting();
    setImmediate(() => {
      this.#over();
      setImmediate(() => this.#tellEnd(exited, mark));
    });
  }

  #over(): void {
    this.#phase = 'ended';
    this.#stopWaiting();
    for (const settle of [...this.#unsettled]) settle();
  }

  #tellEnd(exited: Exited, mark?: ReadingMark): void {
    this.#tell([exited], mark);
    this.#exited.resolve();
  }

  #tell(facts: readonly AgentFact[], mark: ReadingMark | undefined): void {
    this.#options.asServer(() => this.#options.report(facts, mark));
  }

  #warnOnce(sentence: string): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const { name, logger, runId } = this.#options;
    logger.warn({ agent: name, run: runId }, sentence);
  }
}

/** What is promised, or something else when that takes too long. */
export function inTime<T>(clock: Clock, milliseconds: number, work: Promise<T>, late: () => T): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const cancel = clock.after(milliseconds, () => resolve(late()));
  work.then(resolve, reject).finally(cancel);
  return promise;
}

/** Also for code that throws at once, or returns no promise. */
async function watchedPromise<T>(code: () => T | Promise<T>): Promise<T> {
  return code();
}

function connectionOf(given: unknown): AgentConnection {
  const missing = needed.find((name) => typeof (given as Partial<AgentConnection>)?.[name] !== 'function');
  if (missing !== undefined) throw new Error(`The driver gave no connection: it has no "${missing}"`);
  return given as AgentConnection;
}

const hasEnded = 'The agent has ended';
const maybe = (message: string): WriteOutcome => ({ ok: false, code: 'failed', message, uncertain: true });

/** The facts among what a driver told, as plain data of our own; what is none of them is told as such. */
function factsIn(told: unknown): readonly AgentFact[] {
  if (!Array.isArray(told)) return [noFact('The driver told something that is no list of facts', told)];
  return told.map((each: unknown) => {
    try {
      // Through text: what cannot be written down must not get further, and what a driver changes afterwards must not change it.
      const plain: unknown = JSON.parse(JSON.stringify(each));
      const fact = AgentFact.safeParse(plain);
      if (fact.success) return ofAgent(fact.data);
      return noFact(`The driver told no fact: ${faultsIn(AgentFact, plain)[0]}`, plain);
    } catch (error) {
      return noFact(`The driver told something that cannot be stored: ${messageOf(error)}`, each);
    }
  });
}

/** A driver speaks for its agent alone: what a tool of ours asks never comes from there. */
function ofAgent(fact: AgentFact): AgentFact {
  if (fact.type !== 'asked') return fact;
  const { tool: _tool, approvalScopes: _scopes, ...ask } = fact.ask;
  return { ...fact, ask };
}

function noFact(text: string, sample: unknown): Diagnostic {
  return { type: 'diagnostic', code: 'no-fact', text, sample: inspect(sample).slice(0, 300) };
}

/** One that makes no sense is as good as none: the next server reads from the place before it. */
function markOf(mark: unknown): ReadingMark | undefined {
  if (mark === undefined) return undefined;
  try {
    return Mark.parse(JSON.parse(JSON.stringify(mark)));
  } catch {
    return undefined;
  }
}
