import { ListTree, type LucideIcon } from 'lucide-react';
import { Link, useRoute } from 'wouter';
import { useRoom } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/class-names.ts';
import { places } from './places.ts';

/** The way around on a phone. */
export function BottomTabs() {
  const t = useT();
  const waiting = useRoom((room) => room.pending.length);
  return (
    <nav
      aria-label={t('frame.navigation')}
      className="grid shrink-0 grid-cols-4 border-line border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <TabLink href={places.control.href} icon={places.control.icon} label={t('frame.controlShort')} />
      <TabLink href={places.inbox.href} icon={places.inbox.icon} label={t('frame.inbox')} count={waiting} />
      <TabLink href={routes.sessions} icon={ListTree} label={t('frame.sessions')} />
      <TabLink href={places.settings.href} icon={places.settings.icon} label={t('frame.settings')} />
    </nav>
  );
}

function TabLink({
  href,
  icon: Icon,
  label,
  count = 0,
}: {
  readonly href: string;
  readonly icon: LucideIcon;
  readonly label: string;
  readonly count?: number;
}) {
  const [isHere] = useRoute(href);
  return (
    <Link
      href={href}
      aria-current={isHere ? 'page' : undefined}
      className={cx(
        'flex h-14 min-w-0 flex-col items-center justify-center gap-0.5 text-xs',
        isHere ? 'text-ink' : 'text-faint',
      )}
    >
      <span className="relative">
        <Icon aria-hidden className="size-5" />
        {count > 0 && (
          <span className="absolute -top-1.5 left-3">
            <Badge tone="you">{count}</Badge>
          </span>
        )}
      </span>
      <span className="max-w-full truncate px-1">{label}</span>
    </Link>
  );
}
