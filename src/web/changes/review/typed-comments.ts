import { create } from 'zustand';
import type { ReviewComment } from '../../../protocol/review.ts';
import { randomId } from '../../data/random-id.ts';
import { onStoredElsewhere, storedUnder, writeStored } from '../../data/stored.ts';
import type { CommentPlace } from './review.logic.ts';

/** A comment that is being written: kept in this browser until the server has it, or it is thrown away. */
export interface TypedComment extends CommentPlace {
  /** Made here: added again after a lost reply, it is still the same comment. */
  readonly commentId: string;
  readonly text: string;
  /** The comment that it is a change of, and the revision that was begun with. */
  readonly edits?: Edited;
}

interface Edited {
  readonly commentId: string;
  readonly shown: number;
}

type BySession = Readonly<Record<string, readonly TypedComment[]>>;

const prefix = 'comment.';
const nameOf = (sessionId: string, commentId: string): string => `${prefix}${sessionId}.${commentId}`;
const none: readonly TypedComment[] = [];

const useTyped = create<BySession>(() => ({}));

onStoredElsewhere(prefix, (rest, value) => {
  const [sessionId = '', commentId = ''] = rest.split('.');
  const typed = value === null ? null : readTyped(commentId, value);
  if (sessionId in useTyped.getState()) put(sessionId, commentId, typed);
});

/** Those of a session, in the order in which they were begun. */
export const useTypedComments = (sessionId: string): readonly TypedComment[] =>
  useTyped((all) => all[sessionId] ?? none);

/** Brings back what was being written when the page was last left. */
export function readTypedComments(sessionId: string): void {
  if (sessionId in useTyped.getState()) return;
  const kept = [...storedUnder(`${prefix}${sessionId}.`)].flatMap(
    ([commentId, value]) => readTyped(commentId, value) ?? [],
  );
  useTyped.setState({ [sessionId]: kept });
}

/** Begins a comment, or goes on with the one that was begun on the same lines; gives back its id. */
export function beginComment(sessionId: string, place: CommentPlace): string {
  const known = typedIn(sessionId).find((typed) => typed.edits === undefined && isSameRange(typed, place));
  return known?.commentId ?? begin(sessionId, { ...place, text: '' });
}

/** Begins to change a comment; gives back the id of what is typed. */
export function beginEdit(sessionId: string, comment: ReviewComment): string {
  const { path, side, from, to, point, quote, isQuoteCut, text, commentId, revision: shown } = comment;
  const place = { path, side, from, to, point, quote, ...(isQuoteCut === true && { isQuoteCut }) };
  return begin(sessionId, { ...place, text, edits: { commentId, shown } });
}

function begin(sessionId: string, typed: Omit<TypedComment, 'commentId'>): string {
  const commentId = `com_${randomId()}`;
  put(sessionId, commentId, { ...typed, commentId });
  return commentId;
}

const typedIn = (sessionId: string): readonly TypedComment[] => useTyped.getState()[sessionId] ?? none;

export function typeComment(sessionId: string, typed: TypedComment, text: string): void {
  const changed = { ...typed, text };
  put(sessionId, typed.commentId, changed);
  const { commentId: _, ...kept } = changed;
  writeStored(nameOf(sessionId, typed.commentId), text.trim() === '' ? null : JSON.stringify(kept));
}

export function dropTyped(sessionId: string, commentId: string): void {
  put(sessionId, commentId, null);
  writeStored(nameOf(sessionId, commentId), null);
}

function put(sessionId: string, commentId: string, typed: TypedComment | null): void {
  useTyped.setState((all) => {
    const of = all[sessionId] ?? none;
    if (typed === null) return { [sessionId]: of.filter((each) => each.commentId !== commentId) };
    const isKnown = of.some((each) => each.commentId === commentId);
    return {
      [sessionId]: isKnown ? of.map((each) => (each.commentId === commentId ? typed : each)) : [...of, typed],
    };
  });
}

const isSameRange = (a: CommentPlace, b: CommentPlace): boolean =>
  a.path === b.path && a.side === b.side && a.from === b.from && a.to === b.to;

/** Null for what an earlier page stored otherwise. */
function readTyped(commentId: string, value: string): TypedComment | null {
  try {
    const { path, side, from, to, point, quote, isQuoteCut, text, edits } = JSON.parse(value);
    const isWhole =
      [path, point, quote, text].every((each) => typeof each === 'string') &&
      (side === 'before' || side === 'after') &&
      Number.isInteger(from) &&
      Number.isInteger(to);
    if (!isWhole) return null;
    const place = { path, side, from, to, point, quote, ...(isQuoteCut === true && { isQuoteCut }) };
    const isEdit = typeof edits?.commentId === 'string' && Number.isInteger(edits.shown);
    return { commentId, text, ...place, ...(isEdit && { edits }) };
  } catch {
    return null;
  }
}
