import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messagesWire } from './messages-wire.ts';
import { type ModelDialect, piecesOf, type SentBlock, type SentMessage } from './model-dialect.ts';
import { isFailure, type Reply, type ReplyOrMaker, type ToolUseBlock, text } from './model-reply.ts';
import type { ModelRequest, ToolResult } from './model-request.ts';

export { failure, gate, type Reply, text, thinking, toolUse } from './model-reply.ts';
export type { ModelRequest } from './model-request.ts';

/** Starts a scripted stand-in for a service of models on loopback, so that real agents work without an account. */
export async function startModelStandIn(dialect: ModelDialect = messagesWire): Promise<ModelStandIn> {
  const standIn = new ModelStandIn(dialect);
  await standIn.listen();
  return standIn;
}

type Match = string | ((request: ModelRequest) => boolean);
type ToolMatch = string | ((result: ToolResult) => boolean);
type ToolReply = Reply | ((result: ToolResult, request: ModelRequest) => Reply);

interface Waiter {
  readonly accepts: (request: ModelRequest) => boolean;
  readonly resolve: (request: ModelRequest) => void;
}

/** The fake API: replies by its rules, remembers every request. */
export class ModelStandIn {
  /**
   * Every request of a conversation so far, in the order they came. What the program asks on its own behalf is left out:
   * it repeats the person's words, at a moment of its own, and would be taken for theirs.
   */
  readonly requests: ModelRequest[] = [];
  url = '';

  readonly #dialect: ModelDialect;
  readonly #rules: ((request: ModelRequest) => Reply | Promise<Reply> | undefined)[] = [];
  readonly #callsInFlight = new Map<string, ToolUseBlock>();
  readonly #taken = new Set<ModelRequest>();
  readonly #waiters = new Set<Waiter>();
  readonly #server: Server = createServer((request, response) => this.#handle(request, response));
  #count = 0;

  constructor(dialect: ModelDialect) {
    this.#dialect = dialect;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Replies to a user message with exactly this text, or to any request the predicate picks. Later rules win. */
  on(match: Match, reply: ReplyOrMaker): this {
    const accepts = typeof match === 'string' ? ({ prompt }: ModelRequest) => prompt === match : match;
    this.#rules.unshift((request) => (accepts(request) ? made(reply, request) : undefined));
    return this;
  }

  /** Replies to the result of a tool, named or picked by a predicate, whose call did not bring its own reaction. */
  afterTool(match: ToolMatch, reply: ToolReply): this {
    const accepts = typeof match === 'string' ? (result: ToolResult) => result.toolName === match : match;
    this.#rules.unshift((request) => {
      const result = request.toolResults.find(accepts);
      if (result === undefined) return undefined;
      return typeof reply === 'function' ? reply(result, request) : reply;
    });
    return this;
  }

  /** The next request that the predicate picks and that no earlier call was given: one that came already, or one to come. */
  async nextRequest(accepts: (request: ModelRequest) => boolean, deadlineMs = 40_000): Promise<ModelRequest> {
    const seen = this.requests.find((request) => !this.#taken.has(request) && accepts(request));
    if (seen !== undefined) {
      this.#taken.add(seen);
      return seen;
    }
    const { promise, resolve, reject } = Promise.withResolvers<ModelRequest>();
    const waiter: Waiter = { accepts, resolve };
    this.#waiters.add(waiter);
    const timer = setTimeout(() => {
      const said = this.requests.map(({ prompt, toolResults }) => prompt ?? toolResults[0]?.text ?? '');
      const words = said.map((each) => each.slice(0, 200));
      reject(new Error(`No such request within ${deadlineMs} ms; seen: ${JSON.stringify(words)}`));
    }, deadlineMs);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    });
  }

  /** What a tool gave, in the next request that tells of it. */
  async nextResults(tool: string): Promise<ToolResult[]> {
    const isOfTool = ({ toolName }: ToolResult) => toolName === tool;
    const { toolResults } = await this.nextRequest((request) => request.toolResults.some(isOfTool));
    return toolResults.filter(isOfTool);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://stand-in').pathname;
    if (request.method !== 'POST') {
      json(response, request.method === 'HEAD' ? 200 : 404, this.#dialect.failure(notFound));
      return;
    }
    const body = await readJson(request).catch(() => undefined);
    if (body === undefined) return;
    const aside = this.#dialect.aside?.(path);
    if (aside) json(response, 200, aside);
    else await this.#answer(path, body, response);
  }

  async #answer(path: string, body: Record<string, unknown>, response: ServerResponse): Promise<void> {
    const read = this.#dialect.read(path, body);
    if (!read) {
      json(response, 404, this.#dialect.failure(notFound));
      return;
    }
    const { isStreamed, ...parts } = read;
    const ended = new Promise<'complete' | 'hung-up'>((resolve) => {
      response.once('close', () => resolve(response.writableFinished ? 'complete' : 'hung-up'));
    });
    const request: ModelRequest = { path, body, ended, ...parts };
    const isOfConversation = request.tools.length > 0;
    if (isOfConversation) this.#record(request);
    const reply = isOfConversation ? await this.#replyTo(request) : [text('Noted')];
    if (response.closed) return;
    if (isFailure(reply)) {
      json(response, reply.status, this.#dialect.failure(reply));
      return;
    }
    const id = `msg_standin_${++this.#count}`;
    const message = { id, model: request.model, blocks: reply.map((block) => this.#number(block)) };
    await (isStreamed ? this.#stream(response, message) : this.#sendWhole(response, message));
  }

  /** Ends early when the other side has hung up. */
  async #stream(response: ServerResponse, message: SentMessage): Promise<void> {
    const gone = new Promise<void>((resolve) => response.once('close', resolve));
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for (const part of this.#dialect.stream(message)) {
      if (part instanceof Promise) await Promise.race([part, gone]);
      else response.write(serverSentEvent(part));
      if (response.closed) return;
    }
    response.end();
  }

  async #sendWhole(response: ServerResponse, message: SentMessage): Promise<void> {
    await Promise.all(message.blocks.flatMap(({ block }) => piecesOf(block)));
    if (!response.closed) json(response, 200, this.#dialect.whole(message));
  }

  #replyTo(request: ModelRequest): Reply | Promise<Reply> {
    // After an interrupt the open call's result and the person's next words come in one message: the words count.
    for (const result of request.prompt === undefined ? request.toolResults : []) {
      const call = this.#callsInFlight.get(result.toolUseId);
      if (call?.afterTool !== undefined) return call.afterTool(result, request);
    }
    for (const rule of this.#rules) {
      const reply = rule(request);
      if (reply !== undefined) return reply;
    }
    return [text('Done.')];
  }

  #number(block: SentBlock['block']): SentBlock {
    const toolUseId = block.type === 'tool_use' ? `toolu_standin_${++this.#count}` : '';
    if (block.type === 'tool_use') this.#callsInFlight.set(toolUseId, block);
    return { block, toolUseId };
  }

  #record(request: ModelRequest): void {
    this.requests.push(request);
    for (const waiter of this.#waiters) {
      if (!waiter.accepts(request)) continue;
      this.#waiters.delete(waiter);
      this.#taken.add(request);
      waiter.resolve(request);
      return;
    }
  }
}

const notFound = { status: 404, kind: 'not_found_error', message: 'The stand-in has no such route' };

function serverSentEvent(part: Record<string, unknown> | string): string {
  if (typeof part === 'string') return `data: ${part}\n\n`;
  const name = typeof part.type === 'string' ? `event: ${part.type}\n` : '';
  return `${name}data: ${JSON.stringify(part)}\n\n`;
}

function made(reply: ReplyOrMaker, request: ModelRequest): Reply | Promise<Reply> {
  return typeof reply === 'function' ? reply(request) : reply;
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
