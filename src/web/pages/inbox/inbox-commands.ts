import type { Interaction } from '../../../protocol/interaction.ts';
import type { ControlRoom } from '../../data/control-room.ts';
import {
  allowForSession,
  allowOnce,
  approvePlan,
  approveTool,
  isGrantable,
  offeredScopes,
} from '../../interaction/answers-to.ts';
import { type Cards, cardsOf } from '../../interaction/cards.ts';
import { faultsIn } from '../../interaction/form.logic.ts';
import { isAnswerable } from '../../interaction/interaction-card.logic.ts';
import { canEditInput } from '../../session/abilities.logic.ts';

export type Decision = 'allow' | 'allow-session' | 'deny' | 'edit';

/** Decides by a key, as the button of the same name would; with a part of the card open, only that part is answered. */
export function decide(room: ControlRoom, interaction: Interaction, decision: Decision): void {
  const cards = cardsOf(room);
  const { kind, plan, sessionId, tool } = interaction;
  const session = room.store.getState().sessions[sessionId];
  const draft = cards.draftOf(interaction);
  if (kind !== 'approval' || draft.panel !== null || !canAnswer(room, interaction)) return;
  if (tool !== undefined && (decision === 'allow' || decision === 'allow-session')) {
    allowTool(cards, interaction, decision);
    return;
  }
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
      cards.openPanel(interaction, 'deny');
      return;
    case 'edit':
      if (tool === undefined && canEditInput(session)) cards.openPanel(interaction, 'edit');
  }
}

/** Within what the tool offers, and only when what it wants filled in beside it is. */
function allowTool(cards: Cards, interaction: Interaction, decision: 'allow' | 'allow-session'): void {
  const [narrowest, ...wider] = offeredScopes(interaction);
  const scope = decision === 'allow' ? narrowest : wider.find((each) => each === 'session');
  if (scope === undefined) return;
  const draft = cards.draftOf(interaction);
  if (interaction.form !== undefined && faultsIn(interaction.form, draft).size > 0)
    cards.setDraft(interaction, { wasTried: true });
  else void cards.press(interaction, decision, approveTool(interaction, scope, draft));
}

export const canAnswer = (room: ControlRoom, interaction: Interaction): boolean =>
  room.store.getState().interaction === 'enabled' && isAnswerable(cardsOf(room).stateOf(interaction));
