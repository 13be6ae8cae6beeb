import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from '../../engine/ports/logger.ts';
import type { ToolEndpoint } from '../../engine/ports/tool-endpoint.ts';
import type { SessionId } from '../../protocol/ids.ts';
import { toolLimitHeader, toolNamesHeader } from '../../protocol/tool-limit.ts';
import { rpcCode, sendError } from './http-replies.ts';
import type { McpContext, McpLimits, McpSession, Visit } from './mcp-session.ts';

export interface McpEndpointOptions extends Omit<McpContext, 'limits'> {
  readonly keys: ToolKeys;
  /** Whether there is such a session and it may call tools. */
  readonly admits: (sessionId: SessionId) => boolean;
  readonly logger: Pick<Logger, 'error'>;
  readonly limits?: Partial<McpLimits>;
}

export interface McpEndpoint extends ToolEndpoint {
  /** Ends what a session's clients have open, for a session that is over; those who wait for a call are told. */
  endSession(sessionId: SessionId): void;
  /** Lets go of every connection. */
  close(): void;
}

const defaultLimits: McpLimits = {
  keepAliveMs: 15_000,
  retryMs: 10_000,
  graceMs: 25_000,
  callsPerSession: 64,
  listenersPerSession: 16,
};

/**
 * The tools over MCP's Streamable HTTP. Nothing is remembered of a client but what it has open, so one that was started under an
 * earlier server goes on with this one. `Mcp-Session-Id` only tells the requests of several clients apart.
 */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { host, keys, clock } = options;
  const context: McpContext = { ...options, limits: { ...defaultLimits, ...options.limits } };
  const sessions = new Map<SessionId, McpSession>();
  /** Read with the first request: the library is large, and a server without agents has no use for it. */
  const library = () => import('./mcp-session.ts');
  let isClosed = false;
  const forgetIdle = (): void => {
    for (const [id, session] of sessions) if (session.isIdle) sessions.delete(id);
  };

  let stopTicking = (): void => {};
  const tick = (): void => {
    stopTicking = clock.after(context.limits.keepAliveMs, tick);
    forgetIdle();
    for (const session of sessions.values()) session.keepAlive();
  };
  stopTicking = clock.after(context.limits.keepAliveMs, tick);
  let offered = JSON.stringify(host.tools);
  const stopListening = host.onChange(() => {
    const now = JSON.stringify(host.tools);
    // A file that is half written is a change, too, but none to agents.
    if (now === offered) return;
    offered = now;
    for (const session of sessions.values()) session.tellOfChange();
  });

  return {
    opens: (sessionId, key) => keys.fits(sessionId, key) && options.admits(sessionId as SessionId),
    async handle(sessionId, request, response, body) {
      const { McpSession, knownVersions } = await library();
      if (isClosed) {
        response.destroy();
        return;
      }
      const client = clientOf(request, knownVersions);
      if ('message' in client) return sendError(response, client.status, client);
      const visit: Visit = { client, response };
      const session = sessions.get(sessionId as SessionId) ?? new McpSession(sessionId as SessionId, context);
      sessions.set(sessionId as SessionId, session);
      const lastEventId = header(request, 'last-event-id');
      try {
        if (request.method === 'POST') await session.post(visit, body);
        else if (request.method === 'DELETE') session.leave(visit);
        else if (lastEventId === undefined) session.listen(visit);
        else await session.resume(visit, lastEventId);
      } catch (error) {
        options.logger.error({ sessionId, err: error }, 'A request to the tools failed');
        if (response.headersSent) response.end();
        else
          sendError(response, 500, {
            code: rpcCode.internalError,
            message: 'This is a fault of the server.',
          });
      }
    },
    endSession: (sessionId) => sessions.get(sessionId)?.end(),
    close() {
      isClosed = true;
      stopTicking();
      stopListening();
      for (const session of sessions.values()) session.close();
      sessions.clear();
    },
  };
}

type Unfit = { readonly status: number; readonly code: number; readonly message: string };

function clientOf(request: IncomingMessage, known: readonly string[]): Visit['client'] | Unfit {
  const accepted = header(request, 'accept') ?? '';
  const wanted =
    request.method === 'POST' ? ['application/json', 'text/event-stream'] : ['text/event-stream'];
  if (request.method !== 'DELETE' && !wanted.every((type) => accepted.includes(type) || accepted === '*/*'))
    return { status: 406, code: rpcCode.refused, message: `The client must accept ${wanted.join(' and ')}.` };
  const version = header(request, 'mcp-protocol-version');
  // A client that asks in a later version what is spoken here is told in the answer itself.
  const isKnown =
    version === undefined || known.includes(version) || header(request, 'mcp-method') === 'server/discover';
  if (!isKnown) {
    const message = `This server speaks the versions ${known.join(', ')}.`;
    return { status: 400, code: rpcCode.refused, message };
  }
  const label = header(request, 'mcp-session-id') ?? '';
  if (!/^[\x21-\x7e]{0,100}$/.test(label))
    return { status: 400, code: rpcCode.invalidRequest, message: 'This is no session id of MCP.' };
  const limitMs = Number(header(request, toolLimitHeader));
  const names = new Map(
    (header(request, toolNamesHeader) ?? '').split(',').flatMap((pair) => {
      const [own, given] = pair.split('=');
      return own && given ? [[own.trim(), given.trim()] as const] : [];
    }),
  );
  return { label, version: version ?? '', limitMs: limitMs > 0 ? limitMs : undefined, names };
}

function header({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export interface ToolKeys {
  /** The key of a session: made from its id, so that it is the same after a restart and nothing needs to be stored. */
  of(sessionId: string): string;
  /** Compared in a time that tells nothing about either. */
  fits(sessionId: string, presented: string): boolean;
}

/** One key per session, all from one secret; from one of them neither the secret nor another can be found. */
export function toolKeys(secret: string): ToolKeys {
  const of = (sessionId: string): string =>
    createHmac('sha256', secret).update(sessionId).digest('base64url');
  return {
    of,
    fits: (sessionId, presented) => timingSafeEqual(digest(presented), digest(of(sessionId))),
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
