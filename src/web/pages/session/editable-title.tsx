import { Pencil } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Session } from '../../../protocol/session.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { titleOf } from '../../session/activity.logic.ts';
import { errorText } from '../../text/error-text.ts';
import { Input } from '../../ui/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { toast } from '../../ui/toast.tsx';
import { useFocusOnMount } from '../../ui/use-focus-on-mount.ts';

/** The session's name, and a way to change it. What is shown is what the server says it is. */
export function EditableTitle({ session }: { readonly session: Session }) {
  const t = useT();
  const transport = useTransport();
  const [isEditing, setEditing] = useState(false);
  const pencil = useRef<HTMLButtonElement>(null);
  const done = (title: string | null): void => {
    setEditing(false);
    requestAnimationFrame(() => pencil.current?.focus());
    if (title === null || title === '' || title === session.title) return;
    transport.patch(session.id, { title }).catch((error: unknown) => toast('fail', errorText(t, error)));
  };
  return (
    <div className="group/title flex min-w-0 flex-1 items-center gap-1">
      {isEditing ? (
        <TitleField session={session} onDone={done} />
      ) : (
        <>
          <h1 className="truncate font-semibold text-lg" title={session.title}>
            {titleOf(session)}
          </h1>
          <IconButton
            ref={pencil}
            icon={Pencil}
            label={t('header.rename')}
            onClick={() => setEditing(true)}
            className="opacity-0 focus-visible:opacity-100 group-hover/title:opacity-100 pointer-coarse:opacity-100"
          />
        </>
      )}
    </div>
  );
}

function TitleField({
  session,
  onDone,
}: {
  readonly session: Session;
  readonly onDone: (title: string | null) => void;
}) {
  const t = useT();
  const field = useFocusOnMount<HTMLInputElement>();
  const [text, setText] = useState(session.title);
  return (
    <form
      className="min-w-0 flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        onDone(text.trim());
      }}
    >
      <Input
        ref={field}
        aria-label={t('header.title')}
        value={text}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={() => onDone(text.trim())}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDone(null);
        }}
        className="max-w-120"
      />
    </form>
  );
}
