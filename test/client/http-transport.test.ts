import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BeckonError, type ConnectionState, HttpTransport } from '../../src/client/index.ts';
import { holds } from '../support/eventually.ts';
import { type FakeServer, type Heard, startFakeServer } from '../support/fake-server.ts';

const quick = { firstMs: 5, capMs: 20, silenceMs: 20_000 };
const ends: (() => void)[] = [];
let server: FakeServer;
let reply: (heard: Heard) => { status: number; body: unknown } = () => ({ status: 200, body: {} });

beforeEach(async () => {
  server = await startFakeServer((heard) => reply(heard));
});

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await server.close();
});

const connect = (retry = quick) => new HttpTransport({ baseUrl: server.url, token: 'secret', retry });

describe('calls', () => {
  it('[API2] goes to the route with the token, the body, and the names in the path escaped', async () => {
    reply = () => ({
      status: 202,
      body: { status: 'queued', messageId: 'm', requested: 'auto', applied: 'queue', position: 1 },
    });
    const receipt = await connect().sendMessage('a/b?c', { message: 'hello', disposition: 'auto' });
    expect(receipt).toMatchObject({ status: 'queued', position: 1 });
    expect(server.heard[0]).toMatchObject({
      method: 'POST',
      path: '/api/sessions/a%2Fb%3Fc/message',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
      body: { message: 'hello', disposition: 'auto' },
    });
  });

  it('[ASK4] names itself with every request, where it has a name, so that its answers are known as its own', async () => {
    await new HttpTransport({ baseUrl: server.url, token: 'secret', clientId: 'browser-1' }).pending();
    await connect().pending();
    expect(server.heard.map(({ headers }) => headers['x-beckon-client'])).toEqual(['browser-1', undefined]);
  });

  it('[API2] takes the thing out of its envelope', async () => {
    reply = ({ path }) => ({
      status: 200,
      body: path === '/api/pending' ? { pending: [{ interactionId: 'i' }] } : { returned: ['later'] },
    });
    expect(await connect().pending()).toEqual([{ interactionId: 'i' }]);
    expect(await connect().stop('s')).toEqual(['later']);
  });

  it('[API2] a refusal is an error with code, status, sentence and details', async () => {
    const error = {
      code: 'interaction_already_resolved',
      message: 'Too late.',
      details: { outcome: 'allowed' },
    };
    reply = () => ({ status: 409, body: { error } });
    const refused = await connect()
      .approve('s', { requestId: 'i', decision: 'allow' })
      .catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(BeckonError);
    expect(refused).toMatchObject({ ...error, status: 409 });
  });

  it('[API2] a reply that is none of ours is told as such', async () => {
    server.refuseNext(502, '<html>Bad gateway</html>');
    await expect(connect().sessions()).rejects.toMatchObject({ code: 'unexpected_reply', status: 502 });
    server.refuseNext(200, 'hello');
    await expect(connect().sessions()).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it('[API2] a server that is not there is unreachable, and so is one that never replies', async () => {
    const silent = new HttpTransport({
      timeoutMs: 20,
      fetch: (_, init) =>
        new Promise((_resolve, reject) =>
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
        ),
    });
    await expect(silent.sessions()).rejects.toMatchObject({ code: 'unreachable', status: 0 });
    await server.close();
    await expect(connect().sessions()).rejects.toMatchObject({ code: 'unreachable', status: 0 });
  });
});

describe('subscriptions', () => {
  it('[API2][MULTI5] tells the snapshot, announcements, events and deltas of one stream', async () => {
    const told: unknown[] = [];
    ends.push(
      connect().subscribe({
        sessions: ['a', 'b'],
        interaction: 'disabled',
        onSnapshot: (snapshot) => told.push(['snapshot', snapshot.clientId]),
        onAnnouncement: ({ type }) => told.push([type]),
        onEvent: (sessionId, event) => told.push(['event', sessionId, event.seq]),
        onDelta: (sessionId, delta) => told.push(['delta', sessionId, delta.text]),
      }),
    );
    const stream = await server.nextStream();
    expect(stream.heard).toMatchObject({
      path: '/api/events',
      query: { sessions: 'a,b', interaction: 'disabled' },
    });
    stream.tell('snapshot', { clientId: 'c1' }, 'c0');
    stream.tell('approval-requested', { interactionId: 'i' });
    stream.tell('delta', { sessionId: 'a', text: 'Hel' });
    stream.tell('event', { sessionId: 'a', seq: 4, type: 'agent.text' }, 'c4');
    await holds(() => expect(told).toHaveLength(4));
    expect(told).toEqual([
      ['snapshot', 'c1'],
      ['approval-requested'],
      ['delta', 'a', 'Hel'],
      ['event', 'a', 4],
    ]);
  });

  it('[MULTI3] goes on after the last id it heard, and tells the state of its connection', async () => {
    const states: ConnectionState[] = [];
    ends.push(connect().subscribe({ onConnection: (state) => states.push(state) }));
    const first = await server.nextStream();
    expect(first.heard.headers['last-event-id']).toBeUndefined();
    first.tell('snapshot', {}, 'c1');
    first.tell('delta', { text: 'no id of its own' });
    first.tell('event', { seq: 2 }, 'c2');
    await holds(() => expect(states.at(-1)).toEqual({ state: 'connected' }));
    first.end();
    const second = await server.nextStream();
    expect(second.heard.headers['last-event-id']).toBe('c2');
    await holds(() => expect(states.at(-1)).toEqual({ state: 'connected' }));
    expect(states.map(({ state }) => state)).toEqual([
      'connecting',
      'connected',
      'lost',
      'connecting',
      'connected',
    ]);
  });

  it('[MULTI1] a connection that comes back says whether one answers now, not when it was first made', async () => {
    let interaction: 'enabled' | 'disabled' = 'enabled';
    ends.push(
      connect().subscribe({
        get interaction() {
          return interaction;
        },
      }),
    );
    const first = await server.nextStream();
    expect(first.heard.query).toEqual({});
    interaction = 'disabled';
    first.end();
    const second = await server.nextStream();
    expect(second.heard.query).toEqual({ interaction: 'disabled' });
  });

  it('[MULTI5] waits longer after each failure, up to the cap, and starts anew once it has heard something', async () => {
    const waits: number[] = [];
    const attempts: number[] = [];
    const end = new HttpTransport({
      retry: { firstMs: 4, capMs: 16, silenceMs: 1_000 },
      fetch: async () => {
        if (waits.length === 6) return new Response('data: {}\n\n', { status: 200 });
        throw new TypeError('no');
      },
    }).subscribe({
      onConnection(state) {
        if (state.state !== 'lost') return;
        waits.push(state.retryInMs);
        attempts.push(state.attempt);
        if (waits.length === 8) end();
      },
    });
    ends.push(end);
    await holds(() => expect(waits).toHaveLength(8));
    expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 1, 2]);
    const full = [4, 8, 16, 16, 16, 16, 4, 8];
    waits.forEach((wait, index) => {
      expect(wait).toBeGreaterThanOrEqual((full[index] ?? 0) / 2);
      expect(wait).toBeLessThanOrEqual(full[index] ?? 0);
    });
  });

  it('[MULTI5] a connection that falls silent is lost', async () => {
    const states: string[] = [];
    ends.push(
      connect({ ...quick, silenceMs: 30 }).subscribe({ onConnection: ({ state }) => states.push(state) }),
    );
    await server.nextStream();
    await server.nextStream();
    expect(states).toContain('lost');
  });

  it('[SEC1] does not come back when it is refused for good', async () => {
    const states: ConnectionState[] = [];
    server.refuseNext(401, JSON.stringify({ error: { code: 'unauthorized', message: 'No.' } }));
    ends.push(connect().subscribe({ onConnection: (state) => states.push(state) }));
    await holds(() => expect(states.at(-1)?.state).toBe('closed'));
    expect(states.at(-1)).toMatchObject({ error: { code: 'unauthorized' } });
    expect(server.heard).toHaveLength(1);
  });

  it('[API2] says nothing more after it was ended', async () => {
    const told: string[] = [];
    const end = connect().subscribe({
      onAnnouncement: ({ type }) => told.push(type),
      onConnection: ({ state }) => told.push(state),
    });
    const stream = await server.nextStream();
    await holds(() => expect(told).toContain('connected'));
    end();
    end();
    stream.tell('session-started', {});
    const other = connect().subscribe({});
    ends.push(other);
    await server.nextStream();
    expect(told).toEqual(['connecting', 'connected', 'closed']);
  });
});

describe('following one session', () => {
  it('[MULTI3] comes back after the last event it told, and tells none twice', async () => {
    const told: number[] = [];
    ends.push(connect().follow('s', { after: 2, onEvent: ({ seq }) => told.push(seq) }));
    const first = await server.nextStream();
    expect(first.heard).toMatchObject({ path: '/api/sessions/s/events', query: { after: '2' } });
    first.tell('snapshot', { lastSeq: 4 });
    for (const seq of [3, 4, 5]) first.tell('event', { seq });
    await holds(() => expect(told).toEqual([3, 4, 5]));
    first.end();
    const second = await server.nextStream();
    expect(second.heard.query).toEqual({ after: '5' });
    for (const seq of [4, 5, 6]) second.tell('event', { seq });
    await holds(() => expect(told).toEqual([3, 4, 5, 6]));
  });

  it('[MULTI3] without a place to begin it is told from the snapshot on, also after a loss', async () => {
    const told: number[] = [];
    ends.push(connect().follow('s', { onEvent: ({ seq }) => told.push(seq) }));
    const first = await server.nextStream();
    expect(first.heard.query).toEqual({});
    first.tell('snapshot', { lastSeq: 9 });
    first.tell('resync', {});
    first.tell('event', { seq: 10 });
    await holds(() => expect(told).toEqual([10]));
    first.end();
    expect((await server.nextStream()).heard.query).toEqual({ after: '10' });
  });
});
