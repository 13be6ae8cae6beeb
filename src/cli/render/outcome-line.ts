import type { Actor, Outcome } from '../../protocol/interaction.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './safe-text.ts';

/** How an interaction ended, in words: silence is never shown as a decision. */
export function outcomeLine(
  { outcome, by, reason }: { outcome: Outcome; by: Actor; reason?: string | undefined },
  isOurs: boolean,
  paint: Paint,
): string {
  const why = reason === undefined ? '' : `: ${oneLine(reason)}`;
  const who = isOurs ? '' : whoDid(by);
  switch (outcome) {
    case 'allowed':
      return paint('green', `✓ allowed${who}${why}`);
    case 'denied':
      return paint('red', `✗ denied${who}${why}`);
    case 'answered':
      return paint('green', `✓ answered${who}${why}`);
    case 'submitted':
      return paint('green', `✓ submitted${who}${why}`);
    case 'dismissed':
      return paint('dim', `– dismissed${who}${why}`);
    case 'withdrawn':
      return paint('dim', `– withdrawn by the agent${why}`);
    case 'interrupted':
      return paint('dim', `– ended by an interrupt${why}`);
    case 'expired':
      return paint('yellow', `– expired without an answer${why}`);
    case 'lost':
      return paint('red', `✗ lost: the process that asked is gone${why}`);
  }
}

function whoDid(by: Actor): string {
  switch (by.kind) {
    case 'person':
      return by.where === undefined ? ' on another device' : ` on another device (${oneLine(by.where)})`;
    case 'grant':
      return ' by a standing approval';
    case 'timer':
      return ' by the time limit';
    case 'agent':
      return ' by the agent';
    case 'server':
      return ' by the server';
  }
}
