import type { QueuedMessage } from '../../protocol/session.ts';

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
