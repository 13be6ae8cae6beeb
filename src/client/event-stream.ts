import { createParser } from 'eventsource-parser';
import { BeckonError } from './beckon-error.ts';
import { comeToLight } from './heard.ts';
import { asError, defaultRetry, lost, type RetryPolicy, stayConnected } from './stay-connected.ts';
import type { ConnectionState, Unsubscribe } from './transport.ts';

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

/** Keeps a stream of server-sent events connected until it is closed or refused for good. */
export function openEventStream(options: EventStreamOptions): Unsubscribe {
  const { retry = defaultRetry } = options;
  let cursor = '';
  return stayConnected({ ...options, listen }).close;

  function tell(event: ServerSentEvent): void {
    try {
      options.onEvent(event);
    } catch (error) {
      if (error instanceof BeckonError) throw error;
      // A listener's bug is not a lost connection: the stream goes on.
      comeToLight(error);
    }
  }

  async function listen(closing: AbortSignal, onHeard: () => void): Promise<Error> {
    const current = new AbortController();
    const close = (): void => current.abort(closing.reason);
    closing.addEventListener('abort', close);
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => current.abort(lost('The connection fell silent.')), retry.silenceMs);
    };
    const parser = createParser({
      onEvent: ({ id, event = 'message', data }) => {
        if (current.signal.aborted) return;
        onHeard();
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
      closing.removeEventListener('abort', close);
      current.abort();
    }
  }
}
