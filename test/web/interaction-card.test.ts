import { describe, expect, it } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import {
  type CardAction,
  type CardEvent,
  type CardState,
  cardOf,
  type Doubt,
  freshCard,
  isAnswerable,
  nextCard,
} from '../../src/web/interaction/interaction-card.logic.ts';
import { quietMs } from '../../src/web/interaction/stillness.ts';
import { anInteraction } from './support/samples.ts';

const cardAfter = (...events: readonly CardEvent[]): CardState => events.reduce(nextCard, freshCard);
const press = (doubt: Doubt | null = null, at = 0, action: CardAction = 'allow'): CardEvent => ({
  type: 'pressed',
  action,
  doubt,
  at,
});
const allowed = anInteraction({ status: 'resolved', outcome: 'allowed' });
const denied = anInteraction({ status: 'resolved', outcome: 'denied' });

describe('a card', () => {
  it('[UI7] is submitting when it was pressed, and submitted only on the server’s word', () => {
    expect(cardAfter(press())).toEqual({ is: 'submitting', action: 'allow' });
    expect(cardAfter(press(), { type: 'replied', interaction: allowed })).toEqual({
      is: 'submitted',
      interaction: allowed,
      endedBy: 'us',
    });
  });

  it('[UI7] cannot be pressed again while it is submitting, nor when it is submitted', () => {
    expect(cardAfter(press(), press(null, 0, 'deny'))).toMatchObject({ action: 'allow' });
    expect(cardAfter({ type: 'ended', interaction: denied }, press())).toMatchObject({
      is: 'submitted',
      interaction: denied,
    });
  });

  it('[UI7] is answerable again after a failure, with the error', () => {
    const error = new BeckonError('unreachable', 0, 'gone');
    const failed = cardAfter(press(), { type: 'refused', error });
    expect(failed).toEqual({ is: 'failed', action: 'allow', error });
    expect(isAnswerable(failed)).toBe(true);
    expect(nextCard(failed, press())).toMatchObject({ is: 'submitting' });
  });

  it.each(['interaction_already_resolved', 'interaction_gone'] as const)(
    '[UI7] takes %s as the answer of another, not as an error',
    (code) => {
      const error = new BeckonError(code, 409, 'late', { interaction: denied });
      expect(cardAfter(press(), { type: 'refused', error })).toEqual({
        is: 'submitted',
        interaction: denied,
        endedBy: 'another',
      });
    },
  );

  it('[ASK4] ends when another device answered, and says that it was not us', () => {
    expect(cardAfter({ type: 'ended', interaction: denied })).toMatchObject({
      is: 'submitted',
      endedBy: 'another',
    });
  });

  it('counts as ours when the news of our own answer comes before its reply', () => {
    const news = cardAfter(press(), { type: 'ended', interaction: allowed });
    expect(news).toMatchObject({ is: 'submitted', endedBy: 'us' });
    expect(nextCard(news, { type: 'replied', interaction: allowed })).toBe(news);
  });

  it.each(['advised-against', 'unread'] as const)(
    '[UI13] wants a second press of the same button where there is a doubt (%s), and a double press is not one',
    (doubt) => {
      const once = cardAfter(press(doubt, 1000));
      expect(once).toEqual({ is: 'pending', confirming: { action: 'allow', doubt, since: 1000 } });
      expect(nextCard(once, press(doubt, 1300))).toBe(once);
      expect(nextCard(once, press(doubt, 1000 + quietMs))).toMatchObject({ is: 'submitting' });
      expect(nextCard(once, { type: 'stepped-back' })).toEqual(freshCard);
      expect(nextCard(once, press(doubt, 1300, 'allow-session'))).toMatchObject({
        is: 'pending',
        confirming: { action: 'allow-session' },
      });
    },
  );

  it('[ASK5] tells that an answer which was taken got lost on its way', () => {
    const lost = anInteraction({ status: 'resolved', outcome: 'lost' });
    const replied = cardAfter(press(), { type: 'replied', interaction: allowed });
    expect(nextCard(replied, { type: 'ended', interaction: allowed })).toBe(replied);
    expect(nextCard(replied, { type: 'ended', interaction: lost })).toEqual({
      is: 'submitted',
      interaction: lost,
      endedBy: 'us',
    });
  });

  it('ignores a refusal that comes after the end', () => {
    const ended = cardAfter(press(), { type: 'ended', interaction: allowed });
    expect(nextCard(ended, { type: 'refused', error: new Error('late') })).toBe(ended);
  });

  it('is read-only from the start for an interaction that has ended', () => {
    expect(cardOf(denied)).toEqual({ is: 'submitted', interaction: denied, endedBy: 'unknown' });
  });
});
