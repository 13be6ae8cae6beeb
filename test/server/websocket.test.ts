import { describe, expect, it } from 'vitest';
import { startServer, token } from './running-server.ts';
import { waitUntil } from './wait-until.ts';
import { WsClient } from './ws-client.ts';

const headers = { authorization: `Bearer ${token}` };
const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

describe('WebSocket', () => {
  it('[API1] begins with init, then tells of asks and answers in the words of the WebSocket', async () => {
    const { url, newSession, call } = await startServer();
    const session = await newSession({ key: 'stage-7' });
    await call('POST', '/api/sessions/stage-7/message', { message: 'go' });
    await call('POST', '/api/sessions/stage-7/message', { message: 'then', disposition: 'queue' });
    const client = await WsClient.open(url, headers);
    const init = await client.first(() => true);
    expect(init).toMatchObject({ type: 'init', data: { sessions: [{ id: session.id }], pending: [] } });
    expect(init.data.queues[session.id]).toMatchObject([{ message: 'then' }]);

    session.ask({});
    const { data: asked } = await client.first((frame) => frame.type === 'approval_requested');
    client.send({
      type: 'approve_tool',
      id: 'a',
      stageId: 'stage-7',
      requestId: asked.requestId,
      decision: 'allow',
    });
    expect(await client.reply('a')).toMatchObject({
      type: 'ack',
      data: { status: 'ok', interaction: { outcome: 'allowed' } },
    });
    const { data: resolved } = await client.first((frame) => frame.type === 'approval_resolved');
    expect(resolved).toMatchObject({
      decision: 'allow',
      by: { kind: 'person', clientId: init.data.clientId },
    });
    client.send({
      type: 'approve_tool',
      id: 'b',
      sessionId: session.id,
      requestId: asked.requestId,
      decision: 'deny',
    });
    expect(await client.reply('b')).toMatchObject({
      type: 'error',
      error: { code: 'interaction_already_resolved', details: { outcome: 'allowed' } },
    });
    expect(session.decisions).toHaveLength(1);
  });

  it('[API1] every frame does what its route does', async () => {
    const { url, newSession } = await startServer();
    const session = await newSession();
    const client = await WsClient.open(url, headers);
    const sessionId = session.id;
    client.send({ type: 'send_message', id: 1, sessionId, message: 'hello' });
    expect(await client.reply(1)).toMatchObject({ type: 'ack', data: { status: 'sent', applied: 'send' } });
    client.send({ type: 'send_message', id: 2, sessionId, message: 'next', disposition: 'queue' });
    expect(await client.reply(2)).toMatchObject({ type: 'ack', data: { status: 'queued', position: 1 } });
    await client.first((frame) => frame.type === 'message_queued' && frame.data.message === 'next');

    session.ask({ kind: 'question', agentRequestId: 'q', questions: [question] });
    const { data: asked } = await client.first((frame) => frame.type === 'question_requested');
    const { requestId } = asked;
    client.send({
      type: 'answer_question',
      id: 3,
      sessionId,
      requestId,
      answers: [{ selected: ['Neither'] }],
    });
    expect(await client.reply(3)).toMatchObject({ type: 'error', error: { code: 'invalid_answer' } });
    client.send({ type: 'answer_question', id: 4, sessionId, requestId, answers: [{ selected: ['Yes'] }] });
    expect(await client.reply(4)).toMatchObject({ type: 'ack' });

    session.ask({ agentRequestId: 'again', toolCallId: 'c2' });
    const second = await client.first((frame) => frame.type === 'approval_requested');
    const response = {
      type: 'tool_interaction_response',
      sessionId,
      callId: 'c2',
      interactionId: second.data.interactionId,
    };
    client.send({ ...response, id: 5, action: 'deny', reason: 'no' });
    expect(await client.reply(5)).toMatchObject({
      type: 'ack',
      data: { interaction: { outcome: 'denied' } },
    });

    client.send({ type: 'interrupt', id: 6, sessionId });
    expect(await client.reply(6)).toMatchObject({ type: 'ack' });
    await client.first((frame) => frame.type === 'message_sent' && frame.data.message === 'next');
    client.send({ type: 'stop', id: 7, sessionId });
    expect(await client.reply(7)).toMatchObject({ type: 'ack', data: { returned: [] } });
    await client.first((frame) => frame.type === 'session_ended');
  });

  it('[MULTI3] a subscriber gets the events after the one it names and those that come, each once', async () => {
    const { url, newSession, room } = await startServer();
    const session = await newSession();
    const other = await newSession();
    session.say(Array.from({ length: 320 }, (_, n) => `text ${n}`));
    const client = await WsClient.open(url, headers);
    client.send({ type: 'subscribe', id: 's', sessionId: session.id, after: 2 });
    session.say(['and more']);
    const ack = await client.reply('s');
    session.murmur(['li', 've']);
    other.say(['not heard']);
    const delta = await client.first((frame) => frame.type === 'delta');
    expect(delta).toEqual({
      type: 'delta',
      sessionId: session.id,
      messageId: 'live',
      block: 0,
      kind: 'text',
      text: 'live',
    });
    const last = (): number => {
      const now = room.snapshot(session.id);
      return now.ok ? now.value.lastSeq : 0;
    };
    await waitUntil(() => client.of('chat_event').at(-1)?.event.seq === last());
    expect(client.of('chat_event').map(({ event }) => event.seq)).toEqual(range(3, last()));
    expect(client.frames.indexOf(ack)).toBeLessThan(client.frames.indexOf(client.of('chat_event')[0]));
    expect(client.of('chat_event').every(({ sessionId }) => sessionId === session.id)).toBe(true);

    client.send({ type: 'unsubscribe', id: 'u', sessionId: session.id });
    await client.reply('u');
    const heard = client.of('chat_event').length;
    const before = last();
    session.say(['unheard']);
    await waitUntil(() => last() > before);
    client.send({ type: 'subscribe', id: 'again', sessionId: session.id });
    await client.reply('again');
    session.say(['heard']);
    await waitUntil(() => client.of('chat_event').length > heard);
    expect(
      client
        .of('chat_event')
        .slice(heard)
        .map(({ event }) => event.text),
    ).toEqual(['heard']);
  });

  it('[MULTI1] a client counts once its hello said so, can switch, and no longer counts when it has gone', async () => {
    const { url, newSession, room } = await startServer();
    const { id } = await newSession();
    const client = await WsClient.open(url, headers);
    await client.first(() => true);
    expect(room.clients.count(id)).toEqual({ supported: 0, enabled: 0 });
    client.send({
      type: 'hello',
      id: 1,
      client: { name: 'my tool' },
      interaction: { supported: true, enabled: false },
    });
    await client.reply(1);
    expect(room.clients.count(id)).toEqual({ supported: 1, enabled: 0 });
    client.send({ type: 'set_interaction_mode', id: 2, enabled: true });
    expect(await client.reply(2)).toMatchObject({
      type: 'ack',
      data: { interaction: { supported: true, enabled: true } },
    });
    expect(room.clients.count(id)).toEqual({ supported: 1, enabled: 1 });
    client.socket.close();
    await waitUntil(() => room.clients.count(id).supported === 0);
  });

  it('[API4] a malformed frame is answered with an error frame, and the socket stays open', async () => {
    const { url, newSession } = await startServer();
    const { id } = await newSession();
    const client = await WsClient.open(url, headers);
    const malformed = [
      'no json',
      '',
      '[]',
      'null',
      '7',
      '{}',
      '{"type":"dance"}',
      '{"type":7}',
      '{"type":"subscribe"}',
      `{"type":"subscribe","sessionId":"${id}","after":"x"}`,
      '{"type":"send_message","message":"hello"}',
      `{"type":"send_message","sessionId":"${id}"}`,
      `{"type":"x","deep":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      Buffer.from([1, 2, 3]),
    ];
    for (const frame of malformed) client.send(frame);
    await waitUntil(() => client.of('error').length === malformed.length);
    expect(client.of('error').map(({ error }) => error.code)).toEqual(
      malformed.map(() => 'malformed_request'),
    );
    client.send({ type: 'dance', id: 'named' });
    expect(await client.reply('named')).toMatchObject({
      type: 'error',
      error: { code: 'malformed_request' },
    });
    client.send({ type: 'approve_tool', id: 'v', sessionId: id, requestId: 'r', decision: 'maybe' });
    expect(await client.reply('v')).toMatchObject({
      type: 'error',
      error: { code: 'malformed_request', details: { field: 'decision' } },
    });
    client.send({ type: 'subscribe', id: 's', sessionId: 'none' });
    expect(await client.reply('s')).toMatchObject({ type: 'error', error: { code: 'session_not_found' } });
    client.send({ type: 'hello', id: 'still' });
    expect(await client.reply('still')).toMatchObject({ type: 'ack' });
    expect(client.closed).toBeUndefined();
  });

  it('[API4] a bug is told without its inside', async () => {
    const { url, newSession } = await startServer({
      through: (room) => ({
        ...room,
        dispatch: () => Promise.reject(new Error('secret inside')),
      }),
    });
    const { id } = await newSession();
    const client = await WsClient.open(url, headers);
    client.send({ type: 'stop', id: 1, sessionId: id });
    const reply = await client.reply(1);
    expect(reply).toMatchObject({ type: 'error', error: { code: 'internal_error' } });
    expect(JSON.stringify(reply)).not.toContain('secret');
  });

  it('[API4] a frame of 32 MB is taken, a longer one ends the socket and nothing else', async () => {
    const { url } = await startServer();
    const [client, other] = [await WsClient.open(url, headers), await WsClient.open(url, headers)];
    const frame = (bytes: number): string => {
      const empty = JSON.stringify({ type: 'hello', id: 1, client: '' });
      return empty.replace('"client":""', `"client":"${'x'.repeat(bytes - empty.length)}"`);
    };
    client.send(frame(32 * 1024 * 1024));
    expect(await client.reply(1)).toMatchObject({ type: 'ack' });
    client.send(frame(32 * 1024 * 1024 + 1));
    await waitUntil(() => client.closed !== undefined);
    expect(client.closed).toBe(1009);
    other.send({ type: 'hello', id: 2 });
    expect(await other.reply(2)).toMatchObject({ type: 'ack' });
  });

  it('[API1] texts of every size arrive as they were said', async () => {
    const { url, newSession } = await startServer();
    const session = await newSession();
    const client = await WsClient.open(url, headers);
    client.send({ type: 'subscribe', id: 1, sessionId: session.id });
    await client.reply(1);
    const said = [0, 1, 10, 20, 100, 125, 126, 200, 65_000, 65_500, 70_000, 1_000_000].map((length) =>
      'é'.repeat(length),
    );
    session.say(said);
    await waitUntil(
      () => client.of('chat_event').filter(({ event }) => event.type === 'agent.text').length === said.length,
    );
    expect(
      client
        .of('chat_event')
        .filter(({ event }) => event.type === 'agent.text')
        .map(({ event }) => event.text),
    ).toEqual(said);
  });

  it('[MULTI5] is kept alive by pings, and closed when it does not answer them', async () => {
    const { url, newSession, room } = await startServer({ limits: { keepAliveMs: 20, stuckMs: 200 } });
    const { id } = await newSession();
    const alive = await WsClient.open(url, headers);
    let pings = 0;
    alive.socket.on('ping', () => {
      pings += 1;
    });
    const hello = { type: 'hello', id: 1, interaction: { supported: true, enabled: true } };
    const dead = await WsClient.open(url, headers);
    for (const client of [alive, dead]) {
      client.send(hello);
      await client.reply(1);
    }
    dead.socket.pause();
    await waitUntil(() => room.clients.count(id).supported === 1);
    const before = pings;
    await waitUntil(() => pings > before + 3);
    expect(alive.closed).toBeUndefined();
    dead.socket.terminate();
  });

  it('[API1] close() tells the clients that the server goes', async () => {
    const { url, server } = await startServer();
    const client = await WsClient.open(url, headers);
    await server.close();
    await waitUntil(() => client.closed !== undefined);
    expect(client.closed).toBe(1001);
  });
});

const question = {
  question: 'Really?',
  header: 'Sure',
  options: [{ label: 'Yes' }, { label: 'No' }],
  multiSelect: false,
};
