import { ArrowUpFromLine, GitCommitHorizontal, GitFork, GitMerge, Redo2, Undo2 } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { useConversationPlace } from '../conversation/conversation-context.ts';
import type { LaterNotice } from '../conversation/row.ts';
import { useSession } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { titleOf } from '../session/activity.logic.ts';
import { Button } from '../ui/button.tsx';
import { lazyDialog } from '../ui/lazy-part.tsx';

const UndoDialog = lazyDialog(async () => (await import('./undo-dialog.tsx')).UndoDialog);

/** What was put back, with the way forward again; and where a conversation goes on, or comes from. */
export function ToldLater({ event }: { readonly event: LaterNotice }) {
  switch (event.type) {
    case 'files.restored':
      return <Restored event={event} />;
    case 'branch.committed':
    case 'branch.landed':
    case 'branch.pushed':
      return <Branch event={event} />;
    case 'session.forked':
      return <Fork sessionId={event.into} text="fork.into" />;
    case 'session.created':
      return event.forkedFrom === undefined ? null : (
        <Fork sessionId={event.forkedFrom.sessionId} text="fork.from" />
      );
  }
}

function Restored({ event }: { readonly event: Extract<LaterNotice, { type: 'files.restored' }> }) {
  const t = useT();
  const { sessionId } = useConversationPlace();
  const session = useSession(sessionId);
  const [isOpen, setOpen] = useState(false);
  return (
    <Line icon={<Undo2 aria-hidden className="size-3.5 shrink-0" />}>
      {t(event.turnId === null ? 'redo.done' : 'undo.done', { count: event.files })}
      {event.files > 0 && (
        <Button size="sm" variant="ghost" icon={Redo2} className="-my-1" onClick={() => setOpen(true)}>
          {t('redo.redo')}
        </Button>
      )}
      {isOpen && session !== undefined && (
        <Suspense>
          <UndoDialog session={session} of={{ is: 'restored', event }} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Line>
  );
}

function Branch({ event }: { readonly event: Extract<LaterNotice, { type: `branch.${string}` }> }) {
  const t = useT();
  const Icon = branchIcons[event.type];
  return (
    <Line icon={<Icon aria-hidden className="size-3.5 shrink-0" />}>
      <span className="min-w-0 break-words">{said(event)}</span>
      <code className="text-xs">{event.commit.slice(0, 8)}</code>
    </Line>
  );

  function said(done: typeof event): string {
    switch (done.type) {
      case 'branch.committed':
        return t('done.committed', { count: done.files, branch: done.branch, subject: done.subject });
      case 'branch.landed':
        return t('done.landed', { branch: done.branch, base: done.base });
      case 'branch.pushed':
        return t('done.pushed', { branch: done.branch, url: done.url });
    }
  }
}

const branchIcons = {
  'branch.committed': GitCommitHorizontal,
  'branch.landed': GitMerge,
  'branch.pushed': ArrowUpFromLine,
};

function Fork({ sessionId, text }: { readonly sessionId: string; readonly text: 'fork.into' | 'fork.from' }) {
  const t = useT();
  const other = useSession(sessionId);
  return (
    <Line icon={<GitFork aria-hidden className="size-3.5 shrink-0" />}>
      {t(text)}
      <Link href={routes.session(sessionId)} className="underline hover:text-ink pointer-coarse:py-3">
        {other === undefined ? sessionId : titleOf(other)}
      </Link>
    </Line>
  );
}

const Line = ({ icon, children }: { readonly icon: ReactNode; readonly children: ReactNode }) => (
  <div className="flex min-h-7 flex-wrap items-center gap-x-1.5 py-1 text-faint text-sm">
    {icon}
    {children}
  </div>
);
