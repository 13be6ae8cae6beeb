import { BeckonError } from './beckon-error.ts';
import type { ConnectionState } from './transport.ts';

export interface RetryPolicy {
  readonly firstMs: number;
  readonly capMs: number;
  /** Without a byte for so long a stream of server-sent events counts as lost; the server sends a comment every 15 s. */
  readonly silenceMs: number;
}

export const defaultRetry: RetryPolicy = { firstMs: 250, capMs: 15_000, silenceMs: 45_000 };

export interface StayingConnected {
  /** Connects now, if it was waiting to. */
  retryNow(): void;
  close(): void;
}

/** Connects again and again, with growing pauses, until it is closed or refused for good. */
export function stayConnected(options: {
  /** Connects, listens until the connection is lost or the signal is aborted, and gives the reason; calls `onHeard` for every sign of life. */
  readonly listen: (signal: AbortSignal, onHeard: () => void) => Promise<Error>;
  readonly onConnection: (state: ConnectionState) => void;
  readonly retry?: RetryPolicy | undefined;
}): StayingConnected {
  const { retry = defaultRetry, onConnection } = options;
  const closing = new AbortController();
  let pausing = new AbortController();
  let attempt = 0;
  const onHeard = (): void => {
    attempt = 0;
  };
  void run();

  return {
    retryNow: () => pausing.abort(),
    close() {
      if (closing.signal.aborted) return;
      closing.abort();
      onConnection({ state: 'closed' });
    },
  };

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      onConnection({ state: 'connecting' });
      const failure = await options.listen(closing.signal, onHeard).catch(asError);
      if (closing.signal.aborted) return;
      if (failure instanceof BeckonError && isFinal(failure)) {
        closing.abort();
        onConnection({ state: 'closed', error: failure });
        return;
      }
      attempt += 1;
      const retryInMs = delayBefore(attempt, retry);
      pausing = new AbortController();
      onConnection({ state: 'lost', attempt, retryInMs, error: failure });
      await pause(retryInMs, AbortSignal.any([closing.signal, pausing.signal]));
    }
  }
}

export const lost = (message: string): BeckonError => new BeckonError('unreachable', 0, message);

export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** What will be refused again in the same way; too many requests and a server that is down will not. */
function isFinal(error: BeckonError): boolean {
  return error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429;
}

/** Doubles up to the cap; half of it is left to chance, so that many clients do not come back in one moment. */
function delayBefore(attempt: number, { firstMs, capMs }: RetryPolicy): number {
  const full = Math.min(capMs, firstMs * 2 ** (attempt - 1));
  return Math.round(full / 2 + (Math.random() * full) / 2);
}

/** Ends early when the signal is aborted. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
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
