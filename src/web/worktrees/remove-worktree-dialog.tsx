import { useState } from 'react';
import type { WorktreeView } from '../../protocol/worktree.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Switch } from '../ui/switch.tsx';
import { toast } from '../ui/toast.tsx';

/** Shows all that would be lost with a worktree, and removes it as it is shown here. */
export function RemoveWorktreeDialog({
  worktree: asked,
  onClose,
  onChanged,
}: {
  readonly worktree: WorktreeView;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  // The list behind may be read anew: what is decided on here stays what it was when the dialog was opened.
  const [worktree] = useState(asked);
  const { id, machine, branch, shown, state, work } = worktree;
  const isMerged = work.unmerged.length === 0;
  const [withBranch, setWithBranch] = useState(isMerged && state === 'there');
  const remove = async (): Promise<void> => {
    try {
      const removed = await transport.removeWorktree(id, {
        shown,
        branch: withBranch ? 'remove' : 'keep',
        ...(machine !== undefined && { machine }),
      });
      toast(
        'done',
        removed.branch === null
          ? t('worktrees.removed')
          : t('worktrees.removedKept', { branch: plainText(removed.branch) }),
      );
    } finally {
      onChanged();
    }
  };
  const commits = work.unmerged.map(({ commit, subject }) => `${commit.slice(0, 7)} ${plainText(subject)}`);
  const isEmpty =
    work.uncommitted.length + work.untracked.length + work.ignored.length + commits.length === 0;
  return (
    <ConfirmDialog
      title={t('worktrees.removeTitle', { branch: plainText(branch) })}
      action={t('worktrees.removeNow')}
      onConfirm={remove}
      onClose={onClose}
    >
      {state === 'missing' && <p>{t('worktrees.removeGone')}</p>}
      {state === 'there' && isEmpty && <p>{t('worktrees.removeNothing')}</p>}
      <Lost title={t('worktrees.listUncommitted')} lines={useFiles(work.uncommitted)} />
      <Lost title={t('worktrees.listUntracked')} lines={useFiles(work.untracked)} />
      <Lost title={t('worktrees.listIgnored')} lines={useFiles(work.ignored)} />
      <Lost title={t('worktrees.listUnmerged')} lines={commits} />
      {!work.isAll && <p className="text-sm text-you-ink">{t('worktrees.cut')}</p>}
      {work.uncommitted.length + work.untracked.length + work.ignored.length > 0 && (
        <p className="text-soft text-sm">{t('worktrees.recorded')}</p>
      )}
      <Switch
        label={t('worktrees.withBranch')}
        hint={state === 'there' && t(isMerged ? 'worktrees.withBranchSafe' : 'worktrees.withBranchLost')}
        isOn={withBranch}
        onChange={setWithBranch}
      />
    </ConfirmDialog>
  );
}

function useFiles(list: WorktreeView['work']['ignored']): readonly string[] {
  const t = useT();
  return list.map(({ path, files }) =>
    files === undefined ? path : `${path} (${t('worktrees.files', { count: files })})`,
  );
}

function Lost({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className="font-medium text-sm">
        {title} ({lines.length})
      </h3>
      <ul
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled by keyboard, too
        tabIndex={0}
        className="max-h-40 overflow-y-auto rounded-ui border border-line bg-sunken px-2 py-1 font-mono text-xs"
      >
        {lines.map((line) => (
          <li key={line} className="wrap-anywhere">
            {line}
          </li>
        ))}
      </ul>
    </section>
  );
}
