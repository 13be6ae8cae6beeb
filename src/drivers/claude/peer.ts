import { randomUUID } from 'node:crypto';
import type { OutputReader, WriteOutcome } from '../../engine/ports/process-host.ts';
import { DiagnosticCounter, type PeerDiagnostic } from '../diagnostics.ts';
import type { JsonObject } from '../fields.ts';
import { LineSplitter } from '../lines.ts';
import { type IncomingRequest, type Reply, readLine, type TypedMessage } from './incoming.ts';
import { type LineSink, Outbox, type WriteFailure } from './outbox.ts';

/** The two pipes of a process that speaks the Claude wire. */
export interface PeerPipes extends LineSink {
  readOutput(reader: OutputReader): () => void;
}

export interface PeerOptions {
  /** Every other request is refused for the owner, so that the agent never waits in vain. */
  readonly handledSubtypes: ReadonlySet<string>;
  onMessage(message: TypedMessage): void;
  onRequest(request: IncomingRequest): void;
  /** The agent takes a request back that was passed on and is not answered yet. */
  onCancel(requestId: string): void;
  onDiagnostic(diagnostic: PeerDiagnostic): void;
  onClose(reason: CloseReason): void;
  /** Every line as it came, before it is understood; `endOffset` counts the bytes up to its end. */
  onLine?(line: string, endOffset: number): void;
  /** All lines of one chunk were passed on. */
  onReadEnd?(): void;
  readonly maxLineBytes?: number;
  /** Requests that an earlier peer on the same pipes took and left unanswered. */
  readonly openRequests?: readonly string[];
  newRequestId?(): string;
}

export type CloseReason =
  | { readonly kind: 'output-ended' }
  | { readonly kind: 'write-failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'closed'; readonly message: string };

export interface RequestOptions {
  readonly timeoutMs?: number;
  /** Asks under this id, once: what was asked before is not asked again, and its reply is still taken. */
  readonly requestId?: string;
}

export interface UserMessage {
  readonly content: string | readonly JsonObject[];
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
  readonly #diagnostics: DiagnosticCounter;
  readonly #splitter: LineSplitter;
  readonly #detach: () => void;
  readonly #ours = new Map<string, (reply: Reply) => void>();
  readonly #theirs: Set<string>;
  #closed: CloseReason | undefined;

  constructor(pipes: PeerPipes, options: PeerOptions) {
    this.#options = options;
    this.#theirs = new Set(options.openRequests);
    this.#outbox = new Outbox(pipes, ({ code, message }) =>
      this.close({ kind: 'write-failed', code, message }),
    );
    this.#diagnostics = new DiagnosticCounter((diagnostic) => options.onDiagnostic(diagnostic));
    this.#splitter = new LineSplitter({
      onLine: (line, endOffset) => this.#guard(line, () => this.#read(line, endOffset)),
      onOverlong: ({ bytes, head }) => this.#diagnostics.count('overlong-line', head.toString('utf8'), bytes),
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
      message: {
        role: 'user',
        content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      },
      parent_tool_use_id: null,
      ...(uuid !== undefined && { uuid }),
      ...(priority !== undefined && { priority }),
    };
    return this.#outbox.write(line, uuid && `message ${uuid}`);
  }

  /** Answers one of the agent's requests, once: what is not open any more is not written. */
  respond(requestId: string, response: JsonObject): Promise<WriteOutcome> {
    return this.#answer(requestId, { subtype: 'success', request_id: requestId, response });
  }

  respondError(requestId: string, error: string): Promise<WriteOutcome> {
    return this.#answer(requestId, { subtype: 'error', request_id: requestId, error });
  }

  /** The agent waits for this one no more, though it did not say so. */
  abandon(requestId: string): void {
    this.#theirs.delete(requestId);
  }

  initialize(hooks?: JsonObject, options?: RequestOptions): Promise<Reply> {
    return this.request('initialize', hooks ? { hooks } : {}, options);
  }

  setPermissionMode(mode: string, options?: RequestOptions): Promise<Reply> {
    return this.request('set_permission_mode', { mode }, options);
  }

  setModel(model: string, options?: RequestOptions): Promise<Reply> {
    return this.request('set_model', { model }, options);
  }

  interrupt(options?: RequestOptions): Promise<Reply> {
    return this.request('interrupt', {}, options);
  }

  /** Takes back a message that the agent has not begun with. */
  cancelMessage(uuid: string, options?: RequestOptions): Promise<Reply> {
    return this.request('cancel_async_message', { message_uuid: uuid }, options);
  }

  /** Never rejects: a refusal, a time-out and a closed peer are replies. */
  request(subtype: string, fields: JsonObject = {}, options: RequestOptions = {}): Promise<Reply> {
    if (this.#closed) return Promise.resolve(closedReply(this.#closed));
    const { timeoutMs } = options;
    const requestId = options.requestId ?? this.#options.newRequestId?.() ?? randomUUID();
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
        this.#take(incoming, line);
        break;
      case 'cancel':
        if (this.#theirs.delete(incoming.requestId)) this.#options.onCancel(incoming.requestId);
        break;
      case 'response':
        // What is not a reply to an open request of ours is the echo of our own answer, or late.
        this.#ours.get(incoming.requestId)?.(incoming.reply);
        break;
      case 'problem':
        this.#diagnostics.count(incoming.problem, line);
        if (incoming.requestId !== undefined)
          this.#refuse(incoming.requestId, 'The request was not understood');
        break;
    }
  }

  #take(request: IncomingRequest, line: string): void {
    const { requestId, subtype } = request;
    if (this.#theirs.has(requestId)) {
      this.#diagnostics.count('repeated-request', line);
      return;
    }
    if (!this.#options.handledSubtypes.has(subtype)) {
      this.#diagnostics.count('unknown-request', line);
      this.#refuse(requestId, `Unsupported request: ${subtype}`);
      return;
    }
    this.#theirs.add(requestId);
    try {
      this.#options.onRequest(request);
    } catch (error) {
      // Unanswered, the agent would wait for ever.
      this.#refuse(requestId, 'The request could not be handled');
      throw error;
    }
  }

  #refuse(requestId: string, error: string): void {
    this.#theirs.add(requestId);
    void this.respondError(requestId, error);
  }

  #answer(requestId: string, response: JsonObject): Promise<WriteOutcome> {
    if (this.#closed) return Promise.resolve(writeFailure(this.#closed));
    if (!this.#theirs.delete(requestId)) return Promise.resolve(notOpen);
    return this.#outbox.write({ type: 'control_response', response }, `answer ${requestId}`);
  }

  #endRead(): void {
    if (!this.#closed) this.#guard('', () => this.#options.onReadEnd?.());
  }

  /** A fault in handling one line must not take the lines after it along. */
  #guard(line: string, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#diagnostics.count('handler-failed', line, undefined, error);
    }
  }
}

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
