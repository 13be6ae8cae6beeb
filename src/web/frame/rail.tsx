import { type LucideIcon, PanelLeft, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { setPreferences, usePreferences } from '../data/preferences.ts';
import { useRoom } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { type KeyName, spokenKeys } from '../ui/keys.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { openDialog } from './dialogs.ts';
import { Mark } from './mark.tsx';
import { type Place, places } from './places.ts';

/** The way to every page, with the count of what waits. */
export function Rail() {
  const t = useT();
  const waiting = useRoom((room) => room.pending.length);
  const isListOpen = usePreferences((preferences) => preferences.isListOpen);
  return (
    <nav
      aria-label={t('frame.navigation')}
      className="flex w-13 shrink-0 flex-col items-center gap-1 border-line border-r bg-surface py-2 max-md:hidden"
    >
      <div className="mb-2 flex size-9 items-center justify-center">
        <Mark />
      </div>
      <RailLink place={places.control} />
      <RailLink place={places.board} />
      <RailLink place={places.inbox} count={waiting} />
      <RailButton
        icon={Search}
        label={t('frame.palette')}
        shortcut="everywhere.palette"
        onClick={() => openDialog({ is: 'palette' })}
      />
      <div className="flex-1" />
      <RailButton
        icon={PanelLeft}
        label={isListOpen ? t('frame.hideList') : t('frame.showList')}
        shortcut="everywhere.toggle-list"
        isPressed={isListOpen}
        onClick={() => setPreferences({ isListOpen: !isListOpen })}
      />
      <RailLink place={places.settings} />
    </nav>
  );
}

const spot =
  'relative flex size-9 items-center justify-center rounded-ui transition-colors duration-150 hover:bg-hover hover:text-ink pointer-coarse:size-11';

function RailLink({
  place: { href, label, icon: Icon, shortcut },
  count = 0,
}: {
  readonly place: Place;
  readonly count?: number;
}) {
  const t = useT();
  const [isHere] = useRoute(href);
  const name = count > 0 ? t('frame.withCount', { name: t(label), count }) : t(label);
  return (
    <Tooltip side="right" text={t(label)} shortcut={shortcut}>
      <Link
        href={href}
        aria-label={name}
        aria-current={isHere ? 'page' : undefined}
        className={cx(spot, isHere ? 'bg-hover text-ink' : 'text-faint')}
      >
        <Icon aria-hidden className="size-4.5" />
        {count > 0 && <Count>{count}</Count>}
      </Link>
    </Tooltip>
  );
}

const Count = ({ children }: { readonly children: ReactNode }) => (
  <span
    aria-hidden
    className="absolute -top-0.5 -right-0.5 min-w-4 rounded-full bg-you px-1 text-center font-semibold text-[10px] text-[#1c1200] leading-4"
  >
    {children}
  </span>
);

function RailButton({
  icon: Icon,
  label,
  shortcut,
  isPressed,
  onClick,
}: {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly shortcut: KeyName;
  readonly isPressed?: boolean;
  readonly onClick: () => void;
}) {
  return (
    <Tooltip side="right" text={label} shortcut={shortcut}>
      <button
        type="button"
        aria-label={label}
        aria-keyshortcuts={spokenKeys(shortcut)}
        aria-pressed={isPressed}
        onClick={onClick}
        className={cx(spot, 'text-faint')}
      >
        <Icon aria-hidden className="size-4.5" />
      </button>
    </Tooltip>
  );
}
