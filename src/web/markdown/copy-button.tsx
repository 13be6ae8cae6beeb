import { Check, Copy, type LucideIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useT } from '../i18n/i18n.ts';
import { announce } from '../ui/announcer.tsx';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';

const shownMs = 1600;

/** Puts a text on the clipboard, and says so. */
export function CopyButton({
  text,
  icon = Copy,
  label,
  className,
}: {
  readonly text: string;
  readonly icon?: LucideIcon;
  /** What it does, where that is not plain from where it stands. */
  readonly label?: string;
  readonly className?: string;
}) {
  const t = useT();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  // Pages that were loaded over plain HTTP from another machine have no clipboard.
  if (navigator.clipboard === undefined) return null;
  return (
    <IconButton
      icon={isCopied ? Check : icon}
      label={isCopied ? t('conversation.copied') : (label ?? t('conversation.copy'))}
      className={cx(className, isCopied && 'text-done-ink')}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => {
            setCopied(true);
            announce(t('conversation.copied'));
          },
          () => {},
        )
      }
    />
  );
}
