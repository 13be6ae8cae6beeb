import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Interaction } from '../../../protocol/interaction.ts';
import type { Session } from '../../../protocol/session.ts';
import { useFeed, useSession } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { InteractionCard } from '../../interaction/interaction-card.tsx';
import { useCard } from '../../interaction/use-card.ts';
import { shortDirectory } from '../../session/activity.logic.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { MonitorTail } from '../control/monitor-tail.tsx';

export interface CurrentCardProps {
  readonly interaction: Interaction | undefined;
  /** A phone has room for the list or the card. */
  readonly isOpenOnPhone: boolean;
  readonly onBack: () => void;
  /** Told once, when this page's own answer was taken. */
  readonly onAnswered: () => void;
}

/** The card of the item chosen. */
export function CurrentCard({ interaction, isOpenOnPhone, onBack, onAnswered }: CurrentCardProps) {
  const t = useT();
  return (
    <section
      data-inbox
      aria-label={t('inbox.card')}
      className={cx('min-w-0 flex-1 overflow-y-auto', !isOpenOnPhone && 'max-md:hidden')}
    >
      <div className="mx-auto flex max-w-3xl flex-col gap-2 p-6 max-md:p-3">
        <Button variant="ghost" icon={ArrowLeft} className="self-start md:hidden" onClick={onBack}>
          {t('inbox.back')}
        </Button>
        {interaction !== undefined && <Shown interaction={interaction} onAnswered={onAnswered} />}
      </div>
    </section>
  );
}

function Shown({
  interaction,
  onAnswered,
}: {
  readonly interaction: Interaction;
  readonly onAnswered: () => void;
}) {
  // A tool may ask again in the same place: only what is over is left for the next.
  const { state } = useCard(interaction);
  const session = useSession(interaction.sessionId);
  const answered = useRef(onAnswered);
  useEffect(() => {
    answered.current = onAnswered;
  });
  const isOurs = state.is === 'submitted' && state.endedBy === 'us';
  useEffect(() => {
    if (isOurs) answered.current();
  }, [isOurs]);
  return (
    <>
      <InteractionCard interaction={interaction} isSessionShown />
      {session !== undefined && <Before session={session} />}
    </>
  );
}

/** So many of the last things are enough to know what it is about. */
const mostBefore = 8;

/** What the session did before it asked. */
function Before({ session }: { readonly session: Session }) {
  const t = useT();
  const feed = useFeed(session.id, 'tail');
  return (
    <section aria-label={t('inbox.before')} className="flex flex-col gap-1.5 px-4 pt-3 max-md:px-1">
      <h2 className="flex min-w-0 gap-1.5 text-faint text-xs">
        <span className="shrink-0 font-medium">{t('inbox.before')}</span>
        <span className="min-w-0 truncate" title={session.cwd}>
          {session.agent} · {shortDirectory(session.cwd)}
        </span>
      </h2>
      {/* Room for the fade at the top, so that a short text is not faded. */}
      <div className="-mt-6 flex max-h-64 flex-col *:pt-6">
        <MonitorTail feed={feed} cwd={session.cwd} most={mostBefore} />
      </div>
    </section>
  );
}
