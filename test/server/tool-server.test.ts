import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openToolServer } from '../../src/server/tool-server.ts';
import { createMcpEndpoint } from '../../src/tools/mcp/endpoint.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { afterwards, keys, request, ScriptedHost } from '../tools/mcp-stage.ts';

async function open(port?: number) {
  const endpoint = createMcpEndpoint({
    host: new ScriptedHost(),
    keys,
    clock: new FakeClock(),
    version: '1.2.3',
    admits: () => true,
    logger: { error: () => undefined },
  });
  const server = await openToolServer(endpoint, { logger: pino({ level: 'silent' }), port });
  afterwards(async () => {
    endpoint.close();
    await server.close();
  });
  return server;
}

test('[CLU11] [SEC1] on another machine there is nothing but the tools, for the key of a session, on loopback', async () => {
  const { url } = await open();
  expect(new URL(url).hostname).toBe('127.0.0.1');
  const post = (headers: Record<string, string>, path = '/mcp/s1') =>
    fetch(url + path, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(request(1, 'tools/list')),
    });
  const key = { authorization: `Bearer ${keys.of('s1')}` };
  const listed = await post(key);
  expect(await listed.json()).toMatchObject({
    result: { tools: [{ name: 'ask_user' }, { name: 'deploy' }] },
  });
  expect((await post({})).status).toBe(401);
  expect((await post(key, '/mcp/s2')).status).toBe(401);
  expect((await post({ ...key, origin: 'https://evil.example' })).status).toBe(403);
  expect((await post(key, '/api/sessions')).status).toBe(404);
});

test('[CLU11] it is where agents know it from before, or elsewhere if somebody has that place', async () => {
  const first = await open();
  const second = await open(first.port);
  expect(second.port).not.toBe(first.port);
  await first.close();
  expect((await open(first.port)).port).toBe(first.port);
});
