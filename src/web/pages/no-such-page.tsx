import { SearchX } from 'lucide-react';
import { Link } from 'wouter';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { EmptyState } from '../ui/empty-state.tsx';

/** An address that leads nowhere is said: whoever followed a link would take Mission Control for what it led to. */
export function NoSuchPage() {
  const t = useT();
  return (
    <EmptyState icon={SearchX} title={t('frame.noPage')}>
      <p className="font-mono text-xs wrap-anywhere">{window.location.pathname}</p>
      <Link href={routes.control} className="text-ink underline underline-offset-4">
        {t('frame.control')}
      </Link>
    </EmptyState>
  );
}
