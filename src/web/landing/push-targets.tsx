import { useState } from 'react';
import type { Pushed, PushTarget } from '../../protocol/landing.ts';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { useActing } from '../ui/use-acting.ts';

/** Each branch with the address that it would be pushed to; nothing is pushed without a press here. */
export function PushTargets({
  session,
  targets,
  isStill,
}: {
  readonly session: Session;
  readonly targets: readonly PushTarget[];
  /** Nothing is under way that changes them. */
  readonly isStill: boolean;
}) {
  const t = useT();
  if (targets.length === 0) return null;
  return (
    <section className="flex flex-col gap-2 border-line border-t pt-3">
      <h3 className="font-medium text-sm">{t('landing.pushes')}</h3>
      <ul className="flex flex-col gap-3">
        {targets.map((target) => (
          <li key={`${target.branch} ${target.commit} ${target.url}`}>
            <Target session={session} target={target} isStill={isStill} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Target({
  session,
  target,
  isStill,
}: {
  readonly session: Session;
  readonly target: PushTarget;
  readonly isStill: boolean;
}) {
  const t = useT();
  const transport = useTransport();
  const { problem, ...shown } = target;
  const [pushed, setPushed] = useState<Pushed>();
  const { isBusy, error, act } = useActing();
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-64 text-soft text-sm wrap-anywhere">
          {t('landing.pushTo', { branch: shown.branch, remote: shown.remote, url: shown.url })}
        </p>
        <Button
          size="sm"
          isBusy={isBusy}
          disabled={!isStill || problem !== null || pushed?.done === true}
          onClick={() => void act(async () => setPushed(await transport.pushBranch(session.id, { shown })))}
        >
          {t('landing.push', { branch: shown.branch })}
        </Button>
      </div>
      {problem !== null && <p className="text-fail-ink text-sm">{t('landing.badUrl')}</p>}
      {pushed !== undefined && (
        <div role={pushed.done ? 'status' : 'alert'} className="text-sm">
          <p className={pushed.done ? '' : 'text-fail-ink'}>
            {t(pushed.done ? 'landing.pushed' : 'landing.notPushed')}
          </p>
          {pushed.output !== '' && (
            <pre className="max-h-40 overflow-auto whitespace-pre-wrap text-faint text-xs wrap-anywhere">
              {pushed.output}
            </pre>
          )}
        </div>
      )}
      {error !== undefined && <ErrorNote>{error}</ErrorNote>}
    </div>
  );
}
