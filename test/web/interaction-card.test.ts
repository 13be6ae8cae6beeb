import { describe, expect, it } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import {
  afterNews,
  afterTime,
  type CardAction,
  type Doubt,
  type Interactions,
  keptMs,
  withPress,
} from '../../src/web/data/interactions.ts';
import {
  type CardState,
  cardOf,
  endIn,
  fieldRefused,
  isAnswerable,
  pressOn,
  shownCardOf,
} from '../../src/web/interaction/interaction-card.logic.ts';
import { quietMs } from '../../src/web/interaction/stillness.ts';
import { aField, aForm, anInteraction, aToolAsk, interactionsOf } from './support/samples.ts';

const open = anInteraction({ revision: 1 });
const over = (outcome: 'allowed' | 'denied' | 'lost', revision: number, of = open): Interaction => ({
  ...of,
  status: 'resolved',
  outcome,
  revision,
});
const allowed = over('allowed', 2);
const denied = over('denied', 2);
const lost = over('lost', 3);

/** What a page does and hears, one after the other. */
type Step = (room: Interactions) => Interactions;
const hear =
  (by: 'announcement' | 'event' | 'reply' | 'refusal', interaction: Interaction, now = 0): Step =>
  (room) =>
    afterNews(room, { by, interaction }, now);
const press =
  (doubt: Doubt | null = null, at = 0, action: CardAction = 'allow', of = open): Step =>
  (room) => {
    const made = pressOn(stateIn(room, of), { action, doubt, at });
    return made === null ? room : withPress(room, of.interactionId, made);
  };
const fail =
  (error: Error): Step =>
  (room) =>
    withPress(room, open.interactionId, { is: 'failed', action: 'allow', error });
const stateIn = ({ known, presses }: Interactions, of: Interaction = open): CardState =>
  cardOf(of, known[of.interactionId], presses[of.interactionId]);
const roomAfter = (...steps: readonly Step[]): Interactions =>
  steps.reduce((room, step) => step(room), interactionsOf(open));
const cardAfter = (...steps: readonly Step[]): CardState => stateIn(roomAfter(...steps));

describe('a card', () => {
  it('[UI7] is submitting when it was pressed, and submitted only on the server’s word', () => {
    expect(cardAfter(press())).toEqual({ is: 'submitting', action: 'allow' });
    expect(cardAfter(press(), hear('reply', allowed))).toEqual({
      is: 'submitted',
      interaction: allowed,
      endedBy: 'us',
    });
  });

  it('[UI7] cannot be pressed again while it is submitting, nor when it is submitted', () => {
    expect(cardAfter(press(), press(null, 0, 'deny'))).toMatchObject({ action: 'allow' });
    const ended = roomAfter(hear('announcement', denied));
    expect(press()(ended)).toBe(ended);
    expect(stateIn(ended)).toMatchObject({ is: 'submitted', interaction: denied });
  });

  it('[UI7] is answerable again after a failure, with the error and the field that the server named', () => {
    const error = new BeckonError('invalid_answer', 422, 'wrong', { field: 'input.a' });
    const failed = cardAfter(press(), fail(error));
    expect(failed).toEqual({ is: 'failed', action: 'allow', error });
    expect(isAnswerable(failed)).toBe(true);
    expect(fieldRefused(failed)).toEqual({ field: 'input.a', message: 'wrong' });
    expect(cardAfter(press(), fail(error), press())).toMatchObject({ is: 'submitting' });
  });

  it.each(['interaction_already_resolved', 'interaction_gone'] as const)(
    '[UI7] takes %s as the answer of another, not as an error',
    (code) => {
      const end = endIn(new BeckonError(code, 409, 'late', { interaction: denied }));
      expect(end).toEqual(denied);
      const submitted = { is: 'submitted', interaction: denied, endedBy: 'another' };
      expect(cardAfter(press(), hear('refusal', denied))).toEqual(submitted);
      // Until the refusal came, the end could have been this page's own.
      expect(cardAfter(press(), hear('announcement', denied), hear('refusal', denied))).toEqual(submitted);
    },
  );

  it('[ASK4] ends when another device answered, and says that it was not us', () => {
    for (const by of ['announcement', 'event'] as const)
      expect(cardAfter(hear(by, denied))).toMatchObject({ is: 'submitted', endedBy: 'another' });
  });

  it('counts as ours when the news of our own answer comes before its reply', () => {
    const news = roomAfter(press(), hear('announcement', allowed));
    expect(stateIn(news)).toMatchObject({ is: 'submitted', endedBy: 'us' });
    expect(hear('reply', allowed)(news).known).toBe(news.known);
  });

  it.each(['advised-against', 'unread'] as const)(
    '[UI13] wants a second press of the same button where there is a doubt (%s), and a double press is not one',
    (doubt) => {
      const once = roomAfter(press(doubt, 1000));
      const confirming = { is: 'confirming', action: 'allow', doubt, since: 1000 };
      expect(stateIn(once)).toEqual({ is: 'pending', confirming });
      expect(press(doubt, 1300)(once)).toBe(once);
      expect(stateIn(press(doubt, 1000 + quietMs)(once))).toMatchObject({ is: 'submitting' });
      expect(stateIn(withPress(once, open.interactionId, null))).toEqual({ is: 'pending', confirming: null });
      expect(stateIn(press(doubt, 1300, 'allow-session')(once))).toMatchObject({
        is: 'pending',
        confirming: { action: 'allow-session' },
      });
    },
  );

  it('[ASK5] tells that an answer which was taken got lost on its way, in whatever order that is heard', () => {
    const submitted = { is: 'submitted', interaction: lost, endedBy: 'us' };
    expect(cardAfter(press(), hear('reply', allowed), hear('announcement', lost))).toEqual(submitted);
    expect(cardAfter(press(), hear('announcement', lost), hear('reply', allowed))).toEqual(submitted);
    expect(cardAfter(press(), hear('event', lost), hear('announcement', allowed))).toEqual(submitted);
  });

  it('ignores a failure that comes after the end', () => {
    const ended = roomAfter(press(), hear('announcement', allowed));
    expect(stateIn(fail(new Error('late'))(ended))).toEqual(stateIn(ended));
  });

  it('is read-only from the start for an interaction that has ended', () => {
    expect(cardOf(denied, undefined, undefined)).toEqual({
      is: 'submitted',
      interaction: denied,
      endedBy: 'unknown',
    });
  });
});

describe('a card of a tool, once it was answered here', () => {
  const ask = aToolAsk(aForm([aField('email')]), { revision: 1 });
  const room = [press(null, 0, 'submit', ask), hear('reply', over('allowed', 2, ask))].reduce<Interactions>(
    (known, step) => step(known),
    interactionsOf(ask),
  );
  const at = (now: number, isCalling: boolean) =>
    afterTime(hear('announcement', over('allowed', 3, ask))(room), now, {
      isCalling: () => isCalling,
      isDrawn: () => false,
    });
  const shown = (known: Interactions, isResultSeen = false) =>
    shownCardOf(stateIn(known, ask), known.known[ask.interactionId], isResultSeen).is;

  it('[TOOL5] stays as it was sent while its call goes on, for a moment, and then shows how it ended', () => {
    expect([shown(at(100, false)), shown(at(100, false), true)]).toEqual(['submitting', 'submitted']);
    expect([shown(at(1000, true)), shown(at(1000, false))]).toEqual(['submitting', 'submitted']);
    expect(shown(at(60_000, true))).toBe('submitted');
  });

  it('[UI28] leaves when it could be read how it ended, counted from when that was shown', () => {
    const over = at(1000, false);
    const later = (now: number) => afterTime(over, now, { isCalling: () => false, isDrawn: () => false });
    expect(later(999 + keptMs).leaving).toHaveLength(1);
    expect(later(1000 + keptMs)).toMatchObject({ leaving: [], known: {}, presses: {} });
  });
});
