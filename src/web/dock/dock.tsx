import { ChevronDown, ChevronLeft, ChevronRight, Hand, Maximize2 } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { create } from 'zustand';
import { placeOf } from '../data/interactions.ts';
import { useRoom, useSession } from '../data/room-context.tsx';
import { readStored, writeStored } from '../data/stored.ts';
import { openDialog } from '../frame/dialogs.ts';
import { useT } from '../i18n/i18n.ts';
import { InteractionCard } from '../interaction/interaction-card.tsx';
import { routes } from '../routes.ts';
import { titleOf } from '../session/activity.logic.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { useMedium } from '../ui/media.ts';
import { type Docked, useDocked } from './docked.ts';
import { useClearance } from './keep-clear.ts';

/** Folded until it is wanted where it would lie over what one reads; elsewhere as it was left. */
const useFold = create<{ readonly beside: boolean; readonly above: boolean }>(() => ({
  beside: readStored('dock') === 'folded',
  above: true,
}));

/** Its width, and the space around it. */
const neededWidth = 312 + 24;

/**
 * The oldest open interaction whose card is not on the screen already, wherever one is. It lies in a corner above the
 * composer, or as a bar that opens into a sheet on a phone, and never takes the focus.
 */
export function Dock() {
  const { docked, choose } = useDocked();
  const isPhone = useMedium('phone');
  const place = useRef<HTMLDivElement>(null);
  const { below: clearance, beside } = useClearance(place);
  const isAbove = isPhone || beside < neededWidth;
  const isFolded = useFold((fold) => (isAbove ? fold.above : fold.beside));
  const fold = (next: boolean): void => {
    useFold.setState(isAbove ? { above: next } : { beside: next });
    if (!isAbove) writeStored('dock', next ? 'folded' : null);
  };
  return (
    <>
      {/* Measures the room that the dock has, and takes none itself. */}
      <div ref={place} aria-hidden className="pointer-events-none absolute inset-0 -z-10" />
      {docked !== null &&
        (isFolded ? (
          <FoldedDock docked={docked} clearance={clearance} onOpen={() => fold(false)} />
        ) : (
          <OpenDock
            docked={docked}
            clearance={clearance}
            isNarrow={Number.isFinite(beside)}
            onChoose={choose}
            onFold={() => fold(true)}
          />
        ))}
    </>
  );
}

function OpenDock({
  docked: { interaction, at, count, previous, next },
  clearance,
  isNarrow,
  onChoose,
  onFold,
}: {
  readonly docked: Docked;
  readonly clearance: number;
  /** It stands beside something that one reads. */
  readonly isNarrow: boolean;
  readonly onChoose: (interactionId: string | null) => void;
  readonly onFold: () => void;
}) {
  const t = useT();
  const { interactionId } = interaction;
  const place = useRoom((room) => placeOf(room, interaction).id);
  // Pages that scroll leave room at their end, so that nothing stays under the dock.
  useEffect(() => {
    document.documentElement.dataset.docked = '';
    return () => {
      delete document.documentElement.dataset.docked;
    };
  }, []);
  return (
    <section
      aria-label={t('dock.label')}
      style={{ marginBottom: clearance }}
      className={cx(
        'absolute right-4 bottom-4 z-20 flex max-h-[min(30rem,60vh)] animate-appear flex-col gap-2 rounded-ui border border-you bg-raised p-3 shadow-float max-md:inset-x-0 max-md:bottom-0 max-md:mb-0! max-md:max-h-[75vh] max-md:w-full max-md:rounded-none max-md:border-x-0 max-md:border-b-0',
        isNarrow ? 'w-78' : 'w-92',
      )}
    >
      <header className="flex min-w-0 items-center gap-1 text-xs">
        <Hand aria-hidden className="mr-0.5 size-3.5 shrink-0 text-you" strokeWidth={2.25} />
        <SessionLink sessionId={interaction.sessionId} />
        <span className="flex-1" />
        {count > 1 && (
          <Steps>
            <IconButton
              icon={ChevronLeft}
              label={t('dock.previous')}
              disabled={previous === null}
              onClick={() => onChoose(previous)}
            />
            <Link
              href={routes.inbox}
              title={t('dock.place', { place: at, count })}
              className="whitespace-nowrap text-you-ink hover:underline pointer-coarse:py-3"
            >
              {t('dock.more', { count: count - 1 })}
            </Link>
            <IconButton
              icon={ChevronRight}
              label={t('dock.next')}
              disabled={next === null}
              onClick={() => onChoose(next)}
            />
          </Steps>
        )}
        <IconButton
          icon={Maximize2}
          label={t('ask.large')}
          onClick={() => openDialog({ is: 'interaction', interactionId })}
        />
        <IconButton icon={ChevronDown} label={t('dock.fold')} onClick={onFold} className="-mr-1" />
      </header>
      <InteractionCard
        key={place}
        interaction={interaction}
        density="compact"
        countsAsShown={false}
        className="[--ask:13rem]"
      />
    </section>
  );
}

const Steps = ({ children }: { readonly children: ReactNode }) => (
  <span className="flex shrink-0 items-center">{children}</span>
);

function FoldedDock({
  docked: { interaction, count },
  clearance,
  onOpen,
}: {
  readonly docked: Docked;
  readonly clearance: number;
  readonly onOpen: () => void;
}) {
  const t = useT();
  const title = useRoom(({ sessions }) => {
    const session = sessions[interaction.sessionId];
    return session === undefined ? '' : titleOf(session);
  });
  return (
    <section aria-label={t('dock.label')} className="contents">
      <button
        type="button"
        onClick={onOpen}
        aria-expanded={false}
        style={{ marginBottom: clearance }}
        className="absolute right-4 bottom-4 z-20 flex max-w-72 items-center gap-2 rounded-ui border border-you bg-raised px-3 py-1.5 text-sm shadow-float hover:bg-hover max-md:static max-md:mb-0! max-md:min-h-11 max-md:w-full max-md:max-w-none max-md:rounded-none max-md:border-x-0 max-md:border-b-0 max-md:shadow-none"
      >
        <Hand aria-hidden className="size-3.5 shrink-0 text-you" strokeWidth={2.25} />
        <span className="min-w-0 truncate font-medium">{title}</span>
        {count > 1 && <span className="shrink-0 text-you-ink">{t('dock.more', { count: count - 1 })}</span>}
        <ChevronDown aria-hidden className="ml-auto size-4 shrink-0 rotate-180 text-faint" />
      </button>
    </section>
  );
}

/** The way to the session; where it is open already, to the card in it. */
function SessionLink({ sessionId }: { readonly sessionId: string }) {
  const session = useSession(sessionId);
  if (session === undefined) return null;
  return (
    <Link
      href={routes.session(sessionId)}
      title={session.title}
      onClick={() => {
        const card = document.querySelector(`main [data-ask][data-session="${CSS.escape(sessionId)}"]`);
        card?.scrollIntoView({ block: 'center' });
      }}
      className="min-w-0 truncate font-semibold hover:underline pointer-coarse:py-3"
    >
      {titleOf(session)}
    </Link>
  );
}
