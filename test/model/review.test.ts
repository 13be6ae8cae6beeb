import fc from 'fast-check';
import { expect, it } from 'vitest';
import { reviewOf } from '../../src/model/review.ts';
import type { Event } from '../../src/protocol/event.ts';
import { CommentId, MessageId } from '../../src/protocol/ids.ts';
import { type Move, moves, nth, play } from '../support/random-moves.ts';
import { times } from '../support/seeded-random.ts';
import { type PlayedSession, person } from '../support/session-states.ts';

const draftAt = (played: PlayedSession, index: number) => nth(reviewOf(played.state).comments, index);
const none = { commentId: CommentId.parse('none'), revision: 1 };

/** What people do to comments, as they see them or as they saw them before. */
const commenting: Record<string, (index: number) => Move> = {
  comment: (index) => (_, counter) => ({
    type: 'draft-comment',
    commentId: CommentId.parse(`com-${counter}`),
    path: `file-${index % 3}`,
    side: index % 2 === 0 ? 'after' : 'before',
    from: index + 1,
    to: index + 1,
    point: 'a'.repeat(40),
    quote: 'x',
    text: `comment ${counter}`,
    by: person,
  }),
  change: (index) => (played, counter) => {
    const { commentId, revision } = draftAt(played, index) ?? none;
    const shown = index % 5 === 0 ? revision - 1 : revision;
    return { type: 'edit-comment', commentId, text: `changed ${counter}`, shown, by: person };
  },
  discard: (index) => (played) => {
    const { commentId, revision } = draftAt(played, index) ?? none;
    return { type: 'remove-comment', commentId, shown: index % 5 === 0 ? 1 : revision, by: person };
  },
  sendComments: (index) => (played, counter) => ({
    type: 'send-comments',
    messageId: MessageId.parse(`review-${counter}`),
    comments: reviewOf(played.state)
      .comments.slice(index % 3)
      .map(({ commentId, revision }) => ({ commentId, shown: index % 7 === 0 ? 1 : revision })),
    remark: index % 2 === 0 ? 'On the whole.' : '',
    disposition: (['auto', 'queue', 'interrupt', 'steer'] as const)[index % 4] ?? 'auto',
    clientMessageId: index % 3 === 0 ? `client-${index}` : null,
    by: person,
  }),
};
const often = [
  'comment',
  'comment',
  'sendComments',
  'sendComments',
  'taken',
  'begins',
  'ends',
  'ready',
  'start',
];
const rarely = ['change', 'discard', 'edit', 'remove', 'send', 'stop', 'reopen', 'exits', 'lose', 'sleep'];
const script = fc.array(fc.tuple(fc.constantFrom(...often, ...often, ...rarely), fc.nat(40)), {
  minLength: 1,
  maxLength: 80,
});

it('[CHG33] [CHG35] whatever happens, a comment is a draft, in one message, or removed: never lost and never in two', () => {
  fc.assert(
    fc.property(script, (steps) => {
      const { log, state } = play(steps, { ...moves, ...commenting });
      for (const event of log) {
        if (event.type !== 'comment.drafted') continue;
        const has = (message: Event): boolean =>
          message.type === 'message.queued' &&
          message.review?.comments.some(({ commentId }) => commentId === event.commentId) === true;
        const messages = new Set(
          log.flatMap((each) => (has(each) && 'messageId' in each ? [each.messageId] : [])),
        );
        const of = (type: Event['type']) =>
          log.filter((each) => each.type === type && 'messageId' in each && messages.has(each.messageId))
            .length;
        const drafts = reviewOf(state).comments.filter(
          ({ commentId }) => commentId === event.commentId,
        ).length;
        const queued = state.queue.filter((item) => has(item.queued)).length;
        const removed = log.filter(
          (each) => each.type === 'comment.removed' && each.commentId === event.commentId,
        ).length;
        const places = drafts + queued + of('message.taken') + removed;
        expect(places).toBeLessThanOrEqual(1);
        // A message that was edited is a text of its own, and goes as such.
        if (of('message.edited') === 0) expect(places).toBe(1);
      }
    }),
    { numRuns: times(500) },
  );
});
