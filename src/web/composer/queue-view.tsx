import { ListPlus, X } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { BeckonError } from '../../client/beckon-error.ts';
import { messageParts, withPastedTexts } from '../../model/pasted-text.ts';
import type { QueuedMessage, Session } from '../../protocol/session.ts';
import { addToDraft } from '../data/drafts.ts';
import { useQueue, useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { announce } from '../ui/announcer.tsx';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { placeAfterMove } from './composer.logic.ts';
import { QueueRow } from './queue-row.tsx';

export interface Editing {
  readonly messageId: string;
  readonly text: string;
}

/** What waits its turn, in the server's order: to be read, edited, moved and removed until it is sent. */
export function QueueView({
  session,
  editing,
  onEdit,
  onDone,
}: {
  readonly session: Pick<Session, 'id'>;
  readonly editing: Editing | null;
  readonly onEdit: (editing: Editing | null) => void;
  /** Gives the focus back to where messages are written. */
  readonly onDone: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  const queue = useQueue(session.id);
  const list = useRef<HTMLOListElement>(null);
  const held = useRef<Element | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [note, setNote] = useState<string | null>(null);
  const isEditedGone = editing !== null && !queue.some(({ messageId }) => messageId === editing.messageId);

  // A row that changes its place in the document loses the focus on the way.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is lost exactly when the order changes
  useLayoutEffect(() => {
    if (held.current instanceof HTMLElement && document.activeElement === document.body) held.current.focus();
  }, [queue]);

  const change = async (messageId: string, work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(messageId);
    setNote(null);
    try {
      await work();
      return true;
    } catch (error) {
      setNote(isTooLate(error) ? t('queue.tooLate') : errorText(t, error));
      return false;
    } finally {
      setBusy(null);
    }
  };

  const move = (messageId: string, position: number | undefined): void => {
    if (position === undefined || busy !== null) return;
    held.current = document.activeElement;
    void change(messageId, () => transport.patchQueued(session.id, messageId, { position })).then(
      (isMoved) => isMoved && announce(t('queue.movedTo', { position })),
    );
  };

  const remove = (item: QueuedMessage, at: number): void => {
    void change(item.messageId, () => transport.removeQueued(session.id, item.messageId)).then((isGone) => {
      if (!isGone) return;
      announce(t('queue.removed'));
      // The reply may be here before the row is gone.
      const others = `[data-queued]:not([data-queued="${CSS.escape(item.messageId)}"])`;
      const rows = list.current?.querySelectorAll<HTMLElement>(others) ?? [];
      const next = rows[Math.min(at, rows.length - 1)];
      if (next === undefined) onDone();
      else next.focus();
    });
  };

  const save = async (item: QueuedMessage, text: string): Promise<void> => {
    const message = withPastedTexts(text.trim(), messageParts(item.message).pasted);
    if (message !== item.message && !(await edited(item, message))) return;
    // Whoever has gone elsewhere meanwhile is not called back.
    const row = list.current?.querySelector(`[data-queued="${CSS.escape(item.messageId)}"]`);
    const isStillHere = row?.contains(document.activeElement) ?? false;
    onEdit(null);
    if (isStillHere) onDone();
  };
  const edited = (item: QueuedMessage, message: string): Promise<boolean> =>
    change(item.messageId, () => transport.patchQueued(session.id, item.messageId, { message }));

  if (queue.length === 0 && note === null && !isEditedGone) return null;
  return (
    <section aria-label={t('queue.label')} className="flex flex-col gap-1.5">
      {queue.length > 0 && (
        <>
          <h2 className="flex items-center gap-1.5 text-faint text-xs">
            <ListPlus aria-hidden className="size-3.5" />
            {t('session.queued', { count: queue.length })}
          </h2>
          <ol
            ref={list}
            className="max-h-52 divide-y divide-line overflow-y-auto rounded-ui border border-line bg-surface"
          >
            {queue.map((item, at) => (
              <QueueRow
                key={item.messageId}
                item={item}
                isFirst={placeAfterMove(queue, item.messageId, -1) === undefined}
                isLast={placeAfterMove(queue, item.messageId, 1) === undefined}
                isBusy={busy === item.messageId}
                editing={editing?.messageId === item.messageId ? editing.text : null}
                onText={(text) => onEdit({ messageId: item.messageId, text })}
                onCancel={() => {
                  onEdit(null);
                  onDone();
                }}
                onSave={(text) => void save(item, text)}
                onMove={(step) => move(item.messageId, placeAfterMove(queue, item.messageId, step))}
                onDrop={(messageId) => messageId !== item.messageId && move(messageId, item.position)}
                onRemove={() => remove(item, at)}
              />
            ))}
          </ol>
        </>
      )}
      {isEditedGone && (
        <SentMeanwhile
          text={editing.text}
          onKeep={() => {
            addToDraft(session.id, editing.text);
            onEdit(null);
            onDone();
          }}
          onDrop={() => {
            onEdit(null);
            onDone();
          }}
        />
      )}
      {note !== null && (
        <p role="alert" className="flex items-center justify-between gap-2 text-fail-ink text-xs">
          {note}
          <IconButton icon={X} label={t('ui.close')} onClick={() => setNote(null)} />
        </p>
      )}
    </section>
  );
}

/** It was sent while it was being edited: the change came too late, and is not thrown away. */
function SentMeanwhile({
  text,
  onKeep,
  onDrop,
}: {
  readonly text: string;
  readonly onKeep: () => void;
  readonly onDrop: () => void;
}) {
  const t = useT();
  return (
    <div
      role="alert"
      className="flex flex-col gap-2 rounded-ui border border-line-strong bg-surface px-3 py-2 text-sm"
    >
      <p>{t('queue.sentMeanwhile')}</p>
      <p className="line-clamp-3 whitespace-pre-wrap text-soft wrap-anywhere">{text}</p>
      <div className="flex justify-end gap-1">
        <Button size="sm" variant="ghost" onClick={onDrop}>
          {t('composer.discard')}
        </Button>
        <Button size="sm" onClick={onKeep}>
          {t('queue.asNew')}
        </Button>
      </div>
    </div>
  );
}

const isTooLate = (error: unknown): boolean =>
  error instanceof BeckonError &&
  (error.code === 'message_already_sent' || error.code === 'message_not_found');
