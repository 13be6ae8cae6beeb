import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RoomCalls } from '../../client/calls.ts';
import { toolCallOf } from '../../model/tool-call.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { ControlRoom, RoomState } from '../data/control-room.ts';
import type { CardAction, Doubt } from '../data/interactions.ts';
import { onStoredElsewhere, storedUnder, writeStored } from '../data/stored.ts';
import { openDialog, useOpenDialog } from '../frame/dialogs.ts';
import { faceOf } from './answers-to.ts';
import { type CardDraft, emptyDraft, type Panel } from './draft.logic.ts';
import { type CardState, cardOf, endIn, isAnswerable, pressOn } from './interaction-card.logic.ts';

export type Drafts = Readonly<Record<string, CardDraft>>;

/** Each under a name of its own: what is typed in another tab is not written over. */
const storedAs = 'answer.';
/** More than this is kept in memory only: it would be written with every key that is pressed. */
const mostStored = 100_000;

/**
 * What a person does in cards. It is kept outside of them: a card may be on the screen twice, leave it and
 * come back, or be reloaded with the page, and what was typed into it is still there.
 */
export class Cards {
  readonly drafts: StoreApi<Drafts>;
  readonly #room: ControlRoom;
  /** What each ask showed when all of it could have been seen. */
  readonly #read = new Map<string, string>();
  /** What each ask showed when a person began to fill in its card, or opened a part of it. */
  readonly #worked = new Map<string, string>();
  readonly #answeredHere = new Set<string>();
  #focusing: string | null = null;
  /** The tool's ask that was answered here last: what takes its place may take the focus. */
  #answered: string | null = null;

  constructor(room: ControlRoom) {
    this.#room = room;
    this.drafts = createStore<Drafts>(storedDrafts);
    onStoredElsewhere(storedAs, (interactionId, text) => this.#takeDraft(interactionId, text));
    room.store.subscribe((after, before) => this.#forgetOld(before, after));
    this.#forgetOld({ isLoaded: false, known: {} }, room.store.getState());
  }

  stateOf(interaction: Interaction): CardState {
    const { known, presses } = this.#room.store.getState();
    const { interactionId } = interaction;
    return cardOf(interaction, known[interactionId], presses[interactionId]);
  }

  draftOf(interaction: DraftOwner): CardDraft {
    return draftIn(this.drafts.getState(), interaction);
  }

  setDraft(interaction: Interaction, changes: Partial<CardDraft>): void {
    const before = this.draftOf(interaction);
    const { tool } = interaction;
    // What was begun for another ask, and goes on in this one, may still be meant for that.
    if (before === emptyDraft || (tool?.replaces !== undefined && this.#answeredHere.has(tool.replaces)))
      this.#worked.set(interaction.interactionId, faceOf(interaction));
    const draft = { ...before, ...changes };
    this.drafts.setState({ [interaction.interactionId]: draft });
    const text = JSON.stringify(draft);
    if (text.length <= mostStored) writeStored(storedAs + interaction.interactionId, text);
  }

  /** Opens a part of a card for whoever asked for it: it takes the focus when it comes. */
  openPanel(interaction: Interaction, panel: Panel): void {
    this.#focusing = interaction.interactionId;
    this.#worked.set(interaction.interactionId, faceOf(interaction));
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
    return this.#worked.get(interaction.interactionId) === faceOf(interaction);
  }

  /** All that it asks could have been seen by now, in one card or another. */
  markRead(interaction: Interaction): void {
    this.#read.set(interaction.interactionId, faceOf(interaction));
  }

  isRead(interaction: Interaction): boolean {
    return this.#read.get(interaction.interactionId) === faceOf(interaction);
  }

  /** Dangerous, and not all of it could have been seen yet. */
  isUnseenDanger(interaction: Interaction): boolean {
    return !this.isRead(interaction) && isDangerous(interaction);
  }

  /**
   * Sends what was pressed; an ask that defaults to no, or could not be seen wholly yet, wants the same press twice. One
   * that is dangerous and could not be seen wholly is opened large instead.
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
    if (
      this.isUnseenDanger(interaction) &&
      doubt !== null &&
      !isOpenLarge(interaction) &&
      isAnswerable(before)
    ) {
      openDialog({ is: 'interaction', interactionId: interaction.interactionId });
      return before;
    }
    const { interactionId } = interaction;
    const press = pressOn(before, { action, doubt, at: performance.now() });
    if (press === null) return before;
    this.#room.setPress(interactionId, press);
    if (press.is === 'submitting') await this.#send(interactionId, action, send);
    return this.stateOf(interaction);
  }

  async #send(
    interactionId: string,
    action: CardAction,
    send: (transport: RoomCalls) => Promise<Interaction>,
  ): Promise<void> {
    this.#answered = interactionId;
    this.#answeredHere.add(interactionId);
    try {
      this.#room.takeReply({ by: 'reply', interaction: await send(this.#room.transport) });
    } catch (thrown) {
      const interaction = endIn(thrown);
      if (interaction === undefined) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        this.#room.setPress(interactionId, { is: 'failed', action, error });
        return;
      }
      this.#room.takeReply({ by: 'refusal', interaction });
    }
    this.#forgetDraft(interactionId);
  }

  stepBack({ interactionId }: Interaction): void {
    if (this.#room.store.getState().presses[interactionId]?.is === 'confirming')
      this.#room.setPress(interactionId, null);
  }

  #doubtOn(interaction: Interaction): Doubt | null {
    if (!this.isRead(interaction)) return 'unread';
    return interaction.defaultToNo === true ? 'advised-against' : null;
  }

  #forgetDraft(interactionId: string): void {
    const { [interactionId]: draft, ...others } = this.drafts.getState();
    if (draft === undefined) return;
    this.drafts.setState(others, true);
    writeStored(storedAs + interactionId, null);
  }

  #forget(interactionId: string): void {
    this.#forgetDraft(interactionId);
    this.#read.delete(interactionId);
    this.#worked.delete(interactionId);
    this.#answeredHere.delete(interactionId);
  }

  /** What was typed in another tab. What is open in a card there is not opened here: nothing moves by itself. */
  #takeDraft(interactionId: string, text: string | null): void {
    const { [interactionId]: mine = emptyDraft, ...others } = this.drafts.getState();
    const { panel, wasTried } = mine;
    const draft = text === null ? {} : { [interactionId]: { ...draftFrom(text), panel, wasTried } };
    this.drafts.setState({ ...others, ...draft }, true);
  }

  /**
   * What was typed for what is over has nowhere to go, unless another attempt goes on with it. When the page comes, all is over
   * that is not told; later only what is known to have ended: a snapshot alone takes nothing from anyone who types.
   */
  #forgetOld(
    before: Pick<RoomState, 'isLoaded' | 'known'>,
    after: Pick<RoomState, 'isLoaded' | 'known'>,
  ): void {
    if (!after.isLoaded || (before.isLoaded && before.known === after.known)) return;
    const wanted = new Set<string | undefined>(
      Object.values(after.known).flatMap(({ interaction }) => [
        interaction.interactionId,
        interaction.tool?.replaces,
      ]),
    );
    const old = before.isLoaded
      ? Object.values(before.known).flatMap(({ end, interaction }) =>
          end === null
            ? []
            : [interaction.interactionId, interaction.tool?.replaces ?? interaction.interactionId],
        )
      : Object.keys(this.drafts.getState());
    for (const id of old) if (!wanted.has(id)) this.#forget(id);
  }
}

/** Something in it must not be overlooked. */
const isDangerous = (interaction: Interaction): boolean => toolCallOf(interaction).risks.length > 0;

/** Whether it has all the room there is: nothing is gained by opening it. */
function isOpenLarge({ interactionId }: Interaction): boolean {
  const { dialog } = useOpenDialog.getState();
  return dialog?.is === 'interaction' && dialog.interactionId === interactionId;
}

type DraftOwner = Pick<Interaction, 'interactionId' | 'tool'>;

/** What was typed for it; else what was typed, and not sent from here, for the ask whose place it took. */
export const draftIn = (drafts: Drafts, { interactionId, tool }: DraftOwner): CardDraft =>
  drafts[interactionId] ?? (tool?.replaces === undefined ? undefined : drafts[tool.replaces]) ?? emptyDraft;

const known = new WeakMap<ControlRoom, Cards>();

export function cardsOf(room: ControlRoom): Cards {
  const cards = known.get(room) ?? new Cards(room);
  known.set(room, cards);
  return cards;
}

const storedDrafts = (): Drafts =>
  Object.fromEntries([...storedUnder(storedAs)].map(([id, text]) => [id, draftFrom(text)]));

function draftFrom(text: string): CardDraft {
  try {
    return { ...emptyDraft, ...(JSON.parse(text) as Partial<CardDraft>) };
  } catch {
    return emptyDraft;
  }
}
