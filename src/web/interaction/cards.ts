import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RoomCalls } from '../../client/calls.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { ControlRoom } from '../data/control-room.ts';
import { readStored, writeStored } from '../data/stored.ts';
import { faceOf } from './answers-to.ts';
import { type CardDraft, emptyDraft, type Panel } from './draft.logic.ts';
import {
  type CardAction,
  type CardEvent,
  type CardState,
  cardOf,
  type Doubt,
  nextCard,
} from './interaction-card.logic.ts';

export interface CardsState {
  readonly states: Readonly<Record<string, CardState>>;
  readonly drafts: Readonly<Record<string, CardDraft>>;
}

const storedAs = 'answers';
/** More than this is kept in memory only: it would be written with every key that is pressed. */
const mostStored = 100_000;

/**
 * What this page knows of its cards. It is kept outside of them: a card may be on the screen twice, leave it and
 * come back, or be reloaded with the page, and what was typed into it is still there.
 */
export class Cards {
  readonly store: StoreApi<CardsState>;
  readonly #room: ControlRoom;
  readonly #read = new Set<string>();
  /** Asks whose card a person has begun to fill in, or has opened a part of. */
  readonly #worked = new Set<string>();
  readonly #answeredHere = new Set<string>();
  #focusing: string | null = null;
  /** The tool's ask that was answered here last: what takes its place may take the focus. */
  #answered: string | null = null;

  constructor(room: ControlRoom) {
    this.#room = room;
    this.store = createStore<CardsState>(() => ({ states: {}, drafts: storedDrafts() }));
  }

  stateOf(interaction: Interaction): CardState {
    const { interactionId } = interaction;
    const known = this.store.getState().states[interactionId];
    const { ended } = this.#room.store.getState();
    return stateWith(known, interaction, endOf(ended, interactionId));
  }

  draftOf(interaction: DraftOwner): CardDraft {
    return draftIn(this.store.getState(), interaction);
  }

  setDraft(interaction: Interaction, changes: Partial<CardDraft>): void {
    const before = this.draftOf(interaction);
    const { tool } = interaction;
    // What was begun for another ask, and goes on in this one, may still be meant for that.
    if (before === emptyDraft || (tool?.replaces !== undefined && this.#answeredHere.has(tool.replaces)))
      this.#worked.add(faceOf(interaction));
    const draft = { ...before, ...changes };
    this.store.setState(({ drafts }) => ({ drafts: { ...drafts, [interaction.interactionId]: draft } }));
    this.#keepDrafts();
  }

  /** Opens a part of a card for whoever asked for it: it takes the focus when it comes. */
  openPanel(interaction: Interaction, panel: Panel): void {
    this.#focusing = interaction.interactionId;
    this.#worked.add(faceOf(interaction));
    this.setDraft(interaction, { panel });
  }

  /** Whether the part that has just come was asked for by a person; once. */
  takeFocus(interactionId: string): boolean {
    const isWanted = this.#focusing === interactionId;
    if (isWanted) this.#focusing = null;
    return isWanted;
  }

  /** Whether this ask came in place of the one that was just answered here; once. */
  takesOver({ tool }: Pick<Interaction, 'tool'>): boolean {
    const isNext = tool?.replaces !== undefined && tool.replaces === this.#answered;
    if (isNext) this.#answered = null;
    return isNext;
  }

  /** Whether a person is at work in its card: what they send from there is meant for it. */
  isWorkedOn(interaction: Interaction): boolean {
    return this.#worked.has(faceOf(interaction));
  }

  /** All that it asks could have been seen by now, in one card or another. */
  markRead(interaction: Interaction): void {
    this.#read.add(faceOf(interaction));
  }

  isRead(interaction: Interaction): boolean {
    return this.#read.has(faceOf(interaction));
  }

  /**
   * Sends what was pressed; an ask that defaults to no, or could not be seen wholly yet, wants the same press twice.
   * Whatever answers an interaction goes this way, so that its card knows the answer as this page's own. Resolves with
   * the card as it is then.
   */
  async press(
    interaction: Interaction,
    action: CardAction,
    send: (transport: RoomCalls) => Promise<Interaction>,
  ): Promise<CardState> {
    const before = this.stateOf(interaction);
    const doubt = action.startsWith('allow') ? this.#doubtOn(interaction) : null;
    const after = this.#take(interaction, { type: 'pressed', action, doubt, at: performance.now() });
    if (after.is !== 'submitting' || before.is === 'submitting') return after;
    this.#answered = interaction.interactionId;
    this.#answeredHere.add(interaction.interactionId);
    try {
      return this.#take(interaction, { type: 'replied', interaction: await send(this.#room.transport) });
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      return this.#take(interaction, { type: 'refused', error });
    }
  }

  stepBack(interaction: Interaction): void {
    this.#take(interaction, { type: 'stepped-back' });
  }

  #doubtOn(interaction: Interaction): Doubt | null {
    if (!this.isRead(interaction)) return 'unread';
    return interaction.defaultToNo === true ? 'advised-against' : null;
  }

  #take(interaction: Interaction, event: CardEvent): CardState {
    const { interactionId } = interaction;
    const before = this.stateOf(interaction);
    const after = nextCard(before, event);
    if (after !== before)
      this.store.setState(({ states }) => ({ states: { ...states, [interactionId]: after } }));
    if (after.is === 'submitted') this.#forgetDraft(interactionId);
    return after;
  }

  #forgetDraft(interactionId: string): void {
    const { [interactionId]: draft, ...drafts } = this.store.getState().drafts;
    if (draft === undefined) return;
    this.store.setState({ drafts });
    this.#keepDrafts();
  }

  /** Only those of open interactions, and of those whose place they took: what was typed for another has nowhere to go. */
  #keepDrafts(): void {
    const { pending, isLoaded } = this.#room.store.getState();
    const open = new Set<string | undefined>(
      pending.flatMap(({ interactionId, tool }) => [interactionId, tool?.replaces]),
    );
    const drafts = Object.entries(this.store.getState().drafts).filter(([id]) => !isLoaded || open.has(id));
    const text = JSON.stringify(Object.fromEntries(drafts));
    if (text.length <= mostStored) writeStored(storedAs, drafts.length === 0 ? null : text);
  }
}

type DraftOwner = Pick<Interaction, 'interactionId' | 'tool'>;

/** What was typed for it; else what was typed, and not sent from here, for the ask whose place it took. */
export const draftIn = ({ drafts }: CardsState, { interactionId, tool }: DraftOwner): CardDraft =>
  drafts[interactionId] ?? (tool?.replaces === undefined ? undefined : drafts[tool.replaces]) ?? emptyDraft;

const known = new WeakMap<ControlRoom, Cards>();

export function cardsOf(room: ControlRoom): Cards {
  const cards = known.get(room) ?? new Cards(room);
  known.set(room, cards);
  return cards;
}

/** The state with what the stream has told since: of the interaction itself, or of its end. */
export function stateWith(
  state: CardState | undefined,
  interaction: Interaction,
  ended: Interaction | undefined,
): CardState {
  const end = ended ?? (interaction.status === 'resolved' ? interaction : undefined);
  if (end === undefined) return state ?? cardOf(interaction);
  if (state === undefined && ended === undefined) return cardOf(end);
  return nextCard(state ?? cardOf({ ...interaction, status: 'open' }), { type: 'ended', interaction: end });
}

export const endOf = (ended: readonly Interaction[], interactionId: string): Interaction | undefined =>
  ended.find((each) => each.interactionId === interactionId);

function storedDrafts(): CardsState['drafts'] {
  try {
    const stored: unknown = JSON.parse(readStored(storedAs) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(
      Object.entries(stored).map(([id, draft]) => [id, { ...emptyDraft, ...(draft as Partial<CardDraft>) }]),
    );
  } catch {
    return {};
  }
}
