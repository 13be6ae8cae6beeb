import { connect } from 'node:net';
import { createParser } from 'eventsource-parser';

export interface Heard {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: payloads of many kinds, looked at field by field
  readonly data: any;
}

interface Address {
  readonly port: number;
  readonly token: string;
}

export interface Following {
  /** Settles when the connection is over. */
  readonly ended: Promise<void>;
  /** Settles when the snapshot was heard, or the connection is over. */
  readonly hasBegun: Promise<void>;
  cut(): void;
}

/** A program that knows only `GET /api/events`. Its connection is cut off at any byte; it comes back with the last id it has heard. */
export class CutFollower {
  /** Everything that was told, over all connections, but for snapshots. */
  readonly heard: Heard[] = [];
  lastId = '';

  /** It has heard a first snapshot, and is gone again. */
  static async begin(server: Address): Promise<CutFollower> {
    const follower = new CutFollower();
    await follower.hearAll(server);
    return follower;
  }

  /** Comes back until it has the next snapshot: what it had missed was told before that. */
  async hearAll(server: Address): Promise<void> {
    const following = this.follow(server);
    await following.hasBegun;
    following.cut();
    await following.ended;
  }

  /** Reads so many bytes of the answer at most. */
  follow(server: Address, bytes = Number.POSITIVE_INFINITY): Following {
    const ended = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const parser = createParser({
      onEvent: ({ event = '', data, id }) => {
        if (id !== undefined) this.lastId = id;
        if (event === 'snapshot') begun.resolve();
        else this.heard.push({ type: event, data: JSON.parse(data) });
      },
    });
    const decoder = new TextDecoder();
    let left = bytes;
    let head = '';
    const take = (chunk: Buffer): void => {
      if (left <= 0) return;
      const text = decoder.decode(chunk.subarray(0, left), { stream: true });
      left -= chunk.length;
      if (head.includes('\r\n\r\n')) parser.feed(text);
      else {
        head += text;
        const end = head.indexOf('\r\n\r\n');
        if (end >= 0) parser.feed(head.slice(end + 4));
      }
      if (left <= 0) socket.destroy();
    };
    const resumed = this.lastId === '' ? [] : [`Last-Event-ID: ${this.lastId}`];
    const socket = connect(server.port, '127.0.0.1', () =>
      socket.write(
        [
          'GET /api/events HTTP/1.1',
          `Host: 127.0.0.1:${server.port}`,
          `Authorization: Bearer ${server.token}`,
          ...resumed,
          '',
          '',
        ].join('\r\n'),
      ),
    );
    socket.on('data', take);
    // A server that is killed resets it.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      begun.resolve();
      ended.resolve();
    });
    return {
      ended: ended.promise,
      hasBegun: begun.promise,
      cut() {
        left = 0;
        socket.destroy();
      },
    };
  }

  of(...types: string[]): Heard[] {
    return this.heard.filter(({ type }) => types.includes(type));
  }
}
