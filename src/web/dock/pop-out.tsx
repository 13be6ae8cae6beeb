import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Interaction } from '../../protocol/interaction.ts';
import { latestAt } from '../data/interactions.ts';
import { useControlRoom, useRoom, useSession } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { InteractionCard } from '../interaction/interaction-card.tsx';
import { routes } from '../routes.ts';
import { titleOf } from '../session/activity.logic.ts';
import { Dialog } from '../ui/dialog.tsx';

/** An interaction with all the room it needs. Closed without an answer, it is still open, with what was typed. */
export function PopOut({
  interactionId,
  field,
  onClose,
}: {
  readonly interactionId: string;
  /** The field that one wants to write in. */
  readonly field?: string;
  readonly onClose: () => void;
}) {
  const room = useControlRoom();
  // A tool may ask again there, and what the dialog was opened for is no longer known by then.
  const [place] = useState(() => room.store.getState().known[interactionId]?.place.id ?? interactionId);
  const interaction = useRoom((state) => latestAt(state, place));
  useEffect(() => {
    if (interaction === undefined) onClose();
  }, [interaction, onClose]);
  return interaction === undefined ? null : (
    <Large interaction={interaction} field={field} onClose={onClose} />
  );
}

function Large({
  interaction,
  field,
  onClose,
}: {
  readonly interaction: Interaction;
  readonly field: string | undefined;
  readonly onClose: () => void;
}) {
  const t = useT();
  const session = useSession(interaction.sessionId);
  const content = useRef<HTMLDivElement>(null);
  // Not on the button that closes it, and not in place of a part that was asked for.
  useEffect(() => {
    const { current } = content;
    if (current?.contains(document.activeElement) !== false) return;
    const fields = [...current.querySelectorAll<HTMLElement>('[data-field]')];
    const wanted = fields.find(({ dataset }) => dataset.field === field && field !== undefined);
    const writing = wanted?.querySelector('textarea');
    (writing ?? current).focus();
    // One goes on writing where it ends.
    writing?.setSelectionRange(writing.value.length, writing.value.length);
  }, [field]);
  return (
    <Dialog title={session === undefined ? t('dock.label') : titleOf(session)} onClose={onClose} size="xl">
      <div ref={content} tabIndex={-1} className="flex flex-col gap-4 px-4 pt-1 pb-4 outline-none">
        <InteractionCard interaction={interaction} isFramed={false} countsAsShown={false} isLarge />
        {session !== undefined && (
          <Link
            href={routes.session(session.id)}
            onClick={onClose}
            className="self-start text-faint text-sm hover:text-ink hover:underline pointer-coarse:py-3"
          >
            {t('dock.toSession')}
          </Link>
        )}
      </div>
    </Dialog>
  );
}
