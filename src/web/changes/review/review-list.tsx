import type { ReviewComment } from '../../../protocol/review.ts';
import { CommentPlace as PlaceName, Quote } from '../../conversation/sent-comments.tsx';
import { useT } from '../../i18n/i18n.ts';
import { Badge } from '../../ui/badge.tsx';
import { CommentCard, NewComment, RemovedComment } from './comment-card.tsx';
import type { Anchor, CommentPlace } from './review.logic.ts';
import type { ReviewStore } from './review-store.ts';
import type { TypedComment } from './typed-comments.ts';

/** Something of a review with its place in the changes that are shown. */
export type Placed = { readonly anchor: Anchor } & (
  | { readonly is: 'comment'; readonly comment: ReviewComment }
  | { readonly is: 'removed'; readonly comment: ReviewComment }
  | { readonly is: 'typed'; readonly comment: TypedComment }
);

/** All comments of a session, whether their lines are shown or not. */
export function ReviewList({
  placed,
  sessionId,
  store,
  onGoTo,
}: {
  readonly placed: readonly Placed[];
  readonly sessionId: string;
  readonly store: ReviewStore;
  readonly onGoTo: (placed: Placed) => void;
}) {
  const t = useT();
  if (placed.length === 0) return <p className="px-4 py-3 text-faint text-sm">{t('review.none')}</p>;
  return (
    <ol className="divide-y divide-line border-line border-y">
      {placed.map((each) => {
        const { comment, anchor } = each;
        const head = (
          <Head place={comment} anchor={anchor} isTyped={each.is === 'typed'} onGoTo={() => onGoTo(each)} />
        );
        return (
          <li key={`${each.is}:${comment.commentId}`} className="px-1 py-1">
            {each.is === 'comment' && (
              <CommentCard comment={each.comment} sessionId={sessionId} store={store} head={head} />
            )}
            {each.is === 'typed' && (
              <NewComment typed={each.comment} sessionId={sessionId} store={store} head={head} />
            )}
            {each.is === 'removed' && <RemovedComment comment={each.comment} store={store} />}
          </li>
        );
      })}
    </ol>
  );
}

function Head({
  place,
  anchor,
  isTyped,
  onGoTo,
}: {
  readonly place: CommentPlace;
  readonly anchor: Anchor;
  readonly isTyped: boolean;
  readonly onGoTo: () => void;
}) {
  const t = useT();
  const name = <PlaceName comment={place} />;
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        {anchor.is === 'there' ? (
          <button
            type="button"
            onClick={onGoTo}
            title={t('review.goTo')}
            className="min-w-0 text-start hover:underline pointer-coarse:-my-2.5 pointer-coarse:min-h-11"
          >
            {name}
          </button>
        ) : (
          name
        )}
        {isTyped && <Badge>{t('review.unfinished')}</Badge>}
        <AnchorNote place={place} anchor={anchor} />
      </div>
      <Quote text={place.quote} isCut={place.isQuoteCut === true} />
    </div>
  );
}

/** What has become of the lines since the comment was made; nothing where they are as they were. */
export function AnchorNote({ place, anchor }: { readonly place: CommentPlace; readonly anchor: Anchor }) {
  const t = useT();
  if (anchor.is === 'unknown') return null;
  if (anchor.is === 'outdated')
    return (
      <span title={t('review.outdatedMeans')}>
        <Badge>{t('review.outdated')}</Badge>
      </span>
    );
  return (
    <>
      {anchor.from !== place.from && <Badge>{t('review.nowAt', { line: anchor.from })}</Badge>}
      {anchor.is === 'elsewhere' && <Badge>{t('review.notAmong')}</Badge>}
    </>
  );
}
