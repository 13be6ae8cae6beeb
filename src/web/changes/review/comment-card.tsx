import { Pencil, Trash2, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { BeckonError } from '../../../client/beckon-error.ts';
import { placeOf } from '../../../model/review-text.ts';
import type { ReviewComment } from '../../../protocol/review.ts';
import { useT } from '../../i18n/i18n.ts';
import { errorText } from '../../text/error-text.ts';
import { plainText } from '../../text/plain-text.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { CommentEditor, focusSoon } from './comment-editor.tsx';
import type { ReviewStore } from './review-store.ts';
import { beginEdit, dropTyped, type TypedComment, typeComment, useTypedComments } from './typed-comments.ts';

interface CardProps {
  readonly sessionId: string;
  readonly store: ReviewStore;
  /** What stands above its words: its place, where that cannot be seen. */
  readonly head?: ReactNode;
}

/** A comment that waits to be sent: to be read, changed and removed. */
export function CommentCard({
  comment,
  sessionId,
  store,
  head,
}: CardProps & { readonly comment: ReviewComment }) {
  const t = useT();
  const edit = useTypedComments(sessionId).find(({ edits }) => edits?.commentId === comment.commentId);
  const [error, setError] = useState<unknown>(null);
  const remove = (): void => {
    setError(null);
    store.remove(comment).catch(setError);
  };
  return (
    <Frame head={head}>
      {edit === undefined ? (
        <div className="flex items-start gap-1">
          <p className="min-w-0 flex-1 whitespace-pre-wrap py-1 text-sm wrap-anywhere">
            {plainText(comment.text)}
          </p>
          <IconButton
            icon={Pencil}
            label={t('review.edit')}
            onClick={() => focusSoon(beginEdit(sessionId, comment))}
          />
          <IconButton icon={Trash2} label={t('review.remove')} onClick={remove} />
        </div>
      ) : (
        <EditedComment comment={comment} edit={edit} sessionId={sessionId} store={store} />
      )}
      {error !== null && <ErrorNote isSmall>{errorText(t, error)}</ErrorNote>}
    </Frame>
  );
}

function EditedComment({
  comment,
  edit,
  sessionId,
  store,
}: CardProps & { readonly comment: ReviewComment; readonly edit: TypedComment }) {
  const t = useT();
  const isBehind = comment.revision !== edit.edits?.shown;
  const drop = (): void => dropTyped(sessionId, edit.commentId);
  const save = async (): Promise<void> => {
    try {
      // What it reads now is shown: that is what is replaced.
      await store.edit(comment.commentId, edit.text, comment.revision);
      drop();
    } catch (error) {
      // It is told below, with the words that it has now.
      if (!(error instanceof BeckonError && error.code === 'comment_changed')) throw error;
    }
  };
  return (
    <>
      <CommentEditor
        commentId={edit.commentId}
        label={t('review.label', { place: placeOf(comment) })}
        text={edit.text}
        save={t(isBehind ? 'review.keepMine' : 'review.save')}
        isUnchanged={edit.text === comment.text}
        onText={(text) => typeComment(sessionId, edit, text)}
        onSave={save}
        onDiscard={drop}
      />
      {isBehind && (
        <div
          role="alert"
          className="flex flex-col gap-1 rounded-ui border border-line-strong px-2 py-1.5 text-sm"
        >
          <p className="text-faint text-xs">{t('review.changedMeanwhile')}</p>
          <p className="whitespace-pre-wrap wrap-anywhere">{plainText(comment.text)}</p>
          <Button size="sm" className="self-end" onClick={drop}>
            {t('review.takeTheirs')}
          </Button>
        </div>
      )}
    </>
  );
}

/** A comment that is being written; also the change of one that has gone meanwhile. */
export function NewComment({ typed, sessionId, store, head }: CardProps & { readonly typed: TypedComment }) {
  const t = useT();
  const { commentId, edits } = typed;
  const drop = (): void => dropTyped(sessionId, commentId);
  const add = async (): Promise<void> => {
    await store.add(typed);
    drop();
  };
  return (
    <Frame head={head}>
      {edits !== undefined && (
        <p role="alert" className="text-faint text-xs">
          {t('review.goneMeanwhile')}
        </p>
      )}
      <CommentEditor
        commentId={commentId}
        label={t('review.label', { place: placeOf(typed) })}
        text={typed.text}
        save={t(edits === undefined ? 'review.add' : 'review.asNew')}
        onText={(text) => typeComment(sessionId, typed, text)}
        onSave={add}
        onDiscard={drop}
      />
    </Frame>
  );
}

/** In the place of one that was removed, for a while. */
export function RemovedComment({
  comment,
  store,
}: {
  readonly comment: ReviewComment;
  readonly store: ReviewStore;
}) {
  const t = useT();
  const [error, setError] = useState<unknown>(null);
  return (
    <div role="status" className="flex flex-wrap items-center gap-2 px-3 py-1.5 text-faint text-sm">
      <span className="min-w-0 flex-1">{error === null ? t('review.removed') : errorText(t, error)}</span>
      <Button size="sm" onClick={() => void store.putBack(comment).catch(setError)}>
        {t('review.undo')}
      </Button>
      <IconButton icon={X} label={t('ui.close')} onClick={() => store.forgetRemoved(comment.commentId)} />
    </div>
  );
}

const Frame = ({ head, children }: { readonly head: ReactNode; readonly children: ReactNode }) => (
  <div className="flex flex-col gap-2 px-3 py-2 font-sans">
    {head}
    {children}
  </div>
);
