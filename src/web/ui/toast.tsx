import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect } from 'react';
import { create } from 'zustand';
import { useT } from '../i18n/i18n.ts';
import { cx } from './class-names.ts';
import { IconButton } from './icon-button.tsx';

interface Toast {
  readonly id: number;
  readonly tone: 'done' | 'fail';
  readonly text: string;
}

const useToasts = create<readonly Toast[]>(() => []);
let lastId = 0;
const shownMs = 6000;

/** A short word on what was done; errors stay until they are put away. */
export function toast(tone: Toast['tone'], text: string): void {
  lastId += 1;
  const id = lastId;
  useToasts.setState((toasts) => [...toasts.slice(-3), { id, tone, text }], true);
}

const dismiss = (id: number): void =>
  useToasts.setState((toasts) => toasts.filter((toast) => toast.id !== id), true);

export function Toaster() {
  const toasts = useToasts();
  return (
    <div
      role="log"
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 left-4 z-30 flex flex-col items-end gap-2 max-md:bottom-20"
    >
      {toasts.map((each) => (
        <ToastCard key={each.id} toast={each} />
      ))}
    </div>
  );
}

function ToastCard({ toast: { id, tone, text } }: { readonly toast: Toast }) {
  const t = useT();
  useEffect(() => {
    if (tone === 'fail') return;
    const timer = setTimeout(() => dismiss(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, tone]);
  const Icon = tone === 'fail' ? CircleAlert : CircleCheck;
  return (
    <div className="pointer-events-auto flex max-w-md animate-appear items-start gap-2 rounded-ui border border-line bg-raised py-2 pr-1 pl-3 shadow-float">
      <Icon
        aria-hidden
        className={cx('mt-1.5 size-4 shrink-0', tone === 'fail' ? 'text-fail' : 'text-done')}
      />
      <p className="min-w-0 flex-1 py-1 wrap-anywhere">{text}</p>
      <IconButton icon={X} label={t('ui.close')} onClick={() => dismiss(id)} />
    </div>
  );
}
