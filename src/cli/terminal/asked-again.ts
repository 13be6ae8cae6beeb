import type { Transport } from '../../client/transport.ts';
import type { EventOf } from '../../protocol/event.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { oneLine } from '../render/safe-text.ts';

/** A tool that finds fault with an answer asks again soon after it was told it; longer nobody is kept waiting. */
const soonMs = 700;
const mostMs = 5_000;

export interface Answered {
  readonly interaction: Interaction;
  /** The ask that took its place. */
  readonly again?: EventOf<'interaction.requested'>;
}

/** Gives an answer; where a tool asked, it is waited for whether that asks again. */
export async function answerAndSee(
  transport: Pick<Transport, 'follow'>,
  open: Interaction,
  send: () => Promise<Interaction>,
): Promise<Answered> {
  if (open.tool === undefined) return { interaction: await send() };
  const connected = Promise.withResolvers<void>();
  const over = Promise.withResolvers<EventOf<'interaction.requested'> | undefined>();
  const timers: NodeJS.Timeout[] = [];
  const endIn = (ms: number) => void timers.push(setTimeout(() => over.resolve(undefined), ms));
  const unfollow = transport.follow(open.sessionId, {
    onSnapshot: () => connected.resolve(),
    onEvent(event) {
      if (event.type === 'interaction.requested' && event.ask.tool?.replaces === open.interactionId)
        over.resolve(event);
      if (event.type === 'interaction.resolved' && event.interactionId === open.interactionId) endIn(soonMs);
      if (event.type === 'tool.result' && event.toolCallId === open.toolCallId) over.resolve(undefined);
    },
    onConnection(connection) {
      if (connection.state === 'lost' || connection.state === 'closed') {
        connected.resolve();
        over.resolve(undefined);
      }
    },
  });
  try {
    await connected.promise;
    const interaction = await send();
    endIn(mostMs);
    const again = await over.promise;
    return again === undefined ? { interaction } : { interaction, again };
  } finally {
    unfollow();
    for (const timer of timers) clearTimeout(timer);
  }
}

/** "allowed: deploy", or that it is asked again, and why. */
export function answeredLines(word: string, { interaction, again }: Answered, toolName: string): string[] {
  if (again === undefined) return [`${word}: ${oneLine(toolName)}${waitingWords(interaction)}`];
  const why = again.ask.form?.error ?? again.ask.title;
  return [`It asked again: ${oneLine(why)}`, `  "beckon pending ${again.interactionId}" shows it`];
}

/** That the answer is stored and its agent does not have it yet. */
export const waitingWords = ({ undelivered }: Interaction): string =>
  undelivered === undefined ? '' : ` (not yet delivered: ${oneLine(undelivered.machine)} cannot be reached)`;
