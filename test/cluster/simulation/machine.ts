import { isPassing, type LeftRun, type Runner } from '../../../src/engine/ports/runner.ts';
import type { AgentFact } from '../../../src/model/agent-fact.ts';
import { MessageId, type SessionId } from '../../../src/protocol/ids.ts';
import type { Decision } from '../../../src/protocol/interaction.ts';
import { localRunner } from '../../../src/runner/local-runner.ts';
import type { AgentConnection, AgentDriver, Report } from '../../../src/runner/ports/agent-driver.ts';
import type { AgentProcess, WriteOutcome } from '../../../src/runner/ports/process-host.ts';
import { bashAsk, capabilities } from '../../support/session-states.ts';

export type Fault =
  /** What was written to an agent before the runner was started anew is not known any more. */
  | 'order-twice'
  /** What was lost on the way is not missed. */
  | 'fact-skipped'
  | 'answer-before-commit'
  /** What a machine says its agent said is stored whatever it is. */
  | 'grant-from-runner'
  /** The number goes to the disk behind the events that it belongs to. */
  | 'number-behind-events'
  /** The room goes on with a run before all that it was told of it is on the disk. */
  | 'caught-up-early';

/** What the parts of a world share. */
export interface World {
  readonly random: () => number;
  readonly fault: Fault | undefined;
  /** How many steps were taken. */
  step: number;
  violations: string[];
  /** What a person decided, by the id of the ask. */
  readonly decisions: Map<string, Decision>;
  /** An agent, as it is at this moment, whatever anybody has been told of it. */
  agent(runId: string): SimAgent | undefined;
}

interface Received {
  readonly kind: 'message' | 'answer';
  readonly id: string;
  readonly decision?: Decision;
  readonly step: number;
}

/** An agent's process with its files. It lives on when its runner is killed. */
export class SimAgent {
  readonly runId: string;
  readonly sessionId: SessionId;
  /** Its output. */
  readonly said: AgentFact[] = [];
  /** What was written to it, by id, as its runner noted it. */
  readonly journal = new Set<string>();
  /** By it, and by what ran under the same id before. */
  readonly received: Received[];
  #todo: AgentFact[] = [];
  #asked: string | undefined;
  isRunning = true;
  /** All it said is stored: its files are gone. */
  isArchived = false;
  /** Up to here its output has given its space back. */
  given = 0;
  /** How many facts with a number it had said when its present runner came to it. */
  saidBefore = 0;

  constructor(runId: string, sessionId: SessionId, received: Received[] = []) {
    this.received = received;
    this.runId = runId;
    this.sessionId = sessionId;
    this.#todo.push({ type: 'ready', agentSessionId: null, version: '1', capabilities });
  }

  takeMessage(id: string, step: number): void {
    this.received.push({ kind: 'message', id, step });
    const text = (text: string): AgentFact => ({
      type: 'said',
      event: { type: 'agent.text', agentMessageId: id, block: 0, text },
    });
    this.#todo.push(
      { type: 'message-taken', messageId: MessageId.parse(id) },
      { type: 'turn-started' },
      { type: 'delta', delta: { messageId: id, block: 0, kind: 'text', text: 'wo' } },
      { type: 'delta', delta: { messageId: id, block: 0, kind: 'text', text: 'rk' } },
      text('work'),
      { type: 'asked', ask: bashAsk(`ask of ${id}`, 'ls') },
    );
  }

  takeAnswer(id: string, decision: Decision, step: number): void {
    this.received.push({ kind: 'answer', id, decision, step });
    if (this.#asked !== id) return;
    this.#asked = undefined;
    this.#todo.push({ type: 'turn-ended', outcome: 'completed' });
  }

  get isBusy(): boolean {
    return this.isRunning && this.#todo.length > 0;
  }

  work(): void {
    const next = this.isRunning ? this.#todo.shift() : undefined;
    if (next === undefined) return;
    this.said.push(next);
    if (next.type === 'asked') this.#asked = next.ask.agentRequestId;
  }

  /** It needs no answer any more. */
  withdraw(): void {
    if (!this.isRunning || this.#asked === undefined) return;
    this.said.push({ type: 'withdrawn', agentRequestId: this.#asked });
    this.#asked = undefined;
    this.#todo.push({ type: 'turn-ended', outcome: 'completed' });
  }

  exit(): void {
    if (!this.isRunning) return;
    this.isRunning = false;
    this.said.push({ type: 'exited', code: 0, signal: null, stderr: [] });
  }
}

/** A machine: agents and files that stay, and the runner on it that comes and goes. */
export class SimMachine {
  readonly agents = new Map<string, SimAgent>();
  /** What is on its disk of earlier starts of the runner. */
  readonly starts: string[] = [];
  readonly #world: World;
  /** Whether agents live on when their runner is killed. */
  readonly agentsOutlive: boolean;
  #connections: SimConnection[] = [];

  constructor(world: World, agentsOutlive: boolean) {
    this.#world = world;
    this.agentsOutlive = agentsOutlive;
  }

  /** The real runner, with agents of this world. */
  open(): Runner {
    const world = this.#world;
    const connect = (agent: SimAgent, report: Report, from: number, catchesUp: boolean): SimConnection => {
      const connection = new SimConnection(world, agent, report, from, catchesUp);
      this.#connections.push(connection);
      return connection;
    };
    const driver: AgentDriver = {
      name: 'sim',
      label: 'Sim',
      probe: async () => ({ name: 'sim', label: 'Sim', available: true, capabilities }),
      start: ({ processId, sessionId }, report) => {
        const known = this.agents.get(processId);
        const isThere = known !== undefined && !known.isArchived;
        const agent = isThere ? known : new SimAgent(processId, sessionId, known?.received);
        this.agents.set(processId, agent);
        agent.saidBefore = isThere ? countOf(agent.said) : 0;
        return connect(agent, report, 0, false);
      },
      ...(this.agentsOutlive && {
        attach: ({ processId }, { mark }, report) => {
          const agent = this.agents.get(processId);
          if (agent === undefined || agent.isArchived) return undefined;
          agent.saidBefore = countOf(agent.said);
          return connect(agent, report, mark?.offset ?? 0, true);
        },
      }),
    };
    return localRunner({
      drivers: [driver],
      processes: {
        kept: async () =>
          this.#kept.map((agent) => ({
            id: agent.runId,
            sessionId: agent.sessionId,
            running: agent.isRunning,
            outputEnd: agent.said.length,
          })),
        attach: (id) => {
          const agent = this.agents.get(id);
          const process: Partial<AgentProcess> = {
            end: async () => agent?.exit(),
            stored: () => {
              if (agent) agent.isArchived = true;
            },
          };
          return process as AgentProcess;
        },
        endLeftovers: async () => ({ found: 0, killed: 0, remaining: 0 }),
        close: async () => {},
        detach: async () => {},
      },
      rawLog: { async *read() {}, remove: async () => {}, close: async () => {} },
    });
  }

  /** What a runner finds that is opened now. */
  get left(): readonly LeftRun[] {
    return this.#kept.map(({ runId, sessionId, isRunning }) => ({ runId, sessionId, isRunning }));
  }

  get #kept(): readonly SimAgent[] {
    return [...this.agents.values()].filter(({ isArchived }) => !isArchived);
  }

  /** The runner is gone from one moment to the next. */
  kill(): void {
    for (const connection of this.#connections) connection.cut();
    this.#connections = [];
    if (this.agentsOutlive) return;
    for (const agent of this.agents.values()) {
      agent.isRunning = false;
      agent.isArchived = true;
    }
  }

  get readers(): readonly SimConnection[] {
    return this.#connections.filter(({ isIdle }) => !isIdle);
  }
}

const countOf = (facts: readonly AgentFact[]): number => facts.filter((fact) => !isPassing(fact)).length;

/** A driver's end of an agent. */
class SimConnection implements AgentConnection {
  readonly #world: World;
  readonly #agent: SimAgent;
  readonly #report: Report;
  #offset: number;
  #isCaughtUp: boolean;
  #isPaused = false;
  #isCut = false;
  #hasExited = false;
  #late: (() => void)[] = [];
  readonly #ended = Promise.withResolvers<void>();

  constructor(world: World, agent: SimAgent, report: Report, from: number, catchesUp: boolean) {
    this.#world = world;
    this.#agent = agent;
    this.#report = report;
    this.#offset = from;
    this.#isCaughtUp = !catchesUp;
    if (from < agent.given) world.violations.push(`${agent.runId} is read where nothing is kept any more`);
  }

  get isIdle(): boolean {
    if (this.#isCut || this.#hasExited) return true;
    const hasNews = !this.#isPaused && (this.#offset < this.#agent.said.length || !this.#isCaughtUp);
    return !hasNews && this.#late.length === 0;
  }

  /** Reads a little on, or tells what became of an order. */
  work(): void {
    const late = this.#late.shift();
    if (late) {
      late();
      return;
    }
    if (this.#isPaused) return;
    const count = 1 + Math.floor(this.#world.random() * 3);
    const facts = this.#agent.said.slice(this.#offset, this.#offset + count);
    this.#offset += facts.length;
    const isAtEnd = this.#offset === this.#agent.said.length;
    this.#hasExited = facts.at(-1)?.type === 'exited';
    const mark = { processId: this.#agent.runId, offset: this.#offset, memory: null };
    // A driver does not move its mark over fragments.
    const hasMark = facts.at(-1)?.type !== 'delta';
    if (facts.length > 0) this.#report(facts, hasMark ? mark : undefined);
    if (this.#hasExited) this.#ended.resolve();
    else if (isAtEnd && !this.#isCaughtUp) {
      this.#isCaughtUp = true;
      this.#report([{ type: 'caught-up' }]);
    }
  }

  cut(): void {
    this.#isCut = true;
    this.#late = [];
  }

  async send({ messageId }: { readonly messageId: MessageId }): Promise<void> {
    const outcome = await this.#write(`message ${messageId}`, () =>
      this.#agent.takeMessage(messageId, this.#world.step),
    );
    if (!outcome.ok) throw new Error(outcome.message);
  }

  answer(...[ask, decision]: Parameters<AgentConnection['answer']>): Promise<WriteOutcome> {
    const id = ask.agentRequestId;
    return this.#write(`answer ${id}`, () => this.#agent.takeAnswer(id, decision, this.#world.step));
  }

  async interrupt(): Promise<void> {}

  async setPermissionMode(): Promise<void> {}

  async setModel(): Promise<void> {}

  close(): Promise<void> {
    this.#agent.exit();
    return this.#ended.promise;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  stored({ offset }: { readonly offset: number }): void {
    if (this.#isCut) return;
    this.#agent.given = Math.max(this.#agent.given, offset);
    if (!this.#agent.isRunning && offset === this.#agent.said.length) this.#agent.isArchived = true;
  }

  detach(): void {
    this.cut();
  }

  #write(id: string, write: () => void): Promise<WriteOutcome> {
    const { promise, resolve } = Promise.withResolvers<WriteOutcome>();
    if (this.#isCut) return promise;
    const isKnown = this.#agent.journal.has(id) && this.#world.fault !== 'order-twice';
    const isDone = isKnown || this.#agent.isRunning;
    if (!isKnown && this.#agent.isRunning) {
      this.#agent.journal.add(id);
      write();
    }
    this.#late.push(() =>
      resolve(isDone ? { ok: true } : { ok: false, code: 'EPIPE', message: 'The agent is gone' }),
    );
    return promise;
  }
}
