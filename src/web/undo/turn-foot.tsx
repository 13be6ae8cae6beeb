import { Ellipsis, FileDiff, GitFork, Undo2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import { useConversationPlace } from '../conversation/conversation-context.ts';
import { useSession, useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { wholeCount } from '../session/figures.logic.ts';
import { errorText } from '../text/error-text.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { lazyDialog } from '../ui/lazy-part.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { toast } from '../ui/toast.tsx';
import { useTurnChanges } from './turn-changes.ts';
import { linesOf } from './undo.logic.ts';

const UndoDialog = lazyDialog(async () => (await import('./undo-dialog.tsx')).UndoDialog);

/** At the end of a turn: what it changed in the files, and the ways back to before it. It stands in a line that is there anyway. */
export function TurnFoot({
  turnId,
  isRecorded,
}: {
  readonly turnId: string;
  /** What it changed can be asked for. */
  readonly isRecorded: boolean;
}) {
  const t = useT();
  const { sessionId, conversation } = useConversationPlace();
  const session = useSession(sessionId);
  const transport = useTransport();
  const [, navigate] = useLocation();
  const [isUndoing, setUndoing] = useState(false);
  const changes = useTurnChanges(sessionId, turnId, isRecorded);
  if (session === undefined) return null;
  const files = changes?.files ?? [];
  const fork = (before?: string): void => {
    transport.fork(sessionId, before === undefined ? {} : { turnId: before }).then(
      ({ id }) => navigate(routes.session(id)),
      (error: unknown) => toast('fail', errorText(t, error)),
    );
  };
  const canFork = session.capabilities?.fork;
  const isLast = conversation.lastEnd?.turnId === turnId;
  const forks: readonly (MenuItem | false)[] = [
    canFork === 'at-turn' && {
      key: 'fork',
      icon: GitFork,
      label: t('fork.before'),
      hint: t('fork.hint'),
      onSelect: () => fork(turnId),
    },
    canFork !== undefined &&
      isLast && {
        key: 'fork-here',
        icon: GitFork,
        label: t('fork.here'),
        hint: t('fork.hint'),
        onSelect: () => fork(),
      },
  ];
  const groups = [
    files.length === 0
      ? []
      : [{ key: 'undo', icon: Undo2, label: t('undo.menu'), onSelect: () => setUndoing(true) }],
    forks.filter((item) => item !== false),
  ];
  const { added, removed } = linesOf(files);
  return (
    <>
      {changes != null && files.length > 0 && (
        <button
          type="button"
          onClick={() =>
            navigate(`${routes.session(sessionId)}/changes?${new URLSearchParams({ turn: turnId })}`)
          }
          className="-my-1 flex items-center gap-1.5 rounded-tight px-1 py-1 text-soft hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
        >
          <FileDiff aria-hidden className="size-3.5 shrink-0" />
          <span className="max-md:sr-only">{t('undo.files', { count: files.length })}</span>
          <span className="text-done-ink">+{wholeCount(added, t.language)}</span>
          {removed > 0 && <span className="text-fail-ink">−{wholeCount(removed, t.language)}</span>}
        </button>
      )}
      {groups.some((group) => group.length > 0) && (
        <Menu
          trigger={<IconButton icon={Ellipsis} label={t('undo.more')} className="-my-1.5" />}
          groups={groups}
        />
      )}
      {isUndoing && changes != null && (
        <Suspense>
          <UndoDialog
            session={session}
            of={{ is: 'turn', turnId, changes }}
            onClose={() => setUndoing(false)}
          />
        </Suspense>
      )}
    </>
  );
}
