import { Unplug } from 'lucide-react';
import type { Session } from '../../protocol/session.ts';
import { useRoom } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { Time } from '../ui/time.tsx';

/** That an answer waits for its machine. */
export function Undelivered({ machine }: { readonly machine: string }) {
  const t = useT();
  const text = t('machine.undelivered', { machine });
  return (
    <span
      title={text}
      className="min-w-0 shrink truncate rounded-tight bg-you-tint px-1 text-2xs text-you-ink leading-4.5"
    >
      {text}
    </span>
  );
}

/** Where a session runs, and since when that cannot be reached; nothing for the server's own. */
export function MachineFact({ session }: { readonly session: Session }) {
  const t = useT();
  const { machine } = session;
  const known = useRoom((room) => room.machines.find(({ name }) => name === machine));
  if (machine === undefined) return null;
  if (known?.state !== 'unreachable') {
    return (
      <span title={t('machine.name')} className="min-w-0 max-w-40 shrink-0 truncate px-1">
        {machine}
      </span>
    );
  }
  return (
    <span
      role="status"
      title={[known.problem, t('machine.awayText', { machine })].filter(Boolean).join(' ')}
      className="flex min-w-0 shrink-0 items-center gap-1 rounded-tight bg-you-tint px-1.5 text-you-ink leading-5"
    >
      <Unplug aria-hidden className="size-3 shrink-0" />
      <span className="truncate">
        {machine} {t('machine.away')}
      </span>
      <Time at={known.since} className="shrink-0" />
    </span>
  );
}
