import { RotateCcw, TriangleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { translate } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

/**
 * Keeps the frame when a page breaks: by a bug, or because its code is no longer there after an update of the server.
 * The frame draws it anew with every change of place.
 */
export class PageBoundary extends Component<
  { readonly children: ReactNode },
  { readonly error: Error | null }
> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: unknown): { readonly error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const t = translate();
    return (
      <EmptyState icon={TriangleAlert} title={t('frame.broken')}>
        <p>{t('frame.brokenText')}</p>
        <pre className="max-w-full whitespace-pre-wrap font-mono text-faint text-xs wrap-anywhere">
          {error.message}
        </pre>
        <Button icon={RotateCcw} onClick={() => location.reload()}>
          {t('frame.reload')}
        </Button>
      </EmptyState>
    );
  }
}
