import type { Session } from '../../protocol/session.ts';

/** What of a session is news: a turn that ended, an ask, a failure. */
interface ReadMark {
  readonly turns: number;
  readonly asked: string | null;
  readonly failedAt: string | null;
}

export interface ReadMarks {
  /** What did not change since, and was never looked at, is no news; null before the first sessions were told of. */
  readonly baseline: string | null;
  /** By session, the one looked at last at the end. */
  readonly marks: Readonly<Record<string, ReadMark>>;
}

const mostMarks = 2_000;

export function isUnread({ baseline, marks }: ReadMarks, session: Session): boolean {
  const now = markOf(session);
  const mark = marks[session.id];
  if (mark === undefined)
    return baseline !== null && session.updatedAt > baseline && !isSame(now, nothingYet);
  return (
    now.turns > mark.turns ||
    (now.asked !== null && now.asked !== mark.asked) ||
    (now.failedAt !== null && now.failedAt !== mark.failedAt)
  );
}

export function withRead(marks: ReadMarks, session: Session): ReadMarks {
  const { [session.id]: _, ...others } = marks.marks;
  const kept = Object.entries(others).slice(1 - mostMarks);
  return { ...marks, marks: { ...Object.fromEntries(kept), [session.id]: markOf(session) } };
}

/** All that is known is no news. The time is the server's, as its sessions tell it: the browser's clock may be another. */
export function withBaseline(marks: ReadMarks, sessions: readonly Session[]): ReadMarks {
  if (marks.baseline !== null) return marks;
  const baseline =
    sessions
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) ?? '';
  return { baseline, marks: Object.fromEntries(sessions.map((session) => [session.id, markOf(session)])) };
}

/** What was stored; nothing of it where it cannot be read. */
export function readMarks(stored: string | null): ReadMarks {
  try {
    const { baseline, marks }: Partial<ReadMarks> = JSON.parse(stored ?? '{}');
    return {
      baseline: typeof baseline === 'string' ? baseline : null,
      marks: typeof marks === 'object' && marks !== null ? marks : {},
    };
  } catch {
    return { baseline: null, marks: {} };
  }
}

const nothingYet: ReadMark = { turns: 0, asked: null, failedAt: null };

const markOf = ({ usage, status, awaited, since }: Session): ReadMark => ({
  turns: usage.turns,
  asked: status === 'waiting' ? (awaited?.id ?? since) : null,
  failedAt: status === 'failed' ? since : null,
});

const isSame = (a: ReadMark, b: ReadMark): boolean =>
  a.turns === b.turns && a.asked === b.asked && a.failedAt === b.failedAt;
