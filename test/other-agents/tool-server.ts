import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { isRecord, type Json } from '../real-agents/model-dialect.ts';

/** Where an agent finds tools, as it is told when a session is opened. */
export interface ToolServer {
  readonly server: Json;
  close(): Promise<void>;
}

/** A server of tools under Beckon's name, with one tool that answers at once; for what is recorded without a Beckon. */
export async function startToolServer(): Promise<ToolServer> {
  const http = createServer(async (request, response) => {
    const message = request.method === 'POST' ? await json(request) : undefined;
    if (!isRecord(message)) response.writeHead(405).end();
    else if (!('id' in message)) response.writeHead(202).end();
    else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) }));
    }
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    server: { type: 'http', name: 'beckon', url: `http://127.0.0.1:${port}/mcp`, headers: [] },
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

function resultOf({ method, params }: Json): Json {
  switch (method) {
    case 'initialize': {
      const protocolVersion = isRecord(params) ? params.protocolVersion : undefined;
      const serverInfo = { name: 'beckon', version: '0.0.0' };
      return { protocolVersion, capabilities: { tools: {} }, serverInfo };
    }
    case 'tools/list': {
      const properties = { question: { type: 'string' } };
      const inputSchema = { type: 'object', properties, required: ['question'] };
      return { tools: [{ name: 'ask_user', description: 'Asks the person', inputSchema }] };
    }
    case 'tools/call':
      return { content: [{ type: 'text', text: 'Green' }], isError: false };
    default:
      return {};
  }
}
