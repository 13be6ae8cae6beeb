import { request as httpRequest } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operation.ts';
import { createMcpEndpoint, type McpEndpoint } from '../../src/tools/mcp/endpoint.ts';
import { holds } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { afterwards, done, keys, ScriptedHost, toolCall } from '../tools/mcp-stage.ts';
import { rawRequest } from './raw-http.ts';
import { type RunningServer, request, startServer, token } from './running-server.ts';
import { WsClient } from './ws-client.ts';

interface ToolServer extends RunningServer {
  readonly host: ScriptedHost;
  readonly endpoint: McpEndpoint;
}

/** A server with tools, for the sessions that are not stopped. */
async function startToolServer(options: Parameters<typeof startServer>[0] = {}): Promise<ToolServer> {
  const host = new ScriptedHost();
  host.answer = done('yes');
  let running: RunningServer | undefined;
  const endpoint = createMcpEndpoint({
    host,
    keys,
    clock: new FakeClock(),
    version: '1.2.3',
    admits(id) {
      const now = running?.room.snapshot(id);
      return now?.ok === true && now.value.session.id === id && now.value.session.status !== 'stopped';
    },
    logger: { error: () => undefined },
  });
  running = await startServer({ ...options, tools: endpoint });
  afterwards(() => endpoint.close());
  return { ...running, host, endpoint };
}

const accept = 'application/json, text/event-stream';
const withKey = (sessionId: string) => ({ authorization: `Bearer ${keys.of(sessionId)}`, accept });
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('the tools of a session', () => {
  it('[TOOL11] are listed and called with its key, by any client of the protocol', async () => {
    const { url, newSession } = await startToolServer();
    const { id } = await newSession();
    const client = new Client({ name: 'generic', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${keys.of(id)}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/${id}`), { requestInit }));
    afterwards(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('ask_user');
    expect(await client.callTool({ name: 'deploy', arguments: {} })).toMatchObject({ isError: false });
  });

  it('[ASK11] [SEC1] open to nothing but its own key, while it lives', async () => {
    const { url, newSession, call } = await startToolServer();
    const { id } = await newSession({ key: 'stage-7' });
    const other = await newSession();
    const post = (path: string, authorization?: string) =>
      request(`${url}/mcp/${path}`, 'POST', listTools, {
        accept,
        ...(authorization === undefined ? {} : { authorization }),
      });
    expect(await post(id, `Bearer ${keys.of(id)}`)).toMatchObject({ status: 200 });
    const refused = { status: 401, body: { error: { code: 'unauthorized' } } };
    expect(await post(id)).toMatchObject(refused);
    expect(await post(id, 'Bearer nonsense')).toMatchObject(refused);
    expect(await post(id, `Basic ${keys.of(id)}`)).toMatchObject(refused);
    expect(await post(id, `Bearer ${token}`)).toMatchObject(refused);
    expect(await post(id, `Bearer ${keys.of(other.id)}`)).toMatchObject(refused);
    expect(await post('stage-7', `Bearer ${keys.of('stage-7')}`)).toMatchObject(refused);
    const unknown = await post('ses_unknown', `Bearer ${keys.of('ses_unknown')}`);
    expect(unknown).toMatchObject(refused);
    await call('POST', `/api/sessions/${id}/stop`);
    const stopped = await post(id, `Bearer ${keys.of(id)}`);
    expect(stopped).toMatchObject(refused);
    expect(stopped.body).toEqual(unknown.body);
  });

  it.each(['GET', 'DELETE', 'POST'])('[SEC1] %s needs the key, too', async (method) => {
    const { url, newSession } = await startToolServer();
    const { id } = await newSession();
    const answer = await request(`${url}/mcp/${id}`, method, undefined, { accept });
    expect(answer).toMatchObject({ status: 401 });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('[SEC1] a paired browser has no business here', async () => {
    const { url, server, newSession } = await startToolServer();
    const { id } = await newSession();
    const paired = await request(`${url}/api/pair`, 'POST', { code: server.pairingCode() });
    const cookie = (paired.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(await request(`${url}/mcp/${id}`, 'POST', listTools, { cookie, accept })).toMatchObject({
      status: 401,
    });
  });

  it('[SEC2] other pages and other names of this machine are kept out', async () => {
    const { url, port, newSession } = await startToolServer();
    const { id } = await newSession();
    const foreign = await request(`${url}/mcp/${id}`, 'POST', listTools, {
      ...withKey(id),
      origin: 'http://evil.example',
    });
    expect(foreign).toMatchObject({ status: 403, body: { error: { code: 'origin_not_allowed' } } });
    const rebound = await rawRequest(port, [
      `GET /mcp/${id} HTTP/1.1`,
      'Host: evil.example',
      `Authorization: Bearer ${keys.of(id)}`,
      'Accept: text/event-stream',
    ]);
    expect(rebound.status).toBe(403);
    expect(rebound.body).toContain('host_not_allowed');
  });

  it('[ASK11] the key opens no operation of the API, nor any other of its routes', async () => {
    const { url, newSession, call } = await startToolServer();
    const { id, ask } = await newSession();
    ask({});
    await holds(async () => {
      const { body } = await call('GET', '/api/pending');
      expect(body.pending).toHaveLength(1);
    });
    const pending = (await call('GET', '/api/pending')).body.pending as { interactionId: string }[];
    const interactionId = pending[0]?.interactionId ?? '';
    const fill = (path: string): string =>
      path.replace(':session', id).replace(':interactionId', interactionId).replaceAll(/:\w+/g, 'x');
    const body = {
      interactionId,
      requestId: interactionId,
      decision: 'allow',
      action: 'approve',
      message: 'x',
    };
    const routes = [
      ...Object.values(operations).map(({ method, path }) => [method, fill(path)] as const),
      ['GET', '/api/events'],
      ['GET', `/api/sessions/${id}/raw`],
      ['GET', `/api/sessions/${id}/images/x`],
      ['GET', '/api/openapi.json'],
      ['POST', '/api/pairing-code'],
      ['GET', '/api/devices'],
      ['DELETE', '/api/devices/x'],
      ['GET', '/api/ws'],
      ['GET', '/api/nothing'],
    ] as const;
    for (const [method, path] of routes) {
      const sent = method === 'GET' || method === 'DELETE' ? undefined : body;
      const answer = await request(`${url}${path}`, method, sent, withKey(id));
      expect(answer, `${method} ${path}`).toMatchObject({
        status: 401,
        body: { error: { code: 'unauthorized' } },
      });
    }
    const stream = await request(`${url}/api/sessions/${id}/events`, 'GET', undefined, {
      ...withKey(id),
      accept: 'text/event-stream',
    });
    expect(stream.status).toBe(401);
    await expect(WsClient.open(url, withKey(id))).rejects.toMatchObject({ status: 401 });
    expect(await request(`${url}/api/pair`, 'POST', { code: keys.of(id) }, withKey(id))).toMatchObject({
      status: 401,
    });
    expect((await call('GET', '/api/pending')).body.pending).toHaveLength(1);
  });

  it('[SEC3] the key is in no log line and no error', async () => {
    const { url, logged, newSession, host } = await startToolServer();
    const { id } = await newSession();
    host.call = () => Promise.reject(new Error('broken'));
    const answers = [
      await request(`${url}/mcp/${id}`, 'POST', '{', withKey(id)),
      await request(`${url}/mcp/${id}x`, 'POST', listTools, withKey(id)),
      await request(`${url}/mcp/${id}?key=${keys.of(id)}`, 'PUT', undefined, {}),
      await request(`${url}/mcp/${id}`, 'POST', listTools, { ...withKey(id), accept: 'x' }),
    ];
    const called = await fetch(`${url}/mcp/${id}`, {
      method: 'POST',
      headers: { ...withKey(id), 'content-type': 'application/json' },
      body: JSON.stringify(toolCall(1)),
    });
    const all =
      logged.join('\n') + JSON.stringify(answers.map((answer) => answer.body)) + (await called.text());
    expect(all).not.toContain(keys.of(id));
    expect(all).not.toContain(token);
  });

  it('[API4] what is no JSON, no message or too large has its own answer', async () => {
    const { url, newSession } = await startToolServer();
    const { id } = await newSession();
    const post = (body: unknown, headers = {}) =>
      request(`${url}/mcp/${id}`, 'POST', body, { ...withKey(id), ...headers });
    expect(await post('{')).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    expect(await post('[]')).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
    expect(await post('')).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    expect(await post(`${'['.repeat(5000)}${']'.repeat(5000)}`)).toMatchObject({ status: 400 });
    expect(await post('<x/>', { 'content-type': 'text/xml' })).toMatchObject({ status: 415 });
    const large = JSON.stringify({ ...listTools, params: { text: 'x'.repeat(33 * 1024 * 1024) } });
    expect(await post(large)).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
    expect(await post(listTools)).toMatchObject({ status: 200 });
  });

  it('[TOOL9] clients that go away leave nothing behind', async () => {
    const { url, newSession, host } = await startToolServer();
    const { id } = await newSession();
    host.answer = undefined;
    const sockets = Array.from({ length: 50 }, (_, number) => {
      const sent = httpRequest(`${url}/mcp/${id}`, {
        method: 'POST',
        headers: { ...withKey(id), 'content-type': 'application/json' },
      });
      sent.on('error', () => undefined);
      sent.end(JSON.stringify(toolCall(number)));
      return sent;
    });
    await host.nth(49);
    for (const socket of sockets) socket.destroy();
    await holds(() => expect(host.calls.filter(({ options }) => options.signal.aborted)).toHaveLength(50));
  });
});
