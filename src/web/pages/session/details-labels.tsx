import { X } from 'lucide-react';
import { useState } from 'react';
import type { Session } from '../../../protocol/session.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { errorText } from '../../text/error-text.ts';
import { Input } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';

/** Words by which a session is found again. */
export function DetailsLabels({ session }: { readonly session: Session }) {
  const t = useT();
  const transport = useTransport();
  const [text, setText] = useState('');
  const set = (labels: readonly string[]): Promise<void> =>
    transport.patch(session.id, { labels: [...labels] }).then(
      () => undefined,
      (error: unknown) => toast('fail', errorText(t, error)),
    );
  return (
    <div className="flex flex-col gap-2">
      {session.labels.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {session.labels.map((label) => (
            <li
              key={label}
              className="inline-flex max-w-full items-center rounded-tight bg-sunken pl-1.5 text-soft text-xs"
            >
              <span className="min-w-0 truncate">{label}</span>
              <button
                type="button"
                aria-label={t('details.removeLabel', { label })}
                onClick={() => void set(session.labels.filter((each) => each !== label))}
                className="inline-flex size-6 shrink-0 items-center justify-center hover:text-ink pointer-coarse:size-11"
              >
                <X aria-hidden className="size-3" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const label = text.trim();
          if (label === '' || session.labels.includes(label)) return;
          void set([...session.labels, label]).then(() => setText(''));
        }}
      >
        <Input
          aria-label={t('details.addLabel')}
          placeholder={t('details.addLabel')}
          value={text}
          maxLength={60}
          onChange={(event) => setText(event.target.value)}
          className="h-7 text-sm"
        />
      </form>
    </div>
  );
}
