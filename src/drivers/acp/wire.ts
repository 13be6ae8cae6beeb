import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { AgentProcess, WriteOutcome } from '../../engine/ports/process-host.ts';
import { DiagnosticCounter, type PeerDiagnostic } from '../diagnostics.ts';
import { isObject, type JsonObject } from '../fields.ts';
import { LineSplitter } from '../lines.ts';

export interface WireOptions {
  /** What the agent tells without waiting for an answer. */
  onNotification(method: string, params: JsonObject): void;
  onDiagnostic(diagnostic: PeerDiagnostic): void;
  /** All that was read is passed on. */
  onReadEnd(): void;
  readonly handledRequests: ReadonlySet<string>;
  readonly maxLineBytes?: number;
}

interface ReadMessage {
  readonly message: AnyMessage;
  readonly line: string;
}

interface AwaitedWrite {
  matches(message: AnyMessage): boolean;
  settle(outcome: WriteOutcome): void;
}

/**
 * The two pipes of an agent as the SDK's stream of messages. Notifications are read here: the SDK drops one it does not
 * know, with a line on our stderr, and passes the others on out of step with the replies around them.
 */
export class Wire {
  readonly stream: Stream;
  /** Settles when the agent's output is over and all of it was passed on, or when the wire is closed. */
  readonly ended: Promise<void>;
  readonly #process: AgentProcess;
  readonly #options: WireOptions;
  readonly #diagnostics: DiagnosticCounter;
  readonly #splitter: LineSplitter;
  readonly #detach: () => void;
  readonly #ours = new Set<unknown>();
  readonly #awaited = new Set<AwaitedWrite>();
  #controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  #waiting: ReadMessage[] = [];
  #isPassingOn = false;
  #isOutputOver = false;
  #isClosed = false;
  #settleEnd: () => void;

  constructor(process: AgentProcess, options: WireOptions) {
    this.#process = process;
    this.#options = options;
    ({ promise: this.ended, resolve: this.#settleEnd } = Promise.withResolvers<void>());
    this.#diagnostics = new DiagnosticCounter((diagnostic) => options.onDiagnostic(diagnostic));
    this.#splitter = new LineSplitter({
      onLine: (line) => this.#read(line),
      onOverlong: ({ bytes, head }) => this.#diagnostics.count('overlong-line', head.toString('utf8'), bytes),
      ...(options.maxLineBytes !== undefined && { maxLineBytes: options.maxLineBytes }),
    });
    this.stream = {
      readable: new ReadableStream<AnyMessage>({ start: (controller) => this.#keep(controller) }),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#write(message) }),
    };
    this.#detach = process.readOutput({
      chunk: (chunk) => {
        this.#splitter.feed(chunk);
        void this.#passOn();
      },
      end: () => {
        this.#splitter.end();
        this.#isOutputOver = true;
        void this.#passOn();
      },
    });
  }

  /** Settles when the next message that matches is in the pipe, or can never be. */
  written(matches: (message: AnyMessage) => boolean): Promise<WriteOutcome> {
    if (this.#isClosed) return Promise.resolve(over);
    return new Promise((settle) => this.#awaited.add({ matches, settle }));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#splitter.stop();
    this.#detach();
    this.#waiting = [];
    try {
      this.#controller?.close();
    } catch {
      // The SDK has let go of it already.
    }
    for (const { settle } of this.#awaited) settle(over);
    this.#awaited.clear();
    this.#settleEnd();
  }

  #keep(controller: ReadableStreamDefaultController<AnyMessage>): void {
    this.#controller = controller;
  }

  #read(line: string): void {
    if (line.trim() === '') return;
    const message = parsed(line);
    if (message === undefined) this.#diagnostics.count('not-json', line);
    else if (!isObject(message)) this.#diagnostics.count('not-an-object', line);
    else if (isMessage(message)) this.#sort(message, line);
    else this.#diagnostics.count('no-type', line);
  }

  #sort(message: AnyMessage, line: string): void {
    if ('method' in message) {
      const isUnknown = 'id' in message && !this.#options.handledRequests.has(message.method);
      // The SDK refuses it for us, so that the agent does not wait in vain.
      if (isUnknown) this.#diagnostics.count('unknown-request', line);
    } else if (!this.#ours.delete(message.id)) {
      this.#diagnostics.count('malformed-response', line);
      return;
    }
    this.#waiting.push({ message, line });
  }

  /** In the order of the lines: around what the SDK handles the loop turns once, for it works by promises. */
  async #passOn(): Promise<void> {
    if (this.#isPassingOn || this.#isClosed) return;
    this.#isPassingOn = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { message, line } = next;
      if (isNotification(message)) {
        this.#notify(message, line);
        continue;
      }
      this.#controller?.enqueue(message);
      await turnOfTheLoop();
      if (this.#isClosed) break;
    }
    this.#isPassingOn = false;
    this.#options.onReadEnd();
    if (this.#isOutputOver) this.close();
  }

  #notify({ method, params }: Notification, line: string): void {
    try {
      this.#options.onNotification(method, isObject(params) ? params : {});
    } catch (error) {
      this.#diagnostics.count('handler-failed', line, undefined, error);
    }
  }

  async #write(message: AnyMessage): Promise<void> {
    // Whoever waited for it has been told that it was not written.
    if (this.#isClosed) throw new Error(over.message);
    if ('method' in message && 'id' in message) this.#ours.add(message.id);
    const awaited = [...this.#awaited].find(({ matches }) => matches(message));
    if (awaited) this.#awaited.delete(awaited);
    const outcome = await this.#process.write(toLine(message));
    awaited?.settle(outcome);
    if (!outcome.ok) throw new Error(outcome.message);
  }
}

type Notification = Extract<AnyMessage, { method: string }> & { readonly id?: never };

const over = { ok: false, code: 'closed', message: 'The agent has ended its output' } as const;

/** What an agent takes back is the SDK's to know: it holds the requests. */
function isNotification(message: AnyMessage): message is Notification {
  return 'method' in message && !('id' in message) && message.method !== '$/cancel_request';
}

function isMessage(value: JsonObject): value is JsonObject & AnyMessage {
  if (value.jsonrpc !== '2.0') return false;
  if (value.method !== undefined) return typeof value.method === 'string';
  return 'id' in value && ('result' in value || isObject(value.error));
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** JSON leaves these two as they are, and some readers take them for the end of a line. */
function toLine(message: object): string {
  return `${JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
}
