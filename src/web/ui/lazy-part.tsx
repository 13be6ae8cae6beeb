import { RotateCcw } from 'lucide-react';
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { useT } from '../i18n/i18n.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/**
 * A part of the page that is fetched when it is first wanted. A server that was updated meanwhile no longer has it: then this is
 * said in its place, where an error would take the whole page away.
 */
export const lazyPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  missing: ComponentType<Props> = NotLoaded,
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(() =>
    load().then(
      (part) => ({ default: part }),
      () => ({ default: missing }),
    ),
  );

/** The same for a dialog, which says it in a dialog. */
export const lazyDialog = <Props extends { readonly onClose: () => void }>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> => lazyPart(load, DialogNotLoaded);

export function NotLoaded() {
  const t = useT();
  return (
    <div role="alert" className="m-auto flex max-w-md flex-col items-center gap-3 p-4 text-center text-soft">
      <p>{t('frame.partMissing')}</p>
      <Button icon={RotateCcw} onClick={() => location.reload()}>
        {t('frame.reload')}
      </Button>
    </div>
  );
}

function DialogNotLoaded({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  return (
    <Dialog title={t('frame.broken')} onClose={onClose}>
      <NotLoaded />
    </Dialog>
  );
}
