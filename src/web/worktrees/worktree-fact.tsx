import { GitBranch } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { EventOf } from '../../protocol/event.ts';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { plainText } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** The branch of the session's own worktree, and what it was made from. */
export function WorktreeFact({ session: { worktree } }: { readonly session: Session }) {
  const t = useT();
  if (worktree === undefined) return null;
  const { branch, base, baseCommit, path } = worktree;
  const about = { path, base: plainText(base), commit: baseCommit.slice(0, 7) };
  return (
    <span
      title={t('worktree.factTitle', about)}
      className="flex min-w-0 max-w-80 items-center gap-1 px-1 text-soft"
    >
      <GitBranch aria-hidden className="size-3 shrink-0" />
      <span className="truncate">{plainText(branch)}</span>{' '}
      <span className="max-w-40 shrink-0 truncate">{t('worktree.from', { base: plainText(base) })}</span>
    </span>
  );
}

const quiet: readonly unknown[] = [undefined, 'done'];

/** Said while the setup runs, and where it did not do what it was to do. */
export function SetupNote({ session: { id, worktree } }: { readonly session: Session }) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const setup = worktree?.setup;
  if (setup === undefined || quiet.includes(setup)) return null;
  const isBad = setup === 'failed' || setup === 'late' || setup === 'changed';
  const hasRun = setup === 'failed' || setup === 'late' || setup === 'ended';
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <span className={isBad ? 'text-fail-ink' : 'text-soft'}>{t(`worktree.setup.${setup}`)}</span>
      {hasRun && (
        <Button size="sm" variant="ghost" onClick={() => setOpen(true)}>
          {t('worktree.setupOutput')}
        </Button>
      )}
      {isOpen && <SetupOutput sessionId={id} onClose={() => setOpen(false)} />}
    </div>
  );
}

/** So many of a session's first events: the setup runs before its agent. */
const mostEvents = 500;

function SetupOutput({ sessionId, onClose }: { readonly sessionId: string; readonly onClose: () => void }) {
  const t = useT();
  const transport = useTransport();
  const [output, setOutput] = useState<string>();
  useEffect(() => {
    transport.events(sessionId, { after: 0, limit: mostEvents }).then(
      ({ events }) => {
        const ran = events.filter(
          (event): event is EventOf<'setup.changed'> => event.type === 'setup.changed',
        );
        setOutput(ran.findLast(({ output: printed }) => printed !== undefined)?.output ?? '');
      },
      (error: unknown) => setOutput(errorText(t, error)),
    );
  }, [transport, sessionId, t]);
  return (
    <Dialog title={t('worktree.setupOutputTitle')} onClose={onClose}>
      {output === '' ? (
        <p className="p-4 text-soft">{t('worktree.setupSilent')}</p>
      ) : (
        <pre className="max-h-[70vh] overflow-auto whitespace-pre-wrap p-4 font-mono text-xs wrap-anywhere">
          {output === undefined ? '…' : output.split('\n').map(plainText).join('\n')}
        </pre>
      )}
    </Dialog>
  );
}
