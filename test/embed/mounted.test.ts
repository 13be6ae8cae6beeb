import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Beckon, type BeckonOptions, createBeckon } from 'beckon';
import { HttpTransport } from 'beckon/client';
import { defineDriver } from 'beckon/driver';
import { defineTool } from 'beckon/tools';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { endBeckons, runBeckon, temporaryDirectory } from '../support/beckon-process.ts';

// The whole program is loaded, and agents are started: on a busy machine that takes its time.
const open: { readonly beckon: Beckon; readonly server: Server }[] = [];
afterEach(async () => {
  for (const { beckon, server } of open.splice(0)) {
    await beckon.close();
    server.closeAllConnections();
    server.close();
  }
  await endBeckons();
});

/** A control room under a path of a server that has pages of its own. */
async function mount(options: Partial<BeckonOptions> = {}) {
  const dataDir = await temporaryDirectory();
  const beckon = await createBeckon({ dataDir, path: '/tools/beckon', ephemeral: true, ...options });
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/tools/beckon')) beckon.handler(request, response);
    else response.end('my own page');
  });
  server.on('upgrade', (request, socket, head) => {
    if (!beckon.upgrade(request, socket, head)) socket.end('HTTP/1.1 418 Mine\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({ beckon, server });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { url } = await beckon.mounted(origin);
  return { beckon, dataDir, origin, url };
}

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  input: z.object({ name: z.string() }),
  handler: ({ name }) => `Good evening, ${name}`,
});

describe('a control room under a path', () => {
  it('[API15] news come over HTTP, and an agent reaches a tool that the program gave', async () => {
    const { beckon, url, origin, dataDir } = await mount({ tools: [greet] });
    expect(url).toBe(`${origin}/tools/beckon`);
    const http = new HttpTransport({ baseUrl: url, token: beckon.token });
    const { id } = await http.createSession({ agent: 'demo', prompt: 'call greet {"name":"Ada"}' });
    await new Promise<void>((resolve) => {
      const end = http.follow(id, {
        after: 0,
        onEvent(event) {
          if (event.type !== 'tool.result' || !event.text.includes('Good evening, Ada')) return;
          end();
          resolve();
        },
      });
    });
    const { stdout } = await runBeckon(['ls', '--data-dir', dataDir]);
    expect(stdout).toContain('call greet');
  });

  it('[API15] links lead below the path, the cookie is for it alone, and what is not below it is somebody else’s', async () => {
    const { beckon, url, origin } = await mount();
    const { url: link } = await new HttpTransport({ baseUrl: url, token: beckon.token }).pairingLink();
    expect(link).toMatch(new RegExp(`^${url}/#pair=`));
    const paired = await fetch(`${url}/api/pair`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: beckon.pairingCode() }),
    });
    expect(paired.headers.get('set-cookie')).toContain('; Path=/tools/beckon; ');
    for (const place of [url, `${url}/`, `${url}?x`, `${url}/s/some`])
      expect((await fetch(place)).headers.get('content-type')).toContain('text/html');
    expect((await fetch(`${origin}/tools/beckoning`)).status).toBe(404);
    expect(await (await fetch(`${origin}/api/sessions`)).text()).toBe('my own page');
    expect(await upgradeStatus(`${origin}/api/ws`)).toBe(418);
    expect(await upgradeStatus(`${url}/api/ws`)).toBe(401);
  });

  it('[API15] after its end it says so, and the program’s own pages are there', async () => {
    const { beckon, url, origin } = await mount();
    await beckon.close();
    const { status } = await fetch(`${url}/api/sessions`, {
      headers: { authorization: `Bearer ${beckon.token}` },
    });
    expect(status).toBe(503);
    expect(await (await fetch(origin)).text()).toBe('my own page');
    await expect(beckon.mounted(origin)).rejects.toThrow('closed');
  });

  it('[API15] what cannot be meant is refused in words', async () => {
    const { beckon } = await mount();
    await expect(beckon.listen()).rejects.toThrow('is served by your own server');
    const dataDir = await temporaryDirectory();
    for (const path of ['', '/', 'beckon', '/beckon/', '/a b', '/"x'])
      await expect(createBeckon({ dataDir, path })).rejects.toThrow('"path" is like "/beckon"');
  });
});

describe('drivers of the program', () => {
  const mine = defineDriver({
    name: 'mine',
    label: 'Mine',
    open: () => ({
      probe: async () => ({ name: '', label: '', available: false, reason: 'It sleeps.', capabilities }),
      start: () => {
        throw new Error('It sleeps.');
      },
    }),
  });
  const capabilities = {
    ...{ steer: false, interrupt: false, images: false, resume: false, setModel: false },
    ...{ permissionModes: [], editInput: false, denyReason: false },
  };

  it('[API13] one that is given to createBeckon is listed under its name', async () => {
    const { beckon } = await mount({ drivers: [mine] });
    const agents = await beckon.transport.agents();
    expect(agents.find(({ name }) => name === 'mine')).toMatchObject({ label: 'Mine', reason: 'It sleeps.' });
  });

  it('[API13] two of one name, and what is no driver, are refused in words', async () => {
    const dataDir = await temporaryDirectory();
    const named = (name: string) => defineDriver({ ...mine, name });
    for (const drivers of [[mine, mine], [named('claude')]])
      await expect(createBeckon({ dataDir, drivers })).rejects.toThrow('there are two agents called');
    const none = [{ name: 'x' }] as unknown as (typeof mine)[];
    await expect(createBeckon({ dataDir, drivers: none })).rejects.toThrow(
      '"drivers" are what defineDriver gives',
    );
  });
});

/** With what an upgrade is refused. */
async function upgradeStatus(url: string): Promise<number | undefined> {
  const socket = new WebSocket(url.replace('http', 'ws'));
  socket.on('error', () => {});
  const [, reply] = await once(socket, 'unexpected-response');
  socket.terminate();
  return reply.statusCode;
}
