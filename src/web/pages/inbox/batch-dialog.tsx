import { useRef, useState } from 'react';
import type { Interaction } from '../../../protocol/interaction.ts';
import { useControlRoom, useRoom, useSession } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { afterPress } from '../../interaction/after-press.ts';
import { allowOnce, faceOf } from '../../interaction/answers-to.ts';
import { AskBody } from '../../interaction/ask-body.tsx';
import { cardsOf } from '../../interaction/cards.ts';
import { isAnswerable } from '../../interaction/interaction-card.logic.ts';
import { OutcomeLine } from '../../interaction/outcome-line.tsx';
import { ReadingProvider, useReading } from '../../interaction/reading.tsx';
import { useIsNew, useStill } from '../../interaction/stillness.ts';
import { useCard } from '../../interaction/use-card.ts';
import { titleOf } from '../../session/activity.logic.ts';
import { errorText } from '../../text/error-text.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useFocusOnMount } from '../../ui/use-focus-on-mount.ts';

/** Several like asks, every one in full, to be allowed together. Those that come meanwhile are not among them. */
export function BatchDialog({
  interactions,
  onClose,
}: {
  readonly interactions: readonly Interaction[];
  readonly onClose: () => void;
}) {
  const t = useT();
  const cards = cardsOf(useControlRoom());
  const [shown] = useState(interactions);
  const [taken, setTaken] = useState<ReadonlySet<string>>(
    () => new Set<string>(shown.map(({ interactionId }) => interactionId)),
  );
  const cancel = useFocusOnMount<HTMLButtonElement>();
  const [wasSent, setSent] = useState(false);
  const chosen = shown.filter(({ interactionId }) => taken.has(interactionId));
  const area = useRef<HTMLDivElement>(null);
  const open = useOpen(shown);
  const { isStill, takePress } = useStill(area, open.map(faceOf).join(' '));
  // Several at once are allowed by one press, and by a second one when not all of them could be seen.
  const [confirmingSince, setConfirmingSince] = useState<number | null>(null);
  const isNew = useIsNew(confirmingSince) && confirmingSince !== null;
  const toggle = (id: string): void =>
    setTaken((all) => {
      const next = new Set(all);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const press = (): void => {
    if (!takePress() || isNew) return;
    const asks = chosen.filter((each) => isAnswerable(cards.stateOf(each)));
    const unseen = asks.find((each) => cards.isUnseenDanger(each));
    if (unseen !== undefined) {
      area.current?.querySelector(`[data-batch="${unseen.interactionId}"]`)?.scrollIntoView({ block: 'end' });
      announce(t('inbox.batch.unseen'));
      return;
    }
    if (confirmingSince === null && !asks.every((each) => cards.isRead(each))) {
      setConfirmingSince(performance.now());
      return;
    }
    setSent(true);
    for (const interaction of asks) {
      cards.markRead(interaction);
      void cards.press(interaction, 'allow', allowOnce(interaction));
    }
  };
  return (
    <Dialog
      title={t('inbox.batch.title', { count: shown.length })}
      onClose={onClose}
      size="lg"
      ref={area}
      footer={
        wasSent ? (
          <Button onClick={onClose}>{t('ui.close')}</Button>
        ) : (
          <>
            <Button ref={cancel} variant="ghost" onClick={onClose}>
              {t('ui.cancel')}
            </Button>
            <Button
              variant="allow"
              disabled={chosen.length === 0}
              aria-disabled={!isStill || isNew || undefined}
              onBlur={() => afterPress(() => setConfirmingSince(null))}
              onClick={press}
            >
              {t(confirmingSince === null ? 'inbox.batch.allow' : 'inbox.batch.allowUnread', {
                count: chosen.length,
              })}
            </Button>
          </>
        )
      }
    >
      <ul className="flex flex-col gap-3 px-4 py-3">
        {shown.map((interaction) => (
          <BatchItem
            key={interaction.interactionId}
            interaction={interaction}
            isTaken={taken.has(interaction.interactionId)}
            isFixed={wasSent}
            onToggle={toggle}
          />
        ))}
      </ul>
    </Dialog>
  );
}

/** Those that can still be answered: when one ends elsewhere, the dialog shows something else. */
function useOpen(shown: readonly Interaction[]): readonly Interaction[] {
  const pending = useRoom((room) => room.pending);
  const open = new Set<string>(pending.map(({ interactionId }) => interactionId));
  return shown.filter(({ interactionId }) => open.has(interactionId));
}

function BatchItem({
  interaction,
  isTaken,
  isFixed,
  onToggle,
}: {
  readonly interaction: Interaction;
  readonly isTaken: boolean;
  readonly isFixed: boolean;
  readonly onToggle: (interactionId: string) => void;
}) {
  const t = useT();
  const { state } = useCard(interaction);
  const reading = useReading(interaction);
  const session = useSession(interaction.sessionId);
  const cwd = session?.cwd ?? '';
  const title = session === undefined ? interaction.title : titleOf(session);
  return (
    <li
      data-batch={interaction.interactionId}
      className="flex flex-col gap-2 rounded-ui border border-line p-3"
    >
      <label className="flex items-center gap-2.5 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          checked={isTaken}
          disabled={isFixed || !isAnswerable(state)}
          onChange={() => onToggle(interaction.interactionId)}
          className="size-4 shrink-0 accent-ink"
        />
        <span className="min-w-0 flex-1 truncate font-semibold text-sm">{title}</span>
      </label>
      {state.is === 'submitted' ? (
        <OutcomeLine interaction={state.interaction} endedBy={state.endedBy} cwd={cwd} />
      ) : (
        <ReadingProvider value={reading}>
          <AskBody interaction={interaction} cwd={cwd} />
        </ReadingProvider>
      )}
      {state.is === 'failed' && <ErrorNote>{errorText(t, state.error)}</ErrorNote>}
    </li>
  );
}
