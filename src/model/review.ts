import { type Result, refuse } from '../protocol/errors.ts';
import type { Event, EventOf } from '../protocol/event.ts';
import type { CommentId } from '../protocol/ids.ts';
import type { ReviewComment } from '../protocol/review.ts';
import { mostComments, mostCommentText, mostSeenFiles } from '../protocol/review-limit.ts';
import { type Away, becomes, type CommandOf, type Decided } from './command.ts';
import { earlierSend, send } from './messages.ts';
import { reviewText } from './review-text.ts';
import type { QueueItem, ReviewState, SessionState } from './state.ts';

const noReview: ReviewState = { comments: [], seen: [], revision: 0 };

export const reviewOf = (state: SessionState): ReviewState => state.review ?? noReview;

export const commentOf = (state: SessionState, commentId: string): ReviewComment | undefined =>
  reviewOf(state).comments.find((comment) => comment.commentId === commentId);

/** The same id again is the same comment. */
export function draftComment(
  state: SessionState,
  { type: _, ...comment }: CommandOf<'draft-comment'>,
): Result<Decided> {
  if (commentOf(state, comment.commentId) !== undefined) return becomes();
  const { comments } = reviewOf(state);
  if (comments.length >= mostComments || !hasRoom(comments, comment.text.length + comment.quote.length)) {
    return refuse('too_many_comments');
  }
  return becomes({ type: 'comment.drafted', ...comment });
}

export function editComment(
  state: SessionState,
  { commentId, text, shown, by }: CommandOf<'edit-comment'>,
): Result<Decided> {
  const found = shownComment(state, commentId, shown);
  if (!found.ok) return found;
  if (found.value.text === text) return becomes();
  if (!hasRoom(reviewOf(state).comments, text.length - found.value.text.length)) {
    return refuse('too_many_comments');
  }
  return becomes({ type: 'comment.edited', commentId, text, by });
}

export function removeComment(
  state: SessionState,
  { commentId, shown, by }: CommandOf<'remove-comment'>,
): Result<Decided> {
  const found = shownComment(state, commentId, shown);
  return found.ok ? becomes({ type: 'comment.removed', commentId, by }) : found;
}

/** All of them as they were shown, or none: the message and the end of its drafts are one event. */
export function sendComments(
  state: SessionState,
  { comments: wanted, remark, type: _, ...message }: CommandOf<'send-comments'>,
  away: Away | undefined,
): Result<Decided> {
  if (earlierSend(state, message.clientMessageId) !== undefined) return becomes();
  const outdated = new Set(wanted.filter(({ isOutdated }) => isOutdated).map(({ commentId }) => commentId));
  const stale = wanted.filter(({ commentId, shown }) => commentOf(state, commentId)?.revision !== shown);
  if (state.life === 'open' && stale.length > 0) {
    return refuse('comment_changed', undefined, { comments: stale.map(({ commentId }) => commentId) });
  }
  const ids = new Set(wanted.map(({ commentId }) => commentId));
  const comments = reviewOf(state)
    .comments.filter(({ commentId }) => ids.has(commentId))
    .sort(byPlace);
  const text = reviewText(comments, { remark, isOutdated: ({ commentId }) => outdated.has(commentId) });
  const review = { remark, comments };
  return send(state, { type: 'send', text, images: [], replace: false, review, ...message }, away);
}

export function markSeen(state: SessionState, { marks, seen, by }: CommandOf<'mark-seen'>): Result<Decided> {
  const known = new Map(reviewOf(state).seen.map(({ path, content }) => [path, content]));
  const changed = marks.filter(({ path, content }) => (seen ? known.get(path) !== content : known.has(path)));
  return changed.length === 0 ? becomes() : becomes({ type: 'files.seen', marks: changed, seen, by });
}

type ReviewEvent = EventOf<'comment.drafted' | 'comment.edited' | 'comment.removed' | 'files.seen'>;

/** The state after what was said of changes. */
export const afterReview = (state: SessionState, event: ReviewEvent): SessionState =>
  withReview(state, event, changedBy(reviewOf(state), event));

function changedBy({ comments, seen }: ReviewState, event: ReviewEvent): Partial<ReviewState> {
  switch (event.type) {
    case 'comment.drafted': {
      const { type: _, seq: revision, at: createdAt, ...drafted } = event;
      return { comments: [...comments, { ...drafted, revision, createdAt }] };
    }
    case 'comment.edited': {
      const { commentId, text, seq: revision, by } = event;
      const edited = (one: ReviewComment) =>
        one.commentId === commentId ? { ...one, text, revision, by } : one;
      return { comments: comments.map(edited) };
    }
    case 'comment.removed':
      return { comments: comments.filter(({ commentId }) => commentId !== event.commentId) };
    case 'files.seen':
      return { seen: withMarks(seen, event) };
  }
}

/** What a message took along is a draft no longer. */
export function withoutSent(state: SessionState, event: EventOf<'message.queued'>): SessionState {
  if (event.review === undefined) return state;
  const sent = new Set<string>(event.review.comments.map(({ commentId }) => commentId));
  const comments = reviewOf(state).comments.filter(({ commentId }) => !sent.has(commentId));
  return withReview(state, event, { comments });
}

/** The agent never got the message: its comments are drafts again. */
export function withReturned(state: SessionState, event: EventOf<'message.removed'>): SessionState {
  const item = state.queue.find(({ queued }) => queued.messageId === event.messageId);
  const returned = item === undefined ? undefined : wholeReview(item);
  if (returned === undefined) return state;
  return withReview(state, event, { comments: [...reviewOf(state).comments, ...returned.comments] });
}

const withReview = (
  state: SessionState,
  { seq: revision }: Event,
  change: Partial<ReviewState>,
): SessionState => ({ ...state, review: { ...reviewOf(state), ...change, revision } });

/** What is given back of a message beside its comments. */
export const returnedText = (item: QueueItem): readonly string[] => {
  const review = wholeReview(item);
  if (review === undefined) return [item.text];
  return review.remark === '' ? [] : [review.remark];
};

/** A message that was edited is a text like any other. */
const wholeReview = ({ queued, text }: QueueItem): EventOf<'message.queued'>['review'] =>
  text === queued.text ? queued.review : undefined;

function shownComment(state: SessionState, commentId: CommentId, shown: number): Result<ReviewComment> {
  const comment = commentOf(state, commentId);
  if (comment === undefined) return refuse('comment_not_found');
  return comment.revision === shown
    ? { ok: true, value: comment }
    : refuse('comment_changed', undefined, { comment });
}

const hasRoom = (comments: readonly ReviewComment[], more: number): boolean =>
  comments.reduce((sum, { text, quote }) => sum + text.length + quote.length, more) <= mostCommentText;

function withMarks(
  seen: ReviewState['seen'],
  { marks, seen: isSeen }: EventOf<'files.seen'>,
): ReviewState['seen'] {
  const paths = new Set(marks.map(({ path }) => path));
  const others = seen.filter(({ path }) => !paths.has(path));
  return isSeen ? [...others, ...marks].slice(-mostSeenFiles) : others;
}

/** By file and line; in the order they were made where these are the same. */
const byPlace = (one: ReviewComment, other: ReviewComment): number =>
  order(one.path, other.path) || one.from - other.from || one.to - other.to;

const order = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);
