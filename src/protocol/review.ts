import { z } from 'zod';
import { Point } from './changes.ts';
import { CommentId } from './ids.ts';
import { Actor } from './interaction.ts';
import { longestComment, longestQuote, mostComments, mostSeenFiles } from './review-limit.ts';
import { Disposition } from './session.ts';

/** As the server tells paths: in one line, whatever the file is called. */
const path = z
  .string()
  .min(1)
  .max(20_000)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'A path is told in one line, its odd characters escaped.');
const line = z.number().int().min(1).max(100_000_000);
const words = z.string().max(longestComment).regex(/\S/, 'A comment needs words.');

/** The lines that a comment is about, as they were when it was made. */
const commentPlace = {
  path,
  /** Whether the lines are counted in the file without the change, or with it. */
  side: z.enum(['before', 'after']),
  from: line,
  to: line,
  /** The state of the files that it was made on. */
  point: Point,
  quote: z.string().max(longestQuote),
  /** The lines go on behind the quote. */
  isQuoteCut: z.literal(true).exactOptional(),
};

/** A comment before it is sent. */
export const ReviewComment = z.object({
  commentId: CommentId,
  ...commentPlace,
  text: z.string(),
  /** Changes with each edit: whoever changes or sends the comment says by it what they saw. */
  revision: z.number(),
  createdAt: z.string(),
  by: Actor,
});
export type ReviewComment = z.infer<typeof ReviewComment>;

/** What the event of a new comment holds; its number and its time are the event's. */
export const draftedComment = { commentId: CommentId, ...commentPlace, text: z.string(), by: Actor };

/** Comments that went with a message: with them it is known what the message was made of. */
export const SentReview = z.object({
  remark: z.string(),
  comments: z.array(ReviewComment),
});
export type SentReview = z.infer<typeof SentReview>;

/** That somebody has seen a file as it was; of one whose content is another the mark says nothing. */
export const SeenMark = z.object({
  path,
  /** As `ChangedFile` names it; null where the file was gone. */
  content: z.string().max(200).nullable(),
});
export type SeenMark = z.infer<typeof SeenMark>;

export const Review = z.object({ comments: z.array(ReviewComment), seen: z.array(SeenMark) });
export const OneComment = z.object({ comment: ReviewComment });

export const AddComment = z
  .strictObject({
    /** Made by the client: the same id again is the same comment. */
    commentId: CommentId.regex(/^[\w-]{1,100}$/).optional(),
    ...commentPlace,
    isQuoteCut: z.literal(true).optional(),
    text: words,
  })
  .refine(({ from, to }) => from <= to, { path: ['to'], message: 'A range ends where it begins or later.' });
export type AddComment = z.infer<typeof AddComment>;

/** The revision that was shown. */
const shown = z.number().int().min(1);

export const EditComment = z.strictObject({ text: words, shown });
export const RemoveComment = z.strictObject({ shown: z.coerce.number().int().min(1) });

export const SendComments = z.strictObject({
  comments: z
    .array(
      z.strictObject({
        commentId: CommentId,
        shown,
        /** The lines are no longer what the comment quotes; the agent is told so. */
        isOutdated: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(2 * mostComments),
  /** Of the changes as a whole. */
  remark: z.string().max(100_000).optional(),
  disposition: Disposition.optional(),
  clientMessageId: z.string().min(1).max(200).optional(),
});
export type SendComments = z.infer<typeof SendComments>;

export const MarkSeen = z.strictObject({
  marks: z.array(SeenMark.strict()).min(1).max(mostSeenFiles),
  seen: z.boolean(),
});
