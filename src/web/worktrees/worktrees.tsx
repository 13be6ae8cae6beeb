import { GitBranch } from 'lucide-react';
import { useCallback, useState } from 'react';
import { Link } from 'wouter';
import type { RestorableWorktreeView, WorktreeView } from '../../protocol/worktree.ts';
import { useTransport } from '../data/room-context.tsx';
import { useList } from '../data/use-list.ts';
import { type Translate, useT } from '../i18n/i18n.ts';
import { ListCard } from '../pages/settings/list-card.tsx';
import { routes } from '../routes.ts';
import { plainText } from '../text/plain-text.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';
import { RemoveWorktreeDialog } from './remove-worktree-dialog.tsx';
import { RemovedWorktrees } from './removed-worktrees.tsx';

/** The worktrees that were made for sessions: what is in each, and removing one. */
export function Worktrees() {
  const t = useT();
  const transport = useTransport();
  const [silent, setSilent] = useState<readonly string[]>([]);
  const [removed, setRemoved] = useState<readonly RestorableWorktreeView[]>([]);
  const read = useCallback(async () => {
    const list = await transport.worktrees();
    setSilent(list.silent);
    setRemoved(list.removed);
    return list.worktrees;
  }, [transport]);
  const [list, again] = useList(read);
  return (
    <div className="flex flex-col gap-2">
      <ListCard list={list} icon={GitBranch} empty={t('worktrees.none')} onRetry={again}>
        {(worktree) => <WorktreeRow worktree={worktree} onChanged={again} />}
      </ListCard>
      <RemovedWorktrees list={removed} onChanged={again} />
      {silent.map((machine) => (
        <p key={machine} className="text-soft text-sm">
          {t('worktrees.silent', { machine })}
        </p>
      ))}
    </div>
  );
}

function WorktreeRow({
  worktree,
  onChanged,
}: {
  readonly worktree: WorktreeView;
  readonly onChanged: () => void;
}) {
  const t = useT();
  const [isRemoving, setRemoving] = useState(false);
  const { branch, base, baseCommit, path, machine, sessions, state, createdAt } = worktree;
  const isUsed = sessions.some(({ status }) => status !== 'stopped' && status !== 'failed');
  return (
    <>
      <GitBranch aria-hidden className="mt-0.5 size-4 shrink-0 self-start text-faint" />
      <div className="flex min-w-0 flex-1 basis-60 flex-col gap-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium wrap-anywhere">{plainText(branch)}</span>
          <span className="text-faint text-sm">
            {t('worktrees.from', { base: plainText(base), commit: baseCommit.slice(0, 7) })}
          </span>
          {sessions.length === 0 && <Badge tone="you">{t('worktrees.leftOver')}</Badge>}
          {state !== 'there' && <Badge tone="fail">{t(`worktrees.${state}`)}</Badge>}
        </p>
        {state === 'there' && <p className="text-soft text-sm">{standing(t, worktree).join(' · ')}</p>}
        {sessions.map(({ id, title }) => (
          <Link
            key={id}
            href={routes.session(id)}
            className="self-start text-sm hover:underline wrap-anywhere"
          >
            {plainText(title)}
          </Link>
        ))}
        <p className="text-faint text-xs wrap-anywhere">
          {machine !== undefined && `${machine}: `}
          {plainText(path)} · <Time at={createdAt} />
        </p>
      </div>
      <Button
        size="sm"
        disabled={isUsed || state === 'unreadable'}
        title={isUsed ? t('worktrees.inUse') : undefined}
        aria-label={t('worktrees.removeOf', { branch: plainText(branch) })}
        onClick={() => setRemoving(true)}
      >
        {t('worktrees.remove')}
      </Button>
      {isRemoving && (
        <RemoveWorktreeDialog worktree={worktree} onClose={() => setRemoving(false)} onChanged={onChanged} />
      )}
    </>
  );
}

function standing(t: Translate, { currentBranch, branch, ahead, behind, work }: WorktreeView): string[] {
  const counts = (['uncommitted', 'untracked', 'ignored'] as const).flatMap((kind) =>
    work[kind].length === 0 ? [] : [t(`worktrees.${kind}`, { count: work[kind].length })],
  );
  const told = [
    ...(currentBranch === branch
      ? []
      : [currentBranch === null ? t('worktrees.nowCommit') : t('worktrees.now', { branch: currentBranch })]),
    ...(ahead ? [t('worktrees.ahead', { count: ahead })] : []),
    ...(behind ? [t('worktrees.behind', { count: behind })] : []),
    ...counts,
  ];
  return told.length === 0 ? [t('worktrees.nothing')] : told;
}
