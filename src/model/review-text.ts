import type { ReviewComment } from '../protocol/review.ts';

export interface ReviewWords {
  /** Of the changes as a whole; empty where there is none. */
  readonly remark: string;
  readonly isOutdated: (comment: ReviewComment) => boolean;
}

/**
 * Comments as one message for an agent: what was said of the whole, then each comment below its place and the lines it is about. The
 * lines are the agent's or the repository's: fenced, they cannot be taken for what the person says.
 */
export function reviewText(comments: readonly ReviewComment[], { remark, isOutdated }: ReviewWords): string {
  const count = comments.length === 1 ? 'One comment' : `${comments.length} comments`;
  const sides = `${count} on the changes. Lines marked "after" are counted in the files with the changes, "before" in the files without them.`;
  const parts = comments.map((comment, at) =>
    [
      `${at + 1}. ${placeText(comment, isOutdated(comment))}`,
      fenced(comment.quote),
      comment.text.trim(),
    ].join('\n'),
  );
  return [remark.trim(), sides, ...parts].filter((part) => part !== '').join('\n\n');
}

/** `src/app.ts:12-14` */
export const placeOf = ({ path, from, to }: Pick<ReviewComment, 'path' | 'from' | 'to'>): string =>
  `${path}:${from === to ? from : `${from}-${to}`}`;

function placeText(comment: ReviewComment, isOutdated: boolean): string {
  const notes = [
    comment.side,
    ...(isOutdated ? ['these lines have changed since'] : []),
    ...(comment.isQuoteCut ? ['quoted in part'] : []),
  ];
  return `${placeOf(comment)} (${notes.join('; ')})`;
}

/** Between more backticks than there are in a row in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
