import { useSession } from '../data/room-context.tsx';
import { WorktreeDialog } from '../landing/worktree-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';

/** What a session's menu opens. Fetched as one: each part that is fetched by itself is named on the first screen. */
export function SessionDialog({
  is,
  sessionId,
  onClose,
}: {
  readonly is: 'delete' | 'export' | 'land';
  readonly sessionId: string;
  readonly onClose: () => void;
}) {
  const session = useSession(sessionId);
  switch (is) {
    case 'delete':
      return <DeleteDialog sessionId={sessionId} onClose={onClose} />;
    case 'export':
      return <ExportDialog sessionId={sessionId} onClose={onClose} />;
    case 'land':
      return session === undefined ? null : (
        <WorktreeDialog session={session} first="land" onClose={onClose} />
      );
  }
}
