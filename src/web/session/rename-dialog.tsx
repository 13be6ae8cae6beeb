import { type FormEvent, useState } from 'react';
import { useSession, useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Input } from '../ui/field.tsx';
import { useFocusOnMount } from '../ui/use-focus-on-mount.ts';

/** Gives a session another title. */
export function RenameDialog({
  sessionId,
  onClose,
}: {
  readonly sessionId: string;
  readonly onClose: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  const session = useSession(sessionId);
  const [title, setTitle] = useState(session?.title ?? '');
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<string>();
  const field = useFocusOnMount<HTMLInputElement>();

  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const name = title.trim();
    if (name === '' || isSaving) return;
    setSaving(true);
    try {
      await transport.patch(sessionId, { title: name });
      onClose();
    } catch (failure) {
      setError(errorText(t, failure));
      setSaving(false);
    }
  };

  return (
    <Dialog title={t('palette.rename')} onClose={onClose}>
      <form onSubmit={(event) => void save(event)} className="flex flex-col gap-4 p-4">
        <Field label={t('new.sessionTitle')} error={error}>
          {(ids) => (
            <Input
              {...ids}
              ref={field}
              value={title}
              maxLength={500}
              onFocus={({ target }) => target.select()}
              onChange={({ target }) => setTitle(target.value)}
            />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button variant="ghost" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button type="submit" variant="primary" isBusy={isSaving} disabled={title.trim() === ''}>
            {t('queue.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
