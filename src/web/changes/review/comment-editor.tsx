import { useEffect, useRef, useState } from 'react';
import { longestComment } from '../../../protocol/review-limit.ts';
import { useT } from '../../i18n/i18n.ts';
import { errorText } from '../../text/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Textarea } from '../../ui/field.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { isKey, spokenKeys } from '../../ui/keys.ts';

/** The comment whose field is to have the focus as soon as it is drawn. One that is only scrolled into view has it not. */
let awaited: string | null = null;

export const focusSoon = (commentId: string): void => {
  awaited = commentId;
};

/** A field to write a comment in. What stands in it is kept by whoever draws it. */
export function CommentEditor({
  commentId,
  label,
  text,
  save,
  onText,
  onSave,
  onDiscard,
  isUnchanged = false,
}: {
  readonly commentId: string;
  readonly label: string;
  readonly text: string;
  /** What the button says. */
  readonly save: string;
  readonly onText: (text: string) => void;
  readonly onSave: () => Promise<void>;
  readonly onDiscard: () => void;
  /** Nothing would be lost by discarding it. */
  readonly isUnchanged?: boolean;
}) {
  const t = useT();
  const field = useRef<HTMLTextAreaElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isBlank = text.trim() === '';
  const isTooLong = text.trim().length > longestComment;
  const isNothing = isBlank || isUnchanged;

  useEffect(() => {
    if (awaited !== commentId) return;
    awaited = null;
    field.current?.focus();
  }, [commentId]);

  const submit = async (): Promise<void> => {
    if (isBlank || isTooLong || isBusy) return;
    setBusy(true);
    setError(null);
    try {
      await onSave();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Textarea
        ref={field}
        value={text}
        aria-label={label}
        aria-keyshortcuts={spokenKeys('field.submit')}
        aria-invalid={isTooLong || undefined}
        placeholder={t('review.placeholder')}
        readOnly={isBusy}
        onChange={({ target }) => onText(target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (isKey('field.submit', event)) void submit();
          else if (!isKey('field.leave', event)) return;
          else if (isNothing) onDiscard();
          else field.current?.blur();
          event.preventDefault();
          event.stopPropagation();
        }}
        className="max-h-80 text-sm"
      />
      {isTooLong && (
        <ErrorNote isSmall>
          {t('review.tooLong', { most: longestComment, count: text.trim().length })}
        </ErrorNote>
      )}
      {error !== null && <ErrorNote isSmall>{errorText(t, error)}</ErrorNote>}
      <div className="flex flex-wrap justify-end gap-2">
        {isNothing ? (
          <Button size="sm" variant="ghost" onClick={onDiscard}>
            {t('ui.cancel')}
          </Button>
        ) : (
          <ConfirmButton size="sm" variant="ghost" confirm={t('review.discardSure')} onConfirm={onDiscard}>
            {t('review.discard')}
          </ConfirmButton>
        )}
        <Button size="sm" type="submit" variant="primary" isBusy={isBusy} disabled={isBlank || isTooLong}>
          {save}
          <span className="pointer-coarse:hidden">
            <Kbd shortcut="field.submit" isInverse />
          </span>
        </Button>
      </div>
    </form>
  );
}
