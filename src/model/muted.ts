import type { Session } from '../protocol/session.ts';

/** How many milliseconds nobody is to be told of it any more, at this moment (since 1970): 0 when it is not muted. */
export function mutedFor({ mutedUntil }: Pick<Session, 'mutedUntil'>, now: number): number {
  if (mutedUntil === undefined) return 0;
  return mutedUntil === 'forever' ? Number.POSITIVE_INFINITY : Math.max(0, Date.parse(mutedUntil) - now);
}

export const isMuted = (session: Pick<Session, 'mutedUntil'>, now: number): boolean =>
  mutedFor(session, now) > 0;
