import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { rawRequest } from './raw-http.ts';
import { request, startServer, token } from './running-server.ts';
import { SseReader } from './sse-reader.ts';
import { waitUntil } from './wait-until.ts';
import { WsClient } from './ws-client.ts';

const authorization = `Bearer ${token}`;
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Pairs a browser and returns what it and its page would send. */
async function pair(
  url: string,
  code: string,
  headers: Record<string, string> = {},
): Promise<{ readonly cookie: string; readonly 'x-beckon-key': string }> {
  const answer = await request(`${url}/api/pair`, 'POST', { code }, headers);
  expect(answer).toMatchObject({ status: 200 });
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  return { cookie, 'x-beckon-key': String(answer.body.key) };
}

describe('token', () => {
  it('[SEC1] everything below /api but health and pairing needs the token', async () => {
    const { url, newSession } = await startServer();
    const { id } = await newSession();
    const routes = [
      '/api/sessions',
      `/api/sessions/${id}`,
      '/api/events',
      '/api/openapi.json',
      '/api/devices',
      '/api/nothing',
      '/api',
    ];
    for (const route of routes) {
      expect(await request(`${url}${route}`, 'GET'), route).toMatchObject({
        status: 401,
        body: { error: { code: 'unauthorized' } },
      });
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      expect(await request(`${url}/api/sessions`, method), method).toMatchObject({ status: 401 });
    }
    expect((await fetch(`${url}/api/sessions`, { method: 'HEAD' })).status).toBe(401);
    expect(await request(`${url}/api/health`, 'GET')).toMatchObject({ status: 200 });
  });

  it('[SEC1] a wrong token, another scheme or a token in the address is no token', async () => {
    const { url } = await startServer();
    const get = (query: string, headers: Record<string, string>) =>
      request(`${url}/api/sessions${query}`, 'GET', undefined, headers);
    expect(await get('', { authorization: `Bearer ${token}x` })).toMatchObject({ status: 401 });
    expect(await get('', { authorization: 'Bearer' })).toMatchObject({ status: 401 });
    expect(await get('', { authorization: `Basic ${token}` })).toMatchObject({ status: 401 });
    expect(await get(`?token=${token}`, {})).toMatchObject({ status: 401 });
    expect(await get(`?access_token=${token}`, {})).toMatchObject({ status: 401 });
    expect(await get('', { authorization })).toMatchObject({ status: 200 });
  });

  it('[SEC1] a WebSocket needs it too, and learns why it was refused', async () => {
    const { url } = await startServer();
    await expect(WsClient.open(url, {})).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining('unauthorized'),
    });
    const client = await WsClient.open(url, { authorization });
    expect((await client.first(() => true)).type).toBe('init');
  });

  it('[SEC3] neither token nor code nor cookie is in the log or in an error', async () => {
    const { url, logged, server, call } = await startServer({
      through: (room) => ({ ...room, dispatch: () => Promise.reject(new Error('broken')) }),
    });
    const code = server.pairingCode();
    const browser = await pair(url, code);
    const answers = [
      await call('GET', `/api/sessions?token=${token}`),
      await request(`${url}/api/sessions`, 'GET', undefined, browser),
      await request(`${url}/api/pair`, 'POST', { code }),
    ];
    const all = logged.join('\n') + JSON.stringify(answers.map(({ body }) => body));
    const secrets = [token, code, browser.cookie.slice('beckon='.length), browser['x-beckon-key']];
    for (const secret of secrets) expect(all).not.toContain(secret);
    expect(logged.length).toBeGreaterThan(0);
  });
});

describe('looking', () => {
  it('[REACH3] only a paired browser is believed to have a person before it', async () => {
    const { url, server, room, newSession } = await startServer();
    const { id } = await newSession();
    const browser = await pair(url, server.pairingCode());
    const clients = [
      await WsClient.open(url, { authorization }),
      await WsClient.open(url, { ...browser, origin: url }),
    ];
    const seen: boolean[] = [];
    for (const client of clients) {
      client.send({ type: 'looking', id: 1, at: id });
      expect(await client.reply(1)).toMatchObject({ type: 'ack' });
      seen.push(room.clients.presence.isLookedAt(id));
    }
    expect(seen).toEqual([false, true]);
    clients[1]?.socket.close();
    await waitUntil(() => !room.clients.presence.isLookedAt(id));
  });
});

describe('pairing', () => {
  it('[SEC1] a code is exchanged once for a cookie that scripts cannot read and other sites do not send', async () => {
    const { url, server } = await startServer();
    const code = server.pairingCode();
    const answer = await request(`${url}/api/pair`, 'POST', { code }, { 'user-agent': firefox });
    expect(answer).toMatchObject({ status: 200, body: { device: { name: 'Firefox on Linux' } } });
    const flags = (answer.headers.get('set-cookie') ?? '').split('; ').slice(1);
    expect(flags).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Strict']));
    expect(flags).not.toContain('Secure');
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
    const key = { 'x-beckon-key': String(answer.body.key) };
    const read = (headers: Record<string, string>) =>
      request(`${url}/api/sessions`, 'GET', undefined, headers);
    expect(await read({ cookie, ...key })).toMatchObject({ status: 200 });
    expect(await read(key)).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    const again = await request(`${url}/api/pair`, 'POST', { code });
    expect(again).toMatchObject({ status: 401, body: { error: { code: 'pairing_failed' } } });
  });

  it('[SEC1] a code may be typed by hand: case, dashes and spaces do not matter', async () => {
    const { url, server } = await startServer();
    await pair(url, ` ${server.pairingCode().toLowerCase().replaceAll('-', ' ')} `);
  });

  it('[SEC1] the cookie is Secure where the page is', async () => {
    const { url, server, port } = await startServer({ allowedHosts: ['beckon.example.org:443'] });
    const body = JSON.stringify({ code: server.pairingCode() });
    const answer = await rawRequest(
      port,
      [
        'POST /api/pair HTTP/1.1',
        'Host: beckon.example.org',
        'Origin: https://beckon.example.org',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ],
      body,
    );
    expect(answer.status, url).toBe(200);
    expect(answer.head).toMatch(/set-cookie: .*; Secure/i);
  });

  it('[SEC1] a code lives ten minutes', async () => {
    let now = Date.now();
    const { url, server } = await startServer({ now: () => now });
    const [first, second] = [server.pairingCode(), server.pairingCode()];
    now += 10 * 60_000 - 1;
    await pair(url, first);
    now += 1;
    expect(await request(`${url}/api/pair`, 'POST', { code: second })).toMatchObject({ status: 401 });
  });

  it('[SEC1] [SES16] a clock that was a year ahead, and is set back, keeps nobody from pairing', async () => {
    const { url, server } = await startServer();
    const now = Date.now();
    const ahead = vi.spyOn(Date, 'now').mockReturnValue(now + 365 * 24 * 3_600_000);
    for (let count = 0; count < 10; count++) {
      await request(`${url}/api/pair`, 'POST', { code: `wrong-${count}` });
    }
    ahead.mockRestore();
    const { now: steady } = performance;
    const later = vi.spyOn(performance, 'now').mockImplementation(() => steady.call(performance) + 61_000);
    const paired = await request(`${url}/api/pair`, 'POST', { code: server.pairingCode() });
    later.mockRestore();
    expect(paired).toMatchObject({ status: 200 });
  });

  it('[SEC1] who is in can let one more device in, see all, and put one out', async () => {
    const { url, call, server } = await startServer();
    const first = await pair(url, server.pairingCode());
    const made = await request(`${url}/api/pairing-code`, 'POST', undefined, first);
    expect(made.status).toBe(201);
    expect(made.body.url).toBe(`${url}/#pair=${made.body.code}`);
    const second = await pair(url, String(made.body.code), { 'user-agent': firefox });
    const { body } = await request(`${url}/api/devices`, 'GET', undefined, second);
    expect(body.devices).toMatchObject([{ current: false }, { current: true, name: 'Firefox on Linux' }]);
    expect(JSON.stringify(body)).not.toContain('ash');

    const stream = await SseReader.open(`${url}/api/events`, second);
    const socket = await WsClient.open(url, second);
    const [, { id }] = body.devices as [unknown, { id: string }];
    expect(await call('DELETE', `/api/devices/${id}`)).toMatchObject({ status: 200 });
    await stream.ended;
    await waitUntil(() => socket.closed !== undefined);
    expect(await request(`${url}/api/sessions`, 'GET', undefined, second)).toMatchObject({
      status: 401,
    });
    expect(await request(`${url}/api/sessions`, 'GET', undefined, first)).toMatchObject({
      status: 200,
    });
    expect(await call('DELETE', `/api/devices/${id}`)).toMatchObject({ status: 404 });
  });

  it('[SEC3] a paired device stays paired over a restart, and its secret is not in the file', async () => {
    const before = await startServer();
    const browser = await pair(before.url, before.server.pairingCode());
    const file = path.join(before.dataDir, 'devices.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const stored = readFileSync(file, 'utf8');
    expect(stored).not.toContain(browser.cookie.slice('beckon='.length));
    expect(stored).not.toContain(browser['x-beckon-key']);

    const after = await startServer({ dataDir: before.dataDir });
    const read = () => request(`${after.url}/api/sessions`, 'GET', undefined, browser);
    expect(await read()).toMatchObject({ status: 200 });
  });

  it('[SEC7] a device that was paired before there were keys must be paired again', async () => {
    const before = await startServer();
    const browser = await pair(before.url, before.server.pairingCode());
    const file = path.join(before.dataDir, 'devices.json');
    const { devices } = JSON.parse(readFileSync(file, 'utf8')) as { devices: Record<string, string>[] };
    writeFileSync(file, JSON.stringify({ devices: devices.map(({ keyHash: _, ...older }) => older) }));
    const after = await startServer({ dataDir: before.dataDir });
    expect(await request(`${after.url}/api/sessions`, 'GET', undefined, browser)).toMatchObject({
      status: 401,
      body: { error: { code: 'key_missing' } },
    });
    expect((await after.call('GET', '/api/devices')).body.devices).toHaveLength(1);
  });

  it('[SEC7] a WebSocket with a cookie is told nothing before its first frame has the key', async () => {
    const { url, server } = await startServer();
    const { cookie, 'x-beckon-key': key } = await pair(url, server.pairingCode());
    const silent = await WsClient.open(url, { cookie });
    const good = await WsClient.open(url, { cookie });
    good.send({ id: 1, type: 'hello', key, client: 'Page' });
    good.send({ id: 2, type: 'subscribe', sessionId: 'nothing' });
    await good.reply(2);
    expect(good.frames.map(({ type }) => type)).toEqual(['init', 'ack', 'error']);
    expect(silent.frames).toEqual([]);
    const wrong = [
      { type: 'hello', key: `${key}x` },
      { type: 'hello' },
      { type: 'subscribe', sessionId: 'x', key },
      'no JSON',
      Buffer.from(JSON.stringify({ type: 'hello', key })),
    ];
    for (const frame of wrong) {
      const client = await WsClient.open(url, { cookie });
      client.send(frame);
      await waitUntil(() => client.closed !== undefined);
      expect([client.closed, client.frames.map(({ error }) => error?.code)]).toEqual([1008, ['key_missing']]);
    }
  });

  it('[SEC5] [SEC7] a WebSocket that has not shown its key may send 64 kB, and after that 32 MB', async () => {
    const { url, server } = await startServer();
    const { cookie, 'x-beckon-key': key } = await pair(url, server.pairingCode());
    const large = { id: 2, type: 'send_message', sessionId: 'nothing', message: 'x'.repeat(100_000) };
    const stranger = await WsClient.open(url, { cookie });
    stranger.send({ ...large, type: 'hello', key });
    await waitUntil(() => stranger.closed !== undefined);
    expect(stranger.frames).toEqual([]);
    const known = await WsClient.open(url, { cookie });
    known.send({ type: 'hello', key });
    await known.first(({ type }) => type === 'init');
    known.send(large);
    expect(await known.reply(2)).toMatchObject({ error: { code: 'session_not_found' } });
  });

  it('[SEC1] a list of devices that is damaged lets nobody in and is reported', async () => {
    const before = await startServer();
    const browser = await pair(before.url, before.server.pairingCode());
    writeFileSync(path.join(before.dataDir, 'devices.json'), '{"devices":[{');
    const after = await startServer({ dataDir: before.dataDir });
    expect(await request(`${after.url}/api/sessions`, 'GET', undefined, browser)).toMatchObject({
      status: 401,
    });
    expect(after.logged.join()).toContain('paired again');
  });

  it('[SEC2] a cookie does not work for what another site or port made the browser send', async () => {
    const { url, server } = await startServer();
    const { cookie, 'x-beckon-key': key } = await pair(url, server.pairingCode());
    const get = (site: string) =>
      rawGet(url, '/api/sessions', [`Cookie: ${cookie}`, `X-Beckon-Key: ${key}`, `Sec-Fetch-Site: ${site}`]);
    expect((await get('cross-site')).status).toBe(403);
    expect((await get('same-site')).status).toBe(403);
    expect((await get('same-origin')).status).toBe(200);
    expect((await get('none')).status).toBe(200);
  });
});

describe('host and origin', () => {
  it('[SEC2] only names of this machine, with our port, are hosts', async () => {
    const { url, port } = await startServer({ allowedHosts: ['Box.lan'] });
    const status = async (host: string) =>
      (
        await rawRequest(port, [
          'GET /api/health HTTP/1.1',
          `Host: ${host}`,
          `Authorization: ${authorization}`,
        ])
      ).status;
    const good = ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]', 'box.lan'];
    for (const name of good) expect(await status(`${name}:${port}`), name).toBe(200);
    const bad = [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '127.0.0.2',
      '192.168.0.1',
      'localhost.',
      'x@localhost',
      '',
    ];
    for (const name of bad) expect(await status(`${name}:${port}`), name).toBe(403);
    expect(await status('localhost')).toBe(403);
    expect(await status(`localhost:${port + 1}`)).toBe(403);
    expect(await status(`localhost:${port}:80`)).toBe(403);
    const answer = await rawGet(url, '/', [], 'evil.example');
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'host_not_allowed' } });
  });

  it('[SEC2] no Host at all is refused', async () => {
    const { port } = await startServer();
    expect((await rawRequest(port, ['GET /api/health HTTP/1.0'])).status).toBe(403);
    expect((await rawRequest(port, ['GET /api/health HTTP/1.1'])).status).toBe(403);
  });

  it('[SEC2] a foreign origin is refused on every method and path, with the right token', async () => {
    const { call, url, port } = await startServer();
    const origins = [
      'http://evil.example',
      'null',
      `http://localhost:${port + 1}`,
      `http://localhost:${port}`,
      `http://127.0.0.1:${port}.evil.example`,
    ];
    for (const origin of origins) {
      for (const [method, route] of [
        ['GET', '/api/sessions'],
        ['POST', '/api/sessions'],
        ['OPTIONS', '/api/sessions'],
        ['GET', '/'],
        ['POST', '/api/pair'],
      ] as const) {
        const answer = await call(method, route, undefined, { origin });
        expect(answer, `${method} ${route} ${origin}`).toMatchObject({
          status: 403,
          body: { error: { code: 'origin_not_allowed' } },
        });
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      }
    }
    expect(await call('GET', '/api/sessions', undefined, { origin: url })).toMatchObject({ status: 200 });
  });

  it('[SEC2] a WebSocket from a foreign page or by a foreign name is refused', async () => {
    const { url, port } = await startServer();
    await expect(WsClient.open(url, { authorization, origin: 'http://evil.example' })).rejects.toMatchObject({
      status: 403,
    });
    await expect(WsClient.open(url, { authorization, host: `evil.example:${port}` })).rejects.toMatchObject({
      status: 403,
    });
    const client = await WsClient.open(url, { authorization, origin: url });
    expect((await client.first(() => true)).type).toBe('init');
  });

  it('[SEC2] an upgrade elsewhere, or to something else, is refused', async () => {
    const { port } = await startServer();
    const head = (route: string, upgrade: string) => [
      `GET ${route} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: ${authorization}`,
      'Connection: Upgrade',
      `Upgrade: ${upgrade}`,
    ];
    expect((await rawRequest(port, head('/api/other', 'websocket'))).status).toBe(404);
    expect((await rawRequest(port, head('/api/ws', 'h2c'))).status).toBe(400);
    expect((await rawRequest(port, head('/api/ws', 'websocket'))).status).toBe(400);
  });

  it('[SEC2] a server without a token is refused', async () => {
    await expect(startServer({ token: '', host: '0.0.0.0' })).rejects.toThrow(/token/);
  });

  it('[SEC2] every answer carries the headers that keep it from other pages', async () => {
    const { url, call } = await startServer();
    const answers = [
      await call('GET', '/api/sessions'),
      await call('GET', '/api/none'),
      await request(`${url}/api/sessions`, 'GET'),
      await call('GET', '/api/%zz'),
    ];
    for (const { headers } of answers) {
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });
});

function rawGet(url: string, route: string, headers: readonly string[], name = '127.0.0.1') {
  const port = Number(new URL(url).port);
  return rawRequest(port, [`GET ${route} HTTP/1.1`, `Host: ${name}:${port}`, ...headers]);
}
