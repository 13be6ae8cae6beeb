import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { Server } from '@modelcontextprotocol/server';
import type { SessionId } from '../../protocol/ids.ts';
import type { CallOptions, ToolHost } from '../host/tool-host.ts';

/** As it is called by the agents that put a server's name before a tool's. */
const serverName = 'beckon';

export interface Exchange {
  readonly sessionId: SessionId;
  readonly host: Pick<ToolHost, 'tools' | 'call'>;
  readonly version: string;
  /** How a tool is run, if the message calls one. */
  readonly run: Required<Pick<CallOptions, 'callId' | 'signal' | 'progress'>>;
  /** Called with what is said to the client: in the end the answer, if the exchange is not ended before. */
  send(message: JSONRPCMessage): void;
}

/**
 * Answers one message. Nothing is kept between two of them, so a client may come from an earlier server and go on as if nothing
 * had happened. The result ends the exchange.
 */
export async function serveMessage(exchange: Exchange, message: JSONRPCMessage): Promise<() => void> {
  const server = new Server(
    { name: serverName, title: 'Beckon', version: exchange.version },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: exchange.host.tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: 'object' as const },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const result = await exchange.host.call(exchange.sessionId, params.name, params.arguments ?? {}, {
      ...exchange.run,
      ...agentsOwnNames(params.name, mcpReq._meta),
    });
    return { content: [{ type: 'text', text: result.text }], isError: !result.ok };
  });
  const transport = new ExchangeTransport(exchange);
  await server.connect(transport);
  transport.onmessage?.(message);
  return () => void transport.close();
}

/** The agent's own id of a call, which ties what the tool asks to the place in the conversation. */
export function toolCallIdOf(meta: unknown): string | undefined {
  const id = (meta as Record<string, unknown> | undefined)?.['claudecode/toolUseId'];
  return typeof id === 'string' && id !== '' && id.length <= 200 ? id : undefined;
}

function agentsOwnNames(name: string, meta: unknown): { toolCallId?: string; agentToolName?: string } {
  const toolCallId = toolCallIdOf(meta);
  return toolCallId === undefined ? {} : { toolCallId, agentToolName: `mcp__${serverName}__${name}` };
}

class ExchangeTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#exchange.send(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
