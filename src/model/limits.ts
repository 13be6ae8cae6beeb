import type { AskTimeout } from '../protocol/session.ts';

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

const later = (at: string, seconds: number): string =>
  new Date(Date.parse(at) + seconds * 1000).toISOString();
