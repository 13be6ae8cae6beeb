import { createParser } from 'eventsource-parser';
import { BeckonError } from './beckon-error.ts';
import { comeToLight } from './heard.ts';
import type { ConnectionState } from './transport.ts';

/** One message of a stream of server-sent events. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

export interface EventStreamOptions {
  /** Connects, or rejects with a `BeckonError` that says why not. `cursor` is the id of the last event heard, or empty. */
  readonly connect: (cursor: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  readonly onEvent: (event: ServerSentEvent) => void;
  readonly onConnection: (state: ConnectionState) => void;
  readonly retry?: RetryPolicy;
}

export interface RetryPolicy {
  readonly firstMs: number;
  readonly capMs: number;
  /** Without a byte for so long the connection counts as lost; the server sends a comment every 15 s. */
  readonly silenceMs: number;
}

export interface EventStream {
  close(): void;
}

const patience: RetryPolicy = { firstMs: 250, capMs: 15_000, silenceMs: 45_000 };

/** Keeps a stream of server-sent events connected until it is closed or refused for good. */
export function openEventStream(options: EventStreamOptions): EventStream {
  const retry = options.retry ?? patience;
  const closing = new AbortController();
  let connection = new AbortController();
  let cursor = '';
  let attempt = 0;
  void run();

  return {
    close() {
      if (closing.signal.aborted) return;
      closing.abort();
      connection.abort();
      options.onConnection({ state: 'closed' });
    },
  };

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      options.onConnection({ state: 'connecting' });
      connection = new AbortController();
      const failure = await listen(connection).catch(asError);
      if (closing.signal.aborted) return;
      if (failure instanceof BeckonError && isFinal(failure)) {
        closing.abort();
        options.onConnection({ state: 'closed', error: failure });
        return;
      }
      attempt += 1;
      const retryInMs = delayBefore(attempt, retry);
      options.onConnection({ state: 'lost', attempt, retryInMs, error: failure });
      await pause(retryInMs, closing.signal);
    }
  }

  function tell(event: ServerSentEvent): void {
    try {
      options.onEvent(event);
    } catch (error) {
      if (error instanceof BeckonError) throw error;
      // A listener's bug is not a lost connection: the stream goes on.
      comeToLight(error);
    }
  }

  async function listen(current: AbortController): Promise<Error> {
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => current.abort(lost('The connection fell silent.')), retry.silenceMs);
    };
    const parser = createParser({
      onEvent: ({ id, event = 'message', data }) => {
        if (current.signal.aborted) return;
        attempt = 0;
        if (id !== undefined) cursor = id;
        tell({ event, data });
      },
    });
    heard();
    try {
      const body = await options.connect(cursor, current.signal);
      options.onConnection({ state: 'connected' });
      const decoder = new TextDecoder();
      const reader = body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (current.signal.aborted) return asError(current.signal.reason);
        if (done) return lost('The connection ended.');
        heard();
        parser.feed(decoder.decode(value, { stream: true }));
      }
    } catch (error) {
      return current.signal.aborted ? asError(current.signal.reason) : asError(error);
    } finally {
      clearTimeout(silence);
      current.abort();
    }
  }
}

const lost = (message: string): BeckonError => new BeckonError('unreachable', 0, message);

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** What will be refused again in the same way; too many requests and a server that is down will not. */
function isFinal(error: BeckonError): boolean {
  return error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429;
}

/** Doubles up to the cap; half of it is left to chance, so that many clients do not come back in one moment. */
function delayBefore(attempt: number, { firstMs, capMs }: RetryPolicy): number {
  const full = Math.min(capMs, firstMs * 2 ** (attempt - 1));
  return Math.round(full / 2 + (Math.random() * full) / 2);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
}
