import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** Says what something means before a person has it done. It closes when that is done, and else says why not. */
export function ConfirmDialog({
  title,
  action,
  icon,
  variant = 'danger',
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  /** What is written on the button. */
  readonly action: string;
  readonly icon?: LucideIcon;
  readonly variant?: 'danger' | 'primary';
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const t = useT();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setError(errorText(t, failure));
      setBusy(false);
    }
  };

  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button
            variant={variant}
            isBusy={isBusy}
            {...(icon !== undefined && { icon })}
            onClick={() => void confirm()}
          >
            {action}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 px-4 py-3">
        {children}
        {error !== undefined && (
          <p role="alert" className="text-fail-ink text-sm">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}
