import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { messageOf } from '../../protocol/errors.ts';
import type { AgentProcess, WriteOutcome } from '../../runner/ports/process-host.ts';
import { type Diagnostic, diagnosticFact } from '../diagnostics.ts';
import type { JsonObject } from '../fields.ts';
import { LineSplitter, toLine } from '../lines.ts';
import { errorCodes, type JsonRpcId, type Reply, RequestError, readLine } from './json-rpc.ts';

export interface PeerOptions {
  /** Where in the agent's output reading begins. */
  readonly from: number;
  /** The first number for requests of ours; those below it belong to earlier servers. */
  readonly firstId: number;
  /** Every other request is refused, so that the agent does not wait in vain. */
  readonly handledRequests: ReadonlySet<string>;
  onRequest(request: AgentRequest): void;
  /** The agent takes a request back. */
  onCancel(requestId: unknown): void;
  /** What the agent tells without waiting for an answer. */
  onNotification(method: string, params: JsonObject): void;
  onDiagnostic(diagnostic: Diagnostic): void;
  /** A line was handled; where it was a reply, whoever waits for it goes on after this. */
  onLineEnd(isReply: boolean): void;
  /** All that was received, up to this place in the agent's output, is passed on. */
  onReadEnd(received: number): void;
}

export interface AgentRequest {
  readonly id: JsonRpcId;
  /** The end of its line in the agent's output: an agent may use an id twice. */
  readonly at: number;
  readonly method: string;
  readonly params: unknown;
}

/** Called in the middle of the agent's lines, with what it replied; or with the reason why it never will. */
export type TakeReply = (reply: Reply | { readonly ok: false; readonly error: Error }) => void;

/**
 * Speaks JSON-RPC over the two pipes of an agent. Lines are handled one after the other, each to its end, so that at any moment
 * what is known follows from exactly the lines up to `readTo`.
 */
export class Peer {
  /** Settles when the agent's output is over and all of it was passed on, or when the peer is closed. */
  readonly ended: Promise<void>;
  readonly #process: AgentProcess;
  readonly #options: PeerOptions;
  readonly #splitter: LineSplitter;
  readonly #stopReading: () => void;
  readonly #ours = new Map<JsonRpcId, TakeReply>();
  readonly #settleEnd: () => void;
  #nextId: number;
  #lines: { readonly line: string; readonly end: number }[] = [];
  #readTo: number;
  #received: number;
  #isHandling = false;
  #isPassingOn = false;
  #isPaused = false;
  #isOutputOver = false;
  #isDetached = false;
  #isClosed = false;

  constructor(process: AgentProcess, options: PeerOptions) {
    const { from, firstId } = options;
    this.#process = process;
    this.#options = options;
    this.#nextId = firstId;
    this.#readTo = from;
    this.#received = from;
    ({ promise: this.ended, resolve: this.#settleEnd } = Promise.withResolvers<void>());
    this.#splitter = new LineSplitter({
      onLine: (line, endOffset) => this.#lines.push({ line, end: from + endOffset }),
      onOverlong: ({ bytes, head }) =>
        options.onDiagnostic(diagnosticFact('overlong-line', head.toString('utf8'), { bytes })),
    });
    // A server that died in the middle of a write may have left half a line: what follows it must not be read with it.
    if (process.earlierWrites.doubtful.size > 0) void process.write('\n');
    this.#stopReading = process.readOutput({
      chunk: (chunk, offset) => {
        // Left unread, it is there for whoever attaches next.
        if (this.#isDetached) return;
        this.#received = offset + chunk.length;
        this.#splitter.feed(chunk);
        void this.#passOn();
      },
      end: () => {
        if (this.#isDetached) return;
        this.#received = Number.POSITIVE_INFINITY;
        this.#splitter.end();
        this.#isOutputOver = true;
        void this.#passOn();
      },
    });
    queueMicrotask(() => void this.#passOn());
  }

  /** The end of the last line that was handled. */
  get readTo(): number {
    return this.#readTo;
  }

  /** A line is being handled: what is known is between two lines. */
  get isHandling(): boolean {
    return this.#isHandling;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get nextId(): number {
    return this.#nextId;
  }

  newId(): number {
    this.#nextId += 1;
    return this.#nextId - 1;
  }

  /** Of several requests under the same name, also of another server, one is written. Settles when it is in the pipe. */
  request(id: number, method: string, params: JsonObject, name: string, onReply: TakeReply): Promise<void> {
    this.expectReply(id, onReply);
    return mustBeWritten(this.#write({ jsonrpc: '2.0', id, method, params }, name));
  }

  /** The reply to a request that was written before, by whomever. */
  expectReply(id: number, onReply: TakeReply): void {
    if (this.#isClosed) onReply(over);
    else this.#ours.set(id, onReply);
  }

  notify(method: string, params: JsonObject, name?: string): Promise<void> {
    return mustBeWritten(this.#write({ jsonrpc: '2.0', method, params }, name));
  }

  respond({ id }: Pick<AgentRequest, 'id'>, result: JsonObject, name: string): Promise<WriteOutcome> {
    return this.#write({ jsonrpc: '2.0', id, result }, name);
  }

  respondError({ id }: Pick<AgentRequest, 'id'>, error: unknown, name?: string): Promise<WriteOutcome> {
    const code = error instanceof RequestError ? error.code : errorCodes.internalError;
    const message = messageOf(error);
    return this.#write({ jsonrpc: '2.0', id, error: { code, message } }, name);
  }

  /** Nothing is passed on until it is resumed, also of what was received already. */
  pause(): void {
    this.#isPaused = true;
    this.#process.pauseOutput();
  }

  resume(): void {
    this.#isPaused = false;
    this.#process.resumeOutput();
    void this.#passOn();
  }

  /** Neither reads nor writes any more; the agent goes on without this server. */
  detach(): void {
    this.#isDetached = true;
    this.#lines = [];
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#splitter.stop();
    this.#stopReading();
    this.#lines = [];
    const waiting = [...this.#ours.values()];
    this.#ours.clear();
    for (const onReply of waiting) onReply(over);
    this.#settleEnd();
  }

  /** After a reply the loop turns once: a start goes on by promises, and must be further before what the agent says next is read. */
  async #passOn(): Promise<void> {
    if (this.#isPassingOn || this.#isPaused || this.#isClosed) return;
    this.#isPassingOn = true;
    while (!this.#isPaused) {
      const next = this.#lines.shift();
      if (next === undefined) break;
      const isReply = this.#handle(next.line, next.end);
      this.#readTo = next.end;
      this.#options.onLineEnd(isReply);
      if (isReply) await turnOfTheLoop();
    }
    this.#isPassingOn = false;
    if (this.#isPaused || this.#isDetached || this.#isClosed) return;
    this.#options.onReadEnd(this.#received);
    if (this.#isOutputOver) this.close();
  }

  /** A fault in handling one line must not take the lines after it along. */
  #handle(line: string, end: number): boolean {
    this.#isHandling = true;
    try {
      return this.#read(line, end);
    } catch (error) {
      this.#options.onDiagnostic(diagnosticFact('handler-failed', line, { error }));
      return false;
    } finally {
      this.#isHandling = false;
    }
  }

  /** True for a reply that someone waits for. */
  #read(line: string, at: number): boolean {
    const incoming = readLine(line);
    switch (incoming.kind) {
      case 'blank':
        return false;
      case 'problem':
        this.#options.onDiagnostic(diagnosticFact(incoming.problem, line));
        return false;
      case 'notification':
        this.#notified(incoming.method, incoming.params);
        return false;
      case 'request':
        this.#requested({ ...incoming, at }, line);
        return false;
      case 'reply':
        return this.#replied(incoming.id, incoming.reply, line);
    }
  }

  #notified(method: string, params: JsonObject): void {
    if (method !== '$/cancel_request') this.#options.onNotification(method, params);
    else this.#options.onCancel(params.requestId);
  }

  #requested(request: AgentRequest, line: string): void {
    if (!this.#options.handledRequests.has(request.method)) {
      if (!isOfVendor(request.method)) this.#options.onDiagnostic(diagnosticFact('unknown-request', line));
      const error = new RequestError(errorCodes.methodNotFound, `There is no method ${request.method}`);
      void this.respondError(request, error).catch(() => undefined);
      return;
    }
    this.#options.onRequest(request);
  }

  #replied(id: JsonRpcId, reply: Reply, line: string): boolean {
    const onReply = this.#ours.get(id);
    if (!onReply) {
      const isOfEarlierServer = typeof id === 'number' && id < this.#options.firstId;
      if (!isOfEarlierServer) this.#options.onDiagnostic(diagnosticFact('malformed-response', line));
      return false;
    }
    this.#ours.delete(id);
    onReply(reply);
    return true;
  }

  /** A write that fails closes the peer, and the agent's exit tells the rest. */
  async #write(message: object, name?: string): Promise<WriteOutcome> {
    if (this.#isClosed || this.#isDetached) return { ok: false, code: 'closed', message: overWords };
    const outcome = await this.#process.write(toLine(message), name, { announced: true });
    if (!outcome.ok && !this.#isDetached) this.close();
    return outcome;
  }
}

/** Names of an agent's own: beside the protocol by its rules, or by its maker's habit (Qwen Code). What it tells or asks so is no fault. */
export const isOfVendor = (method: string): boolean => /^(?:_|qwen\/|craft\/)/.test(method);

async function mustBeWritten(written: Promise<WriteOutcome>): Promise<void> {
  const outcome = await written;
  if (!outcome.ok) throw new Error(outcome.message);
}

const overWords = 'The agent has ended its output';
const over = { ok: false, error: new Error(overWords) } as const;
