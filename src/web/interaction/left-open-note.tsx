import { type LucideIcon, MailQuestionMark, Moon, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import type { LeftOpen } from '../../protocol/interaction.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';

/** Nobody waits for this answer any more, and it will still be heard: how, and why. */
export function LeftOpenNote({ leftOpen }: { readonly leftOpen: LeftOpen }) {
  const t = useT();
  return (
    <Note icon={leftOpen.cause === 'tool' ? MailQuestionMark : Unplug}>
      {leftOpen.message !== undefined && leftOpen.message !== '' && (
        <p className="text-ink whitespace-pre-wrap wrap-anywhere">{plainText(leftOpen.message)}</p>
      )}
      <p>{t(`leftOpen.${leftOpen.cause}`)}</p>
    </Note>
  );
}

/** The agent sleeps, and the answer wakes it. */
export function DeferredNote() {
  const t = useT();
  return (
    <Note icon={Moon}>
      <p>{t('deferred.note')}</p>
    </Note>
  );
}

function Note({ icon: Icon, children }: { readonly icon: LucideIcon; readonly children: ReactNode }) {
  return (
    <div className="flex items-start gap-2 rounded-ui bg-sunken px-3 py-2 text-sm text-soft">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
      <div className="flex min-w-0 flex-col gap-0.5">{children}</div>
    </div>
  );
}
