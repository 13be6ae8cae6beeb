import type { NoticeKind } from '../protocol/push.ts';

/** What replaces an earlier notice on a device: what waits in a session is one thing, whatever its number. */
export const noticeTagOf = (kind: NoticeKind | 'answered', sessionId: string): string =>
  `${kind === 'waits' || kind === 'answered' ? 'waits' : 'ended'}-${sessionId}`;
