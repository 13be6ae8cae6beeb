import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export interface ToolKeys {
  /** The key of a session: made from its id, so that it is the same after a restart and nothing needs to be stored. */
  of(sessionId: string): string;
  /** Compared in a time that tells nothing about either. */
  fits(sessionId: string, presented: string): boolean;
}

/** One key per session, all from one secret; from one of them neither the secret nor another can be found. */
export function toolKeys(secret: string): ToolKeys {
  const of = (sessionId: string): string =>
    createHmac('sha256', secret).update(sessionId).digest('base64url');
  return {
    of,
    fits: (sessionId, presented) => timingSafeEqual(digest(presented), digest(of(sessionId))),
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
