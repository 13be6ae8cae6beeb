import {
  type AgentConnection,
  type AgentFact,
  AgentRefusal,
  type AgentStart,
  type OutgoingMessage,
} from '../../engine/ports/agent-driver.ts';
import type { AgentProcess, ProcessExit, WriteOutcome } from '../../engine/ports/process-host.ts';
import type { Ask, Decision } from '../../protocol/interaction.ts';
import { answerTo } from './answer.ts';
import { claudeCapabilities, permissionModes } from './capabilities.ts';
import type { PeerDiagnostic } from './diagnostics.ts';
import { type JsonObject, textAt } from './fields.ts';
import type { IncomingRequest, Reply, TypedMessage } from './incoming.ts';
import { uuidOf } from './message-uuid.ts';
import { ProtocolPeer } from './peer.ts';
import { askOf } from './translate/ask.ts';
import { type Memory, newMemory, noteSent } from './translate/memory.ts';
import { modeChange, modelChange } from './translate/system.ts';
import { translate } from './translate/translate.ts';

const handledSubtypes = new Set(['can_use_tool', 'elicitation', 'hook_callback']);
const startLimitMs = 60_000;

export interface ConnectionOptions {
  readonly start: AgentStart;
  readonly version: string | null;
  report(facts: readonly AgentFact[]): void;
  /** Starts the program, with or without the conversation to go on with. */
  launch(resume: string | null): AgentProcess;
}

/** One running Claude Code, or a program that speaks as it does. */
export class ClaudeConnection implements AgentConnection {
  readonly #options: ConnectionOptions;
  readonly #memory: Memory;
  readonly #exitReported: Promise<void>;
  #process: AgentProcess;
  #peer: ProtocolPeer;
  #peerClosed: Promise<void>;
  #facts: AgentFact[] = [];
  #isReady = false;
  #isClosing = false;
  #isPaused = false;
  #startError: string | undefined;
  #refusedResume: string | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { cwd, permissionMode, model, resume } = options.start;
    this.#memory = newMemory({ cwd, permissionMode, model, agentSessionId: resume });
    this.#process = options.launch(resume);
    ({ peer: this.#peer, closed: this.#peerClosed } = this.#connect());
    this.#exitReported = this.#live();
  }

  async send({ messageId, text, images }: OutgoingMessage, how: 'turn' | 'steer'): Promise<void> {
    const uuid = uuidOf(messageId);
    noteSent(this.#memory, uuid, messageId);
    const content = [...images.map(imageBlock), ...(text === '' ? [] : [{ type: 'text', text }])];
    const outcome = await this.#peer.sendUserMessage({
      content,
      uuid,
      ...(how === 'steer' && { priority: 'next' }),
    });
    if (!outcome.ok) this.#memory.awaited.delete(uuid);
    expectWritten(outcome);
  }

  async answer(ask: Ask, decision: Decision): Promise<void> {
    this.#memory.openForms.delete(ask.agentRequestId);
    expectWritten(await this.#peer.respond(ask.agentRequestId, answerTo(ask, decision)));
  }

  async interrupt(): Promise<void> {
    expectReply(await this.#peer.interrupt());
  }

  async setPermissionMode(mode: string): Promise<void> {
    if (!permissionModes.includes(mode))
      throw new AgentRefusal(`The agent has no permission mode "${mode}".`);
    const response = expectReply(await this.#peer.setPermissionMode(mode));
    this.#report(modeChange(this.#memory, textAt(response, 'mode') ?? mode));
  }

  async setModel(model: string): Promise<void> {
    const response = expectReply(await this.#peer.setModel(model));
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
  }

  resume(): void {
    this.#isPaused = false;
    this.#process.resumeOutput();
  }

  async #live(): Promise<void> {
    let exit = await this.#runToExit();
    if (this.#refusedResume !== undefined && !this.#isClosing) {
      this.#startAnew(this.#refusedResume);
      exit = await this.#runToExit();
    }
    this.#report([exitFact(exit, this.#process.stderrTail(), this.#startError)]);
  }

  /** Settles when neither the program nor any of its descendants is left, and all it printed was read. */
  async #runToExit(): Promise<ProcessExit> {
    void this.#initialize(this.#peer);
    void this.#peerClosed.then(() => this.#process.end());
    const exit = await this.#process.exited;
    await this.#peerClosed;
    await this.#process.end();
    return exit;
  }

  /** The program has lost the conversation (it was killed before it wrote it down): better without it than not at all. */
  #startAnew(reason: string): void {
    this.#refusedResume = undefined;
    this.#memory.agentSessionId = null;
    const text = `The agent could not go on with the earlier conversation and starts without it: ${reason}`;
    this.#report([
      { type: 'said', event: { type: 'agent.notice', level: 'warning', code: 'resume-refused', text } },
    ]);
    this.#process = this.#options.launch(null);
    ({ peer: this.#peer, closed: this.#peerClosed } = this.#connect());
  }

  #connect(): { peer: ProtocolPeer; closed: Promise<void> } {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const peer = new ProtocolPeer(this.#process, {
      handledSubtypes,
      onMessage: (message) => this.#read(message),
      onRequest: (request) => this.#readRequest(request),
      onCancel: (agentRequestId) => {
        this.#memory.openForms.delete(agentRequestId);
        this.#facts.push({ type: 'withdrawn', agentRequestId });
      },
      onDiagnostic: (diagnostic) => this.#facts.push(diagnosticFact(diagnostic)),
      onReadEnd: () => this.#flush(),
      onClose: () => {
        this.#flush();
        resolve();
      },
    });
    return { peer, closed };
  }

  async #initialize(peer: ProtocolPeer): Promise<void> {
    const reply = await peer.initialize(undefined, { timeoutMs: startLimitMs });
    if (!reply.ok) {
      if (reply.code === 'closed') return;
      this.#startError = `The agent did not get ready: ${reply.message}`;
      void this.#process.end();
      return;
    }
    this.#isReady = true;
    const { response } = reply;
    this.#report([
      {
        type: 'ready',
        agentSessionId: this.#memory.agentSessionId,
        version: textAt(response, 'claude_code_version') ?? this.#options.version,
        capabilities: claudeCapabilities(response),
      },
      ...modeChange(this.#memory, textAt(response, 'current_permission_mode')),
    ]);
  }

  #read(message: TypedMessage): void {
    if (!this.#isReady && message.type === 'result' && this.#memory.agentSessionId !== null) {
      // Before it is ready, a result can only say that there is nothing to resume.
      this.#refusedResume = reasonOf(message);
      return;
    }
    for (const fact of translate(this.#memory, message)) {
      if (fact.type === 'withdrawn') this.#peer.abandon(fact.agentRequestId);
      this.#facts.push(fact);
    }
  }

  #readRequest(request: IncomingRequest): void {
    if (request.subtype === 'hook_callback') {
      void this.#peer.respond(request.requestId, {});
      return;
    }
    const ask = this.#understood(request);
    if (ask?.kind === 'form') this.#memory.openForms.add(ask.agentRequestId);
    if (ask) this.#facts.push({ type: 'asked', ask });
    else void this.#peer.respondError(request.requestId, 'The request was not understood');
  }

  /** An input nested beyond measure cannot be worked through; the agent must not wait for ever because of it. */
  #understood(request: IncomingRequest): Ask | undefined {
    try {
      return askOf(this.#memory, request);
    } catch {
      return undefined;
    }
  }

  #report(facts: readonly AgentFact[]): void {
    this.#facts.push(...facts);
    this.#flush();
  }

  #flush(): void {
    if (this.#facts.length === 0) return;
    const facts = this.#facts;
    this.#facts = [];
    this.#options.report(facts);
  }
}

function imageBlock({ mediaType, data }: OutgoingMessage['images'][number]): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

function expectWritten(outcome: WriteOutcome): void {
  if (!outcome.ok) throw new Error(outcome.message);
}

function expectReply(reply: Reply): JsonObject {
  if (reply.ok) return reply.response;
  if (reply.code === 'refused') throw new AgentRefusal(reply.message);
  throw new Error(reply.message);
}

function reasonOf(result: JsonObject): string {
  const errors = Array.isArray(result.errors) ? result.errors.join('; ') : '';
  return errors || 'it gave no reason';
}

function exitFact(exit: ProcessExit, stderr: readonly string[], startError: string | undefined): AgentFact {
  if (exit.kind === 'exited') {
    const { code, signal } = exit;
    return { type: 'exited', code, signal, stderr, ...(startError !== undefined && { startError }) };
  }
  return { type: 'exited', code: null, signal: null, stderr, startError: spawnWords(exit) };
}

function spawnWords({ code, message }: Extract<ProcessExit, { kind: 'spawn-failed' }>): string {
  switch (code) {
    case 'not-found':
      return `The agent's program was not found (${message})`;
    case 'not-executable':
      return `The agent's program cannot be run (${message})`;
    case 'cwd-missing':
      return 'The working directory does not exist any more';
    case 'host-closed':
    case 'failed':
      return message;
  }
}

function diagnosticFact({ kind, count, bytes, sample, error }: PeerDiagnostic): AgentFact {
  const why = error instanceof Error ? `: ${error.message}` : '';
  const text = `${diagnosticWords[kind]} (${bytes} bytes)${why}`;
  return { type: 'diagnostic', code: kind, text, sample, count };
}

const diagnosticWords: Record<PeerDiagnostic['kind'], string> = {
  'not-json': 'The agent printed a line that is no JSON',
  'not-an-object': 'The agent printed a line that is no object',
  'no-type': 'The agent printed a line without a type',
  'overlong-line': 'The agent printed a line that is too long; it was skipped',
  'malformed-request': 'The agent sent a request that makes no sense',
  'malformed-response': 'The agent sent a response that makes no sense',
  'unknown-request': 'The agent sent a request of an unknown kind; it was refused',
  'repeated-request': 'The agent sent the same request again',
  'handler-failed': 'A line of the agent could not be handled',
};
