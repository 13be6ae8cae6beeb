import { MessageSquareQuote } from 'lucide-react';
import {
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { ChangedFile, SessionChanges } from '../../../protocol/changes.ts';
import type { Session } from '../../../protocol/session.ts';
import { useRoom, useTransport } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { errorText } from '../../text/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import type { ReviewSlots } from '../diff-list.tsx';
import { type LineKey, type LineRange, lineKey } from '../diff-rows.logic.ts';
import { CommentCard, NewComment, RemovedComment } from './comment-card.tsx';
import { focusSoon } from './comment-editor.tsx';
import { FileLines } from './file-lines.ts';
import { anchorOf, fileNow, isSeen, pathOn, quoteOf } from './review.logic.ts';
import { ReviewDialog } from './review-dialog.tsx';
import { AnchorNote, type Placed } from './review-list.tsx';
import { type ReviewState, ReviewStore } from './review-store.ts';
import { SeenBox } from './seen-box.tsx';
import { beginComment, readTypedComments, useTypedComments } from './typed-comments.ts';

interface ReviewOf {
  readonly session: Session;
  readonly changes: SessionChanges;
  readonly onGoTo: (key: LineKey, file: ChangedFile) => void;
  readonly onFold: (file: ChangedFile, isFolded: boolean) => void;
}

export interface ChangesReview {
  readonly slots: Required<ReviewSlots>;
  /** What stands below the changes. */
  readonly footer: ReactNode;
  toggleSeen(file: ChangedFile): void;
}

/** Comments and marks on the changes that are shown: under their lines, at their files, and all of them in a list. */
export function useChangesReview({ session, changes, onGoTo, onFold }: ReviewOf): ChangesReview {
  const { id: sessionId } = session;
  const store = useReviewStore(session);
  const review = useSyncExternalStore(store.subscribe, () => store.state);
  const placed = usePlaced(sessionId, review, changes);
  const mark = useMarking(store, review, changes.files, onFold);
  const annotations = useMemo(() => annotationsOf(placed, sessionId, store), [placed, sessionId, store]);
  const onPick = useCallback(
    (range: LineRange, quote: string) => {
      const { side, from, to } = range;
      const file = changes.files.find(({ path }) => path === range.path);
      if (file === undefined) return;
      const point = side === 'before' ? changes.before : changes.after;
      const place = { path: pathOn(side, file), side, from, to, point, ...quoteOf(quote.split('\n')) };
      focusSoon(beginComment(sessionId, place));
    },
    [sessionId, changes],
  );
  const { seen } = review;
  const fileMark = useCallback(
    (file: ChangedFile) => <SeenBox file={file} isSeen={isSeen(seen, file)} onMark={mark} />,
    [seen, mark],
  );
  return {
    slots: { annotations, picked: pickedIn(placed), onPick, fileMark },
    toggleSeen: (file) => mark(file, !isSeen(seen, file)),
    footer: (
      <ReviewBar
        session={session}
        store={store}
        review={review}
        placed={placed}
        files={changes.files}
        onGoTo={onGoTo}
      />
    ),
  };
}

/** A file that is marked as seen is folded; one that changes again is not seen, and open. */
function useMarking(
  store: ReviewStore,
  { seen }: ReviewState,
  files: readonly ChangedFile[],
  onFold: ReviewOf['onFold'],
): (file: ChangedFile, isSeen: boolean) => void {
  const t = useT();
  const folded = useRef(new Set<string>());
  useEffect(() => {
    for (const file of files)
      if (!isSeen(seen, file) && folded.current.delete(file.path)) onFold(file, false);
  }, [seen, files, onFold]);
  return useCallback(
    (file, seen) => {
      if (seen) folded.current.add(file.path);
      onFold(file, seen);
      store.mark([file], seen).catch((error: unknown) => toast('fail', errorText(t, error)));
    },
    [store, onFold, t],
  );
}

/** The lines that somebody writes about. */
function pickedIn(placed: readonly Placed[]): LineRange | null {
  const last = placed.findLast(({ is, anchor }) => is === 'typed' && anchor.is === 'there');
  if (last?.anchor.is !== 'there') return null;
  const { side, from, to } = last.comment;
  const { file, from: first } = last.anchor;
  return { path: file.path, side, from: first, to: first + to - from };
}

function useReviewStore({ id, review }: Session): ReviewStore {
  const transport = useTransport();
  const clientId = useRoom((room) => room.clientId);
  const store = useMemo(() => new ReviewStore(transport, id), [transport, id]);
  const revision = review?.revision ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision, and a new connection, are reasons to read again
  useEffect(() => void store.read(), [store, revision, clientId]);
  return store;
}

/** All that was said, by file and line, each with where its lines are now. */
function usePlaced(sessionId: string, review: ReviewState, changes: SessionChanges): readonly Placed[] {
  const transport = useTransport();
  const typed = useTypedComments(sessionId);
  const lines = useMemo(() => new FileLines(transport, sessionId), [transport, sessionId]);
  const version = useSyncExternalStore(lines.subscribe, () => lines.version);
  useEffect(() => readTypedComments(sessionId), [sessionId]);
  const { comments, removed, isThere } = review;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version tells that more lines are known
  const placed = useMemo((): readonly Placed[] => {
    const kept = new Set<string>(comments.map(({ commentId }) => commentId));
    // The server may have it a moment before this browser lets go of it.
    const unsaved = typed.filter(({ commentId }) => !kept.has(commentId));
    const ofNone = unsaved.filter(
      ({ edits }) => edits === undefined || (isThere && !kept.has(edits.commentId)),
    );
    const all = [
      ...comments.map((comment) => ({ is: 'comment', comment }) as const),
      ...removed.map((comment) => ({ is: 'removed', comment }) as const),
      ...ofNone.map((comment) => ({ is: 'typed', comment }) as const),
    ];
    return all
      .map((each): Placed => ({ ...each, anchor: anchorOf(each.comment, changes, lines.of) }))
      .sort((a, b) => compare(a.comment.path, b.comment.path) || a.comment.from - b.comment.from);
  }, [comments, removed, typed, isThere, changes, lines, version]);
  useEffect(() => {
    for (const { comment, anchor } of placed)
      if (anchor.is === 'unknown') lines.want(fileNow(comment, changes));
  }, [placed, changes, lines]);
  return placed;
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** The line that something stands under: the last of its range. */
function keyOf({ comment: { side, from, to }, anchor }: Placed): LineKey | null {
  if (anchor.is !== 'there') return null;
  return lineKey(anchor.file.path, side, anchor.from + to - from);
}

function annotationsOf(
  placed: readonly Placed[],
  sessionId: string,
  store: ReviewStore,
): ReadonlyMap<LineKey, ReactNode> {
  const byLine = new Map<LineKey, Placed[]>();
  for (const each of placed) {
    const key = keyOf(each);
    if (key !== null) byLine.set(key, [...(byLine.get(key) ?? []), each]);
  }
  return new Map(
    [...byLine].map(([key, those]) => [
      key,
      <div
        key={key}
        className="mx-2 my-1 max-w-3xl divide-y divide-line rounded-ui border border-line-strong bg-raised shadow-raised md:ml-12"
      >
        {those.map((each) => (
          <Annotation
            key={`${each.is}:${each.comment.commentId}`}
            placed={each}
            sessionId={sessionId}
            store={store}
          />
        ))}
      </div>,
    ]),
  );
}

function Annotation({
  placed,
  sessionId,
  store,
}: {
  readonly placed: Placed;
  readonly sessionId: string;
  readonly store: ReviewStore;
}) {
  const head = (
    <span className="flex gap-1 empty:hidden">
      <AnchorNote place={placed.comment} anchor={placed.anchor} />
    </span>
  );
  if (placed.is === 'removed') return <RemovedComment comment={placed.comment} store={store} />;
  return placed.is === 'typed' ? (
    <NewComment typed={placed.comment} sessionId={sessionId} store={store} head={head} />
  ) : (
    <CommentCard comment={placed.comment} sessionId={sessionId} store={store} head={head} />
  );
}

/** How far the review has come, and the way to what would be sent. */
function ReviewBar({
  session,
  store,
  review,
  placed,
  files,
  onGoTo,
}: {
  readonly session: Session;
  readonly store: ReviewStore;
  readonly review: ReviewState;
  readonly placed: readonly Placed[];
  readonly files: readonly ChangedFile[];
  readonly onGoTo: ReviewOf['onGoTo'];
}) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const { comments, seen, isThere, error } = review;
  const seenFiles = files.filter((file) => isSeen(seen, file)).length;
  const hasAny = placed.length > 0 || isOpen;
  if (files.length === 0 && !hasAny) return null;
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-line border-t bg-surface px-3 py-1.5">
      <span className="text-faint text-xs tabular-nums">
        {files.length > 0 && t('seen.count', { seen: seenFiles, count: files.length })}
      </span>
      <span className="flex-1" />
      {!isThere && error !== null && (
        <span role="alert" className="text-fail-ink text-xs">
          {t('review.notLoaded')} {errorText(t, error)}
        </span>
      )}
      {hasAny && (
        <Button
          variant={comments.length > 0 ? 'primary' : 'secondary'}
          size="sm"
          icon={MessageSquareQuote}
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          {t('review.open', { count: comments.length })}
        </Button>
      )}
      {isOpen && (
        <ReviewDialog
          session={session}
          store={store}
          placed={placed}
          onGoTo={(each) => {
            const key = keyOf(each);
            setOpen(false);
            if (key !== null && each.anchor.is === 'there') onGoTo(key, each.anchor.file);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
