import { describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operation.ts';
import { rawRequest } from './raw-http.ts';
import { request, startServer, token } from './running-server.ts';

const authorization = `Bearer ${token}`;

describe('REST', () => {
  it('[API1] a session is made, listed, spoken to, answered, stopped and removed', async () => {
    const { call, newSession } = await startServer();
    const made = await call('POST', '/api/sessions', { title: 'First', key: 'STAGE-1' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ session: { title: 'First', key: 'STAGE-1', agent: 'demo' } });
    const session = await newSession({ key: 'stage 2/b' });
    const route = `/api/sessions/${encodeURIComponent('stage 2/b')}`;

    const sent = await call('POST', `${route}/message`, { message: 'hello' });
    expect(sent).toMatchObject({ status: 200, body: { status: 'sent', requested: 'auto', applied: 'send' } });
    const queued = await call('POST', `${route}/message`, { message: 'more', disposition: 'queue' });
    expect(queued).toMatchObject({ status: 202, body: { status: 'queued', position: 1 } });

    session.ask({});
    const asked = await waitForPending(call, route);
    expect(asked.requestId).toBe(asked.interactionId);
    const approved = await call('POST', `${route}/approve`, {
      requestId: asked.requestId,
      decision: 'allow',
    });
    expect(approved).toMatchObject({
      status: 200,
      body: { status: 'ok', interaction: { outcome: 'allowed' } },
    });
    const again = await call('POST', `${route}/approve`, { requestId: asked.requestId, decision: 'deny' });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'interaction_already_resolved' } } });

    expect(await call('POST', `${route}/stop`)).toMatchObject({ status: 200, body: { returned: ['more'] } });
    expect(await call('DELETE', route)).toMatchObject({ status: 200 });
    expect(await call('GET', route)).toMatchObject({
      status: 404,
      body: { error: { code: 'session_not_found' } },
    });
    const left = await call('GET', '/api/sessions');
    expect(left.body.sessions).toHaveLength(1);
  });

  it('[API1] every operation of the table has its route', async () => {
    const { call } = await startServer();
    for (const { method, path } of Object.values(operations)) {
      const { body } = await call(
        method,
        path.replaceAll(/:\w+/g, 'none'),
        method === 'GET' ? undefined : {},
      );
      expect(body.error?.code, `${method} ${path}`).not.toBe('route_not_found');
    }
  });

  it('[API4] each wrong request gets its status, code, and the field', async () => {
    const { call, newSession, url } = await startServer();
    const { id } = await newSession({ key: 'used' });
    const post = (route: string, body: unknown, headers = {}) => call('POST', route, body, headers);
    const sessions = '/api/sessions';
    const message = `${sessions}/${id}/message`;

    const expectations: [Promise<{ status: number; body: unknown }>, number, string][] = [
      [post(message, '{"message":'), 400, 'malformed_request'],
      [post(message, '[1]'), 400, 'malformed_request'],
      [post(message, 'null'), 400, 'malformed_request'],
      [post(message, '"text"'), 400, 'malformed_request'],
      [post(message, {}), 400, 'malformed_request'],
      [post(message, `{"message":${'['.repeat(50_000)}${']'.repeat(50_000)}}`), 400, 'malformed_request'],
      [post(message, { message: '  ' }), 400, 'blank_message'],
      [request(`${url}${sessions}`, 'GET'), 401, 'unauthorized'],
      [call('GET', sessions, undefined, { origin: 'http://evil.example' }), 403, 'origin_not_allowed'],
      [call('GET', '/api/nothing'), 404, 'route_not_found'],
      [call('PUT', sessions, {}), 404, 'route_not_found'],
      [call('GET', `${sessions}/none`), 404, 'session_not_found'],
      [call('GET', `${sessions}/${id}/interactions/none`), 404, 'interaction_not_found'],
      [call('GET', `${sessions}/${id}/images/none`), 404, 'image_not_found'],
      [call('GET', `${sessions}/none/raw`), 404, 'session_not_found'],
      [call('DELETE', '/api/grants/none'), 404, 'grant_not_found'],
      [post('/api/clients/none/interaction', { enabled: true }), 404, 'client_not_found'],
      [post(sessions, { key: 'used' }), 409, 'key_in_use'],
      [post(`${sessions}/${id}/interrupt`, {}), 409, 'no_turn_running'],
      [call('DELETE', `${sessions}/${id}`), 409, 'session_not_stopped'],
      [post(message, '{"message":"a"}', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type'],
      [
        post(message, 'message=a', { 'content-type': 'application/x-www-form-urlencoded' }),
        415,
        'unsupported_media_type',
      ],
      [post(message, { message: 'a', disposition: 'shout' }), 422, 'invalid_value'],
      [post(sessions, { cwd: '/does/not/exist' }), 422, 'directory_not_found'],
      [post(sessions, { agent: 'nobody' }), 422, 'agent_unknown'],
      [call('GET', `${sessions}/${id}/events?limit=5000`), 422, 'invalid_value'],
      [call('GET', '/api/%zz'), 400, 'malformed_request'],
    ];
    for (const [answer, status, code] of expectations) {
      expect(await answer).toMatchObject({
        status,
        body: { error: { code, message: expect.stringMatching(/./) } },
      });
    }
    const missing = await post(message, {});
    expect(missing.body.error?.details).toMatchObject({ field: 'message' });
  });

  it('[API4] a body over 32 MB gets 413, and one just below is taken', async () => {
    const { call, newSession } = await startServer();
    const { id } = await newSession();
    const route = `/api/sessions/${id}/message`;
    const megabytes = (count: number): string => 'A'.repeat(count * 1024 * 1024);
    const image = { mediaType: 'image/png', data: megabytes(31) };
    expect(await call('POST', route, { message: 'look', images: [image] })).toMatchObject({ status: 200 });
    const tooLarge = await call('POST', route, { message: megabytes(33) });
    expect(tooLarge).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
  });

  it('[API4] a body of unknown length over 32 MB gets 413', async () => {
    const { url, newSession } = await startServer();
    const { id } = await newSession();
    let left = 40;
    const stream = new ReadableStream({
      pull(controller) {
        left -= 1;
        if (left === 0) controller.close();
        else controller.enqueue(Buffer.alloc(1024 * 1024, 32));
      },
    });
    const response = await fetch(`${url}/api/sessions/${id}/message`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
  });

  it('[API4] what needs no body may have none, of any type', async () => {
    const { call, newSession, port } = await startServer();
    const { id } = await newSession();
    expect(await call('POST', `/api/sessions/${id}/stop`)).toMatchObject({ status: 200 });
    const head = [
      `POST /api/sessions/${id}/resume HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: ${authorization}`,
    ];
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const answer = await rawRequest(port, [...head, `Content-Type: ${type}`, 'Content-Length: 0']);
      expect(answer.status).toBeLessThan(410);
      expect(answer.body).not.toContain('malformed');
    }
  });

  it('[API4] keys like __proto__ change nothing', async () => {
    const { call, newSession } = await startServer();
    const { id } = await newSession();
    const patch = (body: string, query = '') => call('PATCH', `/api/sessions/${id}${query}`, body);
    const poisoned = '{"title":"x","__proto__":{"admin":true},"labels":["a"]}';
    expect((await patch(poisoned)).status).toBe(200);
    expect((await patch(poisoned, '?__proto__=1')).status).toBe(400);
    const constructed = await patch('{"title":"y","constructor":{"prototype":{"admin":true}}}');
    expect(constructed.body.error?.details).toMatchObject({ field: 'constructor' });
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });

  it('[API4] bytes that are no HTTP get 400 with an error body', async () => {
    const { port } = await startServer();
    const answer = await rawRequest(port, ['NONSENSE']);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'malformed_request' } });
  });

  it('[API4] a bug is 500 with nothing of its inside, which goes to the log', async () => {
    const { call, logged } = await startServer({
      through: (room) => ({ ...room, dispatch: () => Promise.reject(new Error('secret inside')) }),
    });
    const answer = await call('GET', '/api/sessions');
    expect(answer).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
    expect(JSON.stringify(answer.body)).not.toContain('secret');
    expect(logged.join()).toContain('secret inside');
  });

  it('[API4] refusals of the room keep their status: 410, 429, 503', async () => {
    for (const [code, status] of [
      ['interaction_gone', 410],
      ['agent_not_available', 503],
      ['too_many_requests', 429],
    ] as const) {
      const { call } = await startServer({
        through: (room) => ({
          ...room,
          dispatch: async () => ({
            ok: false,
            refusal: { code, message: 'No.', details: { outcome: 'lost' } },
          }),
        }),
      });
      expect(await call('GET', '/api/agents')).toMatchObject({
        status,
        body: { error: { code, message: 'No.', details: { outcome: 'lost' } } },
      });
    }
  });

  it('[STORE3] the raw log is a download, and an image comes with its own type', async () => {
    const { url, newSession, room } = await startServer();
    const session = await newSession();
    const data = Buffer.from('picture');
    const event = { type: 'tool.result', toolCallId: 'c', isError: false, text: '' } as const;
    const images = ['image/png', 'text/html'].map((mediaType) => ({
      mediaType,
      data: data.toString('base64'),
    }));
    session.report([{ type: 'said', event, images }]);
    const stored = await new Promise<string[]>((resolve) => {
      room.listen((news) => {
        if (news.kind === 'session' && news.news.type === 'event' && news.news.event.type === 'tool.result')
          resolve((news.news.event.images ?? []).map(({ imageId }) => imageId));
      });
    });
    const get = (route: string) =>
      fetch(`${url}/api/sessions/${session.id}${route}`, { headers: { authorization } });
    const [picture, page] = await Promise.all(stored.map((id) => get(`/images/${id}`)));
    expect(picture?.headers.get('content-type')).toBe('image/png');
    expect(await picture?.text()).toBe('picture');
    expect(page?.headers.get('content-type')).toBe('application/octet-stream');
    expect(page?.headers.get('content-disposition')).toBe('attachment');
    const raw = await get('/raw');
    expect(raw.headers.get('content-type')).toContain('text/plain');
    expect(raw.headers.get('content-disposition')).toContain('attachment');
    expect(await raw.text()).toContain('result');
  });

  it('[API1] health needs no token and names the version', async () => {
    const { url } = await startServer();
    expect(await request(`${url}/api/health`, 'GET')).toMatchObject({
      status: 200,
      body: { status: 'ok', version: '1.2.3' },
    });
  });
});

type Call = (method: string, route: string) => Promise<{ readonly body: Record<string, unknown> }>;

async function waitForPending(
  call: Call,
  route: string,
): Promise<{ requestId: string; interactionId: string }> {
  for (;;) {
    const { body } = await call('GET', `${route}/pending`);
    const [first] = body.pending as { requestId: string; interactionId: string }[];
    if (first !== undefined) return first;
  }
}
