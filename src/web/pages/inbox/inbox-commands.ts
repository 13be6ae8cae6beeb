import type { Interaction } from '../../../protocol/interaction.ts';
import type { ControlRoom } from '../../data/control-room.ts';
import { allowForSession, allowOnce, approvePlan } from '../../interaction/answers-to.ts';
import { canEdit } from '../../interaction/approval-actions.tsx';
import { cardsOf } from '../../interaction/cards.ts';
import { isAnswerable } from '../../interaction/interaction-card.logic.ts';
import { isGrantable } from '../../interaction/pattern.logic.ts';

export type Decision = 'allow' | 'allow-session' | 'deny' | 'edit';

/** Decides by a key, as the button of the same name would; with a part of the card open, only that part is answered. */
export function decide(room: ControlRoom, interaction: Interaction, decision: Decision): void {
  const cards = cardsOf(room);
  const { interactionId, kind, plan, sessionId } = interaction;
  const session = room.store.getState().sessions[sessionId];
  const draft = cards.draftOf(interactionId);
  if (kind !== 'approval' || draft.panel !== null || !canAnswer(room, interaction)) return;
  switch (decision) {
    case 'allow': {
      const send = plan === undefined ? allowOnce(interaction) : approvePlan(interaction, draft, session);
      void cards.press(interaction, 'allow', send);
      return;
    }
    case 'allow-session':
      if (isGrantable(interaction))
        void cards.press(interaction, 'allow-session', allowForSession(interaction));
      return;
    case 'deny':
      cards.openPanel(interactionId, 'deny');
      return;
    case 'edit':
      if (canEdit(session)) cards.openPanel(interactionId, 'edit');
  }
}

export const canAnswer = (room: ControlRoom, interaction: Interaction): boolean =>
  room.store.getState().interaction === 'enabled' && isAnswerable(cardsOf(room).stateOf(interaction));
