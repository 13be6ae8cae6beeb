import { type ClientConnection, client, RequestError } from '@agentclientprotocol/sdk';
import {
  type AgentConnection,
  type AgentFact,
  AgentRefusal,
  type AgentStart,
  type OutgoingMessage,
} from '../../engine/ports/agent-driver.ts';
import type { AgentProcess, ProcessHost, WriteOutcome } from '../../engine/ports/process-host.ts';
import type { Ask, Decision } from '../../protocol/interaction.ts';
import type { Capabilities } from '../../protocol/session.ts';
import { AnswersUnderWay } from '../answers-under-way.ts';
import { diagnosticFact } from '../diagnostics.ts';
import { isObject, type JsonObject, objectAt, textAt } from '../fields.ts';
import { modeChange, modelChange } from '../mode-and-model.ts';
import { exitFact } from '../process/exit-fact.ts';
import { unknownOnce } from '../unknown-once.ts';
import { Asking } from './asking.ts';
import { acpCapabilities, leastCapabilities } from './capabilities.ts';
import { ModeAfterPlan } from './mode-after-plan.ts';
import { chooseAtStart, openSession, within } from './opening.ts';
import { promptOf } from './prompt.ts';
import { replyTo } from './reply.ts';
import { Services } from './services.ts';
import type { Choice, SessionSettings } from './settings.ts';
import { Terminals } from './terminals.ts';
import { type Memory, newMemory } from './translate/memory.ts';
import { translateFailure, translateReply } from './translate/turn-end.ts';
import { closeTurn, isWork, translateSettings, translateUpdate } from './translate/update.ts';
import { sinceBegun, type Turn, Turns } from './turns.ts';
import { Wire } from './wire.ts';
import { wordsOf } from './words.ts';
import { Workspace } from './workspace.ts';

export interface ConnectionOptions {
  readonly start: AgentStart;
  readonly label: string;
  /** What we say of ourselves. */
  readonly ownVersion: string;
  /** The whole environment of the agent; its commands get the same. */
  readonly env: Readonly<Record<string, string>>;
  readonly processes: ProcessHost;
  readonly process: AgentProcess;
  readonly startLimitMs: number;
  report(facts: readonly AgentFact[]): void;
  onReady(version: string | null, capabilities: Capabilities): void;
}

/** One running agent that speaks the Agent Client Protocol. */
export class AcpConnection implements AgentConnection {
  readonly #options: ConnectionOptions;
  readonly #process: AgentProcess;
  readonly #memory: Memory;
  readonly #wire: Wire;
  readonly #peer: ClientConnection;
  readonly #asking: Asking;
  readonly #turns: Turns;
  readonly #modeAfterPlan: ModeAfterPlan;
  readonly #terminals: Terminals;
  readonly #services: Services;
  readonly #exitReported: Promise<void>;
  readonly #answers = new AnswersUnderWay();
  #facts: AgentFact[] = [];
  #session: { readonly id: string; readonly settings: SessionSettings } | undefined;
  #capabilities: Capabilities = leastCapabilities;
  #isPaused = false;
  /** The process is; its output may be unread. */
  #isGone = false;
  /** A service that was under way when the agent ended may have something to tell yet; nothing comes after the end. */
  #isOver = false;
  #startError: string | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { start, processes, process, env } = options;
    const { cwd, processId, permissionMode, model } = start;
    this.#process = process;
    this.#terminals = new Terminals(processes, start);
    const outputOf = (id: string) => this.#terminals.printed(id);
    this.#memory = newMemory({ cwd, prefix: processId, permissionMode, model, outputOf });
    this.#turns = new Turns({
      memory: this.#memory,
      isAsking: () => !this.#asking.isEmpty,
      report: (facts) => this.#report(facts),
    });
    this.#asking = new Asking({
      memory: this.#memory,
      tools: start.tools,
      showWork: () => this.#turns.showWork(),
      note: (facts) => this.#facts.push(...facts),
      report: (facts) => {
        this.#turns.watchOwn();
        this.#report(facts);
      },
      isClosed: () => this.#peer.signal.aborted,
    });
    this.#modeAfterPlan = new ModeAfterPlan({
      memory: this.#memory,
      setMode: (mode) => this.setPermissionMode(mode),
      report: (facts) => !this.#peer.signal.aborted && this.#report(facts),
    });
    this.#services = new Services({
      workspace: new Workspace(cwd),
      terminals: this.#terminals,
      memory: this.#memory,
      env,
      report: (facts) => this.#report(facts),
    });
    const handled = [this.#asking, this.#services].flatMap(({ handlers }) => Object.keys(handlers));
    this.#wire = new Wire(process, {
      handledRequests: new Set(handled),
      onNotification: (method, params) => this.#notified(method, params),
      onDiagnostic: (diagnostic) => this.#facts.push(diagnosticFact(diagnostic)),
      onReadEnd: () => this.#flush(),
    });
    this.#peer = this.#connect();
    this.#exitReported = this.#live();
    void this.#open();
  }

  async send(message: OutgoingMessage, how: 'turn' | 'steer'): Promise<void> {
    if (how === 'steer') throw new AgentRefusal('This agent cannot be steered');
    const session = this.#session;
    if (!session) throw new Error('The agent is not ready');
    const written = this.#wire.written((sent) => 'method' in sent && sent.method === 'session/prompt');
    const { prompt, facts } = promptOf(message, this.#capabilities);
    const turn = this.#turns.begin(message);
    const reply = this.#request('session/prompt', { sessionId: session.id, prompt });
    this.#report(facts);
    void this.#finish(turn, reply);
    const outcome = await written;
    if (outcome.ok) return;
    this.#turns.drop(turn);
    throw new Error(outcome.message);
  }

  answer(ask: Ask, decision: Decision): Promise<WriteOutcome> {
    return this.#answers.give(ask.agentRequestId, () => this.#give(ask, decision));
  }

  async #give(ask: Ask, decision: Decision): Promise<WriteOutcome> {
    const { agentRequestId } = ask;
    if (!this.#asking.has(agentRequestId))
      return { ok: false, code: 'not-open', message: 'The agent does not wait for this answer any more' };
    // It would run what it asked for, not what the person allowed.
    if (decision.type === 'allow' && decision.updatedInput !== undefined)
      return { ok: false, code: 'refused', message: 'This agent can be given no other input than its own' };
    const { reply, facts } = replyTo(ask, decision);
    // Ahead of the reply, for a turn that goes on after it may be over before it can be cancelled.
    const interrupted = decision.type === 'deny' && decision.interrupt ? this.#cancel() : undefined;
    if (decision.type === 'allow' && decision.mode !== undefined)
      this.#modeAfterPlan.want(decision.mode, ask.toolCallId);
    const requestId = this.#asking.settle(agentRequestId, reply);
    const written = this.#wire.written((sent) => !('method' in sent) && sent.id === requestId);
    this.#report(facts);
    const [outcome] = await Promise.all([written, interrupted]);
    if (interrupted) this.#settleInterrupted();
    this.#turns.watchOwn();
    return outcome;
  }

  async interrupt(): Promise<void> {
    await this.#cancel();
    this.#settleInterrupted();
  }

  async setPermissionMode(mode: string): Promise<void> {
    await this.#choose('mode', mode);
    this.#report(modeChange(this.#memory, mode));
  }

  async setModel(model: string): Promise<void> {
    await this.#choose('model', model);
    this.#report(modelChange(this.#memory, model));
  }

  close(): Promise<void> {
    // Held back output has no one to take it any more, and would keep the end from being seen.
    if (this.#isPaused) this.#wire.close();
    void this.#process.end();
    return this.#exitReported;
  }

  pause(): void {
    this.#isPaused = true;
    this.#process.pauseOutput();
    this.#tellEnding();
  }

  resume(): void {
    this.#isPaused = false;
    this.#process.resumeOutput();
  }

  #connect(): ClientConnection {
    const app = client({ name: 'beckon' });
    for (const [method, handle] of Object.entries(this.#asking.handlers)) {
      app.onRequest(method, (params) => this.#asking.read(params), handle);
    }
    for (const [method, handle] of Object.entries(this.#services.handlers)) {
      app.onRequest(method, asObject, ({ params }) => handle(params));
    }
    const peer = app.connect(this.#wire.stream);
    void peer.closed.then(() => this.#wire.close());
    return peer;
  }

  async #live(): Promise<void> {
    void this.#wire.ended.then(() => this.#process.end());
    const exit = await this.#process.exited;
    this.#isGone = true;
    this.#tellEnding();
    await this.#wire.ended;
    this.#peer.close();
    this.#turns.close();
    this.#asking.withdrawAll();
    await this.#services.close();
    await this.#process.end();
    await this.#answers.settled();
    this.#report([...closeTurn(this.#memory), exitFact(exit, this.#process.stderrTail(), this.#startError)]);
    this.#isOver = true;
  }

  #tellEnding(): void {
    if (this.#isGone && this.#isPaused) this.#report([{ type: 'ending' }]);
  }

  async #open(): Promise<void> {
    const { start, label, startLimitMs, ownVersion } = this.#options;
    const ask = (method: string, params: JsonObject) =>
      within(this.#request(method, params), startLimitMs, method);
    try {
      const opened = await openSession(ask, start, ownVersion);
      const { sessionId, settings, initialized } = opened;
      const mode = await chooseAtStart(ask, sessionId, settings.mode, start.permissionMode, 'mode');
      const model = await chooseAtStart(ask, sessionId, settings.model, start.model, 'model');
      this.#capabilities = acpCapabilities(initialized, settings);
      const version = textAt(objectAt(initialized, 'agentInfo') ?? {}, 'version') ?? null;
      this.#options.onReady(version, this.#capabilities);
      if (!opened.isResumed) this.#turns.identify(sessionId);
      this.#session = { id: sessionId, settings };
      this.#report([
        ...opened.notices,
        ...mode.notices,
        ...model.notices,
        {
          type: 'ready',
          agentSessionId: opened.isResumed ? sessionId : null,
          version,
          capabilities: this.#capabilities,
        },
        ...modeChange(this.#memory, mode.current),
        ...modelChange(this.#memory, model.current),
      ]);
    } catch (error) {
      // A connection that closed is told by the exit of the process.
      if (this.#peer.signal.aborted) return;
      this.#startError = `${label} did not get ready: ${wordsOf(error)}`;
      void this.#process.end();
    }
  }

  #notified(method: string, params: JsonObject): void {
    if (method === 'session/update') this.#updated(params);
    else if (!method.startsWith('_') && method !== 'elicitation/complete') {
      this.#facts.push(...unknownOnce(this.#memory, `notification ${method}`, params));
    }
  }

  #updated(params: JsonObject): void {
    const update = objectAt(params, 'update') ?? {};
    // Until the session is open, what comes is its history, which is stored here already.
    if (!this.#session) {
      this.#facts.push(...translateSettings(this.#memory, update));
      return;
    }
    if (textAt(params, 'sessionId') !== this.#session.id) {
      this.#facts.push(...unknownOnce(this.#memory, 'session', params));
      return;
    }
    this.#services.noteCall(update);
    if (isWork(update)) this.#facts.push(...this.#turns.showWork());
    const facts = translateUpdate(this.#memory, update);
    this.#facts.push(...facts.filter((fact) => !this.#modeAfterPlan.isOnTheWay(fact)));
    if (this.#modeAfterPlan.isLeftBy(update)) void this.#modeAfterPlan.goOn();
    this.#turns.watchOwn();
  }

  async #finish(turn: Turn, reply: Promise<JsonObject>): Promise<void> {
    const ended = await reply.then(
      (response) => translateReply(this.#memory, response, sinceBegun(turn)),
      (error: unknown) =>
        this.#peer.signal.aborted
          ? undefined
          : translateFailure(this.#memory, wordsOf(error), sinceBegun(turn), turn.isCancelled),
    );
    // Closed in mid-turn: the exit tells how it ended.
    const begun = ended && this.#turns.finish(turn);
    if (!ended || !begun) return;
    void this.#modeAfterPlan.goOn();
    this.#report([...begun, ...this.#asking.withdrawAll(), ...ended]);
  }

  async #cancel(): Promise<void> {
    const session = this.#session;
    if (!session) throw new Error('The agent is not ready');
    this.#turns.cancel();
    await this.#peer.agent.notify('session/cancel', { sessionId: session.id });
  }

  /** The protocol wants what is open to be answered as cancelled, for else the turn may not end. */
  #settleInterrupted(): void {
    this.#report(this.#asking.withdrawAll());
    this.#turns.endOwn('interrupted');
  }

  async #choose(what: 'mode' | 'model', value: string): Promise<void> {
    const session = this.#session;
    if (!session) throw new Error('The agent is not ready');
    const choice: Choice | undefined = session.settings[what];
    if (!choice?.options.some((option) => option.value === value))
      throw new AgentRefusal(`The agent has no ${what} "${value}".`);
    const { method, params } = choice.request(session.id, value);
    await this.#request(method, params).catch((error: unknown) => {
      throw error instanceof RequestError ? new AgentRefusal(error.message) : error;
    });
  }

  async #request(method: string, params: JsonObject): Promise<JsonObject> {
    const result = await this.#peer.agent.request<unknown, JsonObject>(method, params);
    return asObject(result);
  }

  #report(facts: readonly AgentFact[]): void {
    this.#facts.push(...facts);
    this.#flush();
  }

  #flush(): void {
    if (this.#facts.length === 0 || this.#isOver) return;
    const facts = this.#facts;
    this.#facts = [];
    this.#options.report(facts);
  }
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
