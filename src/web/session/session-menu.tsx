import {
  Archive,
  ArchiveRestore,
  ArrowDown,
  Bell,
  BellOff,
  Ellipsis,
  OctagonX,
  Pause,
  Pencil,
  Pin,
  PinOff,
  RotateCcw,
  ShieldOff,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import { isMuted } from '../../model/muted.ts';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';
import { openDialog } from '../frame/dialogs.ts';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { Menu, type MenuItem, type OpenedBy, openedBy } from '../ui/menu.tsx';
import { titleOf } from './activity.logic.ts';
import { startRenaming, type TitlePlace } from './editable-title.tsx';
import { useSessionActions } from './use-session-actions.ts';

interface SessionMenuProps {
  readonly session: Session;
  readonly place: TitlePlace;
  /** What is offered before all else. */
  readonly first?: readonly MenuItem[];
  readonly className?: string;
}

/** What can be done to a session, behind a button. The menu itself is made when it is first asked for: lists are long. */
export function SessionMenu({ className, ...rest }: SessionMenuProps) {
  const t = useT();
  const [opened, setOpened] = useState<OpenedBy | null>(null);
  const button = (
    <button
      type="button"
      aria-label={t('session.actions', { title: titleOf(rest.session) })}
      aria-haspopup="menu"
      onClick={(event) => setOpened(openedBy(event))}
      className={cx(
        'inline-flex size-7 shrink-0 items-center justify-center rounded-ui text-faint transition-colors duration-150 hover:bg-hover hover:text-ink pointer-coarse:size-11',
        className,
      )}
    >
      <Ellipsis aria-hidden className="size-4" />
    </button>
  );
  return opened === null ? button : <OpenedMenu button={button} opened={opened} {...rest} />;
}

function OpenedMenu({
  button,
  opened,
  session,
  place,
  first = [],
}: Omit<SessionMenuProps, 'className'> & {
  readonly button: React.ReactElement<object>;
  readonly opened: OpenedBy;
}) {
  const t = useT();
  const { id, archived = false, pinned = false } = session;
  const muted = isMuted(session, Date.now());
  const actions = useSessionActions(session, useTransport());
  const own: MenuItem[] = [
    {
      key: 'rename',
      label: t('header.rename'),
      icon: Pencil,
      onSelect: () => startRenaming(id, place),
    },
    {
      key: 'pin',
      label: t(pinned ? 'life.unpin' : 'life.pin'),
      icon: pinned ? PinOff : Pin,
      onSelect: () => actions.change({ pinned: !pinned }),
    },
    {
      key: 'mute',
      label: t(muted ? 'life.unmute' : 'life.mute'),
      icon: muted ? Bell : BellOff,
      onSelect: () => actions.change({ mutedUntil: muted ? null : 'forever' }),
    },
    {
      key: 'archive',
      label: t(archived ? 'life.unarchive' : 'life.archive'),
      icon: archived ? ArchiveRestore : Archive,
      onSelect: () => actions.change({ archived: !archived }),
    },
    {
      key: 'land',
      label: t('life.land'),
      icon: ArrowDown,
      onSelect: () => openDialog({ is: 'land', sessionId: id }),
    },
    {
      key: 'export',
      label: t('life.export'),
      icon: ArrowDown,
      onSelect: () => openDialog({ is: 'export', sessionId: id }),
    },
  ];
  const isOver = session.status === 'stopped' || session.status === 'failed';
  const work: MenuItem[] = [
    ...(actions.canInterrupt
      ? [{ key: 'interrupt', label: t('session.interrupt'), icon: Pause, onSelect: actions.interrupt }]
      : []),
    ...(actions.canResume
      ? [{ key: 'resume', label: t('session.resume'), icon: RotateCcw, onSelect: actions.resume }]
      : []),
    ...(isOver
      ? []
      : [
          {
            key: 'trust',
            label: t('life.trust'),
            icon: ShieldOff,
            onSelect: () => openDialog({ is: 'trust', sessionId: id }),
          },
        ]),
  ];
  const end: MenuItem[] = [
    ...(actions.canStop
      ? [
          {
            key: 'stop',
            label: t('session.stop'),
            icon: OctagonX,
            isDanger: true,
            onSelect: actions.stop,
          },
        ]
      : []),
    {
      key: 'delete',
      label: t('life.delete'),
      icon: Trash2,
      isDanger: true,
      onSelect: () => openDialog({ is: 'delete', sessionId: id }),
    },
  ];
  return <Menu trigger={button} groups={[first, work, own, end]} isOpenAtFirst={opened} />;
}
