import type { AskTimeout } from '../protocol/session.ts';
import type { SessionState } from './state.ts';

/** As many asks as a person can look through. An agent that has more of them open is held: it is not read on until some are settled. */
export const MOST_OPEN_ASKS = 200;
/** What had been read when the agent was held comes on top. Beyond this an ask is not put before anyone. */
export const MOST_SHOWN_ASKS = 1000;

/** What took another's place or changed what it shows is answered only after it has been still for so long. */
export const STILL_BEFORE_PRESS_MS = 500;

/** Each change of the queue is told with the whole queue. */
export const MOST_QUEUED = 1000;

/**
 * Whether the agent is not to be read on. After an interrupt it is: what it takes back, and the end of its turn, come behind all it
 * has asked. One that is being ended is read, too, or its end would not be seen.
 */
export const isHeld = ({ life, process, turn, counts }: SessionState): boolean =>
  life === 'open' &&
  process?.phase === 'ready' &&
  (turn === null || turn.interrupting === null) &&
  counts.awaited >= MOST_OPEN_ASKS;

/** Whether one more ask of the agent would be more than can be shown. */
export const isFull = ({ turn, counts }: SessionState): boolean =>
  counts.awaited >= (turn !== null && turn.interrupting !== null ? MOST_OPEN_ASKS : MOST_SHOWN_ASKS);

/** When an ask that nobody answers is parked, and when it expires. */
export function askLimits(limits: AskTimeout | null, at: string): { parksAt?: string; expiresAt?: string } {
  const hard = limits?.hardSeconds;
  return { ...parksAt(limits, at), ...(hard === undefined ? {} : { expiresAt: later(at, hard) }) };
}

/** The soft limit alone: an interactive tool has a clock of its own for the hard one. */
export function parksAt(limits: AskTimeout | null, at: string): { parksAt?: string } {
  const soft = limits?.softSeconds;
  return soft === undefined ? {} : { parksAt: later(at, soft) };
}

/**
 * How long it is until a moment that was set at another. The clock may have been set since: it is never longer than it was then,
 * or a clock that is put back a year would add a year.
 */
export const timeLeft = (setAt: string, moment: string, now: string): number =>
  Date.parse(moment) - Math.max(Date.parse(now), Date.parse(setAt));

const later = (at: string, seconds: number): string =>
  new Date(Date.parse(at) + seconds * 1000).toISOString();
