import { beforeEach, describe, expect, it } from 'vitest';
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
    feed.resume(4, [{ messageId: 'm5', block: 0, kind: 'text', text: 'and so' }]);
    await new Promise<void>((resolve) => {
      feed.subscribe(resolve);
    });
    expect(words(feed)).toEqual(['w1', 'w2', 'w3', 'w4', 'and so']);
  });

  it('says that it could not be read, and tries again when the stream is back', async () => {
    fake.answers = { events: () => Promise.reject(new Error('gone')) };
    const feed = new SessionFeed(fake.transport, owner, 'whole');
    await settled(feed);
    expect(feed.state).toBe('failed');
    fake.answers = {};
    fake.logs.set('s1', numbered(1));
    feed.resume(1, []);
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
