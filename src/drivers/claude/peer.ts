import { createHash, randomUUID } from 'node:crypto';
import type { OutputReader, WriteFailure, WriteOutcome } from '../../runner/ports/process-host.ts';
import { type Diagnostic, diagnosticFact } from '../diagnostics.ts';
import type { JsonObject } from '../fields.ts';
import { LineSplitter } from '../lines.ts';
import { type IncomingRequest, type Reply, readLine, type TypedMessage } from './incoming.ts';
import { type LineSink, Outbox } from './outbox.ts';

/** The two pipes of a process that speaks the Claude wire. */
export interface PeerPipes extends LineSink {
  readOutput(reader: OutputReader): () => void;
}

export interface PeerOptions {
  /** Every other request is refused for the owner, so that the agent never waits in vain. */
  readonly handledSubtypes: ReadonlySet<string>;
  onMessage(message: TypedMessage): void;
  /** Its `requestId` is ours, for this one request: an agent may use its own id again. */
  onRequest(request: IncomingRequest): void;
  /** The agent takes a request back that was passed on and is not answered yet, or has used its id for another. */
  onCancel(requestId: string): void;
  onDiagnostic(diagnostic: Diagnostic): void;
  onClose(reason: CloseReason): void;
  /** Every line as it came, before it is understood; `endOffset` counts the bytes up to its end. */
  onLine?(line: string, endOffset: number): void;
  /** All lines of one chunk were passed on. */
  onReadEnd?(): void;
  readonly maxLineBytes?: number;
  /** How much of the output earlier peers have read. */
  readonly readFrom?: number;
  /** Requests that an earlier peer on the same pipes took and left unanswered, by our ids. */
  readonly openRequests?: readonly string[];
}

export type CloseReason =
  | { readonly kind: 'output-ended' }
  | { readonly kind: 'write-failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'closed'; readonly message: string };

export interface RequestOptions {
  readonly timeoutMs?: number;
  /** Asks under this id, once: what was asked before is not asked again, and its reply is still taken. */
  readonly requestId?: string;
  /** Called in the same breath in which the reply is read; whoever awaits it hears of it later. */
  onReply?(): void;
}

export interface UserMessage {
  readonly content: readonly JsonObject[];
  readonly uuid?: string;
  readonly priority?: string;
}

/**
 * Speaks the Claude wire over two pipes. It does not own the process behind them, and it
 * never waits for a person: requests stay open until their answer is given.
 */
export class ProtocolPeer {
  readonly #options: PeerOptions;
  readonly #outbox: Outbox;
  readonly #splitter: LineSplitter;
  readonly #detach: () => void;
  readonly #ours = new Map<string, (reply: Reply) => void>();
  /** The agent's requests that are not answered, by its own ids: one can be open under each. */
  readonly #theirs: Map<string, OpenRequest>;
  #closed: CloseReason | undefined;

  constructor(pipes: PeerPipes, options: PeerOptions) {
    this.#options = options;
    this.#theirs = new Map(
      options.openRequests?.map((requestId) => [wireIdOf(requestId), { requestId, digest: undefined }]),
    );
    this.#outbox = new Outbox(pipes, ({ code, message }) =>
      this.close({ kind: 'write-failed', code, message }),
    );
    this.#splitter = new LineSplitter({
      onLine: (line, endOffset) => this.#guard(line, () => this.#read(line, endOffset)),
      onOverlong: ({ bytes, head }) =>
        options.onDiagnostic(diagnosticFact('overlong-line', head.toString('utf8'), { bytes })),
      ...(options.maxLineBytes !== undefined && { maxLineBytes: options.maxLineBytes }),
    });
    this.#detach = pipes.readOutput({
      chunk: (chunk) => {
        this.#splitter.feed(chunk);
        this.#endRead();
      },
      end: () => {
        this.#splitter.end();
        this.#endRead();
        this.close({ kind: 'output-ended' });
      },
    });
  }

  sendUserMessage({ content, uuid, priority }: UserMessage): Promise<WriteOutcome> {
    const line = {
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      ...(uuid !== undefined && { uuid }),
      ...(priority !== undefined && { priority }),
    };
    return this.#outbox.write(line, uuid && `message ${uuid}`);
  }

  /** Answers one of the agent's requests, once: what is not open any more is not written. */
  respond(requestId: string, response: JsonObject): Promise<WriteOutcome> {
    return this.#answer(requestId, { subtype: 'success', response });
  }

  respondError(requestId: string, error: string): Promise<WriteOutcome> {
    return this.#answer(requestId, { subtype: 'error', error });
  }

  /** The agent waits for this one no more, though it did not say so. */
  abandon(requestId: string): void {
    this.#close(requestId);
  }

  /** Never rejects: a refusal, a time-out and a closed peer are replies. */
  request(subtype: string, fields: JsonObject = {}, options: RequestOptions = {}): Promise<Reply> {
    if (this.#closed) return Promise.resolve(closedReply(this.#closed));
    const { timeoutMs } = options;
    const requestId = options.requestId ?? randomUUID();
    return new Promise((resolve) => {
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(
              () => settle({ ok: false, code: 'timed-out', message: `No reply to ${subtype}` }),
              timeoutMs,
            );
      const settle = (reply: Reply) => {
        clearTimeout(timer);
        this.#ours.delete(requestId);
        options.onReply?.();
        resolve(reply);
      };
      this.#ours.set(requestId, settle);
      const line = { type: 'control_request', request_id: requestId, request: { ...fields, subtype } };
      void this.#outbox.write(line, options.requestId && `request ${options.requestId}`);
    });
  }

  close(reason: CloseReason = { kind: 'closed', message: 'The peer was closed' }): void {
    if (this.#closed) return;
    this.#closed = reason;
    this.#splitter.stop();
    this.#detach();
    this.#outbox.close(writeFailure(reason));
    for (const settle of [...this.#ours.values()]) settle(closedReply(reason));
    this.#theirs.clear();
    this.#options.onClose(reason);
  }

  #read(line: string, endOffset: number): void {
    this.#options.onLine?.(line, endOffset);
    const incoming = readLine(line);
    switch (incoming.kind) {
      case 'blank':
        break;
      case 'message':
        this.#options.onMessage(incoming.message);
        break;
      case 'request':
        this.#take({ ...incoming, requestId: this.#ownId(incoming.requestId, endOffset) }, line);
        break;
      case 'cancel':
        this.#cancel(incoming.requestId);
        break;
      case 'response':
        // What is not a reply to an open request of ours is the echo of our own answer, or late.
        this.#ours.get(incoming.requestId)?.(incoming.reply);
        break;
      case 'problem':
        this.#options.onDiagnostic(diagnosticFact(incoming.problem, line));
        if (incoming.requestId !== undefined)
          this.#refuse(this.#ownId(incoming.requestId, endOffset), 'The request was not understood');
        break;
    }
  }

  /** By the place in the output where it stands: whoever reads the same line again gives it the same id. */
  #ownId(wireId: string, endOffset: number): string {
    return `${wireId} @${(this.#options.readFrom ?? 0) + endOffset}`;
  }

  #take(request: IncomingRequest, line: string): void {
    const { requestId, subtype } = request;
    const wireId = wireIdOf(requestId);
    const digest = digestOf(line);
    const open = this.#theirs.get(wireId);
    if (open?.digest === digest) {
      this.#options.onDiagnostic(diagnosticFact('repeated-request', line));
      return;
    }
    if (open) {
      // An answer to the one could be taken for an answer to the other: only the newer can be answered.
      this.#options.onDiagnostic(diagnosticFact('reused-request-id', line));
      this.#cancel(wireId);
    }
    if (!this.#options.handledSubtypes.has(subtype)) {
      this.#options.onDiagnostic(diagnosticFact('unknown-request', line));
      this.#refuse(requestId, `Unsupported request: ${subtype}`);
      return;
    }
    this.#theirs.set(wireId, { requestId, digest });
    try {
      this.#options.onRequest(request);
    } catch (error) {
      // Unanswered, the agent would wait for ever.
      this.#refuse(requestId, 'The request could not be handled');
      throw error;
    }
  }

  #cancel(wireId: string): void {
    const open = this.#theirs.get(wireId);
    if (open && this.#close(open.requestId)) this.#options.onCancel(open.requestId);
  }

  /** False when it is not open. */
  #close(requestId: string): boolean {
    const wireId = wireIdOf(requestId);
    return this.#theirs.get(wireId)?.requestId === requestId && this.#theirs.delete(wireId);
  }

  #refuse(requestId: string, error: string): void {
    const wireId = wireIdOf(requestId);
    // To the agent, the refusal ends whatever is open under the id.
    if (this.#theirs.get(wireId)?.requestId !== requestId) this.#cancel(wireId);
    this.#theirs.set(wireId, { requestId, digest: undefined });
    void this.respondError(requestId, error);
  }

  #answer(requestId: string, response: JsonObject): Promise<WriteOutcome> {
    if (this.#closed) return Promise.resolve(writeFailure(this.#closed));
    if (!this.#close(requestId)) return Promise.resolve(notOpen);
    const line = { type: 'control_response', response: { ...response, request_id: wireIdOf(requestId) } };
    return this.#outbox.write(line, `answer ${requestId}`);
  }

  #endRead(): void {
    if (!this.#closed) this.#guard('', () => this.#options.onReadEnd?.());
  }

  /** A fault in handling one line must not take the lines after it along. */
  #guard(line: string, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#options.onDiagnostic(diagnosticFact('handler-failed', line, { error }));
    }
  }
}

interface OpenRequest {
  readonly requestId: string;
  /** Of its line; unknown where an earlier peer has read it. */
  readonly digest: string | undefined;
}

/** A short line stands for itself; a long one is not kept for as long as nobody answers. */
const digestOf = (line: string): string =>
  line.length <= 2_000 ? line : createHash('sha256').update(line).digest('base64');

/** The agent's own id in one of ours; those of older logs have no place in them. */
const wireIdOf = (requestId: string): string => requestId.replace(/ @\d+$/, '');

const notOpen: WriteOutcome = { ok: false, code: 'not-open', message: 'This request is not open any more' };

function closedReply(reason: CloseReason): Reply {
  return { ok: false, code: 'closed', message: wording(reason) };
}

function writeFailure(reason: CloseReason): WriteFailure {
  return {
    ok: false,
    code: reason.kind === 'write-failed' ? reason.code : 'closed',
    message: wording(reason),
  };
}

function wording(reason: CloseReason): string {
  return reason.kind === 'output-ended' ? 'The agent has ended its output' : reason.message;
}
