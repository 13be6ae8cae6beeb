import { ArrowUp, ChevronDown } from 'lucide-react';
import { useRef, useState } from 'react';
import { BeckonError } from '../../../client/beckon-error.ts';
import type { Disposition, Session } from '../../../protocol/session.ts';
import { blockedBy, type Offer, offerOf } from '../../composer/composer.logic.ts';
import { wayIcons } from '../../composer/send-button.tsx';
import { useDraft } from '../../data/drafts.ts';
import { randomId } from '../../data/random-id.ts';
import { useRoom } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { useIsNew } from '../../interaction/stillness.ts';
import { errorText } from '../../text/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Textarea } from '../../ui/field.tsx';
import { Menu } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';
import { isOutdated } from './review.logic.ts';
import { type Placed, ReviewList } from './review-list.tsx';
import type { ReviewStore } from './review-store.ts';
import { useTypedComments } from './typed-comments.ts';

interface ReviewDialogProps {
  readonly session: Session;
  readonly store: ReviewStore;
  readonly placed: readonly Placed[];
  readonly onGoTo: (placed: Placed) => void;
  readonly onClose: () => void;
}

/** Everything that would be sent, to be read once more; only from here it is sent. */
export function ReviewDialog({ session, store, placed, onGoTo, onClose }: ReviewDialogProps) {
  const t = useT();
  const [remark, setRemark] = useDraft(`${session.id}:review`);
  const { error, isSending, send } = useSending({ session, store, placed, remark }, () => {
    setRemark('');
    onClose();
  });
  const count = placed.filter(({ is }) => is === 'comment').length;
  const shown = new Set<string>(placed.map(({ comment }) => comment.commentId));
  const isEditing = useTypedComments(session.id).some(({ edits }) => edits && shown.has(edits.commentId));
  const blocked = blockedBy(
    session,
    useRoom((room) => room.connection.state),
  );
  return (
    <Dialog
      title={t('review.title')}
      size="lg"
      onClose={onClose}
      footer={
        <>
          <p className="min-w-40 flex-1 text-faint text-xs">
            {t(
              blocked !== null ? blockedWords[blocked] : isEditing ? 'review.saveFirst' : 'review.oneMessage',
            )}
          </p>
          <SendComments
            session={session}
            count={count}
            face={placed
              .map(
                ({ is, comment }) =>
                  `${is}${comment.commentId}${'revision' in comment ? comment.revision : ''}`,
              )
              .join()}
            isDisabled={blocked !== null || isEditing}
            isSending={isSending}
            onSend={send}
          />
        </>
      }
    >
      <div className="flex flex-col gap-3 pb-3">
        <ReviewList placed={placed} sessionId={session.id} store={store} onGoTo={onGoTo} />
        <Field label={t('review.remark')} hint={t('review.remarkHint')} className="px-4">
          {(ids) => (
            <Textarea
              {...ids}
              value={remark}
              maxLength={100_000}
              onChange={({ target }) => setRemark(target.value)}
              className="max-h-60 text-sm"
            />
          )}
        </Field>
        {error !== null && (
          <p role="alert" className="px-4 text-fail-ink text-sm">
            {error instanceof BeckonError && error.code === 'comment_changed'
              ? t('review.sendChanged')
              : errorText(t, error)}
          </p>
        )}
      </div>
    </Dialog>
  );
}

const blockedWords = {
  stopped: 'composer.blocked.stopped',
  failed: 'composer.blocked.failed',
  disconnected: 'composer.disconnected',
} as const;

/** Says what becomes of them; while the agent works, the other ways to send are one press away. */
function SendComments({
  session,
  count,
  face,
  isDisabled,
  isSending,
  onSend,
}: {
  readonly session: Session;
  readonly count: number;
  /** Names what is shown: a press on what has only just come is not meant for it. */
  readonly face: string;
  readonly isDisabled: boolean;
  readonly isSending: boolean;
  readonly onSend: (disposition: Disposition) => void;
}) {
  const t = useT();
  const isNew = useIsNew(face);
  const offer = offerOf(
    session,
    useRoom((room) => room.whileBusy),
  );
  const isOff = isDisabled || count === 0;
  const press = (disposition: Disposition): void => {
    if (!isNew && !isOff) onSend(disposition);
  };
  const hasWays = offer.ways.length > 1;
  return (
    <div className="flex min-w-0">
      <Button
        variant="primary"
        icon={offer.enter === 'queue' || offer.enter === 'interrupt' ? wayIcons[offer.enter] : ArrowUp}
        disabled={isOff}
        aria-disabled={isNew || undefined}
        isBusy={isSending}
        onClick={() => press(offer.enter === 'interrupt' ? 'interrupt' : 'auto')}
        className={cx(hasWays && 'rounded-r-none')}
      >
        {t(`review.${wordOf(offer.enter)}`, { count })}
      </Button>
      {hasWays && (
        <Menu
          trigger={
            <Button
              variant="primary"
              icon={ChevronDown}
              aria-label={t('composer.otherWays')}
              disabled={isOff || isSending}
              className="-ml-px rounded-l-none border-l-faint px-1.5"
            />
          }
          groups={[
            offer.ways.map((way) => ({
              key: way,
              label: t(`composer.${way}`),
              hint: t(`composer.${way}Hint`),
              icon: wayIcons[way],
              onSelect: () => press(way),
            })),
          ]}
        />
      )}
    </div>
  );
}

const wordOf = (enter: Offer['enter']): 'send' | 'queue' | 'interrupt' =>
  enter === 'queue' || enter === 'interrupt' ? enter : 'send';

/** Sends what is shown, as it is shown. */
function useSending(
  {
    session,
    store,
    placed,
    remark,
  }: Pick<ReviewDialogProps, 'session' | 'store' | 'placed'> & { readonly remark: string },
  onSent: () => void,
) {
  const t = useT();
  const [error, setError] = useState<unknown>(null);
  const [isSending, setSending] = useState(false);
  /** The same as long as it is not known whether it arrived: tried again, it is one message. */
  const messageId = useRef<string>(null);
  const send = async (disposition: Disposition): Promise<void> => {
    setSending(true);
    setError(null);
    messageId.current ??= randomId();
    const comments = placed.flatMap((each) =>
      each.is === 'comment'
        ? [
            {
              commentId: each.comment.commentId,
              shown: each.comment.revision,
              ...(isOutdated(each.anchor, each.comment) && { isOutdated: true }),
            },
          ]
        : [],
    );
    try {
      const { status } = await store.send(
        comments,
        { remark, ...(disposition === 'auto' ? {} : { disposition }) },
        messageId.current,
      );
      messageId.current = null;
      toast('done', t(status === 'sent' ? 'review.sentNow' : 'review.queuedNow'));
      onSent();
    } catch (thrown) {
      if (!(thrown instanceof BeckonError && thrown.code === 'unreachable')) messageId.current = null;
      setError(thrown);
    } finally {
      setSending(false);
    }
  };
  return { error, isSending, send: (disposition: Disposition) => void send(disposition), session };
}
