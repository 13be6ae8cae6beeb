import { useState } from 'react';
import type { Session } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CommitForm } from './commit-form.tsx';
import { LandingForm } from './landing-form.tsx';
import { useWorktree } from './use-worktree.ts';

/** What a person does with what an agent made: commit it, land its branch on the base, push it. */
export function WorktreeDialog({
  session,
  first,
  onClose,
}: {
  readonly session: Session;
  readonly first: 'commit' | 'land';
  readonly onClose: () => void;
}) {
  const t = useT();
  const reading = useWorktree(session.id);
  const [view, setView] = useState(first);
  const { state, error, isReading, look } = reading;
  const title = t(view === 'commit' ? 'landing.commitTitle' : 'landing.landTitle');
  if (state === undefined)
    return (
      <Dialog title={title} size="lg" onClose={onClose}>
        <div className="flex flex-col items-start gap-3 px-4 py-3">
          {isReading ? (
            <p className="text-soft">{t('landing.reading')}</p>
          ) : (
            <>
              <p role="alert">{errorText(t, error)}</p>
              <Button onClick={() => void look()}>{t('landing.again')}</Button>
            </>
          )}
        </div>
      </Dialog>
    );
  const parts = { session, state, look, onClose };
  return view === 'commit' ? (
    <CommitForm
      {...parts}
      title={title}
      onDone={() => (state.landing === null ? onClose() : setView('land'))}
    />
  ) : (
    <LandingForm {...parts} title={title} onCommit={() => setView('commit')} />
  );
}
