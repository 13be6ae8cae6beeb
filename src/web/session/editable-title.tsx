import { type ReactNode, useRef, useState } from 'react';
import { create } from 'zustand';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { cx } from '../ui/class-names.ts';
import { Input } from '../ui/field.tsx';
import { isKey } from '../ui/keys.ts';
import { toast } from '../ui/toast.tsx';
import { useFocusOnMount } from '../ui/use-focus-on-mount.ts';

/** Where a title stands: a session may be in several lists at once, and is renamed in one of them. */
export type TitlePlace = 'header' | 'sidebar' | 'board' | 'monitor' | 'control';

const useRenaming = create<{ readonly at: string | null }>(() => ({ at: null }));
const nameOf = (sessionId: string, place: TitlePlace): string => `${place} ${sessionId}`;

export const startRenaming = (sessionId: string, place: TitlePlace): void =>
  useRenaming.setState({ at: nameOf(sessionId, place) });

/** A session's title, and while it is being changed a field in its place. What is shown is what the server says it is. */
export function EditableTitle({
  session,
  place,
  className,
  children,
}: {
  readonly session: Session;
  readonly place: TitlePlace;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const t = useT();
  const transport = useTransport();
  const area = useRef<HTMLDivElement>(null);
  const isRenaming = useRenaming(({ at }) => at === nameOf(session.id, place));
  const done = (title: string | null, isLeft: boolean): void => {
    useRenaming.setState({ at: null });
    // Whoever went on to something else is not called back.
    if (!isLeft) requestAnimationFrame(() => area.current?.querySelector<HTMLElement>('a, button')?.focus());
    if (title === null || title === '' || title === session.title) return;
    transport.patch(session.id, { title }).catch((error: unknown) => toast('fail', errorText(t, error)));
  };
  return (
    <div ref={area} className={cx('flex min-w-0 flex-1 items-center', className)}>
      {isRenaming ? <TitleField title={session.title} onDone={done} /> : children}
    </div>
  );
}

function TitleField({
  title,
  onDone,
}: {
  readonly title: string;
  readonly onDone: (title: string | null, isLeft: boolean) => void;
}) {
  const t = useT();
  const field = useFocusOnMount<HTMLInputElement>();
  const isDone = useRef(false);
  const [text, setText] = useState(title);
  const finish = (next: string | null, isLeft: boolean): void => {
    // A field that goes loses the focus, which must not count as a second end.
    if (isDone.current) return;
    isDone.current = true;
    onDone(next, isLeft);
  };
  return (
    <form
      className="min-w-0 flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        finish(text.trim(), false);
      }}
    >
      <Input
        ref={field}
        aria-label={t('header.title')}
        value={text}
        maxLength={500}
        onChange={(event) => setText(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={() => finish(text.trim(), true)}
        onKeyDown={(event) => {
          if (isKey('field.leave', event)) finish(null, false);
          // The lists around it are walked through with letters and arrows.
          event.stopPropagation();
        }}
        className="max-w-120"
      />
    </form>
  );
}
