import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import type { InteractionMode } from '../engine/ports/control-room.ts';
import type { EventsQuery, StreamQuery } from '../protocol/command.ts';
import { accept, type Result, refuse } from '../protocol/errors.ts';
import type { SessionId } from '../protocol/ids.ts';
import { operations } from '../protocol/operation.ts';
import { accessIdOf, whereOf } from './auth/guard.ts';
import { sendRefusal } from './errors.ts';
import { addServerRoute, checkedInput } from './routes.ts';
import type { StreamContext } from './stream/connections.ts';
import { streamAll, streamSession } from './stream/sse.ts';

/** The stream of all sessions. */
export function addStreamRoute(app: FastifyInstance, context: StreamContext): void {
  addServerRoute(app, 'streamEvents', ({ sessions, interaction = 'enabled' }, request, reply) => {
    const followed = followedSessions(context, sessions);
    if (!followed.ok) return sendRefusal(reply, followed.refusal);
    if (isPipelined(reply)) return sendRefusal(reply, pipelined);
    const { identity } = request;
    reply.hijack();
    streamAll(context, reply.raw, {
      client: context.room.clients.connect({
        label: whereOf(identity),
        interaction: interactionModes[interaction],
      }),
      accessId: accessIdOf(identity),
      sessions: followed.value,
      lastEventId: lastEventId(request),
    });
    return reply;
  });
}

/** A session's own stream shares its path with the pages of its log; a client says that it wants the stream. */
export function sessionStream(context: StreamContext): preHandlerHookHandler {
  return (request, reply, done) => {
    if (wantsStream(request)) openSessionStream(context, request, reply);
    else done();
  };
}

function openSessionStream(context: StreamContext, request: FastifyRequest, reply: FastifyReply): void {
  const { session } = request.params as { readonly session: string };
  const now = context.room.snapshot(session);
  const query = checkedInput(operations.listEvents, request) as Result<EventsQuery>;
  if (!now.ok) sendRefusal(reply, now.refusal);
  else if (!query.ok) sendRefusal(reply, query.refusal);
  else if (isPipelined(reply)) sendRefusal(reply, pipelined);
  else {
    const after = seqOf(lastEventId(request)) ?? query.value.after;
    reply.hijack();
    const { identity } = request;
    const { id: sessionId } = now.value.session;
    const client = context.room.clients.connect({
      label: whereOf(identity),
      interaction: interactionModes[query.value.interaction ?? 'none'],
      session: sessionId,
    });
    streamSession(context, reply.raw, {
      client,
      session: { sessionId, after },
      accessId: accessIdOf(identity),
    });
  }
}

function followedSessions(
  { room }: StreamContext,
  given: StreamQuery['sessions'] = [],
): Result<readonly SessionId[]> {
  const names = [given].flat().flatMap((text) => text.split(','));
  const ids = new Set<SessionId>();
  for (const name of names.filter((each) => each !== '')) {
    const now = room.snapshot(name);
    if (!now.ok) return now;
    ids.add(now.value.session.id);
  }
  return accept([...ids]);
}

/** A client that reads all sessions can answer, and wants to, unless it says otherwise; one that reads a session's stream only if it says so. */
const interactionModes: Readonly<Record<NonNullable<StreamQuery['interaction']>, InteractionMode>> = {
  enabled: { supported: true, enabled: true },
  disabled: { supported: true, enabled: false },
  none: { supported: false, enabled: false },
};

const wantsStream = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.includes('text/event-stream') ?? false;

function lastEventId({ headers }: FastifyRequest): string | undefined {
  const given = headers['last-event-id'];
  return typeof given === 'string' && given !== '' ? given : undefined;
}

const seqOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** A stream never ends, so it cannot wait behind another answer on the same connection. */
const isPipelined = (reply: FastifyReply): boolean => reply.raw.socket === null;
const pipelined = refuse('malformed_request', 'A stream needs a connection of its own.').refusal;
