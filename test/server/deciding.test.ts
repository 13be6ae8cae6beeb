import { describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operation.ts';
import { request, startServer, token } from './running-server.ts';
import { SseReader } from './sse-reader.ts';
import { waitUntil } from './wait-until.ts';
import { WsClient } from './ws-client.ts';

const authorization = `Bearer ${token}`;

async function devicesOnly() {
  const started = await startServer({ decide: 'devices' });
  const paired = await request(`${started.url}/api/pair`, 'POST', { code: started.server.pairingCode() });
  const [cookie = ''] = (paired.headers.get('set-cookie') ?? '').split(';');
  const device = { cookie, 'x-beckon-key': String(paired.body.key) };
  return {
    ...started,
    device,
    byDevice: (method: string, route: string, body?: unknown) =>
      request(`${started.url}${route}`, method, body, device),
  };
}

const required = { status: 403, body: { error: { code: 'device_required' } } };

describe('where only devices decide', () => {
  it('[SEC8] the token is refused what decides, over REST and WebSocket, and a device is not', async () => {
    const { call, byDevice, newSession, url } = await devicesOnly();
    const { id } = await newSession();
    const session = `/api/sessions/${id}`;
    const socket = await WsClient.open(url, { authorization });
    const decisions: readonly (readonly [string, string, object])[] = [
      ['POST', `${session}/approve`, { requestId: 'x', decision: 'allow' }],
      ['POST', `${session}/deny`, { requestId: 'x' }],
      ['POST', `${session}/answer`, { requestId: 'x', answers: [] }],
      ['POST', `${session}/submit-answers`, { toolCallId: 'x', answers: [] }],
      ['POST', `${session}/respond`, { interactionId: 'x', action: 'approve' }],
      ['PATCH', session, { permissionMode: 'bypassPermissions' }],
      ['PATCH', `${session}/queue/x`, { message: 'other words' }],
      ['DELETE', `${session}/queue/x`, {}],
      ['DELETE', session, {}],
      ['POST', `${session}/message`, { message: 'hello', replace: true }],
      ['POST', '/api/sessions', { permissionMode: 'bypassPermissions' }],
      ['POST', '/api/sessions', { env: { PATH: '/tmp' } }],
      ['POST', '/api/pairing-code', {}],
      ['DELETE', '/api/devices/x', {}],
    ];
    for (const [method, route, body] of decisions) {
      expect(await call(method, route, body), `${method} ${route}`).toMatchObject(required);
      const { status } = await byDevice(method, route, body);
      expect(status, `${method} ${route} by a device`).not.toBe(403);
    }
    for (const [at, frame] of [
      { type: 'approve_tool', requestId: 'x', decision: 'allow' },
      { type: 'answer_question', requestId: 'x', answers: [] },
      { type: 'tool_interaction_response', interactionId: 'x', action: 'approve' },
      { type: 'send_message', message: 'hello', replace: true },
    ].entries()) {
      socket.send({ id: at, sessionId: id, ...frame });
      expect(await socket.reply(at)).toMatchObject({ error: { code: 'device_required' } });
    }
  });

  it('[SEC8] every operation says of itself whether it decides; reading, sending and stopping do not', () => {
    const free = Object.entries(operations).flatMap(([name, operation]) =>
      'decides' in operation || operation.method === 'GET' ? [] : [name],
    );
    expect(free.sort()).toEqual(
      [
        'interrupt',
        'stop',
        'resume',
        'revokeGrant',
        'revokeSetup',
        'endTrust',
        'previewGrant',
        'addRule',
        'distrustPolicy',
        'tryPolicy',
        'endRun',
        'switchInteraction',
        'forkSession',
      ].sort(),
    );
  });

  it('[SEC8] the token reads, starts, sends and stops', async () => {
    const { call, newSession, url } = await devicesOnly();
    const { id } = await newSession();
    expect(await call('GET', '/api/pending')).toMatchObject({ status: 200 });
    expect((await call('POST', `/api/sessions/${id}/message`, { message: 'hello' })).status).toBeLessThan(
      300,
    );
    expect(await call('PATCH', `/api/sessions/${id}`, { title: 'Other' })).toMatchObject({ status: 200 });
    expect(await call('POST', `/api/sessions/${id}/stop`)).toMatchObject({ status: 200 });
    expect(await call('GET', '/api/devices')).toMatchObject({ status: 200 });
    const stream = await SseReader.open(`${url}/api/events`, { authorization });
    expect(stream).toBeDefined();
  });

  it('[SEC8] whoever has the token decides, unless told otherwise', async () => {
    const { call, newSession } = await startServer();
    const { id } = await newSession();
    const reply = await call('POST', `/api/sessions/${id}/approve`, { requestId: 'x', decision: 'allow' });
    expect(reply).toMatchObject({ status: 404, body: { error: { code: 'interaction_not_found' } } });
    expect(await call('POST', '/api/pairing-code')).toMatchObject({ status: 201 });
  });
});

describe('a terminal that asks to be unlocked', () => {
  it('[SEC9] decides when a device was told its code, and no longer than it was let', async () => {
    let now = Date.now();
    const started = await startServer({ decide: 'devices', now: () => now });
    const { call, url, server, newSession } = started;
    const paired = await request(`${url}/api/pair`, 'POST', { code: server.pairingCode() });
    const [cookie = ''] = (paired.headers.get('set-cookie') ?? '').split(';');
    const device = { cookie, 'x-beckon-key': String(paired.body.key) };
    const { id: session } = await newSession();
    const asked = await call('POST', '/api/unlocks', { name: 'jo@box\u001b[31m', minutes: 5 });
    expect(asked).toMatchObject({ status: 201, body: { unlock: { name: 'jo@box[31m', status: 'asked' } } });
    const { id } = asked.body.unlock as { id: string };
    const terminal = { authorization: `Bearer ${asked.body.secret}` };
    const decide = () =>
      request(
        `${url}/api/sessions/${session}/approve`,
        'POST',
        { requestId: 'x', decision: 'allow' },
        terminal,
      );
    expect((await decide()).status).toBe(401);

    const allow = (headers: Record<string, string>, code: unknown) =>
      request(`${url}/api/unlocks/${id}/allow`, 'POST', { code }, headers);
    expect(await allow({ authorization }, asked.body.code)).toMatchObject(required);
    expect(await allow(device, 'ZZZZZ')).toMatchObject({ status: 422 });
    expect((await decide()).status).toBe(401);
    expect(await allow(device, String(asked.body.code).toLowerCase())).toMatchObject({
      body: { unlock: { status: 'open', minutes: 5 } },
    });
    // It is let in, and what it asks for is looked at.
    expect(await decide()).toMatchObject({ body: { error: { code: 'interaction_not_found' } } });
    expect(await request(`${url}/api/unlocks/${id}/allow`, 'POST', { code: 'x' }, terminal)).toMatchObject(
      required,
    );
    now += 5 * 60_000;
    expect((await decide()).status).toBe(401);
  });

  it('[SEC9] is told of on every page, and locked again from there, with all it has open', async () => {
    const { call, byDevice, device, url } = await devicesOnly();
    const page = await SseReader.open(`${url}/api/events`, device);
    const asked = await call('POST', '/api/unlocks', { name: 'jo@box' });
    const { id } = asked.body.unlock as { id: string };
    const told = await page.first('unlocks-changed');
    expect(told.data.unlocks).toMatchObject([{ id, status: 'asked', minutes: 15 }]);
    expect(JSON.stringify(told.data)).not.toContain(String(asked.body.secret));
    expect(Object.keys(told.data.unlocks[0])).not.toContain('code');
    await byDevice('POST', `/api/unlocks/${id}/allow`, { code: asked.body.code });
    const terminal = { authorization: `Bearer ${asked.body.secret}` };
    const socket = await WsClient.open(url, terminal);
    expect(await socket.first(({ type }) => type === 'init')).toMatchObject({ data: { unlocks: [{ id }] } });
    expect(await call('DELETE', `/api/unlocks/${id}`)).toMatchObject(required);
    expect(await byDevice('DELETE', `/api/unlocks/${id}`)).toMatchObject({ status: 200 });
    await waitUntil(() => socket.closed !== undefined);
    expect((await request(`${url}/api/sessions`, 'GET', undefined, terminal)).status).toBe(401);
    expect(await call('GET', '/api/unlocks')).toMatchObject({ body: { decide: 'devices', unlocks: [] } });
    expect(await call('GET', `/api/unlocks/${id}`)).toMatchObject({ status: 404 });
  });
});
