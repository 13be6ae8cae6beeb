import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import type { Clock } from '../../engine/ports/clock.ts';
import { EventStream } from './http-replies.ts';

export interface OpenCallOptions {
  readonly point: ResumePoint;
  /** Whether the client knows how to come back for its answer. */
  readonly isResumable: boolean;
  readonly retryMs: number;
  readonly graceMs: number;
  readonly clock: Pick<Clock, 'after'>;
  /** Called once: answered, cancelled, or given up. */
  readonly onOver: () => void;
}

/** A tool's call from the request to the moment in which its answer has left; a client that loses the connection may come back for it. */
export class OpenCall {
  readonly #options: OpenCallOptions;
  #stream: EventStream | undefined;
  #answer: JSONRPCMessage | undefined;
  readonly #work = new AbortController();
  #endWork: (() => void) | undefined;
  #stopWaiting: (() => void) | undefined;
  #steps = 0;
  #isOver = false;

  constructor(options: OpenCallOptions) {
    this.#options = options;
  }

  get point(): ResumePoint {
    return this.#options.point;
  }

  /** Fires when the run is to end, with the reason in words where there is one. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  /** How to let go of what was needed for it; told once that has begun. */
  whenOver(endWork: () => void): void {
    if (this.#isOver) endWork();
    else this.#endWork = endWork;
  }

  attach(response: ServerResponse): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    const before = this.#stream;
    const stream = new EventStream(response, () => this.#lose(stream));
    this.#stream = stream;
    before?.end();
    const { point, isResumable, retryMs } = this.#options;
    if (isResumable) stream.resumable(resumeIdOf(point), retryMs);
    else stream.comment();
    if (this.#answer !== undefined) this.#deliver(stream, this.#answer);
  }

  send(message: JSONRPCMessage): void {
    if (this.#isOver) return;
    const isAnswer = 'result' in message || 'error' in message;
    if (isAnswer) this.#answer = message;
    if (this.#stream === undefined) return;
    if (isAnswer) this.#deliver(this.#stream, message);
    else this.#stream.message(message);
  }

  /** A sign of life: HTTP clients give up on an answer that stays silent for minutes, and agents on a tool that does. */
  keepAlive(): void {
    if (this.point.progressToken === undefined) this.#stream?.comment();
    else this.progress('still running');
  }

  progress(message: string): void {
    const { progressToken } = this.point;
    if (progressToken === undefined || this.#isOver) return;
    this.#steps += 1;
    const params = { progressToken, progress: this.#steps, message };
    this.#stream?.hint({ jsonrpc: '2.0', method: 'notifications/progress', params });
  }

  /** Ends the run and the stream, without an answer: nobody waits for one any more. */
  cancel(reason?: string): void {
    const stream = this.#stream;
    this.#finish();
    this.#work.abort(reason);
    stream?.end();
    this.#endWork?.();
  }

  /** Ends the run. Whoever still waits hears what comes of that: a stream that breaks off would leave it waiting to its own limit. */
  stop(reason: string): void {
    if (this.#stream === undefined) this.cancel(reason);
    else this.#work.abort(reason);
  }

  #deliver(stream: EventStream, answer: JSONRPCMessage): void {
    stream.message(answer);
    this.#finish();
    stream.end();
    this.#endWork?.();
  }

  #lose(stream: EventStream): void {
    if (this.#isOver || stream !== this.#stream) return;
    this.#stream = undefined;
    const { isResumable, graceMs, clock } = this.#options;
    if (isResumable) this.#stopWaiting = clock.after(graceMs, () => this.cancel(connectionLost));
    else this.cancel(connectionLost);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream = undefined;
    this.#stopWaiting?.();
    this.#options.onOver();
  }
}

const connectionLost = 'The connection to the agent was lost.';

/** Which call an answer belongs to. It goes out before the answer, and comes back when the client lost the connection. */
export interface ResumePoint {
  readonly requestId: RequestId;
  readonly callId: string;
  /** Given by a client that wants to hear that the call still goes on. */
  readonly progressToken?: string | number | undefined;
}

export const resumeIdOf = ({ requestId, callId, progressToken }: ResumePoint): string => {
  const parts = [requestId, callId, ...(progressToken === undefined ? [] : [progressToken])];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
};

/** Undefined for what is none of ours. */
export function readResumeId(text: string): ResumePoint | undefined {
  try {
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    const [requestId, callId, progressToken, ...rest] = parts;
    if (!isNumberOrText(requestId) || typeof callId !== 'string' || rest.length > 0) return undefined;
    if (progressToken === undefined) return { requestId, callId };
    return isNumberOrText(progressToken) ? { requestId, callId, progressToken } : undefined;
  } catch {
    return undefined;
  }
}

const isNumberOrText = (value: unknown): value is string | number =>
  typeof value === 'string' || Number.isSafeInteger(value);
