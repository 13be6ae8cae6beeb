import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import { ControlRoom } from '../../src/web/data/control-room.ts';
import { FakeTransport } from './support/fake-transport.ts';
import { anInteraction, aSession, logOf, sessionId, text } from './support/samples.ts';

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
const streams = (): number => fake.subscriptions.filter(({ isClosed }) => !isClosed).length;

describe('the link to the server', () => {
  it('[MULTI5] is one stream, whatever is on the screen', async () => {
    await connect();
    room.follow('s1', 'tail');
    room.follow('s2', 'tail');
    await vi.advanceTimersByTimeAsync(300);
    expect(fake.subscriptions.map(({ sessions: followed }) => followed)).toEqual([[], ['s1', 's2']]);
    fake.tellSnapshot(sessions);
    await vi.advanceTimersByTimeAsync(300);
    expect(streams()).toBe(1);
  });

  it('[MULTI3] hears the old stream until the new one has told all there is', async () => {
    await connect();
    const old = fake.stream;
    room.follow('s1', 'tail');
    await vi.advanceTimersByTimeAsync(300);
    expect(fake.stream).not.toBe(old);
    old.onAnnouncement?.({ type: 'approval-requested', data: anInteraction({ id: 'i1' }) });
    await vi.advanceTimersByTimeAsync(300);
    expect(state().pending).toHaveLength(1);
    fake.tellSnapshot(sessions);
    await vi.advanceTimersByTimeAsync(300);
    expect(old.isClosed).toBe(true);
    expect(state().pending).toHaveLength(0);
  });

  it('shows what is being said from its beginning, also to one who comes in the middle', async () => {
    await connect();
    const { feed } = room.follow('s1', 'whole');
    await vi.advanceTimersByTimeAsync(300);
    fake.tellSnapshot(sessions, {
      partials: { s1: [{ messageId: 'm2', block: 0, kind: 'text', text: 'Once ' }] },
    });
    fake.stream.onDelta?.('s1', { messageId: 'm2', block: 0, kind: 'text', text: 'upon' });
    await vi.advanceTimersByTimeAsync(300);
    expect(feed.conversation.rows.at(-1)?.item).toMatchObject({ kind: 'text', text: 'Once upon' });
  });

  it('draws once for all that comes within a frame', async () => {
    await connect();
    const { feed } = room.follow('s1', 'whole');
    await vi.advanceTimersByTimeAsync(300);
    fake.tellSnapshot(sessions);
    await vi.advanceTimersByTimeAsync(300);
    const drawn = vi.fn();
    feed.subscribe(drawn);
    for (let n = 0; n < 500; n += 1)
      fake.stream.onDelta?.('s1', { messageId: 'm2', block: 0, kind: 'text', text: 'x' });
    await vi.advanceTimersByTimeAsync(300);
    expect(drawn).toHaveBeenCalledTimes(1);
    expect(feed.conversation.rows.at(-1)?.item).toMatchObject({ text: 'x'.repeat(500) });
  });

  it('keeps a feed that left the screen a while, and needs no new stream when it comes back', async () => {
    await connect();
    const first = room.follow('s1', 'tail');
    await vi.advanceTimersByTimeAsync(300);
    fake.tellSnapshot(sessions);
    await vi.advanceTimersByTimeAsync(300);
    first.release();
    const again = room.follow('s1', 'tail');
    await vi.advanceTimersByTimeAsync(300);
    expect(again.feed).toBe(first.feed);
    expect(fake.subscriptions).toHaveLength(2);
  });

  it('[UI1] follows a session that was opened before it was told of', async () => {
    await connect();
    room.follow('s3', 'whole');
    await vi.advanceTimersByTimeAsync(300);
    expect(fake.subscriptions).toHaveLength(1);
    const data = { ...aSession({ id: 's3' }), sessionId: sessionId('s3'), sessionKey: null };
    fake.stream.onAnnouncement?.({ type: 'session-started', data });
    await vi.advanceTimersByTimeAsync(600);
    expect(fake.stream.sessions).toEqual(['s3']);
  });

  it('[MULTI5] tells that the connection is lost, and stays so until it is back', async () => {
    await connect();
    const error = new Error('gone');
    fake.stream.onConnection?.({ state: 'lost', attempt: 1, retryInMs: 500, error });
    expect(state().connection.state).toBe('lost');
    fake.stream.onConnection?.({ state: 'connecting' });
    expect(state().connection.state).toBe('lost');
    fake.stream.onConnection?.({ state: 'connected' });
    expect(state().connection.state).toBe('connected');
    expect(Object.keys(state().sessions)).toEqual(['s1', 's2']);
  });

  it('[SEC1] is signed out when the server does not know this browser', () => {
    fake.stream.onConnection?.({ state: 'closed', error: new BeckonError('unauthorized', 401, 'no') });
    expect(state().connection).toEqual({ state: 'signed-out', isKeyMissing: false });
    room.start();
    expect(streams()).toBe(1);
  });

  it('goes on without a session that was removed out of sight', async () => {
    await connect();
    room.follow('s1', 'whole');
    await vi.advanceTimersByTimeAsync(300);
    fake.stream.onConnection?.({ state: 'closed', error: new BeckonError('session_not_found', 404, 'no') });
    expect(fake.stream.sessions).toEqual([]);
    fake.tellSnapshot([sessions[1] ?? aSession()]);
    await vi.advanceTimersByTimeAsync(300);
    expect(state().connection.state).toBe('connected');
    expect(streams()).toBe(1);
  });

  it('[MULTI1] switches interactivity for this client, and keeps it on the next stream', async () => {
    fake.answers = { setInteractionEnabled: () => Promise.resolve() };
    await connect();
    await room.setInteraction('disabled');
    expect(fake.called('setInteractionEnabled')).toEqual([['c1', { enabled: false }]]);
    // The same stream, when it has to connect anew.
    expect(fake.stream.interaction).toBe('disabled');
    room.follow('s1', 'tail');
    await vi.advanceTimersByTimeAsync(300);
    expect(fake.stream.interaction).toBe('disabled');
  });

  it('[MULTI1] tells a stream that was on its way while it was switched', async () => {
    fake.answers = { setInteractionEnabled: () => Promise.resolve() };
    await connect();
    room.follow('s1', 'tail');
    await vi.advanceTimersByTimeAsync(300);
    expect(fake.stream.interaction).toBe('enabled');
    await room.setInteraction('disabled');
    fake.tellSnapshot(sessions, { clientId: 'c2' });
    await vi.advanceTimersByTimeAsync(300);
    expect(fake.called('setInteractionEnabled')).toEqual([
      ['c1', { enabled: false }],
      ['c2', { enabled: false }],
    ]);
  });

  it('takes events of a session that nobody looks at without a murmur', async () => {
    await connect();
    fake.stream.onEvent?.(sessionId('s2'), logOf(text('m9', 'unheard'))[0] ?? expect.fail());
    await vi.advanceTimersByTimeAsync(300);
    expect(state().isLoaded).toBe(true);
  });
});
