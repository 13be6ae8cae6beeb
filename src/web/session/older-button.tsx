import { History } from 'lucide-react';
import type { Older } from '../data/use-older.ts';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';

/** Asks for sessions that have not been used for long. */
export function OlderButton({ older: { count, isReading, more } }: { readonly older: Older }) {
  const t = useT();
  if (count === 0) return null;
  return (
    <Button
      variant="ghost"
      size="sm"
      icon={History}
      isBusy={isReading}
      onClick={more}
      className="w-full text-soft"
    >
      {t('session.older', { count })}
    </Button>
  );
}
