import { earlierSend } from '../../model/messages.ts';
import { commentOf, reviewOf } from '../../model/review.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { CommentId, MessageId } from '../../protocol/ids.ts';
import type { ReviewComment } from '../../protocol/review.ts';
import type { LiveSession } from '../live-session.ts';
import { findEarlier, queuedIn, receiptOf } from './messages.ts';
import { done, type Handlers } from './room.ts';

export const reviewHandlers = {
  getReview(_room, { session }) {
    const { comments, seen } = reviewOf(session.state);
    return accept({ status: 200, body: { comments, seen } });
  },

  async addComment({ log, ids }, { session, ...input }, { actor: by }) {
    const { commentId = CommentId.parse(ids.comment()), isQuoteCut, ...comment } = input;
    // It was made once: that it is there no longer is somebody's doing.
    const isKnown = log.findByReference(session.id, commentId).some(({ type }) => type === 'comment.drafted');
    if (!isKnown) {
      const drafted = await session.writer.command({
        type: 'draft-comment',
        commentId,
        ...comment,
        ...(isQuoteCut && { isQuoteCut }),
        by,
      });
      if (!drafted.ok) return drafted;
    }
    const kept = commentIn(session, commentId);
    return kept.ok ? accept({ status: 201, body: { comment: kept.value } }) : refuse('comment_changed');
  },

  async editComment(_room, { session, commentId: name, text, shown }, { actor: by }) {
    const commentId = CommentId.parse(name);
    const edited = await session.writer.command({ type: 'edit-comment', commentId, text, shown, by });
    if (!edited.ok) return edited;
    const kept = commentIn(session, commentId);
    return kept.ok ? accept({ status: 200, body: { comment: kept.value } }) : kept;
  },

  async removeComment(_room, { session, commentId: name, shown }, { actor: by }) {
    const commentId = CommentId.parse(name);
    const removed = await session.writer.command({ type: 'remove-comment', commentId, shown, by });
    return removed.ok ? done : removed;
  },

  async sendComments({ log, ids }, { session, ...input }, { actor: by }) {
    const clientMessageId = input.clientMessageId ?? null;
    const earlier = findEarlier(log, session, clientMessageId);
    if (earlier !== undefined) return receiptOf(earlier);
    const sent = await session.writer.command({
      type: 'send-comments',
      messageId: MessageId.parse(ids.message()),
      comments: input.comments,
      remark: input.remark ?? '',
      disposition: input.disposition ?? 'auto',
      clientMessageId,
      by,
    });
    if (!sent.ok) return sent;
    const queued = queuedIn(sent.value) ?? earlierSend(session.state, clientMessageId);
    if (queued === undefined) throw new Error('Comments were sent without a trace');
    return receiptOf(queued);
  },

  async markSeen(_room, { session, marks, seen }, { actor: by }) {
    const marked = await session.writer.command({ type: 'mark-seen', marks, seen, by });
    return marked.ok ? done : marked;
  },
} satisfies Partial<Handlers>;

const commentIn = ({ state }: LiveSession, commentId: CommentId): Result<ReviewComment> => {
  const comment = commentOf(state, commentId);
  return comment === undefined ? refuse('comment_not_found') : accept(comment);
};
