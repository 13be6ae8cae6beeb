import { Eye } from 'lucide-react';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { useAnswering } from './answering.ts';

/** Why nothing can be pressed here, and the way to change that. */
export function ReadOnlyHint() {
  const t = useT();
  const { isChanging, error, change } = useAnswering();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-faint text-xs">
      <Eye aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-40 flex-1">{t('ask.readOnly')}</span>
      <Button size="sm" isBusy={isChanging} onClick={() => void change(true)}>
        {t('ask.switchOn')}
      </Button>
      {error !== null && (
        <p role="alert" className="basis-full text-fail-ink">
          {error}
        </p>
      )}
    </div>
  );
}
