import { earlierSend } from '../../model/messages.ts';
import { queueView } from '../../model/views.ts';
import type { PatchQueued, SendMessage } from '../../protocol/command.ts';
import { accept, type Result } from '../../protocol/errors.ts';
import type { EventOf } from '../../protocol/event.ts';
import { MessageId } from '../../protocol/ids.ts';
import type { Step } from '../batch.ts';
import { imageBlob, imageReference, type LiveSession } from '../live-session.ts';
import type { Reply } from '../ports/control-room.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Handler } from './room.ts';

export const sendMessage: Handler<SendMessage> = async ({ registry, log, ids }, input, { actor: by }) => {
  const found = registry.find(input.session);
  if (!found.ok) return found;
  const session = found.value;
  const clientMessageId = input.clientMessageId ?? null;
  const earlier = findEarlier(log, session, clientMessageId);
  if (earlier !== undefined) return told(earlier);
  const blobs = (input.images ?? []).map((image) => imageBlob(ids, image));
  const sent = await session.writer.command(
    {
      type: 'send',
      messageId: MessageId.parse(ids.message()),
      text: input.message,
      images: blobs.map(imageReference),
      disposition: input.disposition ?? 'auto',
      replace: input.replace ?? false,
      clientMessageId,
      by,
    },
    blobs,
  );
  if (!sent.ok) return sent;
  const queued = queuedIn(sent.value) ?? earlierSend(session.state, clientMessageId);
  if (queued === undefined) throw new Error('A message was accepted without a trace');
  return told(queued);
};

/** The same client-made id gives the same reply, however long ago it was. */
function findEarlier(
  log: EventLog,
  session: LiveSession,
  clientMessageId: string | null,
): EventOf<'message.queued'> | undefined {
  if (clientMessageId === null) return undefined;
  const known = earlierSend(session.state, clientMessageId);
  if (known !== undefined) return known;
  return log
    .findByReference(session.id, `client:${clientMessageId}`)
    .find((event) => event.type === 'message.queued');
}

const queuedIn = (steps: readonly Step[]): EventOf<'message.queued'> | undefined => {
  for (const { event } of steps) if (event.type === 'message.queued') return event;
  return undefined;
};

function told(queued: EventOf<'message.queued'>): Result<Reply> {
  const { messageId, applied, reason, position, disposition: requested } = queued;
  const why = reason === null ? {} : { reason };
  return applied === 'send' || applied === 'steer'
    ? accept({ status: 200, body: { status: 'sent', messageId, requested, applied, ...why } })
    : accept({ status: 202, body: { status: 'queued', messageId, position, requested, applied, ...why } });
}

export const getQueue: Handler<unknown> = ({ registry }, input) => {
  const found = registry.find(input.session);
  return found.ok ? queueOf(found.value) : found;
};

const queueOf = (session: LiveSession): Result<Reply> =>
  accept({ status: 200, body: { queue: queueView(session.state) } });

export const patchQueued: Handler<PatchQueued> = async ({ registry, log }, input, { actor: by }) => {
  const found = registry.find(input.session);
  if (!found.ok) return found;
  const session = found.value;
  const { message, position } = input;
  const done = await session.writer.command({
    type: 'edit-queued',
    messageId: MessageId.parse(input.messageId),
    ...(message === undefined ? {} : { message }),
    ...(position === undefined ? {} : { position }),
    by,
  });
  return done.ok ? queueOf(session) : goneOr(log, session, input.messageId, done);
};

export const removeQueued: Handler<unknown> = async ({ registry, log }, input, { actor: by }) => {
  const found = registry.find(input.session);
  if (!found.ok) return found;
  const session = found.value;
  const messageId = MessageId.parse(input.messageId);
  const done = await session.writer.command({ type: 'remove-queued', messageId, by });
  return done.ok ? queueOf(session) : goneOr(log, session, input.messageId, done);
};

/** A message that is no longer in the queue was sent, or was never there: the log knows. */
function goneOr(
  log: EventLog,
  session: LiveSession,
  messageId: string,
  refused: Extract<Result<unknown>, { ok: false }>,
): Result<Reply> {
  if (refused.refusal.code !== 'message_not_found') return refused;
  const sent = log.findByReference(session.id, messageId).some((event) => event.type === 'message.taken');
  return sent
    ? { ok: false, refusal: { code: 'message_already_sent', message: 'The message has left the queue.' } }
    : refused;
}
