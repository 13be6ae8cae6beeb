import type { Ask, Decision } from '../../protocol/interaction.ts';
import type { Capabilities } from '../../protocol/session.ts';
import {
  type AgentConnection,
  type AgentFact,
  AgentRefusal,
  type LeftBehind,
  mostFactsAtOnce,
  type OutgoingMessage,
  type ReadingMark,
  type Report,
} from '../../runner/ports/agent-driver.ts';
import type { AgentProcess, ProcessHost, WriteOutcome } from '../../runner/ports/process-host.ts';
import { AnswersUnderWay } from '../answers-under-way.ts';
import { modeChange, modelChange, unknownOnce } from '../facts.ts';
import { type JsonObject, objectAt, textAt } from '../fields.ts';
import { exitFact } from '../process/exit-fact.ts';
import { Asking } from './asking.ts';
import { Choices } from './choices.ts';
import { leastCapabilities } from './installed.ts';
import { wordsOf } from './json-rpc.ts';
import type { KeptState, StoredState } from './kept-state.ts';
import { ModeAfterPlan } from './mode-after-plan.ts';
import {
  chooseAtStart,
  firstFreeNumber,
  numberOf,
  type Opening,
  openSession,
  type Step,
  within,
} from './opening.ts';
import { type AgentRequest, isOfVendor, Peer, type TakeReply } from './peer.ts';
import { replyTo } from './reply.ts';
import { openingName, requestName, type SentRequest, sentIn } from './sent-names.ts';
import { Services } from './services.ts';
import { acpCapabilities, promptOf } from './settings.ts';
import { Steering } from './steering.ts';
import { Terminals } from './terminals.ts';
import { keepMemory, type Memory, newMemory } from './translate/memory.ts';
import { speechSoFar } from './translate/speech.ts';
import { noteDenied } from './translate/tool-call.ts';
import { translateFailure, translateReply } from './translate/turn-end.ts';
import { closeTurn, countFrom, isWork, translateSettings, translateUpdate } from './translate/update.ts';
import { vendorOf } from './translate/vendors.ts';
import { sinceBegun, type Turn, Turns } from './turns.ts';

export interface ConnectionOptions extends Opening {
  readonly label: string;
  readonly processes: ProcessHost;
  readonly process: AgentProcess;
  readonly startLimitMs: number;
  readonly report: Report;
  onReady(version: string | null, capabilities: Capabilities): void;
  /** How an earlier server left the process. */
  readonly attached?: Attached;
}

export interface Attached {
  /** What was known at the place up to which its output is stored; none while it is being started. */
  readonly known: { readonly offset: number; readonly state: KeptState } | undefined;
  /** How much it had printed when it was found. */
  readonly outputEnd: number;
  readonly left: LeftBehind;
}

/** One running agent that speaks the Agent Client Protocol. */
export class AcpConnection implements AgentConnection {
  readonly #options: ConnectionOptions;
  readonly #process: AgentProcess;
  readonly #memory: Memory;
  readonly #peer: Peer;
  readonly #asking: Asking;
  readonly #turns: Turns;
  readonly #steering: Steering;
  readonly #choices: Choices;
  readonly #modeAfterPlan: ModeAfterPlan;
  readonly #terminals: Terminals;
  readonly #services: Services;
  readonly #exitReported: Promise<void>;
  readonly #answers = new AnswersUnderWay();
  #facts: AgentFact[] = [];
  #session: KeptState['session'] | undefined;
  #capabilities: Capabilities;
  #isPaused = false;
  #isDetached = false;
  /** The process is; its output may be unread. */
  #isGone = false;
  #isEnded = false;
  /** A service that was under way when the agent ended may have something to tell yet; nothing comes after the end. */
  #isOver = false;
  /** How far to read until all is told that was said while nobody listened; undefined when that is done. */
  #backlogEnd: number | undefined;
  /** A prompt of which it is not known whether the agent has it. */
  #doubtful: Turn | undefined;
  #startError: string | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { start, processes, process, env, attached } = options;
    const { cwd, processId, permissionMode, model } = start;
    const state = attached?.known?.state;
    this.#process = process;
    this.#backlogEnd = attached?.outputEnd;
    this.#session = state?.session;
    this.#capabilities = state?.capabilities ?? leastCapabilities(process.outlivesServer);
    this.#terminals = new Terminals(processes, start, attached?.left.kept);
    const outputOf = (id: string) => this.#terminals.printed(id);
    const begun = { cwd, prefix: processId, permissionMode, model, outputOf };
    this.#memory = { ...newMemory(begun), ...state?.memory };
    this.#turns = new Turns({
      memory: this.#memory,
      isAsking: () => !this.#asking.isEmpty,
      report: (facts) => this.#report(facts),
    });
    this.#steering = new Steering({
      turns: this.#turns,
      peer: () => this.#peer,
      prompt: (message) => this.send(message, 'turn'),
    });
    this.#asking = new Asking({
      memory: this.#memory,
      tools: start.tools,
      peer: () => this.#peer,
      showWork: () => this.#turns.showWork(),
      report: (facts) => {
        this.#turns.watchOwn();
        this.#report(facts);
      },
    });
    this.#choices = new Choices({
      memory: this.#memory,
      peer: () => this.#peer,
      session: () => this.#session,
      learn: (settings) => {
        if (this.#session) this.#session = { ...this.#session, settings };
      },
      report: (facts) => this.#report(facts),
    });
    this.#modeAfterPlan = new ModeAfterPlan(
      {
        memory: this.#memory,
        setMode: (mode) => this.setPermissionMode(mode),
        report: (facts) => !this.#peer.isClosed && this.#report(facts),
      },
      state?.wantedMode,
    );
    this.#services = new Services({
      terminals: this.#terminals,
      memory: this.#memory,
      env,
      peer: () => this.#peer,
      wasWritten: (name) => process.earlierWrites.written.has(name),
      report: (facts) => this.#report(facts),
    });
    const sent = sentIn(process.earlierWrites);
    this.#peer = new Peer(process, {
      from: attached?.known?.offset ?? 0,
      firstId: Math.max(state?.nextId ?? firstFreeNumber, ...sent.map(({ id }) => id + 1)),
      handledRequests: new Set(
        [this.#asking, this.#services].flatMap(({ handlers }) => Object.keys(handlers)),
      ),
      onRequest: (request) => this.#requested(request),
      onCancel: (requestId) => this.#asking.takeBack(requestId),
      onNotification: (method, params) => this.#notified(method, params),
      onDiagnostic: (diagnostic) => this.#facts.push(diagnostic),
      onLineEnd: (isReply) => {
        if (isReply || this.#facts.length >= mostFactsAtOnce) this.#flush();
      },
      onReadEnd: (received) => {
        this.#flush();
        this.#haveRead(received);
      },
    });
    this.#exitReported = this.#live();
    if (attached && state) this.#takeUp(attached.left, state, sent);
    // What was asked of it in the middle of a start cannot be asked twice: it is ended, and started again.
    else if (process.earlierWrites.doubtful.size > 0) void process.end();
    else void this.#open();
  }

  async send(message: OutgoingMessage, how: 'turn' | 'steer'): Promise<void> {
    const session = this.#session;
    if (!session) throw new Error('The agent is not ready');
    if (how === 'turn') return this.#prompt(session.id, message);
    if (!this.#capabilities.steer) throw new AgentRefusal('This agent cannot be steered');
    const { prompt, facts } = promptOf(message, this.#capabilities);
    this.#report(facts);
    return this.#steering.send(message, session.id, prompt);
  }

  async #prompt(sessionId: string, message: OutgoingMessage): Promise<void> {
    const { messageId } = message;
    // An earlier server has sent it.
    if (this.#turns.running?.prompt?.messageId === messageId) return;
    const { prompt, facts } = promptOf(message, this.#capabilities);
    const requestId = this.#peer.newId();
    const turn = this.#turns.begin({ messageId, requestId });
    const name = requestName({ kind: 'prompt', id: requestId, value: messageId });
    const params = { sessionId, prompt };
    const written = this.#peer.request(requestId, 'session/prompt', params, name, (reply) =>
      this.#finish(turn, reply),
    );
    this.#report(facts);
    await written.catch((error: unknown) => {
      this.#turns.drop(turn);
      throw error;
    });
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
    if (decision.type === 'deny') noteDenied(this.#memory, ask.toolCallId);
    const written = this.#asking.answer(agentRequestId, reply);
    this.#report(facts);
    const [outcome] = await Promise.all([written, interrupted]);
    if (interrupted) this.#settleInterrupted();
    // Given again by a later server: the plan may have been left before.
    if (!this.#turns.running) void this.#modeAfterPlan.goOn();
    this.#turns.watchOwn();
    return outcome;
  }

  async interrupt(id?: string): Promise<void> {
    await this.#cancel(id === undefined ? undefined : `interrupt ${id}`);
    this.#settleInterrupted();
  }

  setPermissionMode(mode: string): Promise<void> {
    return this.#choices.mode(mode);
  }

  setModel(model: string): Promise<void> {
    return this.#choices.model(model);
  }

  setOption(id: string, value: string): Promise<void> {
    return this.#choices.option(id, value);
  }

  close(): Promise<void> {
    // Held back output has no one to take it any more, and would keep the end from being seen.
    if (this.#isPaused) this.#peer.close();
    void this.#process.end();
    return this.#exitReported;
  }

  pause(): void {
    this.#isPaused = true;
    this.#peer.pause();
    this.#tellEnding();
  }

  resume(): void {
    this.#isPaused = false;
    this.#peer.resume();
  }

  stored({ offset }: ReadingMark): void {
    this.#process.stored(offset);
  }

  detach(): void {
    this.#isDetached = true;
    this.#turns.close();
    this.#peer.detach();
  }

  async #live(): Promise<void> {
    void this.#peer.ended.then(() => this.#process.end());
    const exit = await this.#process.exited;
    this.#isGone = true;
    this.#tellEnding();
    await this.#peer.ended;
    this.#turns.close();
    await this.#services.close();
    await this.#process.end();
    await this.#answers.settled();
    this.#isEnded = true;
    this.#report([...closeTurn(this.#memory), exitFact(exit, this.#process.stderrTail(), this.#startError)]);
    this.#isOver = true;
  }

  #tellEnding(): void {
    if (this.#isGone && this.#isPaused) this.#report([{ type: 'ending' }]);
  }

  /** Goes on where an earlier server was. What it asked for and was asked is known from what was stored, and from what it noted. */
  #takeUp(left: LeftBehind, state: KeptState, sent: readonly SentRequest[]): void {
    const { earlierWrites } = this.#process;
    this.#options.onReady(null, this.#capabilities);
    this.#facts.push(...speechSoFar(this.#memory));
    this.#turns.identify(state.untoldId);
    this.#takeUpTurn(left, state, sent);
    this.#steering.takeUp(
      sent,
      left.inFlight.map(({ messageId }) => messageId),
    );
    const openAsks = new Set(left.openAsks);
    this.#asking.takeUp(state.asks, earlierWrites, (id) => openAsks.has(id));
    this.#services.takeUp(state.services);
    this.#choices.takeUp([...state.choosing, ...sent.filter(({ id }) => id >= state.nextId)]);
  }

  /** A prompt that the agent has not shown to have taken was written if it was noted, and may have been if it was announced. */
  #takeUpTurn(left: LeftBehind, { turn }: KeptState, sent: readonly SentRequest[]): void {
    const { doubtful } = this.#process.earlierWrites;
    if (turn && (turn.isTaken || !turn.prompt)) this.#goOnWith(this.#turns.takeUp(turn));
    const inFlight = left.inFlight.map(({ messageId }) => messageId);
    const prompt = sent.findLast(
      ({ kind, value }) => kind === 'prompt' && inFlight.some((id) => id === value),
    );
    const messageId = inFlight.find((id) => id === prompt?.value);
    if (!prompt || messageId === undefined || this.#turns.running?.prompt) return;
    const begun = this.#turns.begin({ messageId, requestId: prompt.id });
    if (turn?.prompt?.messageId === messageId) begun.begunAt = turn.begunAt;
    if (doubtful.has(requestName(prompt))) this.#doubtful = begun;
    this.#goOnWith(begun);
  }

  #goOnWith(turn: Turn): void {
    if (turn.prompt) this.#peer.expectReply(turn.prompt.requestId, (reply) => this.#finish(turn, reply));
  }

  #haveRead(received: number): void {
    if (this.#backlogEnd === undefined || received < this.#backlogEnd) return;
    this.#backlogEnd = undefined;
    this.#turns.watchOwn();
    this.#services.caughtUp();
    this.#giveUpDoubtful();
    this.#options.report([{ type: 'caught-up' }]);
  }

  /** Sent again, the agent might run it twice; waited for, it might never come. */
  #giveUpDoubtful(): void {
    const turn = this.#doubtful;
    this.#doubtful = undefined;
    if (!turn || turn.isTaken) return;
    const begun = this.#turns.finish(turn);
    if (begun) this.#report([...begun, ...translateFailure(this.#memory, doubtfulWords, 0, false)]);
  }

  async #open(): Promise<void> {
    const { start, label, startLimitMs } = this.#options;
    const ask = (step: Step, method: string, params: JsonObject) => {
      const id = numberOf(step);
      const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
      const written = this.#peer.request(id, method, params, openingName(id), (reply) =>
        reply.ok ? resolve(reply.result) : reject(reply.error),
      );
      written.catch(reject);
      return within(promise, startLimitMs, method);
    };
    try {
      const opened = await openSession(ask, this.#options);
      const { sessionId, settings, initialized } = opened;
      const mode = await chooseAtStart(ask, sessionId, settings.mode, start.permissionMode, 'mode');
      const model = await chooseAtStart(ask, sessionId, settings.model, start.model, 'model');
      this.#capabilities = acpCapabilities(initialized, settings, this.#process.outlivesServer);
      const info = objectAt(initialized, 'agentInfo') ?? {};
      const version = textAt(info, 'version') ?? null;
      this.#memory.agentName = textAt(info, 'name') ?? '';
      if (opened.isResumed && vendorOf(this.#memory.agentName).countsOn)
        countFrom(this.#memory, start.costUsd ?? 0);
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
          isolation: this.#process.isolation,
        },
        ...modeChange(this.#memory, mode.current),
        ...modelChange(this.#memory, model.current),
        ...(opened.options ? [{ type: 'options-changed' as const, options: opened.options }] : []),
      ]);
    } catch (error) {
      // A connection that closed is told by the exit of the process.
      if (this.#peer.isClosed || this.#isDetached) return;
      this.#startError = `${label} did not get ready: ${wordsOf(error)}`;
      void this.#process.end();
    }
  }

  #requested(request: AgentRequest): void {
    if (request.method in this.#asking.handlers) this.#asking.take(request);
    else this.#services.take(request);
  }

  #notified(method: string, params: JsonObject): void {
    if (method === 'session/update') this.#updated(params);
    else if (!isOfVendor(method) && method !== 'elicitation/complete') {
      this.#facts.push(...unknownOnce(this.#memory, `notification ${method}`, params));
    }
  }

  #updated(params: JsonObject): void {
    const told = objectAt(params, 'update') ?? {};
    const update = vendorOf(this.#memory.agentName).restate?.(told) ?? told;
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
    if (update.sessionUpdate === 'config_option_update') this.#choices.learnFrom(update);
    if (isWork(update)) this.#facts.push(...this.#turns.showWork());
    const facts = translateUpdate(this.#memory, update);
    this.#facts.push(...facts.filter((fact) => !this.#modeAfterPlan.isOnTheWay(fact)));
    if (this.#modeAfterPlan.isLeftBy(update)) void this.#modeAfterPlan.goOn();
    this.#turns.watchOwn();
  }

  #finish(turn: Turn, reply: Parameters<TakeReply>[0]): void {
    // Closed in mid-turn: the exit tells how it ended.
    const begun = this.#peer.isClosed ? undefined : this.#turns.finish(turn);
    if (!begun) return;
    const ended = reply.ok
      ? translateReply(this.#memory, reply.result, sinceBegun(turn))
      : translateFailure(this.#memory, wordsOf(reply.error), sinceBegun(turn), turn.isCancelled);
    this.#report([...begun, ...this.#asking.withdrawAll(), ...ended]);
    this.#steering.turnEnded(turn);
    void this.#modeAfterPlan.goOn();
  }

  async #cancel(name?: string): Promise<void> {
    const session = this.#session;
    if (!session) throw new Error('The agent is not ready');
    this.#turns.cancel();
    await this.#peer.notify('session/cancel', { sessionId: session.id }, name);
  }

  /** The protocol wants what is open to be answered as cancelled, for else the turn may not end. */
  #settleInterrupted(): void {
    this.#report(this.#asking.withdrawAll());
    this.#turns.endOwn('interrupted');
  }

  #report(facts: readonly AgentFact[]): void {
    this.#facts.push(...facts);
    this.#flush();
  }

  /** Until the session is open, nothing is told: a server that takes over in the middle of a start reads it all from the beginning. */
  #flush(): void {
    if (this.#facts.length === 0 || this.#isOver || this.#isDetached || this.#peer.isHandling) return;
    if (!this.#session && !this.#isEnded) return;
    const facts = this.#facts;
    this.#facts = [];
    const isStored = this.#process.outlivesServer && facts.some(({ type }) => type !== 'delta');
    this.#options.report(facts, isStored ? this.#mark() : undefined);
  }

  #mark(): ReadingMark {
    const { id: processId } = this.#process;
    if (this.#isEnded) return { processId, offset: Number.MAX_SAFE_INTEGER, memory: null };
    return { processId, offset: this.#peer.readTo, memory: this.#state() };
  }

  #state(): StoredState | null {
    if (!this.#session) return null;
    const { running, untoldId } = this.#turns;
    return {
      session: this.#session,
      capabilities: this.#capabilities,
      nextId: this.#peer.nextId,
      memory: keepMemory(this.#memory),
      turn: running && { ...running, steered: [...running.steered] },
      untoldId,
      asks: this.#asking.kept(),
      services: this.#services.kept(),
      choosing: this.#choices.kept(),
      wantedMode: this.#modeAfterPlan.wanted,
    };
  }
}

const doubtfulWords =
  'The server ended in the very moment in which it handed this message over. Whether the agent has it is not known: if it does not begin by itself, send it again.';
