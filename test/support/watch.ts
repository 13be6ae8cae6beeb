import { createParser } from 'eventsource-parser';
import type { Beckon } from './beckon-process.ts';
import { patienceMs } from './patience.ts';

export interface Frame {
  readonly event: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every shape
  readonly data: any;
}

export interface Watch {
  readonly frames: readonly Frame[];
  /** The first frame that fits, come or to come; each is given out once per `until`. */
  until(what: string, accepts: (frame: Frame) => boolean): Promise<Frame>;
  /** The first durable event that fits, on a session's own stream or one that follows it. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  event(type: string, accepts?: (event: any) => boolean): Promise<any>;
  /** Each frame from the first on. */
  follow(listener: (frame: Frame) => void): void;
  close(): void;
}

const open = new Set<Watch>();

/** Follows a stream of server-sent events and waits for facts in it. `endWatches` belongs into `afterEach`. */
export async function watch(
  beckon: Pick<Beckon, 'url' | 'token'>,
  path = '/api/events',
  headers: Record<string, string> = {},
): Promise<Watch> {
  const abort = new AbortController();
  const reply = await fetch(beckon.url + path, {
    headers: { authorization: `Bearer ${beckon.token}`, accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  });
  if (!reply.ok || reply.body === null) throw new Error(`${path} answered ${reply.status}`);
  const frames: Frame[] = [];
  const taken = new Set<Frame>();
  const waiters = new Set<() => void>();
  const followers = new Set<(frame: Frame) => void>();
  const parser = createParser({
    onEvent: ({ event, id, data }) => {
      const frame = { event: event ?? 'message', id, data: JSON.parse(data) };
      frames.push(frame);
      for (const follower of followers) follower(frame);
      for (const wake of [...waiters]) wake();
    },
  });
  void pump(reply.body, (text) => parser.feed(text));

  const until: Watch['until'] = (what, accepts) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiters.delete(look);
        const seen = frames.map((frame) => frame.data?.type ?? frame.event).slice(-40);
        reject(new Error(`${what} did not come; seen: ${seen.join(', ')}`));
      }, patienceMs);
      const look = (): void => {
        const found = frames.find((frame) => !taken.has(frame) && accepts(frame));
        if (found === undefined) return;
        taken.add(found);
        waiters.delete(look);
        clearTimeout(timer);
        resolve(found);
      };
      waiters.add(look);
      look();
    });

  const watching: Watch = {
    frames,
    until,
    async event(type, accepts = () => true) {
      const isIt = (frame: Frame) =>
        frame.event === 'event' && eventIn(frame).type === type && accepts(eventIn(frame));
      return eventIn(await until(type, isIt));
    },
    follow(listener) {
      for (const frame of frames) listener(frame);
      followers.add(listener);
    },
    close() {
      abort.abort();
      open.delete(watching);
    },
  };
  open.add(watching);
  return watching;
}

/** A session's own stream, from its first event on. */
export const watchSession = (beckon: Pick<Beckon, 'url' | 'token'>, sessionId: string): Promise<Watch> =>
  watch(beckon, `/api/sessions/${sessionId}/events?after=0`);

export function endWatches(): void {
  for (const watching of [...open]) watching.close();
}

// A stream of several sessions names the session beside the event.
const eventIn = ({ data }: Frame) => data.event ?? data;

async function pump(body: ReadableStream<Uint8Array>, feed: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body) feed(decoder.decode(chunk, { stream: true }));
  } catch {
    // The stream was closed, by us or by the end of the server.
  }
}
