import {
  ArrowDown,
  ArrowUp,
  Check,
  GripVertical,
  LoaderCircle,
  Pause,
  Pencil,
  Trash2,
  X,
} from 'lucide-react';
import { type DragEvent, type KeyboardEvent, useState } from 'react';
import { messageParts } from '../../model/pasted-text.ts';
import type { QueuedMessage } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { messageInShort } from '../text/message-in-short.ts';
import { cx } from '../ui/class-names.ts';
import { Textarea } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { isKey, keyIn, spokenKeys } from '../ui/keys.ts';
import { useFocusOnMount } from '../ui/use-focus-on-mount.ts';
import { PictureCount } from './attachments.tsx';

export interface QueueRowProps {
  readonly item: QueuedMessage;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly isBusy: boolean;
  /** The text as edited so far; null when it is not being edited. */
  readonly editing: string | null;
  readonly onText: (text: string) => void;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
  readonly onMove: (step: -1 | 1) => void;
  /** Another one was dropped on this. */
  readonly onDrop: (messageId: string) => void;
  readonly onRemove: () => void;
}

/** Not disabled: a button that is would lose the focus on the way to the end of the queue. */
const end = 'aria-disabled:cursor-default aria-disabled:opacity-40';

const rowKeys = (['queue.up', 'queue.down', 'queue.edit', 'queue.remove'] as const).map(spokenKeys).join(' ');
const dragged = 'application/x-beckon-queued';

/** A queued message. With the focus on it: Alt+↑ and Alt+↓ move it, Enter edits, Delete removes. */
export function QueueRow(props: QueueRowProps) {
  const { item, isFirst, isLast, isBusy, editing, onText, onMove, onDrop, onRemove } = props;
  const t = useT();
  const [isOver, setOver] = useState(false);
  const canChange = !item.sending && !isBusy;

  const pressed = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || !canChange) return;
    const key = keyIn('queue', event);
    if (key === undefined) return;
    if (key === 'edit') onText(messageParts(item.message).typed);
    else if (key === 'remove') onRemove();
    else onMove(key === 'up' ? -1 : 1);
    event.preventDefault();
    event.stopPropagation();
  };

  const drag = {
    draggable: canChange && editing === null,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.setData(dragged, item.messageId);
      event.dataTransfer.effectAllowed = 'move';
    },
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(dragged) || item.sending) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      const messageId = event.dataTransfer.getData(dragged);
      if (messageId === '') return;
      event.preventDefault();
      event.stopPropagation();
      onDrop(messageId);
    },
  };

  return (
    <li
      data-queued={item.messageId}
      tabIndex={editing === null ? 0 : undefined}
      aria-label={t('queue.item', { position: item.position, message: messageInShort(t, item.message) })}
      aria-keyshortcuts={rowKeys}
      aria-busy={isBusy || undefined}
      onKeyDown={pressed}
      {...drag}
      className={cx(
        'group flex min-w-0 items-start gap-1.5 px-2 py-1 outline-offset-[-2px]',
        isOver && 'bg-hover',
      )}
    >
      {editing === null ? (
        <>
          <GripVertical
            aria-hidden
            className={cx(
              'mt-1.5 size-3.5 shrink-0 text-faint pointer-coarse:hidden',
              canChange ? 'cursor-grab opacity-60' : 'opacity-0',
            )}
          />
          <Text item={item} />
          {item.sending ? (
            <span className="mt-1.5 flex shrink-0 items-center gap-1.5 text-work-ink text-xs">
              <LoaderCircle aria-hidden className="size-3.5 animate-spin" />
              {t('composer.sending')}
            </span>
          ) : (
            <div className="flex shrink-0">
              <IconButton
                icon={ArrowUp}
                label={t('queue.up')}
                shortcut="queue.up"
                aria-disabled={isFirst}
                className={end}
                onClick={() => onMove(-1)}
              />
              <IconButton
                icon={ArrowDown}
                label={t('queue.down')}
                shortcut="queue.down"
                aria-disabled={isLast}
                className={end}
                onClick={() => onMove(1)}
              />
              <IconButton
                icon={Pencil}
                label={t('composer.edit')}
                onClick={() => onText(messageParts(item.message).typed)}
              />
              <IconButton icon={Trash2} label={t('queue.remove')} onClick={onRemove} />
            </div>
          )}
        </>
      ) : (
        <Editor {...props} text={editing} />
      )}
    </li>
  );
}

/** One line; a press shows all of it. */
function Text({ item }: { readonly item: QueuedMessage }) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-expanded={isOpen}
      onClick={() => setOpen(!isOpen)}
      className="min-w-0 flex-1 py-1 text-left text-sm pointer-coarse:min-h-11"
    >
      <span className={cx('block wrap-anywhere', isOpen ? 'whitespace-pre-wrap' : 'truncate')}>
        {item.disposition === 'interrupt' && (
          <Pause
            aria-label={t('queue.interrupts')}
            className="mr-1.5 inline size-3.5 align-[-2px] text-faint"
          />
        )}
        {isOpen ? item.message : messageInShort(t, item.message)}
        <PictureCount count={item.images} />
      </span>
    </button>
  );
}

function Editor({ item, text, isBusy, onText, onSave, onCancel }: QueueRowProps & { readonly text: string }) {
  const t = useT();
  const field = useFocusOnMount<HTMLTextAreaElement>();
  const canSave =
    !isBusy && (text.trim() !== '' || item.images > 0 || messageParts(item.message).pasted.length > 0);
  return (
    <div className="flex min-w-0 flex-1 items-end gap-1 py-0.5">
      <Textarea
        ref={field}
        value={text}
        rows={1}
        aria-label={t('queue.edit')}
        onChange={(event) => onText(event.target.value)}
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (isKey('field.leave', event)) onCancel();
          else if (isKey('field.send', event) && canSave) onSave(text);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
        className="max-h-40 min-h-8 text-sm"
      />
      <IconButton icon={X} label={t('ui.cancel')} shortcut="field.leave" onClick={onCancel} />
      <IconButton
        icon={Check}
        label={t('queue.save')}
        shortcut="field.send"
        disabled={!canSave}
        onClick={() => onSave(text)}
      />
    </div>
  );
}
