import type { MessageReceipt } from '../../client/transport.ts';
import type { FormField, Interaction } from '../../protocol/interaction.ts';
import type { Applied, Disposition, QueuedMessage, Session, WhileBusy } from '../../protocol/session.ts';
import type { RoomState } from '../data/control-room.ts';
import { canBeInterrupted } from '../session/abilities.logic.ts';

/** Why nothing can be sent right now. */
export type Blocked = 'stopped' | 'failed' | 'disconnected';

export function blockedBy(
  session: Pick<Session, 'status'>,
  connection: RoomState['connection']['state'],
): Blocked | null {
  if (connection === 'lost' || connection === 'refused' || connection === 'signed-out') return 'disconnected';
  return session.status === 'stopped' || session.status === 'failed' ? session.status : null;
}

/** What Enter does, what Ctrl+Enter does where that is something else, and all ways there are to send to an agent at work. */
export interface Offer {
  readonly enter: 'send' | 'wake' | WhileBusy;
  readonly modEnter: WhileBusy | null;
  readonly ways: readonly (WhileBusy | 'steer')[];
}

export function offerOf(
  session: Pick<Session, 'status' | 'capabilities' | 'interrupting' | 'whileBusy'>,
  serverWhileBusy: WhileBusy,
): Offer {
  const { status, capabilities, interrupting, whileBusy = serverWhileBusy } = session;
  switch (status) {
    case 'running':
    case 'waiting': {
      const canInterrupt = canBeInterrupted(session) && interrupting === null;
      const steer = capabilities?.steer === true && interrupting === null ? (['steer'] as const) : [];
      if (!canInterrupt) return { enter: 'queue', modEnter: null, ways: ['queue', ...steer] };
      const modEnter = whileBusy === 'queue' ? 'interrupt' : 'queue';
      return { enter: whileBusy, modEnter, ways: ['queue', 'interrupt', ...steer] };
    }
    case 'starting':
    case 'asleep':
      return { enter: 'wake', modEnter: null, ways: [] };
    case 'idle':
    case 'stopped':
    case 'failed':
      return { enter: 'send', modEnter: null, ways: [] };
  }
}

/** Of what is sent without a word on how; whatever else interrupts says so. */
const expectedOf: Readonly<Record<Offer['enter'], Applied>> = {
  send: 'send',
  wake: 'queue',
  queue: 'queue',
  interrupt: 'queue',
};

/** What a message became, if that is not what its sender was offered. */
export interface Became {
  readonly applied: Applied;
  readonly reason: string | null;
}

export function becameOf(
  wanted: Disposition,
  offer: Offer['enter'],
  { applied, reason }: Pick<MessageReceipt, 'applied' | 'reason'>,
): Became | null {
  const expected = wanted === 'interrupt' || wanted === 'steer' ? wanted : expectedOf[offer];
  return applied === expected ? null : { applied, reason: reason ?? null };
}

/** The question that a text alone answers: there must be only one, or it would be a guess which is meant. */
export function openQuestionOf(pending: readonly Interaction[], sessionId: string): Interaction | undefined {
  const questions = pending.filter(
    (interaction) =>
      interaction.sessionId === sessionId &&
      (interaction.kind === 'question' || textFieldOf(interaction) !== undefined),
  );
  const [only] = questions;
  const isAnswerable = only?.kind === 'form' || only?.questions?.length === 1;
  return questions.length === 1 && isAnswerable ? only : undefined;
}

/** The one field of what a tool waits for, where any text will do: then it is a question like another. */
export function textFieldOf({ kind, tool, form, leftOpen }: Interaction): FormField | undefined {
  const [only, ...others] = form?.fields ?? [];
  const isQuestion = kind === 'form' && tool !== undefined && leftOpen === undefined;
  if (!isQuestion || only === undefined || others.length > 0) return undefined;
  return only.type === 'text' || only.type === 'textarea' ? only : undefined;
}

/** A text as the answer to a question: one of its options if it is called so, else words of one's own. */
export function answerOf(
  { questions }: Pick<Interaction, 'questions'>,
  text: string,
): { readonly selected: string[]; readonly other?: string } {
  const label = questions?.[0]?.options.find((option) => option.label.trim() === text)?.label;
  return label === undefined ? { selected: [], other: text } : { selected: [label] };
}

/** What can still be changed: not what is being handed to the agent. */
const isOurs = ({ sending }: Pick<QueuedMessage, 'sending'>): boolean => !sending;

/** Where a message goes when it is moved by so many places; undefined when it cannot. */
export function placeAfterMove(
  queue: readonly QueuedMessage[],
  messageId: string,
  step: number,
): number | undefined {
  const at = queue.findIndex((each) => each.messageId === messageId);
  const item = queue[at];
  const target = queue[at + step];
  if (item === undefined || target === undefined || !isOurs(item) || !isOurs(target)) return undefined;
  return target.position;
}

/** The one that ↑ in an empty composer takes up again. */
export const lastEditable = (queue: readonly QueuedMessage[]): QueuedMessage | undefined =>
  queue.findLast(isOurs);
