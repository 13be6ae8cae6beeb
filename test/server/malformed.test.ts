import { describe, expect, it } from 'vitest';
import { startServer, token } from './running-server.ts';
import { waitUntil } from './wait-until.ts';
import { WsClient } from './ws-client.ts';

const headers = { authorization: `Bearer ${token}` };
const S = '/api/sessions/SESSION';

describe('[API5] a field that is not known is refused, with the nearest that is', () => {
  it.each<[string, string, unknown, string, string | undefined]>([
    ['POST', '/api/sessions', { permisionMode: 'plan' }, 'permisionMode', 'permissionMode'],
    [
      'POST',
      '/api/sessions',
      { askTimeout: { hardSecond: 5 } },
      'askTimeout.hardSecond',
      'askTimeout.hardSeconds',
    ],
    ['POST', '/api/sessions', { colour: 'red' }, 'colour', undefined],
    ['GET', '/api/sessions?limt=5', undefined, 'limt', 'limit'],
    ['GET', '/api/agents?limit=5', undefined, 'limit', undefined],
    ['PATCH', S, { lables: ['a'] }, 'lables', 'labels'],
    ['POST', `${S}/message`, { message: 'x', dispositon: 'queue' }, 'dispositon', 'disposition'],
    ['POST', `${S}/message?disposition=queue`, { message: 'x' }, 'disposition', undefined],
    ['POST', `${S}/message`, { message: 'x', session: 'y' }, 'session', undefined],
    [
      'POST',
      `${S}/message`,
      { message: 'x', images: [{ mediatype: 'image/png', data: 'AAAA' }] },
      'images.0.mediatype',
      'images.0.mediaType',
    ],
    ['POST', `${S}/approve`, { requestId: 'x', scpoe: 'always' }, 'scpoe', 'scope'],
    ['POST', `${S}/deny`, { requestId: 'x', scope: 'always' }, 'scope', undefined],
    [
      'POST',
      `${S}/answer`,
      { requestId: 'x', answers: [{ selectd: ['a'] }] },
      'answers.0.selectd',
      'answers.0.selected',
    ],
    [
      'POST',
      `${S}/answer`,
      { requestId: 'x', answers: { 0: { othr: 'a' } } },
      'answers.0.othr',
      'answers.0.other',
    ],
    [
      'POST',
      `${S}/respond`,
      { interactionId: 'x', action: 'deny', aprovalScope: 'once' },
      'aprovalScope',
      'approvalScope',
    ],
    ['POST', `${S}/stop`, { force: true }, 'force', undefined],
    ['DELETE', S, { force: true }, 'force', undefined],
    ['GET', `${S}/events?aftr=3`, undefined, 'aftr', 'after'],
    ['GET', '/api/events?session=x', undefined, 'session', 'sessions'],
    ['GET', '/api/search?q=a&limits=3', undefined, 'limits', 'limit'],
    ['POST', '/api/clients/x/interaction', { enable: true, enabled: true }, 'enable', 'enabled'],
    ['POST', '/api/unlocks', { minute: 3 }, 'minute', 'minutes'],
    ['POST', '/api/pair', { code: 'x', cod: 'y' }, 'cod', 'code'],
    ['GET', '/api/devices?all=1', undefined, 'all', undefined],
  ])('%s %s %j', async (method, route, body, field, nearest) => {
    const { call, newSession } = await startServer();
    const { id } = await newSession();
    const answer = await call(method, route.replace('SESSION', id), body);
    const details = nearest === undefined ? { field } : { field, nearest };
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'malformed_request', details } } });
    expect(answer.body.error?.message).toBe(
      nearest === undefined
        ? `"${field}" is not known here`
        : `"${field}" is not known here; did you mean "${nearest}"?`,
    );
    expect(answer.body.error?.details?.nearest).toBe(nearest);
  });

  it('a session that was asked for with a misspelt mode is not made', async () => {
    const { call } = await startServer();
    await call('POST', '/api/sessions', { permisionMode: 'plan' });
    expect((await call('GET', '/api/sessions')).body).toMatchObject({ total: 0 });
  });

  it('over the WebSocket, too, and in what a hello says of answering; what a client is called is its own', async () => {
    const { url, newSession } = await startServer();
    const { id } = await newSession();
    const client = await WsClient.open(url, headers);
    const frames = [
      [{ type: 'send_message', sessionId: id, message: 'x', dispositon: 'queue' }, 'dispositon'],
      [{ type: 'stop', sesionId: id }, 'sesionId'],
      [{ type: 'subscribe', sessionId: id, aftr: 3 }, 'aftr'],
      [{ type: 'set_interaction_mode', enabled: true, enable: false }, 'enable'],
      [
        { type: 'hello', interaction: { supported: true, enabled: true, enabld: true } },
        'interaction.enabld',
      ],
    ] as const;
    frames.forEach(([frame], index) => {
      client.send({ ...frame, id: index });
    });
    await waitUntil(() => client.of('error').length === frames.length);
    expect(client.of('error').map(({ error }) => [error.code, error.details.field])).toEqual(
      frames.map(([, field]) => ['malformed_request', field]),
    );
    client.send({ type: 'hello', id: 'h', client: { name: 'page', version: 3, anything: {} } });
    expect(await client.reply('h')).toMatchObject({ type: 'ack' });
    client.send({ type: 'send_message', id: 'm', stageId: id, message: 'hello' });
    expect(await client.reply('m')).toMatchObject({ type: 'ack', data: { status: 'sent' } });
  });

  it('what is free stays free: an edited input, variables, values', async () => {
    const { call, newSession } = await startServer();
    const created = await call('POST', '/api/sessions', { env: { ANY_THING: 'x' } });
    expect(created.status).toBe(201);
    const { id, ask } = await newSession();
    await call('POST', `/api/sessions/${id}/message`, { message: 'go' });
    ask({});
    const edited = { toolCallId: 'call-1', updatedInput: { command: 'ls -l', whatever: { a: 1 } } };
    await expect
      .poll(async () => (await call('GET', `/api/sessions/${id}/pending`)).body.pending)
      .toHaveLength(1);
    expect(await call('POST', `/api/sessions/${id}/approve`, edited)).toMatchObject({ status: 200 });
  });
});

describe('[API4] what is of another type is malformed, what is out of bounds invalid', () => {
  it.each<[string, unknown, number, string, string]>([
    ['approve', { requestId: 'x', decision: 'maybe' }, 400, 'malformed_request', 'decision'],
    ['approve', { requestId: 'x', decision: 5 }, 400, 'malformed_request', 'decision'],
    ['respond', { interactionId: 'x', action: 'shrug' }, 400, 'malformed_request', 'action'],
    ['answer', { requestId: 'x', answers: 5 }, 400, 'malformed_request', 'answers'],
    ['answer', { requestId: 'x', answers: 'yes' }, 400, 'malformed_request', 'answers'],
    ['answer', { requestId: 'x', answers: null }, 400, 'malformed_request', 'answers'],
    ['answer', { requestId: 'x', answers: ['yes'] }, 400, 'malformed_request', 'answers.0'],
    ['answer', { requestId: 'x', answers: { 0: 5 } }, 400, 'malformed_request', 'answers.0'],
    [
      'submit-answers',
      { toolCallId: 'x', answers: [{ selected: 'a' }] },
      400,
      'malformed_request',
      'answers.0.selected',
    ],
    ['approve', { decision: 'allow' }, 400, 'malformed_request', 'requestId'],
    ['approve', { requestId: 'x', scope: 'forever' }, 422, 'invalid_value', 'scope'],
    ['message', { message: 'x', disposition: 'shout' }, 422, 'invalid_value', 'disposition'],
  ])('%s %j: %i %s', async (route, body, status, code, field) => {
    const { call, newSession } = await startServer();
    const { id } = await newSession();
    const answer = await call('POST', `/api/sessions/${id}/${route}`, body);
    expect(answer).toMatchObject({ status, body: { error: { code, details: { field } } } });
  });

  it('[ASK8] an approval that says nothing else allows', async () => {
    const { call, newSession } = await startServer();
    const { id, ask, decisions } = await newSession();
    await call('POST', `/api/sessions/${id}/message`, { message: 'go' });
    ask({});
    await expect
      .poll(async () => (await call('GET', `/api/sessions/${id}/pending`)).body.pending)
      .toHaveLength(1);
    const answer = await call('POST', `/api/sessions/${id}/approve`, { toolCallId: 'call-1' });
    expect(answer).toMatchObject({ status: 200, body: { interaction: { outcome: 'allowed' } } });
    await waitUntil(() => decisions.length === 1);
    expect(decisions).toMatchObject([{ type: 'allow', scope: 'once' }]);
  });
});
