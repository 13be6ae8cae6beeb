import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createParser } from 'eventsource-parser';
import { afterEach } from 'vitest';
import type { CallOptions, LeftCall } from '../../src/engine/ports/tool-calls.ts';
import type { SessionId } from '../../src/protocol/ids.ts';
import type { ToolCallResult, ToolDescription } from '../../src/tools/host/tool-host.ts';
import { createMcpEndpoint, type McpEndpointOptions, toolKeys } from '../../src/tools/mcp/endpoint.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { patienceMs } from '../support/patience.ts';

/** A call as the host was given it, to be ended by the test. */
export interface HostCall {
  readonly sessionId: string;
  readonly name: string;
  readonly args: unknown;
  readonly options: CallOptions;
  end(result: ToolCallResult): void;
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
/** Runs it after the test, last one first. */
export const afterwards = (end: () => unknown): void => void ends.push(end);

export const keys = toolKeys('a secret for tests');
export const done = (text: string): ToolCallResult => ({ ok: true, text, value: text });

/** Tools that do what a test tells them, and what was asked of them. */
export class ScriptedHost {
  readonly calls: HostCall[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new Set<() => void>();
  #tools: readonly ToolDescription[] = [describe('ask_user'), describe('deploy')];
  /** How often someone has looked at the list. */
  looks = 0;
  /** What became of the calls of an earlier server. */
  left: (sessionId: string, callId: string) => LeftCall['left'] = () => null;
  /** Ends every call at once, unless it is undefined. */
  answer: ToolCallResult | undefined;

  get tools(): readonly ToolDescription[] {
    this.looks += 1;
    return this.#tools;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(tools: readonly ToolDescription[]): void {
    this.#tools = tools;
    for (const listener of this.#listeners) listener();
  }

  call(sessionId: string, name: string, args: unknown, options: CallOptions): Promise<ToolCallResult> {
    if (this.answer !== undefined) return Promise.resolve(this.answer);
    return new Promise((resolve) => {
      const aborted = { ok: false, text: 'ended', code: 'run_ended', message: 'ended' } as const;
      options.signal.addEventListener('abort', () => resolve(aborted), { once: true });
      this.calls.push({ sessionId, name, args, options, end: resolve });
      for (const wake of [...this.#waiting]) wake();
    });
  }

  async resume(sessionId: string, callId: string): Promise<LeftCall> {
    return { left: this.left(sessionId, callId) };
  }

  /** The call with this number, from 0, come or to come. */
  async nth(number: number): Promise<HostCall> {
    for (;;) {
      const call = this.calls[number];
      if (call !== undefined) return call;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }
}

export function describe(name: string): ToolDescription {
  const inputSchema = { type: 'object', properties: { question: { type: 'string' } } };
  return { name, description: `About ${name}`, inputSchema, askFirst: false, file: undefined };
}

export interface Stage {
  readonly host: ScriptedHost;
  readonly clock: FakeClock;
  readonly endpoint: ReturnType<typeof createMcpEndpoint>;
  readonly http: Server;
  /** What the endpoint told the server's log. */
  readonly logged: readonly unknown[];
  readonly port: number;
  url(sessionId?: string): string;
  post(body: unknown, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>;
  get(headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>;
  /** The protocol's own client, connected. */
  client(options?: ConstructorParameters<typeof Client>[1]): Promise<Client>;
}

/** The endpoint on a port of its own, behind nothing but the parsing of bodies. */
export async function stage(
  options: Partial<McpEndpointOptions> & { port?: number; left?: ScriptedHost['left'] } = {},
): Promise<Stage> {
  const host = new ScriptedHost();
  if (options.left) host.left = options.left;
  const clock = new FakeClock();
  const logged: unknown[] = [];
  const endpoint = createMcpEndpoint({
    host,
    keys,
    clock,
    version: '1.2.3',
    admits: () => true,
    logger: { error: (details, message) => logged.push({ details, message }) },
    ...options,
  });
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const sessionId = request.url?.split('/').at(-1) ?? '';
    await endpoint.handle(sessionId, request, response, text === '' ? undefined : JSON.parse(text));
  });
  http.listen(options.port ?? 0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  afterwards(() => {
    endpoint.close();
    http.closeAllConnections();
    http.close();
  });
  const url = (sessionId = 's1'): string => `http://127.0.0.1:${port}/mcp/${sessionId}`;
  return {
    host,
    clock,
    endpoint,
    http,
    logged,
    port,
    url,
    post: (body, headers = {}, signal = AbortSignal.timeout(patienceMs)) =>
      fetch(url(), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(body),
        signal,
      }),
    get: (headers = {}, signal = AbortSignal.timeout(patienceMs)) =>
      fetch(url(), { headers: { accept: 'text/event-stream', ...headers }, signal }),
    async client(clientOptions) {
      const client = new Client({ name: 'test', version: '1' }, clientOptions);
      await client.connect(new StreamableHTTPClientTransport(new URL(url())));
      afterwards(() => client.close());
      return client;
    },
  };
}

export const request = (id: number | string, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

export const toolCall = (id: number | string, name = 'ask_user', meta: object = {}) =>
  request(id, 'tools/call', { name, arguments: { question: 'Why?' }, _meta: meta });

export interface Sent {
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  readonly message: any;
}

/** What a stream says, one by one; undefined at its end. */
export function reader(response: Response): { next(): Promise<Sent | undefined>; comments(): number } {
  const queue: Sent[] = [];
  let comments = 0;
  const parser = createParser({
    onEvent: ({ id, data }) => queue.push({ id, message: data === '' ? undefined : JSON.parse(data) }),
    onComment: () => {
      comments += 1;
    },
  });
  const body = response.body?.getReader();
  const decoder = new TextDecoder();
  return {
    comments: () => comments,
    async next() {
      for (;;) {
        const first = queue.shift();
        if (first !== undefined) return first;
        const { done: over, value } = (await body?.read()) ?? { done: true, value: undefined };
        if (over) return undefined;
        parser.feed(decoder.decode(value, { stream: true }));
      }
    },
  };
}

export const session = (id: string): SessionId => id as SessionId;
