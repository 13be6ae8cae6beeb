import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  parseJSONRPCMessage,
  type RequestId,
  Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../engine/ports/clock.ts';
import type { ToolDesk } from '../../engine/ports/tool-desk.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { CallOptions, ToolHost } from '../host/tool-host.ts';
import { EventStream, rpcCode, sendError, sendJson, sendNothing } from './http-replies.ts';
import { OpenCall, type ResumePoint, readResumeId } from './open-call.ts';

export interface McpContext {
  readonly host: Pick<ToolHost, 'tools' | 'call'>;
  /** What became of the ask of a run that is gone: its answer is a message. */
  readonly leftOpen: ToolDesk['leftOpen'];
  readonly version: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly limits: McpLimits;
}

export interface McpLimits {
  /** How often something is written to a client that waits. */
  readonly keepAliveMs: number;
  /** When a client that lost the connection tries again. It tries once or twice: this bounds how long a restart may take. */
  readonly retryMs: number;
  /** How long a run goes on without anyone to take its answer. */
  readonly graceMs: number;
  readonly callsPerSession: number;
  readonly listenersPerSession: number;
}

/** One HTTP request, and whose it is. */
export interface Visit {
  readonly client: {
    /** Tells clients of the same session apart; empty for one that has none. */
    readonly label: string;
    /** The version of MCP it settled on; empty until it has. */
    readonly version: string;
    /** How long it waits for a tool, where its driver told it. */
    readonly limitMs: number | undefined;
  };
  readonly response: ServerResponse;
}

export const knownVersions: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS;

/** From this version on a client takes an event without data, and knows how to come back for an answer. */
const resumableSince = '2025-11-25';

/** What the clients of one session have open: calls that run, and streams on which they hear of new tools. */
export class McpSession {
  readonly #id: SessionId;
  readonly #context: McpContext;
  readonly #calls = new Map<string, OpenCall>();
  readonly #listeners = new Set<EventStream>();
  /** Whether a client may know an older list: it met an earlier server, or was told of a change and has not asked since. */
  #isBehind = true;

  constructor(id: SessionId, context: McpContext) {
    this.#id = id;
    this.#context = context;
  }

  get isIdle(): boolean {
    return this.#calls.size === 0 && this.#listeners.size === 0;
  }

  async post(visit: Visit, body: unknown): Promise<void> {
    const message = messageIn(body);
    if (message === undefined) return sendError(visit.response, 400, body === undefined ? noJson : noMessage);
    if (isJSONRPCRequest(message))
      return message.method === 'tools/call' ? this.#call(visit, message) : this.#ask(visit, message);
    if (isJSONRPCNotification(message)) this.#hear(visit, message);
    sendNothing(visit.response, 202);
  }

  listen({ response }: Visit): void {
    if (this.#listeners.size >= this.#context.limits.listenersPerSession) {
      sendError(response, 429, tooMany);
      return;
    }
    const stream: EventStream = new EventStream(response, () => this.#listeners.delete(stream));
    this.#listeners.add(stream);
    stream.comment();
    if (this.#isBehind) stream.message(listChanged);
  }

  /** A client that lost the connection comes back: to its call or, when that is gone, to be told so. */
  resume({ client, response }: Visit, lastEventId: string): void {
    const point = readResumeId(lastEventId);
    const running = point && this.#calls.get(callKey(client.label, point.requestId));
    if (point === undefined) sendError(response, 400, noEvent);
    else if (running?.point.callId === point.callId) running.attach(response);
    else {
      const stream = new EventStream(response, () => {});
      stream.message(goneAnswer(point, this.#context.leftOpen(this.#id, point.callId)));
      stream.end();
    }
  }

  leave({ client, response }: Visit): void {
    for (const [key, call] of [...this.#calls])
      if (key.startsWith(callKeyStart(client.label))) call.cancel('The agent has left.');
    sendNothing(response, 200);
  }

  keepAlive(): void {
    for (const call of this.#calls.values()) call.keepAlive();
    // A client that is told of a change while it asks for the list may take the answer for the newest: it is told again.
    for (const listener of this.#listeners)
      if (this.#isBehind) listener.message(listChanged);
      else listener.comment();
  }

  tellOfChange(): void {
    this.#isBehind = true;
    for (const listener of this.#listeners) listener.message(listChanged);
  }

  /** The session is over: who waits for a call is told so. */
  end(): void {
    for (const call of [...this.#calls.values()]) call.stop('The session has ended.');
    for (const listener of [...this.#listeners]) listener.end();
  }

  /** Lets go of every connection. */
  close(): void {
    for (const call of [...this.#calls.values()]) call.cancel('The server is ending.');
    for (const listener of [...this.#listeners]) listener.end();
  }

  /** Anything but a tool's call is answered at once, in one piece. */
  async #ask({ response }: Visit, message: JSONRPCRequest): Promise<void> {
    if (message.method === 'initialize' || message.method === 'tools/list') this.#isBehind = false;
    const { promise, resolve: send } = Promise.withResolvers<JSONRPCMessage>();
    const end = await this.#serve(message, noRun, send);
    const reply = await promise;
    end();
    const isMet = message.method === 'initialize' && 'result' in reply;
    sendJson(response, 200, reply, isMet ? { 'mcp-session-id': randomUUID() } : {});
  }

  async #call({ client, response }: Visit, message: JSONRPCRequest): Promise<void> {
    const { id, params } = message;
    const key = callKey(client.label, id);
    const { clock, limits } = this.#context;
    if (this.#calls.has(key)) return sendError(response, 400, { ...idInUse, id });
    if (this.#calls.size >= limits.callsPerSession) return sendError(response, 429, { ...tooMany, id });
    const callId = toolCallIdOf(params?._meta) ?? `call-${randomUUID()}`;
    const call = new OpenCall({
      point: { requestId: id, callId },
      progressToken: params?._meta?.progressToken,
      isResumable: client.version >= resumableSince,
      retryMs: limits.retryMs,
      graceMs: limits.graceMs,
      clock,
      onOver: () => this.#calls.delete(key),
    });
    this.#calls.set(key, call);
    call.attach(response);
    const { limitMs } = client;
    const run = { callId, signal: call.signal, progress: (text: string) => call.progress(text), limitMs };
    call.whenOver(await this.#serve(message, run, (said) => call.send(said)));
  }

  /**
   * Answers one message. Nothing is kept between two of them, so a client may come from an earlier server and go on as if nothing
   * had happened. `send` hears what is said to the client, in the end the answer, unless the result is called before: that ends it.
   */
  async #serve(
    message: JSONRPCMessage,
    run: Run,
    send: (message: JSONRPCMessage) => void,
  ): Promise<() => void> {
    const { host, version } = this.#context;
    const server = new Server(
      { name: serverName, title: 'Beckon', version },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.setRequestHandler('tools/list', () => ({
      tools: host.tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema: { ...inputSchema, type: 'object' as const },
      })),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const { name, arguments: args = {} } = params;
      // Only an agent that tells its own id of the call has a conversation in which the tool has the longer name.
      const isOfAgent = toolCallIdOf(mcpReq._meta) !== undefined;
      const names = isOfAgent ? { agentToolName: `mcp__${serverName}__${name}` } : {};
      const result = await host.call(this.#id, name, args, { ...run, ...names });
      return { content: [{ type: 'text', text: result.text }], isError: !result.ok };
    });
    const transport: Transport = {
      start: async () => {},
      send: async (said) => send(said),
      close: async () => transport.onclose?.(),
    };
    await server.connect(transport);
    transport.onmessage?.(message);
    return () => void transport.close();
  }

  #hear({ client }: Visit, { method, params }: JSONRPCNotification): void {
    if (method !== 'notifications/cancelled') return;
    this.#calls.get(callKey(client.label, params?.requestId as RequestId))?.cancel(reasonIn(params?.reason));
  }
}

function messageIn(body: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(body);
  } catch {
    return undefined;
  }
}

/** `1` and `"1"` are two ids. */
const callKey = (label: string, id: RequestId): string => callKeyStart(label) + JSON.stringify(id);
const callKeyStart = (label: string): string => `${label} `;

const listChanged = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

const LONGEST_REASON = 1000;
const reasonIn = (given: unknown): string | undefined =>
  typeof given === 'string' && given.trim() !== '' ? given.slice(0, LONGEST_REASON) : undefined;

/** How a tool is run, if the message calls one. */
type Run = Required<Pick<CallOptions, 'callId' | 'signal' | 'progress'>> & Pick<CallOptions, 'limitMs'>;

/** For what calls no tool. */
const noRun: Run = { callId: '', signal: new AbortController().signal, progress: () => {} };

const noJson = { code: rpcCode.parseError, message: 'The body is no JSON, or is nested too deeply.' };
const noMessage = {
  code: rpcCode.invalidRequest,
  message: 'The body is no JSON-RPC message. Several in one body are not taken.',
};
const noEvent = { code: rpcCode.invalidParams, message: 'There is no such event to go on from.' };
const idInUse = { code: rpcCode.invalidRequest, message: 'A request with this id is being answered.' };
const tooMany = { code: rpcCode.refused, message: 'Too much is open for this session. Try again later.' };

/** What a call is told whose server is gone. The answer itself is a message, here only announced: it is heard once. */
function goneAnswer({ requestId }: ResumePoint, left: 'open' | 'answered' | undefined): object {
  const text = left === undefined ? resultLost : `${restarted} ${goesOn[left]}`;
  return {
    jsonrpc: '2.0',
    id: requestId,
    result: { content: [{ type: 'text', text }], isError: left === undefined },
  };
}

const restarted = 'Beckon was restarted while this tool waited for a person.';
const goesOn = {
  open: 'The question is still open: the answer will reach you as a message. Do not ask again.',
  answered: 'The person has answered meanwhile: the answer will reach you as a message. Do not ask again.',
} as const;
const resultLost =
  'The connection to Beckon was lost while this tool ran, and its result with it. The tool may have done its work: find out before you call it again.';

/** As it is called by the agents that put a server's name before a tool's. */
const serverName = 'beckon';

/** The agent's own id of a call, which ties what the tool asks to the place in the conversation. */
function toolCallIdOf(meta: unknown): string | undefined {
  const id = (meta as Record<string, unknown> | undefined)?.['claudecode/toolUseId'];
  return typeof id === 'string' && id !== '' && id.length <= 200 ? id : undefined;
}
