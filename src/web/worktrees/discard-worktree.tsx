import { useState } from 'react';
import type { Session } from '../../protocol/session.ts';
import type { WorktreeView } from '../../protocol/worktree.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { RemoveWorktreeDialog } from './remove-worktree-dialog.tsx';

/** To the removal of a session's worktree, merged or not. As long as the session may go on there, it says that this comes first. */
export function DiscardWorktree({ session }: { readonly session: Session }) {
  const t = useT();
  const transport = useTransport();
  const [found, setFound] = useState<WorktreeView | null>();
  const [problem, setProblem] = useState<string>();
  const { worktree, status } = session;
  if (worktree === undefined) return null;
  if (status !== 'stopped' && status !== 'failed')
    return <p className="text-soft text-sm">{t('worktrees.stopFirst')}</p>;
  const look = async (): Promise<void> => {
    try {
      const { worktrees } = await transport.worktrees();
      setFound(worktrees.find(({ id }) => id === worktree.id) ?? null);
    } catch (error) {
      setProblem(errorText(t, error));
    }
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button size="sm" onClick={() => void look()}>
        {t('worktrees.remove')}
      </Button>
      {(found === null || problem !== undefined) && (
        <span role="alert" className="text-sm">
          {problem ?? t('worktrees.goneAlready')}
        </span>
      )}
      {found && (
        <RemoveWorktreeDialog worktree={found} onClose={() => setFound(undefined)} onChanged={() => {}} />
      )}
    </div>
  );
}
