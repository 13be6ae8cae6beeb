import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../protocol/errors.ts';
import type { Ask, Decision } from '../../protocol/interaction.ts';
import {
  type AgentConnection,
  AgentRefusal,
  type AgentStart,
  type OutgoingMessage,
  type Report,
} from '../../runner/ports/agent-driver.ts';
import type { AgentProcess, ProcessExit, WriteOutcome } from '../../runner/ports/process-host.ts';
import { AnswersUnderWay } from '../answers-under-way.ts';
import { answerTo } from '../claude/answer.ts';
import type { TypedMessage } from '../claude/incoming.ts';
import { permissionModes, readyFacts, refusedResume } from '../claude/initialized.ts';
import { askOf } from '../claude/translate/ask.ts';
import { type Memory, newMemory, noteSent } from '../claude/translate/memory.ts';
import { translate } from '../claude/translate/translate.ts';
import { uuidOf } from '../claude/user-message.ts';
import { diagnosticFact } from '../diagnostics.ts';
import { begunAnew, modeChange, modelChange, notForked } from '../facts.ts';
import type { JsonObject } from '../fields.ts';
import { exitFact } from '../process/exit-fact.ts';
import type { SdkSettingsOptions } from './driver.ts';
import { FactBatch } from './fact-batch.ts';
import { HostedProcess } from './hosted-process.ts';
import { Inbox, userMessage } from './inbox.ts';
import { OpenAsks } from './open-asks.ts';
import type {
  AgentSdk,
  SdkAskOptions,
  SdkElicitationResult,
  SdkOptions,
  SdkPermissionMode,
  SdkPermissionResult,
  SdkQuery,
  SdkSpawnOptions,
} from './sdk-types.ts';

const startLimitMs = 60_000;
/** How long the SDK may take to notice that its process has gone. */
const lastWordsMs = 2_000;

export interface SdkConnectionOptions {
  readonly start: AgentStart;
  readonly version: string | null;
  readonly report: Report;
  load(): Promise<AgentSdk>;
  /** What to tell the SDK, with or without the conversation to go on with. */
  settings(resume: string | null): SdkSettingsOptions;
  /** Starts the program that the SDK wants started. */
  launch(resume: string | null, wanted: SdkSpawnOptions): AgentProcess;
}

/** One running Claude Code that is spoken to through the Agent SDK. */
export class SdkConnection implements AgentConnection {
  readonly #options: SdkConnectionOptions;
  readonly #memory: Memory;
  readonly #facts: FactBatch;
  readonly #exitReported: Promise<void>;
  readonly #answers = new AnswersUnderWay();
  #query: SdkQuery | undefined;
  #inbox = new Inbox();
  #asks = new OpenAsks();
  /** The process is gone, and the SDK has had the time to tell all it printed. */
  #longOver = Promise.withResolvers<void>();
  #process: AgentProcess | undefined;
  #hosted: HostedProcess | undefined;
  /** An agent may use its own id of a request again. */
  #requests = 0;
  #isReady = false;
  #isClosing = false;
  #isPaused = false;
  /** The process is; its output may be unread. */
  #isGone = false;
  #hasExited = false;
  #startError: string | undefined;
  #refusedResume: string | undefined;

  constructor(options: SdkConnectionOptions) {
    this.#options = options;
    this.#facts = new FactBatch(options.report);
    const { cwd, permissionMode, model, resume, fork } = options.start;
    this.#memory = newMemory({ cwd, permissionMode, model, agentSessionId: fork ? null : resume });
    this.#exitReported = this.#live();
  }

  async send(message: OutgoingMessage, how: 'turn' | 'steer'): Promise<void> {
    const { hosted } = this.#running();
    const uuid = uuidOf(message.messageId);
    noteSent(this.#memory, uuid, message.messageId);
    const written = hosted.written(uuid);
    this.#inbox.put(userMessage(message, uuid, how));
    const outcome = await written;
    if (!outcome.ok) this.#memory.awaited.delete(uuid);
    expectWritten(outcome);
  }

  answer(ask: Ask, decision: Decision): Promise<WriteOutcome> {
    return this.#answers.give(ask.agentRequestId, () => this.#give(ask, decision));
  }

  async #give(ask: Ask, decision: Decision): Promise<WriteOutcome> {
    const { agentRequestId } = ask;
    const answer = answerTo(ask, decision);
    const requestId = this.#asks.requestIdOf(agentRequestId);
    if (requestId === undefined || !this.#hosted || !this.#isRunning())
      return { ok: false, code: 'not-open', message: 'This request is not open any more' };
    this.#memory.openForms.delete(agentRequestId);
    const written = this.#hosted.written(requestId);
    this.#asks.answer(agentRequestId, answer);
    return written;
  }

  interrupt(): Promise<void> {
    return this.#request((query) => query.interrupt());
  }

  async setPermissionMode(mode: string): Promise<void> {
    if (!isPermissionMode(mode)) throw new AgentRefusal(`The agent has no permission mode "${mode}".`);
    await this.#request((query) => query.setPermissionMode(mode));
    this.#facts.add(...modeChange(this.#memory, mode));
    this.#facts.flush();
  }

  async setModel(model: string): Promise<void> {
    await this.#request((query) => query.setModel(model));
    this.#facts.add(...modelChange(this.#memory, model));
    this.#facts.flush();
  }

  close(): Promise<void> {
    this.#isClosing = true;
    // Held back output has no one to take it any more, and would keep the end from being seen.
    if (this.#isPaused) this.#hosted?.dropOutput();
    void this.#process?.end();
    return this.#exitReported;
  }

  pause(): void {
    this.#isPaused = true;
    this.#facts.pause();
    this.#process?.pauseOutput();
    this.#tellEnding();
  }

  resume(): void {
    this.#isPaused = false;
    this.#facts.resume();
    this.#process?.resumeOutput();
  }

  async #live(): Promise<void> {
    let exit = await this.#runToExit(this.#options.start.resume);
    if (this.#refusedResume !== undefined && this.#options.start.fork) {
      this.#startError = notForked(this.#refusedResume);
    } else if (this.#refusedResume !== undefined && !this.#isClosing) {
      this.#startAnew(this.#refusedResume);
      exit = await this.#runToExit(null);
    }
    this.#hasExited = true;
    await this.#answers.settled();
    this.#facts.close(exitFact(exit, this.#process?.stderrTail() ?? [], this.#startError));
  }

  /** Settles when neither the program nor any of its descendants is left, and all it printed was read. */
  async #runToExit(resume: string | null): Promise<ProcessExit> {
    const query = await this.#begin(resume);
    if (query) {
      this.#query = query;
      void this.#initialize(query);
      // The program may give up before the SDK does, and the other way round.
      await Promise.race([this.#read(query), this.#longOver.promise]);
    }
    const exit = (await this.#endProcess()) ?? this.#neverStarted();
    query?.close();
    this.#inbox.close();
    this.#asks.close();
    return exit;
  }

  async #begin(resume: string | null): Promise<SdkQuery | undefined> {
    this.#inbox = new Inbox();
    this.#asks = new OpenAsks();
    this.#longOver = Promise.withResolvers<void>();
    try {
      const sdk = await this.#options.load();
      if (this.#isClosing) return undefined;
      return sdk.query({ prompt: this.#inbox, options: this.#sdkOptions(resume) });
    } catch (error) {
      this.#startError = `The Agent SDK could not start the agent: ${messageOf(error)}`;
      return undefined;
    }
  }

  #sdkOptions(resume: string | null): SdkOptions {
    return {
      ...this.#options.settings(resume),
      spawnClaudeCodeProcess: (wanted) => this.#spawn(resume, wanted),
      canUseTool: async (_toolName, _input, options) =>
        asResult<SdkPermissionResult>(await this.#takeRequest(options)),
      onElicitation: async (_request, options) =>
        asResult<SdkElicitationResult>(await this.#takeRequest(options)),
    };
  }

  #spawn(resume: string | null, wanted: SdkSpawnOptions): HostedProcess {
    const process = this.#options.launch(resume, wanted);
    const hosted = new HostedProcess(process, {
      onOverlong: ({ bytes, head }) =>
        this.#facts.add(diagnosticFact('overlong-line', head.toString('utf8'), { bytes })),
      onProblem: (problem, line) => this.#facts.add(diagnosticFact(problem, line)),
    });
    this.#process = process;
    this.#hosted = hosted;
    wanted.signal.addEventListener('abort', () => void process.end(), { once: true });
    const longOver = this.#longOver;
    void hosted.over.then(() => delay(lastWordsMs, undefined, { ref: false })).then(longOver.resolve);
    this.#isGone = false;
    void process.exited.then(() => {
      this.#isGone = true;
      this.#tellEnding();
    });
    if (this.#isPaused) process.pauseOutput();
    if (this.#isClosing) void process.end();
    return hosted;
  }

  #tellEnding(): void {
    if (this.#isGone && this.#isPaused && !this.#hasExited) this.#options.report([{ type: 'ending' }]);
  }

  async #endProcess(): Promise<ProcessExit | undefined> {
    await this.#process?.end();
    return this.#process?.exited;
  }

  /** There is one call of `next` at a time, and nothing is awaited between two. */
  async #read(query: SdkQuery): Promise<void> {
    try {
      for (;;) {
        const { value, done } = await query.next();
        if (done || value === undefined) return;
        this.#guard({ ...value });
      }
    } catch (error) {
      // That the program has ended is told by its exit.
      if (this.#isRunning()) this.#giveUp(messageOf(error));
    }
  }

  /** One message that cannot be worked through costs no other. */
  #guard(message: TypedMessage): void {
    try {
      this.#understand(message);
    } catch (error) {
      const text = `A message of the agent could not be handled (${message.type}): ${messageOf(error)}`;
      this.#facts.add({ type: 'diagnostic', code: 'handler-failed', text });
    }
  }

  #understand(message: TypedMessage): void {
    const refused = this.#isReady ? undefined : refusedResume(this.#memory, this.#options.start, message);
    if (refused !== undefined) {
      this.#refusedResume = refused;
      return;
    }
    const facts = translate(this.#memory, message);
    for (const fact of facts) if (fact.type === 'withdrawn') this.#asks.abandon(fact.agentRequestId);
    this.#facts.add(...facts);
  }

  async #initialize(query: SdkQuery): Promise<void> {
    try {
      const late = AbortSignal.timeout(startLimitMs);
      const response = await Promise.race([query.initializationResult(), rejectedBy(late)]);
      this.#isReady = true;
      this.#becomeReady({ ...response });
    } catch (error) {
      if (this.#isRunning()) this.#giveUp(messageOf(error));
      void this.#process?.end();
    }
  }

  #becomeReady(response: JsonObject): void {
    const { version } = this.#options;
    const isolation = this.#process?.isolation;
    this.#facts.add(...readyFacts(this.#memory, response, { version, outlivesServer: false, isolation }));
    this.#facts.flush();
  }

  /** Settles with the answer, however long a person takes; the SDK reads on meanwhile. */
  async #takeRequest({ requestId, signal }: SdkAskOptions): Promise<JsonObject> {
    const request = this.#hosted?.takeAsked(requestId);
    // What the agent said before it asked still waits to be read.
    await nextRound();
    this.#requests += 1;
    const ask = request && askOf(this.#memory, { ...request, requestId: `${requestId} #${this.#requests}` });
    if (!ask) return this.#refuse(requestId);
    const earlier = this.#asks.under(requestId);
    if (earlier && isDeepStrictEqual(earlier.request, request)) {
      this.#facts.add(diagnosticFact('repeated-request', JSON.stringify(request)));
      return unanswered;
    }
    if (earlier) {
      // The agent could take an answer to the one for an answer to the other: only the newer can be answered.
      this.#facts.add(diagnosticFact('reused-request-id', JSON.stringify(request)));
      this.#asks.drop(earlier.agentRequestId);
      this.#memory.openForms.delete(earlier.agentRequestId);
      this.#facts.add({ type: 'withdrawn', agentRequestId: earlier.agentRequestId });
    }
    if (ask.kind === 'form') this.#memory.openForms.add(ask.agentRequestId);
    this.#facts.add({ type: 'asked', ask });
    return this.#asks.wait(ask, request, signal, () => void this.#withdraw(ask));
  }

  #refuse(requestId: string): JsonObject {
    this.#facts.add(diagnosticFact('malformed-request', requestId));
    return { behavior: 'deny', message: 'The request was not understood.', action: 'cancel' };
  }

  async #withdraw({ agentRequestId }: Ask): Promise<void> {
    await nextRound();
    this.#memory.openForms.delete(agentRequestId);
    this.#facts.add({ type: 'withdrawn', agentRequestId });
  }

  async #request(make: (query: SdkQuery) => Promise<unknown>): Promise<void> {
    const { query } = this.#running();
    try {
      await Promise.race([make(query), this.#exitReported]);
    } catch (error) {
      if (this.#isRunning()) throw new AgentRefusal(messageOf(error));
    }
    if (!this.#isRunning()) throw new Error('The agent has ended');
  }

  #running(): { query: SdkQuery; hosted: HostedProcess } {
    if (!this.#query || !this.#hosted || !this.#isRunning()) throw new Error('The agent is not running');
    return { query: this.#query, hosted: this.#hosted };
  }

  #isRunning(): boolean {
    return !this.#isClosing && !this.#hasExited && this.#hosted?.hasEnded !== true;
  }

  #giveUp(words: string): void {
    if (!this.#isReady) this.#startError ??= `The agent did not get ready: ${words}`;
    else this.#facts.add({ type: 'diagnostic', code: 'sdk-failed', text: `The Agent SDK failed: ${words}` });
  }

  /** The program has lost the conversation (it was killed before it wrote it down): better without it than not at all. */
  #startAnew(reason: string): void {
    this.#refusedResume = undefined;
    this.#startError = undefined;
    this.#memory.agentSessionId = null;
    this.#facts.add(begunAnew(reason));
    this.#process = undefined;
    this.#hosted = undefined;
  }

  #neverStarted(): ProcessExit {
    return { kind: 'spawn-failed', code: 'failed', message: this.#startError ?? 'The agent was not started' };
  }
}

/** What was sent twice is answered once. */
const unanswered = new Promise<never>(() => {});

function isPermissionMode(mode: string): mode is SdkPermissionMode {
  return permissionModes.includes(mode);
}

/** The answers are made for the wire, and the SDK passes them on as they are. */
function asResult<T>(answer: JsonObject): T {
  return answer as unknown as T;
}

function expectWritten(outcome: WriteOutcome): void {
  if (!outcome.ok) throw new Error(outcome.message);
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('it took too long')), { once: true });
  });
}
