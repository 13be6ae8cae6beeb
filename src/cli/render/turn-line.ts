import type { EventOf } from '../../protocol/event.ts';
import { counted, dollars, duration } from './measures.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './safe-text.ts';

/** `── done · 3.2 s · 1,204 tokens · $0.0123` */
export function turnLine(turn: EventOf<'turn.ended'>, paint: Paint): string {
  const tokens = turn.usage === undefined ? undefined : turn.usage.inputTokens + turn.usage.outputTokens;
  const facts = [
    turn.durationMs === undefined ? undefined : duration(turn.durationMs),
    tokens ? counted(tokens, 'token') : undefined,
    turn.costUsd ? dollars(turn.costUsd) : undefined,
  ].filter((fact) => fact !== undefined);
  const error = turn.error === undefined ? '' : `: ${oneLine(turn.error)}`;
  const rest = facts.length === 0 ? '' : paint('dim', ` · ${facts.join(' · ')}`);
  switch (turn.outcome) {
    case 'completed':
      return paint('dim', '── done') + rest;
    case 'interrupted':
      return paint('yellow', '── interrupted') + rest;
    case 'failed':
      return paint('red', `── failed${error}`) + rest;
    case 'suspended':
      return paint('dim', '── goes on when its question is answered') + rest;
    case 'lost':
      return paint('red', '── lost: the agent ended in the middle of it') + rest;
  }
}
