import { FileDiff, SquareTerminal } from 'lucide-react';
import type { SessionChanges } from '../../protocol/changes.ts';
import type { EditorCommands } from '../../protocol/editor.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { toast } from '../ui/toast.tsx';
import { useActing } from '../ui/use-acting.ts';

/** Has a changed file, or what changed in it, opened by the commands of the machine where it is. Nobody looks at that from a phone. */
export function EditorButtons({
  sessionId,
  commands,
  path,
  shown: { since, turnId },
}: {
  readonly sessionId: string;
  readonly commands: EditorCommands;
  readonly path: string;
  readonly shown: Pick<SessionChanges, 'since' | 'turnId'>;
}) {
  const t = useT();
  const transport = useTransport();
  const { isBusy, act } = useActing((text) => toast('fail', text));
  const diff = { since, ...(turnId !== null && { turn: turnId }) };
  return (
    <span className="flex shrink-0 max-md:hidden">
      {commands.command !== null && (
        <IconButton
          icon={SquareTerminal}
          label={t('editor.run')}
          disabled={isBusy}
          onClick={() => void act(() => transport.openFile(sessionId, { file: path }))}
        />
      )}
      {commands.diff !== null && (
        <IconButton
          icon={FileDiff}
          label={t('editor.runDiff')}
          disabled={isBusy}
          onClick={() => void act(() => transport.openFile(sessionId, { file: path, diff }))}
        />
      )}
    </span>
  );
}
