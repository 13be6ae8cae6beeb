import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import { ControlRoom } from '../../src/web/data/control-room.ts';
import { FakeTransport } from './support/fake-transport.ts';
import { aSession, logOf, sessionId, text } from './support/samples.ts';

let fake: FakeTransport;
let room: ControlRoom;
const state = () => room.store.getState();
const sessions = [aSession({ id: 's1', lastSeq: 1 }), aSession({ id: 's2', lastSeq: 1 })];

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'requestAnimationFrame', 'cancelAnimationFrame'],
  });
  fake = new FakeTransport();
  fake.logs.set('s1', logOf(text('m1', 'one')));
  fake.logs.set('s2', logOf(text('m1', 'one')));
  room = new ControlRoom(fake.transport);
  room.start();
});
afterEach(() => {
  room.close();
  vi.useRealTimers();
});

async function connect(): Promise<void> {
  fake.tellSnapshot(sessions);
  await vi.advanceTimersByTimeAsync(300);
}
/** Follows a session, and has the server say that it is followed. */
async function open(id: string, depth: 'tail' | 'whole' = 'whole', from = {}) {
  const followed = room.follow(id, depth);
  fake.tellFollowed(id, from);
  await vi.advanceTimersByTimeAsync(300);
  return followed;
}
const delta = (words: string) => ({ messageId: 'm2', block: 0, kind: 'text', text: words }) as const;

describe('what is archived', () => {
  const away = (id: string, more = {}) => ({
    ...aSession({ id, status: 'stopped', archived: true, ...more }),
    sessionId: sessionId(id),
    sessionKey: null,
  });
  const page = (total: number) => ({ sessions: [], total });

  it('[SES21] [UI20] is counted rightly whatever is told of sessions that the page does not know', async () => {
    let onServer = 4;
    fake.answers = { sessionPage: () => Promise.resolve(page(onServer)) };
    fake.tellSnapshot(sessions, { total: 6, archived: 4 });
    const told = async (announcement: Parameters<NonNullable<typeof fake.heard.onAnnouncement>>[0]) => {
      fake.heard.onAnnouncement?.(announcement);
      await vi.advanceTimersByTimeAsync(300);
      return state().archived;
    };
    await vi.advanceTimersByTimeAsync(300);
    expect(await told({ type: 'session-updated', data: away('renamed') })).toBe(4);
    onServer = 3;
    expect(await told({ type: 'session-updated', data: away('back', { archived: false }) })).toBe(3);
    onServer = 2;
    const gone = { sessionId: sessionId('gone'), sessionKey: null };
    expect(await told({ type: 'session-removed', data: gone })).toBe(2);
    expect(state().total).toBe(5);
    // What the page knows needs no question.
    const asked = fake.called('sessionPage').length;
    expect(await told({ type: 'session-updated', data: away('s1') })).toBe(3);
    expect(fake.called('sessionPage')).toHaveLength(asked);
  });

  it('[SES21] is counted again when more is told before the reply', async () => {
    const replies: ((total: number) => void)[] = [];
    fake.answers = {
      sessionPage: () => new Promise((resolve) => replies.push((total) => resolve(page(total)))),
    };
    fake.tellSnapshot(sessions, { total: 6, archived: 4 });
    await vi.advanceTimersByTimeAsync(300);
    fake.heard.onAnnouncement?.({ type: 'session-updated', data: away('renamed') });
    await vi.advanceTimersByTimeAsync(300);
    fake.heard.onAnnouncement?.({ type: 'session-updated', data: away('s1') });
    await vi.advanceTimersByTimeAsync(300);
    replies.shift()?.(4);
    await vi.advanceTimersByTimeAsync(0);
    replies.shift()?.(5);
    await vi.advanceTimersByTimeAsync(0);
    expect(state().archived).toBe(5);
  });
});

describe('the link to the server', () => {
  it('[MULTI5] [MULTI10] is one connection: to open a session is one word on it, and nothing else is drawn anew', async () => {
    await connect();
    const drawn = vi.fn();
    room.store.subscribe(drawn);
    await open('s1');
    await open('s2');
    expect(fake.connections).toHaveLength(1);
    expect(fake.heard.frames).toEqual([
      { say: 'follow', sessionId: 's1' },
      { say: 'follow', sessionId: 's2' },
    ]);
    expect(drawn).not.toHaveBeenCalled();
    expect(state().clientId).toBe('c1');
  });

  it('[MULTI3] shows what is being said from its beginning, also to one who comes in the middle', async () => {
    await connect();
    const { feed } = await open('s1', 'whole', { partial: [delta('Once ')] });
    fake.heard.onDelta('s1', delta('upon'));
    await vi.advanceTimersByTimeAsync(300);
    expect(feed.conversation.rows.at(-1)?.item).toMatchObject({ kind: 'text', text: 'Once upon' });
    // A second view of the same session comes later, and asks for what was said before it came.
    const { feed: second } = await open('s1', 'tail', { partial: [delta('Once upon')] });
    fake.heard.onDelta('s1', delta(' a time'));
    await vi.advanceTimersByTimeAsync(300);
    for (const each of [feed, second])
      expect(each.conversation.rows.at(-1)?.item).toMatchObject({ text: 'Once upon a time' });
  });

  it('[MULTI4] after things were left out, goes on with what the new snapshot says', async () => {
    await connect();
    const { feed } = await open('s1');
    const [, second] = logOf(text('m1', 'one'), text('m2', 'two'));
    const partials = { s1: [{ ...delta('Now '), messageId: 'm3' }] };
    fake.tellSnapshot([aSession({ id: 's1', lastSeq: 2 })], { partials });
    // The snapshot comes first, and behind it what was left out.
    fake.heard.onEvent('s1', second ?? expect.fail());
    await vi.advanceTimersByTimeAsync(300);
    expect(feed.conversation.rows.map(({ item }) => 'text' in item && item.text)).toEqual([
      'one',
      'two',
      'Now ',
    ]);
  });

  it('draws once for all that comes within a frame', async () => {
    await connect();
    const { feed } = await open('s1');
    const drawn = vi.fn();
    feed.subscribe(drawn);
    for (let n = 0; n < 500; n += 1) fake.heard.onDelta('s1', delta('x'));
    await vi.advanceTimersByTimeAsync(300);
    expect(drawn).toHaveBeenCalledTimes(1);
    expect(feed.conversation.rows.at(-1)?.item).toMatchObject({ text: 'x'.repeat(500) });
  });

  it('keeps a feed that left the screen a while, and says nothing when it comes back', async () => {
    await connect();
    const first = await open('s1', 'tail');
    first.release();
    const again = room.follow('s1', 'tail');
    expect(again.feed).toBe(first.feed);
    expect(fake.heard.frames).toHaveLength(1);
  });

  it('[MULTI13] lets go of all but the last sessions that were looked at', async () => {
    const many = Array.from({ length: 100 }, (_, n) => aSession({ id: `m${n}` }));
    fake.tellSnapshot(many);
    await vi.advanceTimersByTimeAsync(300);
    for (const { id } of many) {
      const views = [await open(id), await open(id, 'tail')];
      for (const view of views) view.release();
    }
    expect(fake.heard.sessions).toEqual(many.slice(-6).map(({ id }) => id));
    // One that was let go is read anew, and one that is still looked at is never let go.
    const { feed } = await open('m0');
    for (const { id } of many.slice(1)) (await open(id)).release();
    expect(fake.heard.sessions).toContain('m0');
    expect(feed.state).toBe('ready');
  });

  it('[MULTI13] does not keep a very long conversation that nobody looks at', async () => {
    await connect();
    const log = logOf(...Array.from({ length: 20_100 }, (_, n) => text(`m${n}`, `${n}`)));
    const long = await open('s1', 'whole', { after: 1 });
    for (const event of log.slice(1)) fake.heard.onEvent('s1', event);
    await vi.advanceTimersByTimeAsync(300);
    expect(long.feed.conversation.rows).toHaveLength(20_100);
    (await open('s2')).release();
    long.release();
    expect(fake.heard.sessions).toEqual(['s2']);
    expect(room.follow('s1', 'whole').feed).not.toBe(long.feed);
  });

  it('[UI1] follows a session that was opened before it was told of', async () => {
    await connect();
    room.follow('s3', 'whole');
    expect(fake.heard.sessions).toEqual([]);
    const data = { ...aSession({ id: 's3' }), sessionId: sessionId('s3'), sessionKey: null };
    fake.heard.onAnnouncement({ type: 'session-started', data });
    await vi.advanceTimersByTimeAsync(600);
    expect(fake.heard.sessions).toEqual(['s3']);
  });

  it('[MULTI12] looks whether it is still connected when the page is seen again, and when there is a network again', async () => {
    await connect();
    document.dispatchEvent(new Event('visibilitychange'));
    dispatchEvent(new Event('online'));
    expect(fake.heard.checks).toBe(2);
    room.close();
    dispatchEvent(new Event('online'));
    expect(fake.heard.checks).toBe(2);
  });

  it('[MULTI5] tells that the connection is lost, and stays so until it is back', async () => {
    await connect();
    const error = new Error('gone');
    fake.heard.onConnection?.({ state: 'lost', attempt: 1, retryInMs: 500, error });
    expect(state().connection.state).toBe('lost');
    fake.heard.onConnection?.({ state: 'connecting' });
    expect(state().connection.state).toBe('lost');
    fake.heard.onConnection?.({ state: 'connected' });
    expect(state().connection.state).toBe('connected');
    expect(Object.keys(state().sessions)).toEqual(['s1', 's2']);
  });

  it('[SEC1] is signed out when the server does not know this browser, and follows all again once it does', async () => {
    fake.heard.onConnection?.({ state: 'closed', error: new BeckonError('unauthorized', 401, 'no') });
    expect(state().connection).toEqual({ state: 'signed-out', isKeyMissing: false });
    room.follow('s1', 'tail');
    room.start();
    expect(fake.connections.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    fake.tellSnapshot(sessions);
    await vi.advanceTimersByTimeAsync(300);
    expect(fake.heard.sessions).toEqual(['s1']);
  });

  it('goes on without a session that was removed out of sight', async () => {
    await connect();
    room.follow('s1', 'whole');
    fake.heard.onUnknown('s1');
    await vi.advanceTimersByTimeAsync(300);
    expect(Object.keys(state().sessions)).toEqual(['s2']);
    expect(state()).toMatchObject({ total: 2, connection: { state: 'connected' } });
  });

  it('[MULTI1] switches interactivity for this client, and says so on the next connection', async () => {
    fake.answers = { setInteractionEnabled: () => Promise.resolve() };
    await connect();
    expect(fake.heard.interaction).toBe('enabled');
    await room.setInteraction('disabled');
    expect(fake.called('setInteractionEnabled')).toEqual([['c1', { enabled: false }]]);
    expect(fake.heard.interaction).toBe('disabled');
  });

  it('[MULTI1] tells a connection that was on its way while it was switched, once', async () => {
    fake.answers = { setInteractionEnabled: () => Promise.resolve() };
    expect(fake.heard.interaction).toBe('enabled');
    await room.setInteraction('disabled');
    expect(fake.called('setInteractionEnabled')).toEqual([]);
    await connect();
    await connect();
    expect(fake.called('setInteractionEnabled')).toEqual([['c1', { enabled: false }]]);
  });

  it('takes events of a session that nobody looks at without a murmur', async () => {
    await connect();
    fake.heard.onEvent?.(sessionId('s2'), logOf(text('m9', 'unheard'))[0] ?? expect.fail());
    await vi.advanceTimersByTimeAsync(300);
    expect(state().isLoaded).toBe(true);
  });
});
