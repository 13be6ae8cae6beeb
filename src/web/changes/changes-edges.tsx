import { FileQuestion, FolderX, ServerOff, SquareCheck } from 'lucide-react';
import { BeckonError } from '../../client/beckon-error.ts';
import { showInvisible } from '../../model/suspicious-text.ts';
import type { SessionChanges } from '../../protocol/changes.ts';
import type { Session } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

export const StillAsking = () => (
  <div aria-busy className="flex flex-col gap-3 p-4">
    {['w-2/3', 'w-1/2', 'w-3/4', 'w-2/5'].map((width) => (
      <Skeleton key={width} className={`h-4 ${width}`} />
    ))}
  </div>
);

/** Why nothing can be shown, and what can be done. */
export function NotShown({
  session,
  error,
  onAgain,
}: {
  readonly session: Session;
  readonly error: unknown;
  readonly onAgain: () => void;
}) {
  const t = useT();
  const code = error instanceof BeckonError ? error.code : '';
  if (code === 'no_repository')
    return (
      <EmptyState icon={FolderX} title={t('changes.noGit')}>
        <p>{t('changes.noGitWhy')}</p>
        <p className="wrap-anywhere font-mono text-xs">{session.cwd}</p>
      </EmptyState>
    );
  if (code === 'machine_unreachable')
    return (
      <EmptyState icon={ServerOff} title={t('changes.away')}>
        <p>{t('changes.awayWhy', { machine: session.machine ?? '' })}</p>
        <Button onClick={onAgain}>{t('changes.again')}</Button>
      </EmptyState>
    );
  return (
    <EmptyState icon={FileQuestion} title={t('changes.failed')}>
      <p>{errorText(t, error)}</p>
      <Button onClick={onAgain}>{t('changes.again')}</Button>
    </EmptyState>
  );
}

/** What is shown is what was told last. */
export function Stale({
  error,
  isAsking,
  onAgain,
}: {
  readonly error: unknown;
  readonly isAsking: boolean;
  readonly onAgain: () => void;
}) {
  const t = useT();
  return (
    <p
      role="status"
      className="flex flex-wrap items-center gap-2 border-line border-b bg-ground px-3 py-2 text-sm"
    >
      <span className="min-w-0 flex-1">
        {t('changes.stale')} {errorText(t, error)}
      </span>
      <Button size="sm" isBusy={isAsking} onClick={onAgain}>
        {t('changes.again')}
      </Button>
    </p>
  );
}

export function NothingChanged({ changes }: { readonly changes: SessionChanges }) {
  const t = useT();
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <EmptyState icon={SquareCheck} title={t('changes.none')}>
        <p>{t(`changes.none.${changes.since}`)}</p>
      </EmptyState>
      <Unrecorded changes={changes} />
    </div>
  );
}

/** Files of which nothing is known, each with the reason. */
export function Unrecorded({ changes: { unrecorded } }: { readonly changes: SessionChanges }) {
  const t = useT();
  if (unrecorded.length === 0) return null;
  return (
    <details className="border-line border-t px-4 py-3 text-sm" open={unrecorded.length <= 5}>
      <summary className="font-medium pointer-coarse:min-h-11">
        {t('changes.unrecorded', { count: unrecorded.length })}
      </summary>
      <p className="py-1 text-faint text-xs">{t('changes.unrecordedMeans')}</p>
      <ul className="flex flex-col gap-1 pt-1">
        {unrecorded.slice(0, mostListed).map(({ path, why }) => (
          <li key={path} className="flex flex-wrap gap-x-2 text-xs">
            <span className="wrap-anywhere font-mono">{showInvisible(path)}</span>
            <span className="text-faint">{t(`changes.unrecorded.${why}`)}</span>
          </li>
        ))}
      </ul>
      {unrecorded.length > mostListed && <p aria-hidden>…</p>}
    </details>
  );
}

const mostListed = 200;
