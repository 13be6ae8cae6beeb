import type { Ask, Decision } from '../../protocol/interaction.ts';
import {
  type AgentConnection,
  type AgentFact,
  AgentRefusal,
  type AgentStart,
  type LeftBehind,
  mostFactsAtOnce,
  type OutgoingMessage,
  type ReadingMark,
  type Report,
} from '../../runner/ports/agent-driver.ts';
import type {
  AgentProcess,
  ProcessExit,
  WriteFailure,
  WriteOutcome,
} from '../../runner/ports/process-host.ts';
import { AnswersUnderWay } from '../answers-under-way.ts';
import { begunAnew, modeChange, modelChange } from '../facts.ts';
import { type JsonObject, textAt } from '../fields.ts';
import { exitFact } from '../process/exit-fact.ts';
import { answerTo } from './answer.ts';
import {
  asHookAnswer,
  heldBy,
  heldFor,
  holdQuestion,
  later,
  neverAsks,
  questionHooks,
  standsAlone,
} from './held-questions.ts';
import type { IncomingRequest, Reply, TypedMessage } from './incoming.ts';
import { permissionModes, readyFacts, refusedResume } from './initialized.ts';
import { MarkKeeper } from './mark-keeper.ts';
import { type PeerPipes, ProtocolPeer } from './peer.ts';
import { askOf } from './translate/ask.ts';
import { type Memory, newMemory, noteSent, restoreMemory } from './translate/memory.ts';
import { translate } from './translate/translate.ts';
import { contentOf, uuidOf } from './user-message.ts';

const handledSubtypes = new Set(['can_use_tool', 'elicitation', 'hook_callback']);
const startLimitMs = 60_000;
/** Always the same, so that a server which takes over in the middle of a start knows the reply when it comes. */
const initializeId = 'initialize';

export interface ConnectionOptions {
  readonly start: AgentStart;
  readonly version: string | null;
  /** Whether questions are held back at their hook, so that they can be left for later. */
  readonly holdsQuestions: boolean;
  readonly report: Report;
  /** Starts the program, with or without the conversation to go on with. */
  launch(resume: string | null): AgentProcess;
  /** A program that runs already. */
  readonly attached?: Attached;
}

export interface Attached {
  readonly process: AgentProcess;
  /** Where to go on, if anything it said was stored. */
  readonly mark: ReadingMark | undefined;
  /** How much it had printed when it was found. */
  readonly outputEnd: number;
  readonly left: LeftBehind;
}

/** One running Claude Code, or a program that speaks as it does. */
export class ClaudeConnection implements AgentConnection {
  readonly #options: ConnectionOptions;
  readonly #memory: Memory;
  readonly #marks: MarkKeeper;
  readonly #exitReported: Promise<void>;
  #process: AgentProcess;
  #peer: ProtocolPeer;
  #peerClosed: Promise<void>;
  #facts: AgentFact[] = [];
  readonly #answers = new AnswersUnderWay();
  /** Answers that wait for their question to ask for permission, by its call. */
  readonly #expected = new Map<string, PromiseWithResolvers<string | WriteFailure>>();
  #isReady = false;
  #isClosing = false;
  #isPaused = false;
  /** The process is, and its end is not told yet. */
  #isGone = false;
  #isDetached = false;
  /**
   * The reply that makes it ready has been read, and is about to be told. What was read with it is told together with that: the mark is
   * behind the reply, and a server that starts there would never hear that the agent is ready.
   */
  #isBecomingReady = false;
  /** How far to read until all is told that was said while nobody listened; undefined when that is done. */
  #backlogEnd: number | undefined;
  #startError: string | undefined;
  #refusedResume: string | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { start, attached } = options;
    const readFrom = attached?.mark?.offset ?? 0;
    this.#memory = memoryFor(start, attached);
    this.#marks = new MarkKeeper(this.#memory, readFrom);
    this.#process = attached?.process ?? options.launch(start.resume);
    this.#isReady = attached?.left.ready ?? false;
    this.#backlogEnd = attached?.outputEnd;
    ({ peer: this.#peer, closed: this.#peerClosed } = this.#connect(this.#openRequests(attached), readFrom));
    if (attached) queueMicrotask(() => this.#haveRead(readFrom));
    this.#exitReported = this.#live();
  }

  #openRequests(attached: Attached | undefined): string[] {
    const asked = [...this.#memory.held.values()].flatMap(({ requestId }) => requestId ?? []);
    return [...(attached?.left.openAsks ?? []), ...asked];
  }

  async send(message: OutgoingMessage, how: 'turn' | 'steer'): Promise<void> {
    const uuid = uuidOf(message.messageId);
    noteSent(this.#memory, uuid, message.messageId);
    const outcome = await this.#peer.sendUserMessage({
      content: contentOf(message),
      uuid,
      ...(how === 'steer' && { priority: 'next' }),
    });
    if (!outcome.ok) this.#memory.awaited.delete(uuid);
    expectWritten(outcome);
  }

  answer(ask: Ask, decision: Decision): Promise<WriteOutcome> {
    return this.#answers.give(ask.agentRequestId, () => this.#give(ask, decision));
  }

  async #give(ask: Ask, decision: Decision): Promise<WriteOutcome> {
    this.#memory.openForms.delete(ask.agentRequestId);
    const answer = answerTo(ask, decision);
    const held = heldFor(this.#memory, ask.toolCallId);
    if (held?.hookId === ask.agentRequestId && neverAsks(this.#memory)) {
      return this.#peer.respond(held.hookId, asHookAnswer(answer));
    }
    const requestId = await this.#requestFor(ask);
    return typeof requestId === 'string' ? this.#peer.respond(requestId, answer) : requestId;
  }

  async defer(ask: Ask): Promise<void> {
    const held = heldFor(this.#memory, ask.toolCallId);
    // It was left by the process before; this one was started to ask again.
    if (!held) return;
    if (held.hookId !== ask.agentRequestId || !standsAlone(this.#memory, ask.toolCallId)) {
      throw new Error('This cannot be left for later');
    }
    expectWritten(await this.#peer.respond(held.hookId, later));
  }

  async interrupt(id?: string): Promise<void> {
    const options = id === undefined ? {} : { requestId: `interrupt ${id}` };
    expectReply(await this.#peer.request('interrupt', {}, options));
  }

  async setPermissionMode(mode: string): Promise<void> {
    if (!permissionModes.includes(mode))
      throw new AgentRefusal(`The agent has no permission mode "${mode}".`);
    const response = expectReply(await this.#peer.request('set_permission_mode', { mode }));
    this.#report(modeChange(this.#memory, textAt(response, 'mode') ?? mode));
  }

  async setModel(model: string): Promise<void> {
    const response = expectReply(await this.#peer.request('set_model', { model }));
    this.#report(modelChange(this.#memory, textAt(response, 'model') ?? model));
  }

  close(): Promise<void> {
    this.#isClosing = true;
    // Held back output has no one to take it any more, and would keep the end from being seen.
    if (this.#isPaused) this.#peer.close();
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

  stored({ processId, offset }: ReadingMark): void {
    if (processId === this.#process.id) this.#process.stored(offset);
  }

  detach(): void {
    this.#isDetached = true;
  }

  /** A question that was held back at its hook goes on to ask for permission, and gets its answer there. */
  async #requestFor(ask: Ask): Promise<string | WriteFailure> {
    const held = heldFor(this.#memory, ask.toolCallId);
    if (ask.toolCallId === undefined || held?.hookId !== ask.agentRequestId) return ask.agentRequestId;
    const goesOn = await this.#peer.respond(held.hookId, {});
    if (!goesOn.ok) return unwritten(goesOn.message);
    const requestId = held.requestId ?? (await this.#permissionAsked(ask.toolCallId));
    this.#memory.held.delete(ask.toolCallId);
    return requestId;
  }

  #permissionAsked(toolCallId: string): Promise<string | WriteFailure> {
    const asked = Promise.withResolvers<string | WriteFailure>();
    this.#expected.set(toolCallId, asked);
    void this.#peerClosed.then(() => asked.resolve(unwritten('The agent has ended')));
    return asked.promise.finally(() => this.#expected.delete(toolCallId));
  }

  async #live(): Promise<void> {
    let exit = await this.#runToExit();
    if (this.#refusedResume !== undefined && !this.#isClosing) {
      this.#startAnew(this.#refusedResume);
      exit = await this.#runToExit();
    }
    await this.#answers.settled();
    this.#isGone = false;
    this.#marks.end();
    this.#report([exitFact(exit, this.#process.stderrTail(), this.#startError)]);
  }

  /** Settles when neither the program nor any of its descendants is left, and all it printed was read. */
  async #runToExit(): Promise<ProcessExit> {
    if (!this.#isReady) void this.#initialize(this.#peer);
    void this.#peerClosed.then(() => this.#process.end());
    const exit = await this.#process.exited;
    this.#isGone = true;
    this.#tellEnding();
    await this.#peerClosed;
    await this.#process.end();
    return exit;
  }

  #tellEnding(): void {
    if (this.#isGone && this.#isPaused) this.#report([{ type: 'ending' }]);
  }

  /** The program has lost the conversation (it was killed before it wrote it down): better without it than not at all. */
  #startAnew(reason: string): void {
    this.#refusedResume = undefined;
    this.#memory.agentSessionId = null;
    this.#report([begunAnew(reason)]);
    this.#process.stored(Number.MAX_SAFE_INTEGER);
    this.#process = this.#options.launch(null);
    this.#isGone = false;
    this.#marks.restart();
    ({ peer: this.#peer, closed: this.#peerClosed } = this.#connect());
  }

  #connect(
    openRequests: readonly string[] = [],
    readFrom = 0,
  ): { peer: ProtocolPeer; closed: Promise<void> } {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const peer = new ProtocolPeer(this.#pipes(), {
      handledSubtypes,
      openRequests,
      readFrom,
      onLine: (_line, endOffset) => {
        if (this.#facts.length >= mostFactsAtOnce) this.#flush();
        this.#marks.beginLine(endOffset);
      },
      onMessage: (message) => this.#read(message),
      onRequest: (request) => this.#readRequest(request),
      onCancel: (requestId) => this.#cancelled(requestId),
      onDiagnostic: (diagnostic) => this.#facts.push(diagnostic),
      onReadEnd: () => this.#flush(),
      onClose: () => {
        this.#flush();
        resolve();
      },
    });
    return { peer, closed };
  }

  #cancelled(requestId: string): void {
    this.#memory.openForms.delete(requestId);
    const [toolCallId, held] = heldBy(this.#memory, requestId) ?? [];
    if (toolCallId !== undefined) this.#memory.held.delete(toolCallId);
    this.#facts.push({ type: 'withdrawn', agentRequestId: held?.hookId ?? requestId });
  }

  #pipes(): PeerPipes {
    const process = this.#process;
    return {
      write: (data, writeId) => process.write(data, writeId),
      readOutput: (reader) =>
        process.readOutput({
          chunk: (chunk, offset) => {
            // Left unread, it is there for whoever attaches next.
            if (this.#isDetached) return;
            reader.chunk(chunk, offset);
            this.#haveRead(offset + chunk.length);
          },
          end: () => {
            if (this.#isDetached) return;
            this.#haveRead(Number.POSITIVE_INFINITY);
            reader.end();
          },
        }),
    };
  }

  #haveRead(offset: number): void {
    if (this.#backlogEnd === undefined || offset < this.#backlogEnd) return;
    this.#backlogEnd = undefined;
    this.#report([{ type: 'caught-up' }]);
  }

  async #initialize(peer: ProtocolPeer): Promise<void> {
    const asked = this.#options.holdsQuestions ? { hooks: questionHooks } : {};
    const reply = await peer.request('initialize', asked, {
      timeoutMs: startLimitMs,
      requestId: initializeId,
      onReply: () => {
        this.#isBecomingReady = true;
      },
    });
    this.#isBecomingReady = false;
    if (!reply.ok) {
      this.#flush();
      if (reply.code === 'closed') return;
      this.#startError = `The agent did not get ready: ${reply.message}`;
      void this.#process.end();
      return;
    }
    this.#isReady = true;
    const { version } = this.#options;
    const { outlivesServer, isolation } = this.#process;
    this.#report(readyFacts(this.#memory, reply.response, { version, outlivesServer, isolation }));
  }

  #read(message: TypedMessage): void {
    const refused = this.#isReady ? undefined : refusedResume(this.#memory, message);
    if (refused !== undefined) {
      this.#refusedResume = refused;
      return;
    }
    if (message.type === 'stream_event') this.#marks.isFragment();
    for (const fact of translate(this.#memory, message)) {
      if (fact.type === 'withdrawn') this.#peer.abandon(fact.agentRequestId);
      if (fact.type === 'said' && fact.event.type === 'tool.result') this.#callEnded(fact.event.toolCallId);
      this.#facts.push(fact);
    }
  }

  #readRequest(request: IncomingRequest): void {
    if (request.subtype === 'hook_callback') {
      const question = this.#hookQuestion(request);
      if (question) this.#facts.push({ type: 'asked', ask: question });
      else void this.#peer.respond(request.requestId, {});
      return;
    }
    if (this.#isHeld(request)) return;
    const ask = askOf(this.#memory, request);
    if (ask?.kind === 'form') this.#memory.openForms.add(ask.agentRequestId);
    if (ask) this.#facts.push({ type: 'asked', ask });
    else void this.#peer.respondError(request.requestId, 'The request was not understood');
  }

  /** In a mode in which the program decides by itself, a question may end without the permission that its answer waits for. */
  #callEnded(toolCallId: string): void {
    this.#memory.held.delete(toolCallId);
    this.#expected.get(toolCallId)?.resolve(unwritten('The agent went on without asking for permission'));
  }

  #hookQuestion(request: IncomingRequest): Ask | undefined {
    try {
      return holdQuestion(this.#memory, request);
    } catch {
      return undefined;
    }
  }

  /** Whoever was shown the question at its hook need not be shown it again. */
  #isHeld({ requestId, request }: IncomingRequest): boolean {
    const toolCallId = textAt(request, 'tool_use_id');
    const held = heldFor(this.#memory, toolCallId);
    if (!held || toolCallId === undefined) return false;
    held.requestId = requestId;
    this.#expected.get(toolCallId)?.resolve(requestId);
    return true;
  }

  #report(facts: readonly AgentFact[]): void {
    this.#facts.push(...facts);
    this.#flush();
  }

  #flush(): void {
    if (this.#facts.length === 0 || this.#isBecomingReady) return;
    const facts = this.#facts;
    this.#facts = [];
    if (this.#isDetached) return;
    const isStored = this.#process.outlivesServer && facts.some(({ type }) => type !== 'delta');
    this.#options.report(facts, isStored ? this.#marks.mark(this.#process.id) : undefined);
  }
}

/** What was handed over just before the last server ended was not yet remembered with anything the agent said. */
function memoryFor(start: AgentStart, attached: Attached | undefined): Memory {
  const { cwd, permissionMode, model, resume } = start;
  const memory =
    restoreMemory(attached?.mark?.memory, cwd) ??
    newMemory({ cwd, permissionMode, model, agentSessionId: resume });
  for (const { messageId, how } of attached?.left.inFlight ?? []) {
    const uuid = uuidOf(messageId);
    if (!memory.awaited.has(uuid)) noteSent(memory, uuid, messageId, how === 'steer');
  }
  return memory;
}

const unwritten = (message: string): WriteFailure => ({ ok: false, code: 'not-asked', message });

function expectWritten(outcome: WriteOutcome): void {
  if (!outcome.ok) throw new Error(outcome.message);
}

function expectReply(reply: Reply): JsonObject {
  if (reply.ok) return reply.response;
  if (reply.code === 'refused') throw new AgentRefusal(reply.message);
  throw new Error(reply.message);
}
