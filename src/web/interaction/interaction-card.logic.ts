import type { BeckonError } from '../../client/beckon-error.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { quietMs } from './stillness.ts';

/** What was pressed, so that the spinner is in the button that was. */
export type CardAction =
  | 'allow'
  | 'allow-session'
  | 'allow-always'
  | 'deny'
  | 'deny-interrupt'
  | 'answer'
  | 'submit'
  | 'decline'
  | 'dismiss';

/** Why a press wants another: the agent advises against it, or not all of it could be seen yet. */
export type Doubt = 'advised-against' | 'unread';

interface Confirming {
  readonly action: CardAction;
  readonly doubt: Doubt;
  readonly since: number;
}

/** Who ended it, as far as this page can tell: a page that came later only knows what the record says. */
export type EndedBy = 'us' | 'another' | 'unknown';

/**
 * A card's state. It ends only on the server's word: by the reply to an answer, or by news that the interaction
 * ended. A request that failed leaves it answerable.
 */
export type CardState =
  | { readonly is: 'pending'; readonly confirming: Confirming | null }
  | { readonly is: 'submitting'; readonly action: CardAction }
  | { readonly is: 'failed'; readonly action: CardAction; readonly error: Error }
  | { readonly is: 'submitted'; readonly interaction: Interaction; readonly endedBy: EndedBy };

export type CardEvent =
  /** `at` in milliseconds, by a clock of the page. */
  | {
      readonly type: 'pressed';
      readonly action: CardAction;
      readonly doubt: Doubt | null;
      readonly at: number;
    }
  | { readonly type: 'stepped-back' }
  | { readonly type: 'replied'; readonly interaction: Interaction }
  | { readonly type: 'refused'; readonly error: Error }
  /** Told by the stream, whoever caused it. */
  | { readonly type: 'ended'; readonly interaction: Interaction };

export const freshCard: CardState = { is: 'pending', confirming: null };

export const cardOf = (interaction: Interaction): CardState =>
  interaction.status === 'open' ? freshCard : { is: 'submitted', interaction, endedBy: 'unknown' };

export function nextCard(state: CardState, event: CardEvent): CardState {
  if (state.is === 'submitted') return afterEnd(state, event);
  switch (event.type) {
    case 'pressed':
      return pressed(state, event);
    case 'stepped-back':
      return state.is === 'pending' ? freshCard : state;
    case 'replied':
      return { is: 'submitted', interaction: event.interaction, endedBy: 'us' };
    case 'refused':
      return refused(state, event.error);
    case 'ended':
      return {
        is: 'submitted',
        interaction: event.interaction,
        endedBy: state.is === 'submitting' ? 'us' : 'another',
      };
  }
}

export const isAnswerable = (state: CardState): boolean => state.is === 'pending' || state.is === 'failed';

/** The field of the answer that the server named as wrong, if it named one. */
export function fieldRefused(state: CardState): { readonly field: string; readonly message: string } | null {
  if (state.is !== 'failed') return null;
  const field = (state.error as Partial<BeckonError>).details?.field;
  return typeof field === 'string' ? { field, message: state.error.message } : null;
}

/** An answer that was taken may still be lost on its way to the agent: the last word counts. */
function afterEnd(state: Extract<CardState, { is: 'submitted' }>, event: CardEvent): CardState {
  return event.type === 'ended' && event.interaction.outcome !== state.interaction.outcome
    ? { ...state, interaction: event.interaction }
    : state;
}

/** The second press is one of its own: a double click is not, nor is one on what has just become another button. */
function pressed(
  state: Exclude<CardState, { is: 'submitted' }>,
  { action, doubt, at }: Extract<CardEvent, { type: 'pressed' }>,
): CardState {
  if (state.is === 'submitting') return state;
  const confirming = state.is === 'pending' && state.confirming?.action === action ? state.confirming : null;
  if (confirming !== null && at - confirming.since < quietMs) return state;
  if (doubt !== null && confirming === null)
    return { is: 'pending', confirming: { action, doubt, since: at } };
  return { is: 'submitting', action };
}

/** Too late is not a failure: the refusal carries how the interaction ended. */
function refused(state: CardState, error: Error): CardState {
  if (state.is !== 'submitting') return state;
  const ended = endedIn(error);
  if (ended !== undefined) return { is: 'submitted', interaction: ended, endedBy: 'another' };
  return { is: 'failed', action: state.action, error };
}

function endedIn(error: Error): Interaction | undefined {
  const { code, details } = error as Partial<BeckonError>;
  if (code !== 'interaction_already_resolved' && code !== 'interaction_gone') return undefined;
  const interaction = details?.interaction as Interaction | undefined;
  return interaction?.status === 'resolved' ? interaction : undefined;
}
