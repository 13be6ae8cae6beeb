import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ControlRoom, News } from '../../src/engine/ports/control-room.ts';
import type { Event } from '../../src/protocol/event.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import { Broadcast } from '../../src/server/stream/broadcast.ts';
import { defaultLimits, Outbox } from '../../src/server/stream/outbox.ts';
import { type Encoding, Subscriber } from '../../src/server/stream/subscriber.ts';

const sessionId = SessionId.parse('s');

/** A room that publishes and stores exactly what a test says, in the very turn it says it. */
class StubRoom {
  readonly stored: Event[] = [];
  #listener: ((news: News) => void) | undefined;

  /** Stored first and published later, as a log does that others can read at any time. */
  store(): Event {
    const event: Event = {
      type: 'agent.text',
      agentMessageId: 'm',
      block: 0,
      text: '',
      seq: this.stored.length + 1,
      at: '',
    };
    this.stored.push(event);
    return event;
  }

  publish(event: Event): void {
    this.#listener?.({ kind: 'session', sessionId, news: { type: 'event', event } });
  }

  murmur(text: string): void {
    const delta = { messageId: 'm', block: 0, kind: 'text', text } as const;
    this.#listener?.({ kind: 'session', sessionId, news: { type: 'delta', delta } });
  }

  announce(
    type: 'session-removed' | 'message-sent' | 'session-updated' | 'approval-resolved' | 'approval-requested',
  ): void {
    const data = { sessionId, messageId: 'm', message: '', queue: [] };
    this.#listener?.({ kind: 'announcement', announcement: { type, data } as never });
  }

  asRoom(): ControlRoom {
    const missing = (): never => {
      throw new Error('not part of this test');
    };
    return {
      dispatch: missing,
      overview: missing,
      announcementCursor: () => '',
      announcementsAfter: missing,
      snapshot: missing,
      image: missing,
      rawLog: missing,
      whileBusy: 'queue',
      storage: missing,
      clients: {
        connect: missing,
        setEnabled: missing,
        mode: missing,
        count: missing,
        presence: { isLookedAt: missing, lastSeen: missing, onChange: missing },
      },
      listen: (listener) => {
        this.#listener = listener;
        return () => undefined;
      },
      eventsAfter: (_, seq, limit) => this.stored.slice(seq, seq + limit),
    };
  }
}

/** Words that a test can read: `5` for an event, `"text"` for a delta, `type` for an announcement. */
let timesEncoded = 0;
const plain: Encoding = {
  key: () => 'plain',
  news(_, frames) {
    timesEncoded += 1;
    const words = frames.map((frame) => {
      if (frame.kind === 'event') return `${frame.event.seq} `;
      return frame.kind === 'delta' ? `"${frame.delta.text}" ` : '';
    });
    return Buffer.from(words.join(''));
  },
  announcements: (frames) => Buffer.from(frames.map((frame) => `${frame.announcement.type} `).join('')),
  resync: () => Buffer.alloc(0),
};

function connect(room: StubRoom, broadcast: Broadcast) {
  const socket = new PassThrough();
  const outbox = new Outbox({ socket, limits: defaultLimits, isOpen: () => true, onMissed: () => undefined });
  let writes = 0;
  let heard = '';
  socket.on('data', (chunk) => {
    writes += 1;
    heard += String(chunk);
  });
  const subscriber = new Subscriber({
    room: room.asRoom(),
    broadcast,
    outbox,
    encoding: plain,
    onError: (error) => {
      throw error;
    },
  });
  return { subscriber, heard: () => heard.trim(), writes: () => writes };
}

function start() {
  const room = new StubRoom();
  const broadcast = new Broadcast(room.asRoom(), (error) => {
    throw error;
  });
  return { room, broadcast };
}

describe('broadcast', () => {
  it('[MULTI3] what was published earlier in the same turn is not told again after the snapshot', async () => {
    const { room, broadcast } = start();
    const early = connect(room, broadcast);
    early.subscriber.hearEverything();
    early.subscriber.follow(sessionId, 0, undefined);
    room.publish(room.store());
    room.murmur('before');
    room.announce('message-sent');
    const late = connect(room, broadcast);
    late.subscriber.hearEverything();
    late.subscriber.follow(sessionId, 1, undefined);
    room.murmur('after');
    room.publish(room.store());
    await nextTurn();
    await nextTurn();
    expect(late.heard()).toBe('"after" 2');
    expect(early.heard()).toBe('1 "before" message-sent "after" 2');
  });

  it('[MULTI3] following later flushes what the turn had for the others', async () => {
    const { room, broadcast } = start();
    const first = connect(room, broadcast);
    first.subscriber.follow(sessionId, 0, undefined);
    room.murmur('one');
    const second = connect(room, broadcast);
    second.subscriber.follow(sessionId, 0, undefined);
    room.murmur('two');
    await nextTurn();
    await nextTurn();
    expect(first.heard()).toBe('"one" "two"');
    expect(second.heard()).toBe('"two"');
  });

  it('[MULTI3] an event that was read from the store before it was published is not told twice', async () => {
    const { room, broadcast } = start();
    for (let count = 0; count < 3; count++) room.store();
    const unpublished = room.store();
    const client = connect(room, broadcast);
    client.subscriber.follow(sessionId, 3, 1);
    client.subscriber.catchUp();
    room.publish(unpublished);
    room.publish(room.store());
    await nextTurn();
    await nextTurn();
    expect(client.heard()).toBe('2 3 4 5');
  });

  it('[MULTI3] a hole in what is published is filled from the store', async () => {
    const { room, broadcast } = start();
    const client = connect(room, broadcast);
    client.subscriber.follow(sessionId, 0, undefined);
    room.store();
    room.publish(room.store());
    await nextTurn();
    await nextTurn();
    room.publish(room.store());
    await nextTurn();
    await nextTurn();
    expect(client.heard()).toBe('1 2 3');
  });

  it('[PERF2] what happens in one turn is written down once for all clients, and is one write for each', async () => {
    const { room, broadcast } = start();
    const clients = Array.from({ length: 20 }, () => connect(room, broadcast));
    for (const { subscriber } of clients) subscriber.follow(sessionId, 0, undefined);
    timesEncoded = 0;
    for (const letter of 'one block') room.murmur(letter);
    room.publish(room.store());
    await nextTurn();
    await nextTurn();
    expect(timesEncoded).toBe(1);
    for (const client of clients) {
      expect(client.heard()).toBe('"one block" 1');
      expect(client.writes()).toBe(1);
    }
  });

  it('[PERF1] how sessions are, and that they were answered, leaves once a frame, or with the next thing that someone waits for, in its order', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { room, broadcast } = start();
    const client = connect(room, broadcast);
    client.subscriber.hearEverything();
    room.announce('session-updated');
    await nextTurn();
    room.announce('approval-resolved');
    await nextTurn();
    expect(client.heard()).toBe('');
    vi.advanceTimersByTime(16);
    await nextTurn();
    expect(client.heard()).toBe('session-updated approval-resolved');
    expect(client.writes()).toBe(1);

    room.announce('session-updated');
    await nextTurn();
    room.announce('approval-requested');
    room.announce('session-updated');
    await nextTurn();
    expect(client.heard()).toBe(
      'session-updated approval-resolved session-updated approval-requested session-updated',
    );
    expect(client.writes()).toBe(2);
    room.announce('session-updated');
    room.announce('message-sent');
    await nextTurn();
    await nextTurn();
    expect(client.writes()).toBe(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('[PERF2] news that nobody follows are not even written down', async () => {
    const { room, broadcast } = start();
    const client = connect(room, broadcast);
    client.subscriber.follow(sessionId, 0, undefined);
    client.subscriber.unfollow(sessionId);
    timesEncoded = 0;
    room.murmur('nobody');
    room.publish(room.store());
    await nextTurn();
    await nextTurn();
    expect(timesEncoded).toBe(0);
    expect(client.heard()).toBe('');
  });
});
