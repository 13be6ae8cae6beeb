import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { holds } from '../support/eventually.ts';
import { afterwards, describe, done, keys, reader, request, session, stage, toolCall } from './mcp-stage.ts';

const resumable = { 'mcp-protocol-version': '2025-11-25' };
const listChanged = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

test('[TOOL11] the protocol’s own client lists and calls the tools', async () => {
  const { host, client } = await stage();
  const own = await client();
  const { tools } = await own.listTools();
  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ['ask_user', 'About ask_user'],
    ['deploy', 'About deploy'],
  ]);
  const called = own.callTool({ name: 'deploy', arguments: { to: 'staging' } });
  const call = await host.nth(0);
  expect(call).toMatchObject({ sessionId: 's1', name: 'deploy', args: { to: 'staging' } });
  expect(call.options).toMatchObject({ callId: expect.stringMatching(/^call-/) });
  expect(call.options.agentToolName).toBeUndefined();
  call.end(done('deployed'));
  expect(await called).toMatchObject({ content: [{ type: 'text', text: 'deployed' }], isError: false });
});

test('[TOOL8] an error is a result with plain words, marked as an error', async () => {
  const { host, client } = await stage();
  host.answer = { ok: false, text: 'The branch is protected. [branch_protected]', code: 'x', message: 'y' };
  const result = await (await client()).callTool({ name: 'deploy', arguments: {} });
  expect(result).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: 'The branch is protected. [branch_protected]' }],
  });
});

test('[TOOL11] the agent’s own id of a call ties it to the conversation', async () => {
  const { host, post } = await stage();
  void post(toolCall(1, 'deploy', { 'claudecode/toolUseId': 'toolu_7' }));
  const { options } = await host.nth(0);
  expect(options).toMatchObject({
    callId: 'toolu_7',
    agentToolName: 'mcp__beckon__deploy',
  });
});

test('[TOOL11] what the server does not know is answered at once, with the number for it', async () => {
  const { post } = await stage();
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' };
  const discover = await post(request('probe', 'server/discover', { _meta: meta }), headers);
  expect(discover.status).toBe(200);
  expect(await discover.json()).toMatchObject({ id: 'probe', error: { code: -32601 } });
  const wish = await post(request(2, 'resources/list'));
  expect(await wish.json()).toMatchObject({ id: 2, error: { code: -32601 } });
});

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  '[TOOL11] a client of version %s is served in its own',
  async (protocolVersion) => {
    const { host, post } = await stage();
    host.answer = done('yes');
    const clientInfo = { name: 'old', version: '1' };
    const met = await post(request(0, 'initialize', { protocolVersion, capabilities: {}, clientInfo }));
    const { result } = (await met.json()) as { result: Record<string, unknown> };
    expect(result).toMatchObject({ protocolVersion, capabilities: { tools: { listChanged: true } } });
    expect(result.serverInfo).toMatchObject({ name: 'beckon', version: '1.2.3' });
    const label = met.headers.get('mcp-session-id') ?? '';
    const headers = { 'mcp-session-id': label, 'mcp-protocol-version': protocolVersion };
    const told = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    expect(told.status).toBe(202);
    const events = reader(await post(toolCall(1), headers));
    const first = await events.next();
    const answer = protocolVersion >= '2025-11-25' ? await events.next() : first;
    expect(answer?.message).toMatchObject({ id: 1, result: { content: [{ text: 'yes' }] } });
    expect(await events.next()).toBeUndefined();
  },
);

test('[TOOL11] a version from the future, in a request of its own, is named as unknown', async () => {
  const { post } = await stage();
  const reply = await post(request(1, 'tools/list'), { 'mcp-protocol-version': '2099-01-01' });
  expect(reply.status).toBe(400);
  expect(((await reply.json()) as { error: { message: string } }).error.message).toContain('2025-11-25');
});

test.each([
  ['a list', [request(1, 'tools/list')], -32600],
  ['a text', 'hello', -32600],
  ['an object that says nothing', { hello: 1 }, -32600],
  ['an id that is none', { jsonrpc: '2.0', id: {}, method: 'ping' }, -32600],
  ['nothing', undefined, -32700],
])('[API4] %s is no message', async (_, body, code) => {
  const { post } = await stage();
  const reply = await post(body);
  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({ jsonrpc: '2.0', error: { code }, id: null });
});

test('[TOOL11] a fault of ours is an answer, too, and is in the log', async () => {
  const { host, logged, post, get } = await stage({
    left: () => {
      throw new Error('broken');
    },
  });
  const point = Buffer.from('[1,"call"]').toString('base64url');
  const broken = await get({ 'last-event-id': point });
  expect(await broken.text()).not.toContain('jsonrpc');
  expect(logged).toMatchObject([{ details: { sessionId: 's1' }, message: expect.any(String) }]);
  host.call = () => Promise.reject(new Error('worse'));
  const events = reader(await post(toolCall(1)));
  expect((await events.next())?.message).toMatchObject({ id: 1, error: { code: -32603 } });
});

test('[TOOL11] a client that cannot read a stream is told so', async () => {
  const { post } = await stage();
  expect((await post(toolCall(1), { accept: 'application/json' })).status).toBe(406);
});

test('[TOOL11] the head of a call’s answer goes out at once, and something follows every 15 seconds', async () => {
  const { host, clock, post } = await stage();
  const silent = await post(toolCall(1));
  expect(silent.headers.get('content-type')).toBe('text/event-stream');
  const watched = reader(await post(toolCall(2, 'ask_user', { progressToken: 'p' })));
  const [first, second] = [await host.nth(0), await host.nth(1)];
  clock.pass(15_000);
  clock.pass(15_000);
  const progress = (count: number) => ({
    method: 'notifications/progress',
    params: { progressToken: 'p', progress: count },
  });
  expect((await watched.next())?.message).toMatchObject(progress(1));
  second.options.progress?.('half done');
  expect((await watched.next())?.message).toMatchObject(progress(2));
  const told = (await watched.next())?.message;
  expect(told).toMatchObject({ ...progress(3), params: { message: 'half done' } });
  first.end(done('x'));
  const quiet = reader(silent);
  expect((await quiet.next())?.message).toMatchObject({ id: 1 });
  expect(quiet.comments()).toBe(3);
});

test('[TOOL11] what a tool tells of its progress is dropped where the client cannot keep up; its result is not', async () => {
  const { host, post } = await stage();
  const events = reader(await post(toolCall(1, 'deploy', { progressToken: 'p' })));
  const call = await host.nth(0);
  const told = 100_000;
  for (let step = 0; step < told; step += 1) call.options.progress?.(`step ${step} of very many`);
  call.end(done('deployed'));
  let heard = 0;
  let last: unknown;
  for (let event = await events.next(); event !== undefined; event = await events.next()) {
    if (event.message?.method === 'notifications/progress') heard += 1;
    last = event.message;
  }
  expect(heard).toBeGreaterThan(0);
  expect(heard).toBeLessThan(told / 2);
  expect(last).toMatchObject({ id: 1, result: { content: [{ text: 'deployed' }] } });
});

test('[TOOL9] a cancelled call ends its run and its stream', async () => {
  const { host, post } = await stage();
  const events = reader(await post(toolCall(7)));
  const { options } = await host.nth(0);
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
  expect((await post(cancelled)).status).toBe(202);
  expect(options.signal.aborted).toBe(true);
  expect(await events.next()).toBeUndefined();
});

test.each([
  ['the reason it gave', { reason: 'They lost interest.' }, 'They lost interest.'],
  ['none where it gave none', {}, expect.objectContaining({ name: 'AbortError' })],
  ['none where that is no text', { reason: { a: 1 } }, expect.objectContaining({ name: 'AbortError' })],
  ['its beginning where it is endless', { reason: 'x'.repeat(5000) }, 'x'.repeat(1000)],
])('[TOOL9] the run hears why a client cancelled: %s', async (_, given, heard) => {
  const { host, post } = await stage();
  void post(toolCall(7));
  const { options } = await host.nth(0);
  const params = { requestId: 7, ...given };
  await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  expect(options.signal.reason).toEqual(heard);
});

test('[TOOL9] the run hears that its client is gone', async () => {
  const { host, post } = await stage();
  const gone = new AbortController();
  await post(toolCall(1), {}, gone.signal);
  const { signal } = (await host.nth(0)).options;
  const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
  gone.abort();
  await ended;
  expect(signal.reason).toBe('The connection to the agent was lost.');
});

test('[TOOL9] the protocol’s own client cancels by its signal', async () => {
  const { host, client } = await stage();
  const own = await client();
  const stop = new AbortController();
  const called = own.callTool({ name: 'deploy', arguments: {} }, { signal: stop.signal });
  const { options } = await host.nth(0);
  const ended = new Promise((resolve) => options.signal.addEventListener('abort', resolve));
  stop.abort('enough');
  await expect(called).rejects.toThrow();
  await ended;
});

test('[TOOL9] a client cancels its own call, not that of another with the same number', async () => {
  const { host, post } = await stage();
  void post(toolCall(1), { 'mcp-session-id': 'one' });
  const first = await host.nth(0);
  void post(toolCall(1), { 'mcp-session-id': 'two' });
  const second = await host.nth(1);
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  await post(cancelled, { 'mcp-session-id': 'two' });
  expect([first.options.signal.aborted, second.options.signal.aborted]).toEqual([false, true]);
});

test('[TOOL9] a client that hangs up and cannot come back ends its run at once', async () => {
  const { host, post } = await stage();
  const gone = new AbortController();
  await post(toolCall(1), {}, gone.signal);
  const { options } = await host.nth(0);
  const ended = new Promise((resolve) => options.signal.addEventListener('abort', resolve));
  gone.abort();
  await ended;
});

test('[TOOL9] a client that hung up before its request was looked at leaves no run behind', async () => {
  const { host, endpoint } = await stage();
  const http = createServer(async (incoming, response) => {
    incoming.resume();
    response.destroy();
    await once(response, 'close');
    await endpoint.handle('s1', incoming, response, toolCall(1));
  });
  afterwards(() => http.close());
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const headers = { accept: 'application/json, text/event-stream' };
  await expect(fetch(`http://127.0.0.1:${port}/mcp/s1`, { method: 'POST', headers })).rejects.toThrow();
  const { options } = await host.nth(0);
  await holds(() => expect(options.signal.aborted).toBe(true));
});

test('[TOOL9] [ASK2] a client that lost the connection comes back for its answer', async () => {
  const { host, post, get } = await stage();
  const gone = new AbortController();
  const before = reader(await post(toolCall(1), resumable, gone.signal));
  const point = (await before.next())?.id ?? '';
  const call = await host.nth(0);
  gone.abort();
  const after = reader(await get({ ...resumable, 'last-event-id': point }));
  expect((await after.next())?.id).toBe(point);
  expect(call.options.signal.aborted).toBe(false);
  call.end(done('here it is'));
  expect((await after.next())?.message).toMatchObject({
    id: 1,
    result: { content: [{ text: 'here it is' }] },
  });
  expect(await after.next()).toBeUndefined();
});

test('[ASK2] an answer that came while nobody was connected is kept for the one who comes back', async () => {
  const { host, http, clock, post, get } = await stage();
  const gone = new AbortController();
  const before = reader(await post(toolCall(1), resumable, gone.signal));
  const point = (await before.next())?.id ?? '';
  const call = await host.nth(0);
  gone.abort();
  await holds(async () => expect(await connections(http)).toBe(0));
  call.end(done('meanwhile'));
  clock.pass(24_000);
  const after = reader(await get({ ...resumable, 'last-event-id': point }));
  await after.next();
  expect((await after.next())?.message).toMatchObject({ result: { content: [{ text: 'meanwhile' }] } });
});

test('[TOOL9] a client that does not come back in time ends its run', async () => {
  const { host, http, clock, post } = await stage();
  const gone = new AbortController();
  await post(toolCall(1), resumable, gone.signal);
  const { options } = await host.nth(0);
  gone.abort();
  await holds(async () => expect(await connections(http)).toBe(0));
  clock.pass(24_999);
  expect(options.signal.aborted).toBe(false);
  clock.pass(1);
  expect(options.signal.aborted).toBe(true);
});

test('[TOOL6] after a restart a call is told that its answer will come as a message', async () => {
  const first = await stage();
  const before = reader(
    await first.post(toolCall('a', 'ask_user', { 'claudecode/toolUseId': 'toolu_1' }), resumable),
  );
  const point = (await before.next())?.id ?? '';
  first.endpoint.close();
  for (const left of ['open', 'answered'] as const) {
    const second = await stage({
      left: (id, callId) => (id === 's1' && callId === 'toolu_1' ? left : null),
    });
    const after = reader(
      await second.get({ ...resumable, 'last-event-id': point, 'mcp-session-id': 'of-the-first' }),
    );
    expect((await after.next())?.id).toBe(point);
    const answer = (await after.next())?.message;
    expect(answer).toMatchObject({ id: 'a', result: { isError: false } });
    expect(answer.result.content[0].text).toContain('will reach you as a message');
    expect(answer.result.content[0].text).toContain(left === 'open' ? 'still open' : 'has answered');
  }
  const third = await stage();
  const lost = reader(await third.get({ ...resumable, 'last-event-id': point }));
  await lost.next();
  const told = (await lost.next())?.message;
  expect(told).toMatchObject({ id: 'a', result: { isError: true } });
  expect(told.result.content[0].text).toContain('connection to Beckon was lost');
});

test('[TOOL11] a client goes on after a restart without knowing of it', async () => {
  const first = await stage();
  const own = await first.client();
  first.host.answer = done('before');
  await own.callTool({ name: 'deploy', arguments: {} });
  first.endpoint.close();
  first.http.closeAllConnections();
  await new Promise((resolve) => first.http.close(resolve));
  const second = await stage({ port: first.port });
  second.host.answer = done('after');
  // The first attempt may still meet a connection of the old server.
  await holds(async () => {
    const result = await own.callTool({ name: 'deploy', arguments: {} });
    expect(result).toMatchObject({ content: [{ text: 'after' }] });
  });
});

test('[API4] a place to go on from that was never given is refused', async () => {
  const { get } = await stage();
  expect((await get({ 'last-event-id': 'nonsense' })).status).toBe(400);
  expect((await get({ 'last-event-id': Buffer.from('[1]').toString('base64url') })).status).toBe(400);
});

test('[TOOL13] a client that listens hears of tools that were loaded anew', async () => {
  const { host, client } = await stage();
  const heard = Promise.withResolvers<string[]>();
  const onChanged = (_: Error | null, tools: { name: string }[] | null): void =>
    heard.resolve((tools ?? []).map(({ name }) => name));
  const own = await client({ listChanged: { tools: { onChanged, debounceMs: 0 } } });
  await own.listTools();
  // Whether it listens yet does not matter.
  host.change([describe('fresh')]);
  expect(await heard.promise).toEqual(['fresh']);
});

test('[TOOL13] a client is told of a change until it asks for the list, and of nothing else', async () => {
  const { host, clock, post, get } = await stage();
  await post(request(1, 'tools/list'));
  const listening = reader(await get());
  host.change([...host.tools]);
  host.change([describe('fresh')]);
  expect((await listening.next())?.message).toEqual(listChanged);
  clock.pass(15_000);
  expect((await listening.next())?.message).toEqual(listChanged);
  await post(request(2, 'tools/list'));
  clock.pass(15_000);
  host.change([describe('fresher')]);
  expect((await listening.next())?.message).toEqual(listChanged);
  expect(listening.comments()).toBe(2);
});

test('[TOOL13] [STORE2] a client of an earlier server is told to look at the list when it listens again', async () => {
  const { endpoint, post, get } = await stage();
  const listening = reader(await get());
  expect((await listening.next())?.message).toEqual(listChanged);
  await post(request(1, 'tools/list'));
  const again = reader(await get());
  endpoint.endSession(session('s1'));
  expect(await again.next()).toBeUndefined();
});

test('[TOOL11] a second client on the same session works beside the first', async () => {
  const { host, client } = await stage();
  const [one, two] = [await client(), await client()];
  const first = one.callTool({ name: 'deploy', arguments: { who: 1 } });
  const a = await host.nth(0);
  const second = two.callTool({ name: 'deploy', arguments: { who: 2 } });
  const b = await host.nth(1);
  b.end(done('second'));
  a.end(done('first'));
  expect(await first).toMatchObject({ content: [{ text: 'first' }] });
  expect(await second).toMatchObject({ content: [{ text: 'second' }] });
});

test('[TOOL11] a client that takes its leave ends what it has open', async () => {
  const { host, url, post } = await stage();
  void post(toolCall(1), { 'mcp-session-id': 'one' });
  void post(toolCall(2), { 'mcp-session-id': 'other' });
  const [first, second] = [await host.nth(0), await host.nth(1)];
  const left = await fetch(url(), { method: 'DELETE', headers: { 'mcp-session-id': 'one' } });
  expect(left.status).toBe(200);
  const aborted = [first, second].map((call) => [call.options.signal.aborted]);
  expect(aborted.flat().filter(Boolean)).toHaveLength(1);
});

test('[TOOL11] what may be open at once for a session is bounded, and a number is not used twice', async () => {
  const { host, post, get } = await stage({ limits: { callsPerSession: 2, listenersPerSession: 1 } });
  await post(toolCall(1));
  expect((await post(toolCall(1))).status).toBe(400);
  await post(toolCall(2));
  const refused = await post(toolCall(3));
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ id: 3 });
  await get();
  expect((await get()).status).toBe(429);
  (await host.nth(0)).end(done('x'));
  await holds(async () => expect((await post(toolCall(4))).status).toBe(200));
});

test('[TOOL11] a thousand calls leave nothing behind', async () => {
  const { host, clock, client } = await stage();
  const own = await client();
  host.answer = done('quick');
  const armed = clock.armed;
  for (let round = 0; round < 40; round++) {
    const calls = Array.from({ length: 25 }, () => own.callTool({ name: 'deploy', arguments: {} }));
    for (const result of await Promise.all(calls)) expect(result).toMatchObject({ isError: false });
  }
  expect(clock.armed).toBe(armed);
});

test('[TOOL9] [SES6] the end of a session ends its streams and, with an answer in words, its calls, and no others', async () => {
  const { host, http, endpoint, url, post, get } = await stage();
  const gone = new AbortController();
  await post(toolCall(2), resumable, gone.signal);
  const abandoned = await host.nth(0);
  gone.abort();
  await holds(async () => expect(await connections(http)).toBe(0));
  const waiting = reader(await post(toolCall(1)));
  const first = await host.nth(1);
  const listening = reader(await get());
  await listening.next();
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const other = await fetch(url('s2'), { method: 'POST', headers, body: JSON.stringify(toolCall(1)) });
  const elsewhere = await host.nth(2);

  endpoint.endSession(session('s1'));
  expect((await waiting.next())?.message).toMatchObject({
    id: 1,
    result: { isError: true, content: [{ text: 'ended' }] },
  });
  expect(await waiting.next()).toBeUndefined();
  expect(await listening.next()).toBeUndefined();
  expect(first.options.signal.aborted).toBe(true);
  expect(abandoned.options.signal.aborted).toBe(true);
  elsewhere.end(done('still here'));
  expect((await reader(other).next())?.message).toMatchObject({
    result: { content: [{ text: 'still here' }] },
  });
});

test('[ASK11] a key is that of one session, while that session lives', async () => {
  const alive = new Set(['s1']);
  const { endpoint } = await stage({ admits: (id) => alive.has(id) });
  expect(endpoint.opens('s1', keys.of('s1'))).toBe(true);
  expect(endpoint.opens('s1', keys.of('s2'))).toBe(false);
  expect(endpoint.opens('s2', keys.of('s2'))).toBe(false);
  expect(endpoint.opens('s1', '')).toBe(false);
  alive.clear();
  expect(endpoint.opens('s1', keys.of('s1'))).toBe(false);
});

const connections = (http: import('node:http').Server): Promise<number> =>
  new Promise((resolve, reject) =>
    http.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );
