import type { Ask, Decision } from '../../protocol/interaction.ts';
import {
  type AgentConnection,
  AgentRefusal,
  type AgentStart,
  type LeftBehind,
  type OutgoingMessage,
  type ReadingMark,
  type Report,
} from '../../runner/ports/agent-driver.ts';
import type { AgentProcess, ProcessExit, WriteOutcome } from '../../runner/ports/process-host.ts';
import { begunAnew, modeChange, modelChange, notForked } from '../facts.ts';
import { type JsonObject, textAt } from '../fields.ts';
import { exitFact } from '../process/exit-fact.ts';
import { Asking, type Line } from './asking.ts';
import { questionHooks } from './held-questions.ts';
import type { Reply, TypedMessage } from './incoming.ts';
import { permissionModes, readyFacts, refusedResume } from './initialized.ts';
import { type PeerPipes, ProtocolPeer } from './peer.ts';
import { Reporting } from './reporting.ts';
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
  readonly #asking: Asking;
  readonly #reporting: Reporting;
  readonly #exitReported: Promise<void>;
  #process: AgentProcess;
  #line: Line;
  #isReady = false;
  #isClosing = false;
  #isPaused = false;
  /** The process is, and its end is not told yet. */
  #isGone = false;
  #startError: string | undefined;
  #refusedResume: string | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { start, attached } = options;
    const readFrom = attached?.mark?.offset ?? 0;
    this.#memory = memoryFor(start, attached);
    this.#process = attached?.process ?? options.launch(start.resume);
    this.#isReady = attached?.left.ready ?? false;
    this.#asking = new Asking(this.#memory, () => this.#line);
    this.#reporting = new Reporting({
      memory: this.#memory,
      readFrom,
      backlogEnd: attached?.outputEnd,
      report: options.report,
      process: () => this.#process,
    });
    this.#line = this.#connect(this.#openRequests(attached), readFrom);
    if (attached) queueMicrotask(() => this.#reporting.haveRead(readFrom));
    this.#exitReported = this.#live();
  }

  #openRequests(attached: Attached | undefined): string[] {
    const asked = [...this.#memory.held.values()].flatMap(({ requestId }) => requestId ?? []);
    return [...(attached?.left.openAsks ?? []), ...asked];
  }

  async send(message: OutgoingMessage, how: 'turn' | 'steer'): Promise<void> {
    const uuid = uuidOf(message.messageId);
    noteSent(this.#memory, uuid, message.messageId);
    const outcome = await this.#line.peer.sendUserMessage({
      content: contentOf(message),
      uuid,
      ...(how === 'steer' && { priority: 'next' }),
    });
    if (!outcome.ok) this.#memory.awaited.delete(uuid);
    expectWritten(outcome);
  }

  answer(ask: Ask, decision: Decision): Promise<WriteOutcome> {
    return this.#asking.answer(ask, decision);
  }

  async defer(ask: Ask): Promise<void> {
    expectWritten(await this.#asking.defer(ask));
  }

  async interrupt(id?: string): Promise<void> {
    const options = id === undefined ? {} : { requestId: `interrupt ${id}` };
    expectReply(await this.#line.peer.request('interrupt', {}, options));
  }

  async setPermissionMode(mode: string): Promise<void> {
    if (!permissionModes.includes(mode))
      throw new AgentRefusal(`The agent has no permission mode "${mode}".`);
    const response = expectReply(await this.#line.peer.request('set_permission_mode', { mode }));
    this.#reporting.tell(modeChange(this.#memory, textAt(response, 'mode') ?? mode));
  }

  async setModel(model: string): Promise<void> {
    const response = expectReply(await this.#line.peer.request('set_model', { model }));
    this.#reporting.tell(modelChange(this.#memory, textAt(response, 'model') ?? model));
  }

  close(): Promise<void> {
    this.#isClosing = true;
    // Held back output has no one to take it any more, and would keep the end from being seen.
    if (this.#isPaused) this.#line.peer.close();
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
    this.#reporting.detach();
  }

  async #live(): Promise<void> {
    let exit = await this.#runToExit();
    if (this.#refusedResume !== undefined && this.#options.start.fork) {
      this.#startError = notForked(this.#refusedResume);
    } else if (this.#refusedResume !== undefined && !this.#isClosing) {
      this.#startAnew(this.#refusedResume);
      exit = await this.#runToExit();
    }
    await this.#asking.settled();
    this.#isGone = false;
    this.#reporting.end(exitFact(exit, this.#process.stderrTail(), this.#startError));
  }

  /** Settles when neither the program nor any of its descendants is left, and all it printed was read. */
  async #runToExit(): Promise<ProcessExit> {
    if (!this.#isReady) void this.#initialize(this.#line.peer);
    void this.#line.closed.then(() => this.#process.end());
    const exit = await this.#process.exited;
    this.#isGone = true;
    this.#tellEnding();
    await this.#line.closed;
    await this.#process.end();
    return exit;
  }

  #tellEnding(): void {
    if (this.#isGone && this.#isPaused) this.#reporting.tell([{ type: 'ending' }]);
  }

  /** The program has lost the conversation (it was killed before it wrote it down): better without it than not at all. */
  #startAnew(reason: string): void {
    this.#refusedResume = undefined;
    this.#memory.agentSessionId = null;
    this.#reporting.tell([begunAnew(reason)]);
    this.#process.stored(Number.MAX_SAFE_INTEGER);
    this.#process = this.#options.launch(null);
    this.#isGone = false;
    this.#reporting.restart();
    this.#line = this.#connect();
  }

  #connect(openRequests: readonly string[] = [], readFrom = 0): Line {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const peer = new ProtocolPeer(this.#pipes(), {
      handledSubtypes,
      openRequests,
      readFrom,
      onLine: (_line, endOffset) => this.#reporting.beginLine(endOffset),
      onMessage: (message) => this.#read(message),
      onRequest: (request) => this.#reporting.add(...this.#asking.read(request)),
      onCancel: (requestId) => this.#reporting.add(this.#asking.cancelled(requestId)),
      onDiagnostic: (diagnostic) => this.#reporting.add(diagnostic),
      onReadEnd: () => this.#reporting.flush(),
      onClose: () => {
        this.#reporting.flush();
        resolve();
      },
    });
    return { peer, closed };
  }

  #pipes(): PeerPipes {
    const process = this.#process;
    return {
      write: (data, writeId) => process.write(data, writeId),
      readOutput: (reader) =>
        process.readOutput({
          chunk: (chunk, offset) => {
            // Left unread, it is there for whoever attaches next.
            if (this.#reporting.isDetached) return;
            reader.chunk(chunk, offset);
            this.#reporting.haveRead(offset + chunk.length);
          },
          end: () => {
            if (this.#reporting.isDetached) return;
            this.#reporting.haveRead(Number.POSITIVE_INFINITY);
            reader.end();
          },
        }),
    };
  }

  async #initialize(peer: ProtocolPeer): Promise<void> {
    const asked = this.#options.holdsQuestions ? { hooks: questionHooks } : {};
    const reply = await peer.request('initialize', asked, {
      timeoutMs: startLimitMs,
      requestId: initializeId,
      onReply: () => {
        this.#reporting.holdBack(true);
      },
    });
    this.#reporting.holdBack(false);
    if (!reply.ok) {
      this.#reporting.flush();
      if (reply.code === 'closed') return;
      this.#startError = `The agent did not get ready: ${reply.message}`;
      void this.#process.end();
      return;
    }
    this.#isReady = true;
    const { version } = this.#options;
    const { outlivesServer, isolation } = this.#process;
    this.#reporting.tell(readyFacts(this.#memory, reply.response, { version, outlivesServer, isolation }));
  }

  #read(message: TypedMessage): void {
    const refused = this.#isReady ? undefined : refusedResume(this.#memory, this.#options.start, message);
    if (refused !== undefined) {
      this.#refusedResume = refused;
      return;
    }
    if (message.type === 'stream_event') this.#reporting.isFragment();
    for (const fact of translate(this.#memory, message)) {
      if (fact.type === 'withdrawn') this.#line.peer.abandon(fact.agentRequestId);
      if (fact.type === 'said' && fact.event.type === 'tool.result')
        this.#asking.callEnded(fact.event.toolCallId);
      this.#reporting.add(fact);
    }
  }
}

/** What was handed over just before the last server ended was not yet remembered with anything the agent said. */
function memoryFor(start: AgentStart, attached: Attached | undefined): Memory {
  const { cwd, permissionMode, model, resume, fork } = start;
  // A copy has a name of its own, which is told with the first turn.
  const agentSessionId = fork ? null : resume;
  const memory =
    restoreMemory(attached?.mark?.memory, cwd) ?? newMemory({ cwd, permissionMode, model, agentSessionId });
  for (const { messageId, how } of attached?.left.inFlight ?? []) {
    const uuid = uuidOf(messageId);
    if (!memory.awaited.has(uuid)) noteSent(memory, uuid, messageId, how === 'steer');
  }
  return memory;
}

function expectWritten(outcome: WriteOutcome): void {
  if (!outcome.ok) throw new Error(outcome.message);
}

function expectReply(reply: Reply): JsonObject {
  if (reply.ok) return reply.response;
  if (reply.code === 'refused') throw new AgentRefusal(reply.message);
  throw new Error(reply.message);
}
