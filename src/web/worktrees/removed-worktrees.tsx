import { useState } from 'react';
import type { RestorableWorktreeView } from '../../protocol/worktree.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';

/** Worktrees that were removed and can be brought back. Nothing where there are none. */
export function RemovedWorktrees({
  list,
  onChanged,
}: {
  readonly list: readonly RestorableWorktreeView[];
  readonly onChanged: () => void;
}) {
  const t = useT();
  if (list.length === 0) return null;
  return (
    <Card className="p-0">
      <h3 className="px-4 pt-3 font-medium text-sm">{t('worktrees.removedTitle')}</h3>
      <ul className="divide-y divide-line" aria-label={t('worktrees.removedTitle')}>
        {list.map((worktree) => (
          <li key={worktree.id} className="flex flex-wrap items-center gap-3 px-4 py-3">
            <RemovedRow worktree={worktree} onChanged={onChanged} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function RemovedRow({
  worktree,
  onChanged,
}: {
  readonly worktree: RestorableWorktreeView;
  readonly onChanged: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  const [isAsked, setAsked] = useState(false);
  const { id, machine, base, baseCommit, files, lost, sessions, removedAt } = worktree;
  const branch = plainText(worktree.branch);
  const restore = async (): Promise<void> => {
    try {
      await transport.restoreWorktree(id, machine === undefined ? {} : { machine });
      toast('done', t('worktrees.restored', { branch }));
    } finally {
      onChanged();
    }
  };
  return (
    <>
      <div className="flex min-w-0 flex-1 basis-60 flex-col gap-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium wrap-anywhere">{branch}</span>
          <span className="text-faint text-sm">
            {t('worktrees.from', { base: plainText(base), commit: baseCommit.slice(0, 7) })}
          </span>
        </p>
        <p className="text-soft text-sm wrap-anywhere">
          {[t('worktrees.files', { count: files }), ...sessions.map(({ title }) => plainText(title))].join(
            ' · ',
          )}
        </p>
        <p className="text-faint text-xs">
          {machine !== undefined && `${machine}: `}
          <Time at={removedAt} />
        </p>
      </div>
      <Button size="sm" aria-label={t('worktrees.restoreOf', { branch })} onClick={() => setAsked(true)}>
        {t('worktrees.restore')}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={t('worktrees.restoreTitle', { branch })}
          action={t('worktrees.restoreNow')}
          variant="primary"
          onConfirm={restore}
          onClose={() => setAsked(false)}
        >
          <p>{t('worktrees.restoreText')}</p>
          {lost.length > 0 && (
            <p className="text-soft text-sm wrap-anywhere">
              {t('worktrees.restoreLost', { paths: lost.join(', ') })}
            </p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
