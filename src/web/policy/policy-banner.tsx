import { FileWarning } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import type { DirectoryPolicy } from '../../protocol/policy.ts';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TrustCard } from './trust-card.tsx';

/** Says that the session's directory brings rules along that someone should look at. Read anew whenever the session goes on or stops. */
export function PolicyBanner({ session }: { readonly session: Session }) {
  const t = useT();
  const [policy, again] = useSessionPolicy(session);
  const [isOpen, setOpen] = useState(false);
  if (policy === null || (!policy.needsTrust && policy.problem === undefined && !isOpen)) return null;
  return (
    <>
      {(policy.needsTrust || policy.problem !== undefined) && (
        <div
          role="status"
          className="flex flex-wrap items-center justify-between gap-2 rounded-ui border border-you-edge bg-you-tint px-3 py-2 text-sm"
        >
          <span className="flex min-w-0 flex-1 items-start gap-2 text-you-ink">
            <FileWarning aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span className="min-w-0">
              {t(policy.problem === undefined ? 'rules.bannerTrust' : 'rules.bannerProblem')}
            </span>
          </span>
          <Button size="sm" onClick={() => setOpen(true)}>
            {t('rules.look')}
          </Button>
        </div>
      )}
      {isOpen && (
        <Dialog title={t('rules.ofDirectory')} size="lg" onClose={() => setOpen(false)}>
          <div className="px-4 pt-1 pb-4">
            <TrustCard policy={policy} onChanged={again} />
          </div>
        </Dialog>
      )}
    </>
  );
}

function useSessionPolicy({ id, status }: Session): readonly [DirectoryPolicy | null, () => void] {
  const transport = useTransport();
  const [policy, setPolicy] = useState<DirectoryPolicy | null>(null);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn that begins or ends is the reason to read again
  useEffect(() => {
    let isCurrent = true;
    transport.sessionPolicy(id).then(
      (found) => isCurrent && setPolicy(found),
      // Nothing depends on it: the rules hold whether they are shown or not.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [transport, id, status, round]);
  return [policy, useCallback(() => setRound((before) => before + 1), [])];
}
