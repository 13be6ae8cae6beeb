import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openInteractiveTools } from '../../src/cli/interactive-tools.ts';
import { endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { afterwards } from './mcp-stage.ts';

endRoomsAfterEach();

/** The tools as the program puts them together, for a client of the protocol that is not the session's agent. */
async function openTools() {
  const room = await openRoom();
  const [id, agent] = await room.running();
  const { engine, clock } = room;
  engine.clients.connect({ label: 'test', interaction: { supported: true, enabled: true } });
  const logger = pino({ level: 'silent' });
  const parts = { files: [], secret: 'a secret for tests', version: '1.2.3', clock, logger };
  const tools = await openInteractiveTools(engine, parts);
  const http = createServer(async (request, response) => {
    const body = request.method === 'POST' ? await json(request) : undefined;
    await tools.endpoint.handle(id, request, response, body);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  afterwards(async () => {
    await tools.end();
    tools.disconnect();
    http.closeAllConnections();
    http.close();
  });
  const client = new Client({ name: 'generic', version: '1' });
  const { port } = http.address() as AddressInfo;
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp/${id}`)));
  afterwards(() => client.close());
  const called = client.callTool({ name: 'ask_user', arguments: { question: 'Why?' } });
  await room.event(id, 'interaction.requested');
  return { room, id, agent, tools, called };
}

const told = (text: string) => ({ isError: true, content: [{ type: 'text', text }] });

it('[TOOL9] [SES6] a session that is stopped tells every client that waits for a tool', async () => {
  const { room, id, called } = await openTools();
  await room.do('stop', { session: id });
  expect(await called).toMatchObject(told('The session was stopped. (run_ended)'));
});

it('[TOOL9] [SES5] so does an interrupt', async () => {
  const { room, id, agent, called } = await openTools();
  await room.do('interrupt', { session: id });
  agent.end('interrupted');
  expect(await called).toMatchObject(told('The turn was interrupted. (run_ended)'));
});

it('[TOOL6] a server that ends says that the answer will come as a message', async () => {
  const { tools, called } = await openTools();
  await tools.end();
  const { content } = await called;
  expect(content).toMatchObject([{ text: expect.stringContaining('the answer will come as a message') }]);
});
