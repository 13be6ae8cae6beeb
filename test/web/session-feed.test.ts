import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EventsPage } from '../../src/client/transport.ts';
import type { EventsQuery } from '../../src/protocol/command.ts';
import type { Event } from '../../src/protocol/event.ts';
import { SessionFeed } from '../../src/web/data/session-feed.ts';
import { FakeTransport } from './support/fake-transport.ts';
import { asked, called, logOf, resolvedAsk, result, sessionId, taken, text } from './support/samples.ts';

const owner = { id: sessionId('s1'), key: null };
const words = (feed: SessionFeed): string[] =>
  feed.conversation.rows.map(({ item }) => (item.kind === 'text' ? item.text : item.kind));
const numbered = (count: number): Event[] =>
  logOf(...Array.from({ length: count }, (_, n) => text(`m${n + 1}`, `w${n + 1}`)));

/** Resolves when the feed is read and nothing is under way. */
const settled = (feed: SessionFeed): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (feed.state !== 'loading' && !feed.isReadingOlder) {
        stop();
        resolve();
      }
    };
    const stop = feed.subscribe(() => queueMicrotask(look));
    look();
  });

let fake: FakeTransport;
beforeEach(() => {
  fake = new FakeTransport();
});

async function feedOf(log: readonly Event[], depth: 'tail' | 'whole' = 'whole'): Promise<SessionFeed> {
  fake.logs.set('s1', [...log]);
  const feed = new SessionFeed(fake.transport, owner, depth);
  await settled(feed);
  return feed;
}

describe('a session’s feed', () => {
  it('[UI9] begins with the newest page and reads older ones backwards, none twice', async () => {
    const feed = await feedOf(numbered(450));
    expect(words(feed)).toHaveLength(200);
    await feed.loadOlder();
    await Promise.all([feed.loadOlder(), feed.loadOlder()]);
    expect(words(feed)).toEqual(numbered(450).map((_, n) => `w${n + 1}`));
    expect(feed.hasOlder).toBe(false);
  });

  it('[STORE5] [UI9] finds the row of an event, and reads back to it in large steps', async () => {
    const feed = await feedOf(numbered(2_450));
    const reads = fake.called('events').length;
    const row = await feed.rowAt(3);
    expect(row?.item).toMatchObject({ kind: 'text', text: 'w3' });
    expect(feed.conversation.rows).toContain(row);
    expect(fake.called('events').length - reads).toBeLessThanOrEqual(4);
    expect(await feed.rowAt(2_449)).toMatchObject({ item: { text: 'w2449' } });
    expect(await feed.rowAt(9_999)).toBeUndefined();
  });

  it('[STORE5] finds messages, calls and asks, wherever they are shown', async () => {
    const feed = await feedOf(
      logOf(
        taken('u1', 'Do it'),
        called('t1'),
        asked('i1', { toolCallId: 't1' }),
        resolvedAsk('i1'),
        result('t1'),
        called('outer', {}, { startsAgent: true }),
        text('m1', 'Below', 'outer'),
      ),
    );
    const kinds = await Promise.all(
      [1, 2, 3, 4, 5, 7].map(async (seq) => (await feed.rowAt(seq))?.item.kind),
    );
    expect(kinds).toEqual(['message', 'tool', 'interaction', 'interaction', 'tool', 'text']);
  });

  it('[MULTI3] applies what comes while the page is read, and nothing twice', async () => {
    const log = numbered(3);
    fake.logs.set('s1', log);
    const feed = new SessionFeed(fake.transport, owner, 'whole');
    for (const event of numbered(4).slice(1)) feed.takeEvent(event);
    await settled(feed);
    expect(words(feed)).toEqual(['w1', 'w2', 'w3', 'w4']);
  });

  it('[MULTI3] fills a gap from the log before it goes on', async () => {
    const feed = await feedOf(numbered(2));
    const all = numbered(6);
    fake.logs.set('s1', all);
    feed.takeEvent(all[5] as Event);
    expect(words(feed)).toEqual(['w1', 'w2']);
    await new Promise<void>((resolve) => {
      feed.subscribe(resolve);
    });
    expect(words(feed)).toEqual(['w1', 'w2', 'w3', 'w4', 'w5', 'w6']);
  });

  it('reads what it missed when a stream begins anew, and then what is being said', async () => {
    const feed = await feedOf(numbered(2));
    fake.logs.set('s1', numbered(4));
    feed.resume({
      after: 4,
      lastSeq: 4,
      partial: [{ messageId: 'm5', block: 0, kind: 'text', text: 'and so' }],
    });
    await new Promise<void>((resolve) => {
      feed.subscribe(resolve);
    });
    expect(words(feed)).toEqual(['w1', 'w2', 'w3', 'w4', 'and so']);
  });

  it('[MULTI3] waits for what is on its way, asks for none of it, and shows what is being said behind it', async () => {
    const feed = await feedOf(numbered(2));
    const before = fake.called('events').length;
    const said = { messageId: 'm5', block: 0, kind: 'text', text: 'and ' } as const;
    feed.resume({ after: 2, lastSeq: 4, partial: [said] });
    feed.takeDelta({ ...said, text: 'so' });
    expect(words(feed)).toEqual(['w1', 'w2']);
    for (const event of numbered(4).slice(2)) feed.takeEvent(event);
    expect(words(feed)).toEqual(['w1', 'w2', 'w3', 'w4', 'and so']);
    expect(fake.called('events')).toHaveLength(before);
  });

  it('says that it could not be read, and tries again when the stream is back', async () => {
    fake.answers = { events: () => Promise.reject(new Error('gone')) };
    const feed = new SessionFeed(fake.transport, owner, 'whole');
    await settled(feed);
    expect(feed.state).toBe('failed');
    fake.answers = {};
    fake.logs.set('s1', numbered(1));
    feed.resume({ after: 1, lastSeq: 1, partial: [] });
    await settled(feed);
    expect(words(feed)).toEqual(['w1']);
  });

  it('keeps only the end for a monitor, however much comes', async () => {
    const feed = await feedOf(numbered(100), 'tail');
    for (const event of numbered(1000).slice(100)) feed.takeEvent(event);
    expect(feed.conversation.rows.length).toBeLessThanOrEqual(120);
    expect(words(feed).at(-1)).toBe('w1000');
  });
});

/** A server whose log grows, whose stream may be cut, and whose replies come when the test lets them. */
class UnhurriedServer {
  readonly log: Event[] = [];
  readonly #published: Event[] = [];
  #told = 0;
  readonly #reads: { answer(): void; fail(): void }[] = [];

  readonly transport = {
    events: (_: string, query: EventsQuery = {}) =>
      new Promise<EventsPage>((resolve, reject) => {
        // Read when it was asked for; much may happen until the reply is there.
        const page = this.#page(query);
        this.#reads.push({
          answer: () => resolve(page),
          fail: () => reject(new Error('cut off')),
        });
      }),
  };

  append(count: number): void {
    for (let n = 0; n < count; n += 1) {
      const seq = this.log.length + 1;
      const [event] = logOf(text(`m${seq}`, `w${seq}`));
      const stored = { ...(event as Event), seq };
      this.log.push(stored);
      this.#published.push(stored);
    }
  }

  deliver(feed: SessionFeed, count: number): void {
    for (const event of this.#published.splice(0, count)) {
      feed.takeEvent(event);
      this.#told = event.seq;
    }
  }

  /** Neither what was asked for comes any more, nor a word that it does not. */
  lose(feed: SessionFeed): void {
    this.#reads.length = 0;
    feed.connectionLost();
  }

  /** What was not delivered never will be: a new stream begins with how far the log is. */
  reconnect(feed: SessionFeed): void {
    this.#published.length = 0;
    this.#told = this.log.length;
    feed.resume({ after: this.#told, lastSeq: this.#told, partial: [] });
  }

  /** The connection goes on behind what it told last: the rest is delivered in time. */
  goOn(feed: SessionFeed): void {
    this.#published.splice(0, Number.POSITIVE_INFINITY, ...this.log.slice(this.#told));
    feed.resume({ after: this.#told, lastSeq: this.log.length, partial: [] });
  }

  async reply(how: 'answer' | 'fail'): Promise<boolean> {
    const read = this.#reads.shift();
    read?.[how]();
    for (let round = 0; round < 8; round += 1) await Promise.resolve();
    return read !== undefined;
  }

  #page({ after, limit = 100 }: EventsQuery): EventsPage {
    const events =
      after === undefined
        ? this.log.slice(-limit)
        : this.log.filter(({ seq }) => seq > after).slice(0, limit);
    const firstSeq = events[0]?.seq ?? 0;
    const lastSeq = events.at(-1)?.seq ?? 0;
    const hasMore = after === undefined ? firstSeq > 1 : lastSeq < this.log.length && events.length > 0;
    return { events, firstSeq, lastSeq, hasMore, logLastSeq: this.log.length };
  }
}

describe('[MULTI3] nothing is lost between what is read and what is told', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ do: fc.constant('append' as const), count: fc.constant(5_500) }),
    fc.record({ do: fc.constant('deliver' as const), count: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ do: fc.constant('reconnect' as const) }),
    fc.record({ do: fc.constant('goOn' as const) }),
    fc.record({ do: fc.constant('lose' as const) }),
    fc.record({
      do: fc.constant('reply' as const),
      how: fc.constantFrom('answer' as const, 'fail' as const),
    }),
    fc.record({ do: fc.constant('reply' as const), how: fc.constant('answer' as const) }),
  );

  it.each(['whole', 'tail'] as const)(
    'in any order of reads, snapshots and events (%s)',
    async (depth) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          const server = new UnhurriedServer();
          server.append(3);
          const feed = new SessionFeed(server.transport, owner, depth);
          for (const each of steps) {
            if (each.do === 'append') server.append(each.count);
            else if (each.do === 'deliver') server.deliver(feed, each.count);
            else if (each.do === 'reconnect') server.reconnect(feed);
            else if (each.do === 'goOn') server.goOn(feed);
            else if (each.do === 'lose') server.lose(feed);
            else await server.reply(each.how);
            expectNoHole(feed);
          }
          server.goOn(feed);
          server.deliver(feed, Number.POSITIVE_INFINITY);
          while (await server.reply('answer'));
          expectNoHole(feed);
          expect(words(feed).at(-1)).toBe(`w${server.log.length}`);
        }),
        { numRuns: 300 },
      );
    },
    120_000,
  );

  it('what was stored between the first read and the snapshot is read, too', async () => {
    const server = new UnhurriedServer();
    server.append(10);
    const feed = new SessionFeed(server.transport, owner, 'whole');
    server.append(2);
    server.reconnect(feed);
    server.append(1);
    server.deliver(feed, 1);
    while (await server.reply('answer'));
    expect(words(feed).slice(-4)).toEqual(['w10', 'w11', 'w12', 'w13']);
  });
});

function expectNoHole(feed: SessionFeed): void {
  const numbers = words(feed).map((word) => Number(word.slice(1)));
  for (const [at, number] of numbers.entries()) {
    if (at > 0) expect(number).toBe((numbers[at - 1] ?? 0) + 1);
  }
}
