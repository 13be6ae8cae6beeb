import { setTimeout as pause } from 'node:timers/promises';
import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
} from '@nats-io/jetstream';
import {
  connect,
  type NatsConnection,
  type NodeConnectionOptions,
  nkeyAuthenticator,
} from '@nats-io/transport-node';
import { messageOf } from '../../protocol/errors.ts';
import type { Way } from '../channel.ts';
import type { RoomMessage, RunnerMessage } from '../message.ts';
import { inboxOf, type Place, reader, streamsOf, subjectsOf } from './subjects.ts';

// What is unread for longer was said again on another connection, or will be.
const keptForMs = 600_000;
const mostKept = 64 * 1024 * 1024;
const retryMs = 500;
// A connection can be dead without a word: a network that was changed, a firewall that has forgotten it. TCP notices after minutes.
const pingMs = 3_000;
const unansweredPings = 3;
const handshakeMs = 5_000;
// A stream that is gone without a word is noticed when two of them are missed.
const heartbeatMs = 5_000;
const nanoseconds = 1_000_000;

export interface CarrierOptions {
  readonly servers: readonly string[];
  readonly room: string;
  /** The name of the runner, or 'room'. */
  readonly who: string;
  /** The secret half of the nkey; none for a server that asks for none. */
  readonly seed?: string;
  /** The certificates to trust, where the system does not know them. */
  readonly ca?: string;
  readonly pingMs?: number;
  /** The carrier cannot be used as it should, in words: it is full, a stream is missing. Told once until that changes. */
  readonly onTrouble: (reason: string | undefined) => void;
}

/** One end of the link between a room and a runner. */
export interface Link<Message> {
  /** Only frames are kept. */
  send(message: Message, way: Way): void;
  close(): Promise<void>;
}

/** Waits until NATS is there, and comes back to it whenever it is gone. Rejects when it is waited for no longer. */
export async function connectCarrier(options: CarrierOptions, signal?: AbortSignal): Promise<Carrier> {
  let trouble: string | undefined;
  for (;;) {
    try {
      return new Carrier(await connect(connectionOf(options)), options, trouble);
    } catch (error) {
      const reason = `NATS is not reached: ${messageOf(error)}`;
      if (reason !== trouble) options.onTrouble(reason);
      trouble = reason;
      await pause(retryMs, undefined, { signal });
    }
  }
}

function connectionOf({ servers, room, who, seed, ca, ...options }: CarrierOptions): NodeConnectionOptions {
  // What it is told by whoever answers there decides nothing: a server that offers no TLS would otherwise be talked to without.
  const isSecret = ca !== undefined || servers.some((server) => server.startsWith('tls:'));
  return {
    servers: [...servers],
    name: `beckon ${room} ${who}`,
    inboxPrefix: inboxOf(room, who),
    ...(seed !== undefined && { authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)) }),
    ...(isSecret && { tls: ca === undefined ? {} : { ca } }),
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: retryMs,
    pingInterval: options.pingMs ?? pingMs,
    maxPingOut: unansweredPings,
    timeout: handshakeMs,
    // A key that was taken out and is put back must not need a restart.
    ignoreAuthErrorAbort: true,
  };
}

export class Carrier {
  readonly #connection: NatsConnection;
  readonly #options: CarrierOptions;
  readonly #stream: JetStreamClient;
  readonly #links = new Set<() => Promise<void>>();
  #isConnected = true;
  #trouble: string | undefined;

  /** `trouble`: what was told before it was there. */
  constructor(connection: NatsConnection, options: CarrierOptions, trouble?: string) {
    this.#connection = connection;
    this.#options = options;
    this.#trouble = trouble;
    this.#stream = jetstream(connection, { timeout: 5_000 });
    void this.#watch();
    this.#tell(undefined);
  }

  /** The room's end: it makes the streams, also for the runner, and makes them again when NATS has lost them. */
  roomLink(runner: string, heard: (data: unknown) => void): Link<RoomMessage> {
    const place = { room: this.#options.room, runner };
    const { orders, toRunner, toRoom } = subjectsOf(place);
    const reading = this.#read(streamsOf(place).facts, heard, async () => this.#makeStreams(place));
    return this.#link({ kept: orders, direct: toRunner }, toRoom, heard, reading);
  }

  runnerLink(runner: string, heard: (data: unknown) => void): Link<RunnerMessage> {
    const place = { room: this.#options.room, runner };
    const { facts, toRunner, toRoom } = subjectsOf(place);
    const reading = this.#read(streamsOf(place).orders, heard, async () => {});
    return this.#link({ kept: facts, direct: toRoom }, toRunner, heard, reading);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links].map((close) => close()));
    await this.#connection.close();
  }

  #link(
    to: { readonly kept: string; readonly direct: string },
    from: string,
    heard: (data: unknown) => void,
    reading: { close(): Promise<void> },
  ): Link<RoomMessage | RunnerMessage> {
    const subscription = this.#connection.subscribe(from, {
      callback: (error, message) => {
        if (error === null) this.#hear(heard, message.data);
      },
    });
    const close = async (): Promise<void> => {
      this.#links.delete(close);
      if (!this.#connection.isClosed()) subscription.unsubscribe();
      await reading.close();
    };
    this.#links.add(close);
    return {
      close,
      send: (message, way) => {
        // What cannot go out now is lost here, and sent again by who keeps it: the client would pile it up.
        if (!this.#isConnected || this.#connection.isClosed()) return;
        const data = JSON.stringify(message);
        if (way === 'kept') void this.#publish(to.kept, data);
        else this.#connection.publish(to.direct, data);
      },
    };
  }

  /** The client closes a connection whose listener throws. */
  #hear(heard: (data: unknown) => void, bytes: Uint8Array): void {
    try {
      heard(dataOf(bytes));
    } catch (error) {
      this.#tell(`What came could not be worked on: ${messageOf(error)}`);
    }
  }

  async #publish(subject: string, data: string): Promise<void> {
    try {
      await this.#stream.publish(subject, data, { msgID: crypto.randomUUID() });
      this.#tell(undefined);
    } catch (error) {
      if (this.#isConnected) this.#tell(messageOf(error));
    }
  }

  /** Reads a stream for as long as it takes: it may not be there yet, or be gone after NATS was. */
  #read(
    stream: string,
    heard: (data: unknown) => void,
    prepare: () => Promise<void>,
  ): { close(): Promise<void> } {
    let isClosed = false;
    let wake = (): void => {};
    let messages: ConsumerMessages | undefined;
    const run = async (): Promise<void> => {
      while (!isClosed && !this.#connection.isClosed()) {
        try {
          await prepare();
          const consumer = await this.#stream.consumers.get(stream, reader);
          messages = await consumer.consume({
            abort_on_missing_resource: true,
            idle_heartbeat: heartbeatMs,
            expires: 30_000,
          });
          for await (const message of isClosed ? [] : messages) {
            this.#hear(heard, message.data);
            message.ack();
          }
        } catch (error) {
          if (!isClosed && this.#isConnected) this.#tell(messageOf(error));
        }
        if (isClosed) return;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, retryMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    };
    const done = run();
    return {
      async close() {
        isClosed = true;
        wake();
        messages?.stop();
        await done;
      },
    };
  }

  async #makeStreams(place: Place): Promise<void> {
    const manager = await jetstreamManager(this.#connection, { checkAPI: false, timeout: 5_000 });
    const [names, subjects] = [streamsOf(place), subjectsOf(place)];
    await makeStream(manager, names.orders, subjects.orders);
    await makeStream(manager, names.facts, subjects.facts);
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect' || type === 'staleConnection') {
        this.#isConnected = false;
        this.#tell('The connection to NATS is gone');
      }
      if (type === 'reconnect') {
        this.#isConnected = true;
        this.#tell(undefined);
      }
    }
  }

  #tell(trouble: string | undefined): void {
    if (trouble === this.#trouble || this.#connection.isClosed()) return;
    this.#trouble = trouble;
    this.#options.onTrouble(trouble);
  }
}

/** A full stream refuses what is new: who said it keeps it, and says it again. What is read is gone from it. */
async function makeStream(manager: JetStreamManager, name: string, subject: string): Promise<void> {
  await manager.streams.add({
    name,
    subjects: [subject],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_age: keptForMs * nanoseconds,
    max_bytes: mostKept,
    duplicate_window: 120_000 * nanoseconds,
  });
  await manager.consumers.add(name, {
    durable_name: reader,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: 30_000 * nanoseconds,
    max_ack_pending: 10_000,
  });
}

function dataOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
