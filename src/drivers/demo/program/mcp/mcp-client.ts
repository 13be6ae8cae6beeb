import type { IncomingMessage } from 'node:http';
import process from 'node:process';
import { isObject, type JsonObject, objectsAt, stringAt } from '../json.ts';
import { VERSION } from '../version.ts';
import { serverSentEvents } from './server-sent.ts';

// An import of it would also load the other client that Node has, and each start would wait for it.
const { request: httpRequest } = process.getBuiltinModule('node:http');

const PROTOCOL = '2025-11-25';
const CONNECT_MS = 10_000;
const RESUME_ATTEMPTS = 3;
const DEFAULT_RETRY_MS = 1_000;

export interface McpTool {
  readonly name: string;
  readonly description: string;
}

export interface McpResult {
  readonly isError: boolean;
  readonly content: readonly JsonObject[];
}

interface Answer {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Speaks to one MCP server over Streamable HTTP. */
export class McpClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  #session: string | undefined;
  #isMet = false;
  #nextId = 0;
  tools: readonly McpTool[] = [];

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url;
    this.#headers = headers;
  }

  async connect(): Promise<void> {
    const signal = AbortSignal.timeout(CONNECT_MS);
    const params = {
      protocolVersion: PROTOCOL,
      capabilities: {},
      clientInfo: { name: 'beckon-demo', version: VERSION },
    };
    await this.#request('initialize', params, signal);
    await this.#notify('notifications/initialized');
    await this.list();
  }

  async list(): Promise<void> {
    const listed = await this.#request('tools/list', {}, AbortSignal.timeout(CONNECT_MS));
    this.tools = objectsAt(listed, 'tools').flatMap((tool) => {
      const name = stringAt(tool, 'name');
      return name === undefined ? [] : [{ name, description: stringAt(tool, 'description') ?? '' }];
    });
  }

  /** Rejects with the signal's reason when it fires; the server is told then. */
  async call(name: string, input: JsonObject, toolUseId: string, signal: AbortSignal): Promise<McpResult> {
    const id = this.#nextId;
    const _meta = { 'claudecode/toolUseId': toolUseId, progressToken: id };
    try {
      const result = await this.#request('tools/call', { name, arguments: input, _meta }, signal);
      return { isError: result.isError === true, content: objectsAt(result, 'content') };
    } catch (error) {
      if (!signal.aborted) throw error;
      const params = { requestId: id, reason: 'interrupted' };
      await this.#notify('notifications/cancelled', params).catch(() => undefined);
      throw signal.reason;
    }
  }

  async #request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const id = this.#nextId++;
    const reply = await this.#post({ jsonrpc: '2.0', id, method, params }, signal);
    const { 'mcp-session-id': session, 'content-type': type } = reply.headers;
    if (method === 'initialize') this.#session = typeof session === 'string' ? session : undefined;
    this.#isMet = true;
    const isStream = type?.startsWith('text/event-stream') ?? false;
    const answer = isStream ? await this.#awaitAnswer(reply, id, signal) : await jsonOf(reply);
    if (isObject(answer.result)) return answer.result;
    const reason = isObject(answer.error) ? stringAt(answer.error, 'message') : undefined;
    throw new Error(reason ?? 'the answer makes no sense');
  }

  /** A stream that breaks is taken up again where it was, as often as the real program does. */
  async #awaitAnswer(first: IncomingMessage, id: number, signal: AbortSignal): Promise<Answer> {
    let reply: IncomingMessage | undefined = first;
    let last: string | undefined;
    let retryMs = DEFAULT_RETRY_MS;
    for (let attempt = 0; attempt <= RESUME_ATTEMPTS; attempt++) {
      try {
        for await (const event of reply ? serverSentEvents(reply) : []) {
          last = event.id ?? last;
          retryMs = event.retryMs ?? retryMs;
          const message: unknown = event.data === '' ? undefined : JSON.parse(event.data);
          if (isObject(message) && message.id === id) return message;
        }
      } catch (error) {
        if (signal.aborted) throw error;
      }
      if (last === undefined) break;
      await pause(retryMs, signal);
      reply = await this.#resume(last, signal);
    }
    throw new Error('the connection was closed before the call was answered');
  }

  async #resume(last: string, signal: AbortSignal): Promise<IncomingMessage | undefined> {
    const headers = { ...this.#commonHeaders(), accept: 'text/event-stream', 'last-event-id': last };
    try {
      return await this.#send('GET', headers, undefined, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return undefined;
    }
  }

  async #notify(method: string, params: JsonObject = {}): Promise<void> {
    const reply = await this.#post({ jsonrpc: '2.0', method, params }, AbortSignal.timeout(CONNECT_MS));
    reply.resume();
  }

  #post(message: JsonObject, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = {
      ...this.#commonHeaders(),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    return this.#send('POST', headers, JSON.stringify(message), signal);
  }

  /** Without `fetch`: loading it takes longer than all else at a start, and two hundred may start at once. */
  #send(
    method: string,
    headers: Record<string, string>,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(this.#url, { method, headers, signal }, (reply) => {
        const { statusCode = 0 } = reply;
        if (statusCode < 300) return resolve(reply);
        reply.resume();
        reject(new Error(`the server answered ${statusCode}`));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  #commonHeaders(): Record<string, string> {
    return {
      ...this.#headers,
      ...(this.#isMet && { 'mcp-protocol-version': PROTOCOL }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
    };
  }
}

async function jsonOf(reply: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Answer;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
