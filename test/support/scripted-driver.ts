import type { ReadingMark } from '../../src/engine/ports/runner.ts';
import type { MessageId } from '../../src/protocol/ids.ts';
import type { Ask, Decision } from '../../src/protocol/interaction.ts';
import type { Agent } from '../../src/protocol/session.ts';
import type {
  AgentConnection,
  AgentDriver,
  AgentFact,
  AgentStart,
  LeftBehind,
  OutgoingMessage,
  Report,
} from '../../src/runner/ports/agent-driver.ts';
import { AgentRefusal } from '../../src/runner/ports/agent-driver.ts';
import type { WriteOutcome } from '../../src/runner/ports/process-host.ts';
import { capabilities } from './session-states.ts';

export type Written =
  | { readonly kind: 'send'; readonly message: OutgoingMessage; readonly how: 'turn' | 'steer' }
  | { readonly kind: 'answer'; readonly ask: Ask; readonly decision: Decision }
  | { readonly kind: 'defer'; readonly ask: Ask }
  | { readonly kind: 'interrupt' | 'close' | 'pause' | 'resume' | 'detach' }
  | { readonly kind: 'mode' | 'model'; readonly value: string };

/** An agent that says what the test lets it say, and keeps what is written to it. */
export class ScriptedDriver implements AgentDriver {
  readonly name: string;
  readonly label: string;
  /** Every process there was, oldest first. */
  readonly agents: ScriptedAgent[] = [];
  available = true;
  /** Set, a start throws. */
  broken: string | undefined;
  /** Called for each thing that is written, before it is. */
  onWrite: (written: Written, agent: ScriptedAgent) => void = () => {};
  /** Called after each start and each write, for those who wait. */
  onChange: () => void = () => {};
  /** Called for each start, before there is a process. */
  onStart: (start: AgentStart) => void = () => {};

  constructor(name = 'demo') {
    this.name = name;
    this.label = `The ${name} agent`;
  }

  async probe(): Promise<Agent> {
    const { name, label, available } = this;
    return { name, label, available, capabilities, ...(available ? {} : { reason: 'It is not installed.' }) };
  }

  start(start: AgentStart, report: Report): AgentConnection {
    if (this.broken !== undefined) throw new Error(this.broken);
    this.onStart(start);
    return this.#connect(start, report);
  }

  attach(start: AgentStart, left: LeftBehind, report: Report): AgentConnection | undefined {
    const isKept = left.kept.some(({ id }) => id === start.processId);
    return isKept ? this.#connect(start, report, left) : undefined;
  }

  #connect(start: AgentStart, report: Report, left?: LeftBehind): ScriptedAgent {
    const agent = new ScriptedAgent(start, report, {
      before: (written) => this.onWrite(written, agent),
      after: () => this.onChange(),
    });
    agent.left = left;
    this.agents.push(agent);
    this.onChange();
    return agent;
  }

  /** The newest process, of this session if one is named. */
  agent(sessionId?: string): ScriptedAgent {
    const agent = this.agents.findLast((one) => sessionId === undefined || one.start.sessionId === sessionId);
    if (agent === undefined) throw new Error('No agent was started');
    return agent;
  }
}

interface WriteHooks {
  readonly before: (written: Written) => void;
  readonly after: () => void;
}

export class ScriptedAgent implements AgentConnection {
  readonly start: AgentStart;
  readonly written: Written[] = [];
  /** Set, every write fails. */
  writesFail = false;
  /** Set, it refuses to change mode or model in these words. */
  refusal: string | undefined;
  /** False: asked to end, it goes on until `exit`. */
  endsWhenAsked = true;
  exited = false;
  /** How it was found, if it was there before. */
  left: LeftBehind | undefined;
  /** What it was told is stored. */
  readonly storedMarks: ReadingMark[] = [];
  readonly #report: Report;
  readonly #hooks: WriteHooks;
  readonly #ended = Promise.withResolvers<void>();

  constructor(start: AgentStart, report: Report, hooks: WriteHooks) {
    this.start = start;
    this.#report = report;
    this.#hooks = hooks;
  }

  report(...facts: AgentFact[]): void {
    this.#report(facts);
  }

  /** As by output up to this offset. */
  reportAt(offset: number, ...facts: AgentFact[]): void {
    this.#report(facts, { processId: this.start.processId, offset, memory: { saw: offset } });
  }

  ready(): void {
    this.report({
      type: 'ready',
      agentSessionId: `own-${this.start.sessionId}`,
      version: '1.0',
      capabilities,
    });
  }

  /** Begins with the message it was handed last. */
  begin(): MessageId {
    const messageId = this.sent().at(-1)?.messageId;
    if (messageId === undefined) throw new Error('Nothing was sent to the agent');
    this.report({ type: 'message-taken', messageId }, { type: 'turn-started' });
    return messageId;
  }

  end(outcome: 'completed' | 'interrupted' | 'failed' | 'suspended' = 'completed'): void {
    this.report({ type: 'turn-ended', outcome });
  }

  exit(code: number | null = 1, signal: string | null = null, stderr: readonly string[] = []): void {
    if (this.exited) return;
    this.exited = true;
    this.report({ type: 'exited', code, signal, stderr });
    this.#ended.resolve();
  }

  sent(): OutgoingMessage[] {
    return this.written.flatMap((written) => (written.kind === 'send' ? [written.message] : []));
  }

  answers(): Extract<Written, { kind: 'answer' }>[] {
    return this.written.filter((written) => written.kind === 'answer');
  }

  kinds(): string[] {
    return this.written.map((written) => written.kind);
  }

  async send(message: OutgoingMessage, how: 'turn' | 'steer'): Promise<void> {
    this.#write({ kind: 'send', message, how });
  }

  async answer(ask: Ask, decision: Decision): Promise<WriteOutcome> {
    if (this.writesFail || this.exited) return { ok: false, code: 'EPIPE', message: 'The pipe is closed' };
    this.#note({ kind: 'answer', ask, decision });
    return { ok: true };
  }

  async defer(ask: Ask): Promise<void> {
    this.#write({ kind: 'defer', ask });
  }

  async interrupt(): Promise<void> {
    this.#write({ kind: 'interrupt' });
  }

  async setPermissionMode(value: string): Promise<void> {
    if (this.refusal !== undefined) throw new AgentRefusal(this.refusal);
    this.#write({ kind: 'mode', value });
  }

  async setModel(value: string): Promise<void> {
    if (this.refusal !== undefined) throw new AgentRefusal(this.refusal);
    this.#write({ kind: 'model', value });
  }

  close(): Promise<void> {
    this.#note({ kind: 'close' });
    if (this.endsWhenAsked) this.exit(0);
    return this.#ended.promise;
  }

  stored(mark: ReadingMark): void {
    this.storedMarks.push(mark);
  }

  detach(): void {
    this.#note({ kind: 'detach' });
  }

  pause(): void {
    this.#note({ kind: 'pause' });
  }

  resume(): void {
    this.#note({ kind: 'resume' });
  }

  #write(written: Written): void {
    if (this.writesFail || this.exited) throw new Error('The pipe is closed');
    this.#note(written);
  }

  #note(written: Written): void {
    this.#hooks.before(written);
    this.written.push(written);
    this.#hooks.after();
  }
}
