import { earlierSend } from '../../model/messages.ts';
import { queueView } from '../../model/views.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import type { EventOf } from '../../protocol/event.ts';
import { MessageId } from '../../protocol/ids.ts';
import type { Step } from '../batch.ts';
import { imageBlob, imageReference, type LiveSession } from '../live-session.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Handlers } from './room.ts';

export const messageHandlers = {
  async sendMessage({ log, ids }, { session, ...input }, { actor: by }) {
    const clientMessageId = input.clientMessageId ?? null;
    const earlier = findEarlier(log, session, clientMessageId);
    if (earlier !== undefined) return receiptOf(earlier);
    const blobs = (input.images ?? []).map((image) => imageBlob(ids, image));
    const { disposition = 'auto' } = input;
    if (disposition === 'interrupt' || disposition === 'steer') await session.effects.turnBegun();
    const sent = await session.writer.command(
      {
        type: 'send',
        messageId: MessageId.parse(ids.message()),
        text: input.message,
        images: blobs.map(imageReference),
        disposition,
        replace: input.replace ?? false,
        clientMessageId,
        by,
      },
      blobs,
    );
    if (!sent.ok) return sent;
    const queued = queuedIn(sent.value) ?? earlierSend(session.state, clientMessageId);
    if (queued === undefined) throw new Error('A message was accepted without a trace');
    return receiptOf(queued);
  },

  getQueue(_room, { session }) {
    return queueOf(session);
  },

  async patchQueued({ log }, { session, messageId, message, position }, { actor: by }) {
    const done = await session.writer.command({
      type: 'edit-queued',
      messageId: MessageId.parse(messageId),
      ...(message === undefined ? {} : { message }),
      ...(position === undefined ? {} : { position }),
      by,
    });
    return done.ok ? queueOf(session) : goneOr(log, session, messageId, done);
  },

  async removeQueued({ log }, { session, messageId }, { actor: by }) {
    const id = MessageId.parse(messageId);
    const done = await session.writer.command({ type: 'remove-queued', messageId: id, by });
    return done.ok ? queueOf(session) : goneOr(log, session, messageId, done);
  },
} satisfies Partial<Handlers>;

/** The same client-made id gives the same reply, however long ago it was. */
export function findEarlier(
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

export const queuedIn = (steps: readonly Step[]): EventOf<'message.queued'> | undefined => {
  for (const { event } of steps) if (event.type === 'message.queued') return event;
  return undefined;
};

export function receiptOf(queued: EventOf<'message.queued'>) {
  const { messageId, applied, reason, position, disposition: requested } = queued;
  const told = { messageId, requested, applied, ...(reason === null ? {} : { reason }) };
  return applied === 'send' || applied === 'steer'
    ? accept({ status: 200, body: { status: 'sent', ...told } } as const)
    : accept({ status: 202, body: { status: 'queued', position, ...told } } as const);
}

const queueOf = (session: LiveSession) =>
  accept({ status: 200, body: { queue: queueView(session.state) } } as const);

/** A message that is no longer in the queue was sent, or was never there: the log knows. */
function goneOr(
  log: EventLog,
  session: LiveSession,
  messageId: string,
  refused: Extract<Result<never>, { ok: false }>,
): Result<never> {
  if (refused.refusal.code !== 'message_not_found') return refused;
  const sent = log.findByReference(session.id, messageId).some((event) => event.type === 'message.taken');
  return sent ? refuse('message_already_sent') : refused;
}
