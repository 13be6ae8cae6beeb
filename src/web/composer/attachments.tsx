import { ClipboardList, Image, X } from 'lucide-react';
import { lazy, type RefObject, Suspense, useState } from 'react';
import { flushSync } from 'react-dom';
import { lineCount } from '../../model/pasted-text.ts';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import type { PastedTexts } from './pasted-texts.ts';

const PastedTextDialog = lazy(async () => ({
  default: (await import('./pasted-text-dialog.tsx')).PastedTextDialog,
}));

/** The long texts that go with what is written: each is opened, changed, put into the field or removed. */
export function PastedChips({
  pasted,
  field,
  onIntoField,
  className,
}: {
  readonly pasted: PastedTexts;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** Takes a text into the field, behind what stands there. */
  readonly onIntoField: (text: string) => void;
  readonly className?: string;
}) {
  const t = useT();
  const [openId, setOpenId] = useState<string | null>(null);
  const open = pasted.texts.find(({ id }) => id === openId);
  if (pasted.texts.length === 0) return null;
  return (
    <>
      <ul aria-label={t('pasted.list')} className={cx('flex flex-wrap gap-2', className)}>
        {pasted.texts.map(({ id, text }) => (
          <li key={id} className="flex items-center rounded-ui border border-line bg-ground">
            <button
              type="button"
              onClick={() => setOpenId(id)}
              className="flex min-h-7 items-center gap-1.5 rounded-ui px-2 text-soft text-xs hover:text-ink pointer-coarse:min-h-11"
            >
              <ClipboardList aria-hidden className="size-3.5 shrink-0" />
              {t('pasted.lines', { count: lineCount(text) })}
            </button>
            <IconButton
              icon={X}
              label={t('pasted.remove')}
              onClick={() => {
                pasted.remove(id);
                field.current?.focus();
              }}
            />
          </li>
        ))}
      </ul>
      {open !== undefined && (
        <Suspense>
          <PastedTextDialog
            text={open.text}
            onClose={() => setOpenId(null)}
            onChange={(text) => (text === '' ? pasted.remove(open.id) : pasted.change(open.id, text))}
            onIntoField={(text) => {
              // The field cannot have the focus before the dialog is gone.
              flushSync(() => {
                pasted.remove(open.id);
                onIntoField(text);
              });
              field.current?.focus();
            }}
          />
        </Suspense>
      )}
    </>
  );
}

/** That pictures go with a message, where there is room for a line only. */
export function PictureCount({ count }: { readonly count: number }) {
  const t = useT();
  if (count === 0) return null;
  return (
    <span className="ml-1.5 inline-flex items-center gap-1 text-faint text-xs">
      <Image aria-hidden className="size-3.5" />
      {t('composer.pictures', { count })}
    </span>
  );
}
