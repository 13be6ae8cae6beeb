import type { ClipboardEvent, KeyboardEvent, RefObject } from 'react';
import type { Session } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { titleOf } from '../session/activity.logic.ts';
import { isBeginning, keyIn } from '../ui/keys.ts';
import type { useCommandList } from './command-list.tsx';
import { useLongPaste } from './pasted-texts.ts';
import type { ComposerModel } from './use-composer.ts';

/** The field of a composer. Enter sends, Ctrl+Enter in the other way that is offered; what is long and pasted is set apart. */
export function ComposerField({
  session,
  composer,
  field,
  commandList,
  onArrowUp,
  onFiles,
  className,
}: {
  readonly session: Session;
  readonly composer: ComposerModel;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly commandList: ReturnType<typeof useCommandList>;
  /** The arrow was pressed in an empty field; tells whether that did something. */
  readonly onArrowUp?: () => boolean;
  readonly onFiles?: (files: readonly File[]) => void;
  readonly className: string;
}) {
  const t = useT();
  const { draft, offer, answers, blocked, isEnded } = composer;
  const longPaste = useLongPaste(composer);

  const pressed = (event: KeyboardEvent): void => {
    const { isComposing } = event.nativeEvent;
    if (!isComposing && isBeginning(event)) composer.begin();
    if (isComposing || commandList.pressed(event) || longPaste.undo(event)) return;
    const key = keyIn('composer', event);
    if (key === 'send' || key === 'send-otherwise')
      void composer.submit(key === 'send-otherwise' && offer.modEnter ? offer.modEnter : undefined);
    else if (key !== 'edit-last' || draft !== '' || onArrowUp?.() !== true) return;
    event.preventDefault();
  };

  const pasted = (event: ClipboardEvent<HTMLTextAreaElement>): void => {
    const files = [...event.clipboardData.files];
    if (onFiles === undefined || files.length === 0) {
      longPaste.paste(event);
      return;
    }
    event.preventDefault();
    onFiles(files);
  };

  return (
    <textarea
      ref={field}
      rows={1}
      value={draft}
      readOnly={isEnded}
      aria-disabled={isEnded || undefined}
      enterKeyHint="send"
      aria-label={t('composer.label', { title: titleOf(session) })}
      placeholder={t(placeholder())}
      onChange={(event) => composer.setDraft(event.target.value)}
      onKeyDown={pressed}
      onPointerDown={composer.begin}
      onDragEnter={composer.begin}
      onPaste={pasted}
      {...commandList.fieldProps}
      className={className}
    />
  );

  function placeholder() {
    if (blocked === 'disconnected') return 'composer.disconnected' as const;
    if (isEnded) return 'composer.over' as const;
    if (answers !== null) return 'composer.answer' as const;
    return `composer.placeholder.${offer.enter}` as const;
  }
}
