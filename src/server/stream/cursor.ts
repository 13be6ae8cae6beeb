import { createHash } from 'node:crypto';
import type { SessionId } from '../../protocol/ids.ts';

/**
 * How far a client with several sessions was told, small enough for a header: for each session six letters of its id's hash and
 * the last event's number to base 36. It names sessions, not places in a list, so a client may come back with another list.
 */
export const emptyCursor = '0';

export function cursorEntry(sessionId: SessionId, seq: number): string {
  return `${markOf(sessionId)}${seq.toString(36)}`;
}

export const cursorOf = (entries: readonly string[]): string =>
  entries.length === 0 ? emptyCursor : entries.join('.');

/** Reads a cursor that a client sent; what is no entry of ours is passed over. */
export function readCursor(text: string): (sessionId: SessionId) => number | undefined {
  const seqs = new Map<string, number>();
  for (const entry of text.split('.')) {
    const [, mark, seq] = /^([\w-]{6})([0-9a-z]{1,10})$/.exec(entry) ?? [];
    if (mark !== undefined && seq !== undefined) seqs.set(mark, Number.parseInt(seq, 36));
  }
  return (sessionId) => seqs.get(markOf(sessionId));
}

function markOf(sessionId: SessionId): string {
  const known = marks.get(sessionId);
  if (known !== undefined) return known;
  const mark = createHash('sha256').update(sessionId).digest('base64url').slice(0, 6);
  if (marks.size >= 10_000) marks.clear();
  marks.set(sessionId, mark);
  return mark;
}

/** Hashing costs more than the whole frame around it. */
const marks = new Map<SessionId, string>();
