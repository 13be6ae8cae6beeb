import { ChevronDown, ChevronRight, MessageSquareQuote } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { placeOf } from '../../model/review-text.ts';
import { showInvisible } from '../../model/suspicious-text.ts';
import type { ReviewComment, SentReview } from '../../protocol/review.ts';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { plainText } from '../text/plain-text.ts';
import { useConversationPlace } from './conversation-context.ts';

/** The comments of a message: a line, until somebody wants to read them. */
export function SentComments({ review }: { readonly review: SentReview }) {
  const t = useT();
  const { sessionId } = useConversationPlace();
  const [isOpen, setOpen] = useState(false);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <div className="flex w-[85%] flex-col items-end gap-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex max-w-full items-center gap-1.5 rounded-ui border border-line bg-sunken px-2 py-1 text-soft text-sm hover:text-ink dark:bg-hover pointer-coarse:min-h-11"
      >
        <MessageSquareQuote aria-hidden className="size-3.5 shrink-0" />
        {t('review.sent', { count: review.comments.length })}
        <Chevron aria-hidden className="size-3.5 shrink-0 text-faint" />
      </button>
      {isOpen && (
        <ol className="w-full divide-y divide-line overflow-hidden rounded-ui border border-line bg-surface">
          {review.comments.map((comment) => (
            <li key={comment.commentId} className="flex flex-col gap-1.5 px-3 py-2">
              <Link
                href={`${routes.session(sessionId)}${routes.changesIn}?${new URLSearchParams({ since: 'start', file: comment.path })}`}
                title={t('review.goTo')}
                className="flex w-fit items-center hover:underline pointer-coarse:-my-2.5 pointer-coarse:min-h-11"
              >
                <CommentPlace comment={comment} />
              </Link>
              <Quote text={comment.quote} isCut={comment.isQuoteCut === true} />
              <p className="whitespace-pre-wrap text-sm wrap-anywhere">{plainText(comment.text)}</p>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** `src/app.ts:12-14`, and that it is about what was there before. */
export function CommentPlace({
  comment,
}: {
  readonly comment: Pick<ReviewComment, 'path' | 'from' | 'to' | 'side'>;
}) {
  const t = useT();
  return (
    <span className="min-w-0 font-mono text-soft text-xs wrap-anywhere">
      {showInvisible(placeOf(comment))}
      {comment.side === 'before' && <span className="font-sans text-faint"> · {t('review.before')}</span>}
    </span>
  );
}

const shownLines = 6;

/** The lines that a comment is about, as they were. */
export function Quote({ text, isCut }: { readonly text: string; readonly isCut: boolean }) {
  const lines = text.split('\n');
  return (
    <pre className="overflow-hidden border-line-strong border-l-2 pl-2 font-mono text-soft text-xs leading-4.5">
      <code className="whitespace-pre-wrap wrap-anywhere">
        {showInvisible(lines.slice(0, shownLines).join('\n'))}
        {(isCut || lines.length > shownLines) && '\n…'}
      </code>
    </pre>
  );
}
