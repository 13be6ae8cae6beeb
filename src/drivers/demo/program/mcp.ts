import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../fields.ts';
import { version } from './session.ts';
import { failed, type Tool } from './tools.ts';

// An import of it would also load the other client that Node has, and each start would wait for it.
const { request: httpRequest } = process.getBuiltinModule('node:http');

const protocol = '2025-11-25';
const connectMs = 10_000;
const resumeAttempts = 3;

/** The MCP servers named on the command line, and their tools. */
export interface McpServers {
  /** Settles when each of them is connected or has failed. */
  ready(): Promise<unknown>;
  status(): readonly { readonly name: string; readonly status: 'connected' | 'failed' }[];
  toolNames(): readonly string[];
  find(name: string): Tool | undefined;
}

/** Begins to connect at once; `allowed` names the tools that need no asking. */
export function openServers(configFile: string | undefined, allowed: string): McpServers {
  const servers = configFile === undefined ? [] : serversIn(configFile);
  const connecting = Promise.all(servers.map((server) => server.connect()));
  const unasked = new Set(allowed.split(','));
  const tools = (): readonly Tool[] => servers.flatMap((server) => server.tools(unasked));
  return {
    ready: () => connecting,
    status: () =>
      servers.map(({ name, isConnected }) => ({ name, status: isConnected ? 'connected' : 'failed' })),
    toolNames: () => tools().map(({ name }) => name),
    find: (name) => tools().find((tool) => tool.name === name),
  };
}

function serversIn(configFile: string): readonly McpServer[] {
  const config: unknown = JSON.parse(readFileSync(configFile, 'utf8'));
  const servers = isObject(config) ? (objectAt(config, 'mcpServers') ?? {}) : {};
  return Object.entries(servers).flatMap(([name, server]) =>
    isObject(server) ? new McpServer(name, server) : [],
  );
}

/** One server, spoken to over Streamable HTTP. */
class McpServer {
  readonly name: string;
  readonly #url: string;
  readonly #headers: Record<string, string>;
  #nextId = 0;
  #tools: readonly string[] = [];
  isConnected = false;

  constructor(name: string, server: JsonObject) {
    this.name = name;
    this.#url = textAt(server, 'url') ?? '';
    this.#headers = { ...(objectAt(server, 'headers') as Record<string, string> | undefined) };
  }

  async connect(): Promise<void> {
    try {
      const clientInfo = { name: 'beckon-demo', version };
      const signal = AbortSignal.timeout(connectMs);
      await this.#request('initialize', { protocolVersion: protocol, capabilities: {}, clientInfo }, signal);
      await this.#notify('notifications/initialized', {});
      const listed = await this.#request('tools/list', {}, signal);
      this.#tools = listAt(listed, 'tools').flatMap((tool) => textAt(tool, 'name') ?? []);
      this.isConnected = true;
    } catch (error) {
      process.stderr.write(`MCP server "${this.name}": ${error}\n`);
    }
  }

  tools(unasked: ReadonlySet<string>): readonly Tool[] {
    return this.#tools.map((tool): Tool => {
      const name = `mcp__${this.name}__${tool}`;
      return {
        name,
        kind: unasked.has(name) ? 'free' : 'command',
        run: async (input, { toolUseId, signal }) => {
          try {
            const result = await this.#call(tool, input, toolUseId, signal);
            const content = listAt(result, 'content');
            return { content, isError: result.isError === true, structured: content };
          } catch (error) {
            signal.throwIfAborted();
            return failed(`MCP server "${this.name}": ${error instanceof Error ? error.message : error}`);
          }
        },
      };
    });
  }

  /** The server is told when the signal fires. */
  async #call(name: string, input: JsonObject, toolUseId: string, signal: AbortSignal): Promise<JsonObject> {
    const requestId = this.#nextId;
    const _meta = { 'claudecode/toolUseId': toolUseId, progressToken: requestId };
    const cancel = (): void => {
      const params = { requestId, reason: 'interrupted' };
      void this.#notify('notifications/cancelled', params).catch(() => {});
    };
    signal.addEventListener('abort', cancel, { once: true });
    const called = this.#request('tools/call', { name, arguments: input, _meta }, signal);
    return called.finally(() => signal.removeEventListener('abort', cancel));
  }

  async #request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const id = this.#nextId++;
    const reply = await this.#send('POST', { body: { jsonrpc: '2.0', id, method, params }, signal });
    const session = reply.headers['mcp-session-id'];
    if (method === 'initialize' && typeof session === 'string') this.#headers['mcp-session-id'] = session;
    this.#headers['mcp-protocol-version'] = protocol;
    const isStream = reply.headers['content-type']?.startsWith('text/event-stream') ?? false;
    const answer = isStream ? await this.#awaitAnswer(reply, id, signal) : await jsonOf(reply);
    const result = objectAt(answer, 'result');
    if (result) return result;
    throw new Error(textAt(objectAt(answer, 'error') ?? {}, 'message') ?? 'the answer makes no sense');
  }

  /** A stream that breaks is taken up again where it was, as often as the real program does. */
  async #awaitAnswer(first: IncomingMessage, id: number, signal: AbortSignal): Promise<JsonObject> {
    let reply: IncomingMessage | undefined = first;
    let last: string | undefined;
    let retryMs = 1_000;
    const events: EventSourceMessage[] = [];
    for (let attempt = 0; attempt <= resumeAttempts; attempt++) {
      const parser = createParser({
        onEvent: (event) => events.push(event),
        onRetry: (ms) => {
          retryMs = ms;
        },
      });
      try {
        for await (const chunk of reply?.setEncoding('utf8') ?? []) {
          parser.feed(chunk);
          for (const event of events.splice(0)) {
            last = event.id ?? last;
            const message: unknown = event.data === '' ? undefined : JSON.parse(event.data);
            if (isObject(message) && message.id === id) return message;
          }
        }
      } catch {
        // It broke, or was taken back: the pause tells the latter.
      }
      if (last === undefined) break;
      await delay(retryMs, undefined, { signal });
      reply = await this.#send('GET', { headers: { 'last-event-id': last }, signal }).catch(() => undefined);
    }
    throw new Error('the connection was closed before the call was answered');
  }

  async #notify(method: string, params: JsonObject): Promise<void> {
    const body = { jsonrpc: '2.0', method, params };
    (await this.#send('POST', { body, signal: AbortSignal.timeout(connectMs) })).resume();
  }

  /** Without `fetch`: loading it takes longer than all else at a start, and two hundred may start at once. */
  #send(
    method: 'GET' | 'POST',
    {
      headers = {},
      body,
      signal,
    }: { headers?: Record<string, string>; body?: JsonObject; signal: AbortSignal },
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const accept = 'application/json, text/event-stream';
      const all = { accept, 'content-type': 'application/json', ...this.#headers, ...headers };
      const sent = httpRequest(this.#url, { method, headers: all, signal }, (reply) => {
        const { statusCode = 0 } = reply;
        if (statusCode < 300) return resolve(reply);
        reply.resume();
        reject(new Error(`the server answered ${statusCode}`));
      });
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  }
}

async function jsonOf(reply: IncomingMessage): Promise<JsonObject> {
  let text = '';
  for await (const chunk of reply.setEncoding('utf8')) text += chunk;
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}
