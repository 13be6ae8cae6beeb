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
import type { CallEnd, CallOptions, LeftCall, ToolCalls } from '../../engine/ports/tool-calls.ts';
import type { SessionId } from '../../protocol/ids.ts';
import { EventStream, rpcCode, sendError, sendJson, sendNothing } from './http-replies.ts';
import { OpenCall, type ResumePoint, readResumeId } from './open-call.ts';

export interface McpContext {
  readonly host: ToolCalls;
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
    /** Tools that it knows by another name than theirs. */
    readonly names: ReadonlyMap<string, string>;
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

  /** A client that lost the connection comes back: to its call or, when that began elsewhere, to what became of it. */
  async resume({ client, response }: Visit, lastEventId: string): Promise<void> {
    const point = readResumeId(lastEventId);
    if (point === undefined) return sendError(response, 400, noEvent);
    const plain = callKey(client.label, point.requestId);
    // A client that begins to count anew may have another call under the same number.
    const key = [plain, `${plain} ${point.callId}`].find((each) => this.#isFreeFor(each, point));
    const running = key === undefined ? undefined : this.#calls.get(key);
    if (running !== undefined) return running.attach(response);
    if (key === undefined || this.#isFull) return sendError(response, 429, tooMany);
    const call = this.#open(key, point, true);
    call.attach(response);
    const { callId, requestId: id } = point;
    const progress = (text: string): void => call.progress(text);
    try {
      const end = await this.#context.host.resume(this.#id, callId, { signal: call.signal, progress });
      call.send({ jsonrpc: '2.0', id, result: resultOf(end) });
    } catch (error) {
      call.cancel();
      throw error;
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
  async #ask({ client, response }: Visit, message: JSONRPCRequest): Promise<void> {
    if (message.method === 'initialize' || message.method === 'tools/list') this.#isBehind = false;
    const { promise, resolve: send } = Promise.withResolvers<JSONRPCMessage>();
    const end = await this.#serve(message, client.names, noRun, send);
    const reply = await promise;
    end();
    const isMet = message.method === 'initialize' && 'result' in reply;
    sendJson(response, 200, reply, isMet ? { 'mcp-session-id': randomUUID() } : {});
  }

  async #call({ client, response }: Visit, message: JSONRPCRequest): Promise<void> {
    const { id, params } = message;
    const key = callKey(client.label, id);
    if (this.#calls.has(key)) return sendError(response, 400, { ...idInUse, id });
    if (this.#isFull) return sendError(response, 429, { ...tooMany, id });
    const callId = toolCallIdOf(params?._meta) ?? `call-${randomUUID()}`;
    const progressToken = params?._meta?.progressToken;
    const call = this.#open(key, { requestId: id, callId, progressToken }, client.version >= resumableSince);
    call.attach(response);
    const { limitMs } = client;
    const run = { callId, signal: call.signal, progress: (text: string) => call.progress(text), limitMs };
    call.whenOver(await this.#serve(message, client.names, run, (said) => call.send(said)));
  }

  #open(key: string, point: ResumePoint, isResumable: boolean): OpenCall {
    const { clock, limits } = this.#context;
    const { retryMs, graceMs } = limits;
    const onOver = (): void => void this.#calls.delete(key);
    const call = new OpenCall({ point, isResumable, retryMs, graceMs, clock, onOver });
    this.#calls.set(key, call);
    return call;
  }

  get #isFull(): boolean {
    return this.#calls.size >= this.#context.limits.callsPerSession;
  }

  #isFreeFor(key: string, { callId }: ResumePoint): boolean {
    const call = this.#calls.get(key);
    return call === undefined || call.point.callId === callId;
  }

  /**
   * Answers one message. Nothing is kept between two of them, so a client may come from an earlier server and go on as if nothing
   * had happened. `send` hears what is said to the client, in the end the answer, unless the result is called before: that ends it.
   */
  async #serve(
    message: JSONRPCMessage,
    names: ReadonlyMap<string, string>,
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
        name: names.get(name) ?? name,
        description,
        inputSchema: { ...inputSchema, type: 'object' as const },
      })),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const { name: called, arguments: args = {} } = params;
      const name = [...names].find(([, given]) => given === called)?.[0] ?? called;
      // Only an agent that tells its own id of the call has a conversation in which the tool has the longer name.
      const isOfAgent = toolCallIdOf(mcpReq._meta) !== undefined;
      const longName = isOfAgent ? { agentToolName: `mcp__${serverName}__${name}` } : {};
      return resultOf(await host.call(this.#id, name, args, { ...run, ...longName }));
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

function resultOf(end: CallEnd) {
  const { ok, text } = 'left' in end ? goneWords(end) : end;
  return { content: [{ type: 'text' as const, text }], isError: !ok };
}

/** What a call is told whose server is gone. The answer itself is a message, here only announced: it is heard once. */
const goneWords = ({ left }: LeftCall): { readonly ok: boolean; readonly text: string } =>
  left === null ? { ok: false, text: resultLost } : { ok: true, text: `${restarted} ${goesOn[left]}` };

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
