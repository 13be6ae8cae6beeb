import { describe, expect, it } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import {
  type CardEvent,
  type CardState,
  cardOf,
  freshCard,
  isAnswerable,
  nextCard,
} from '../../src/web/interaction/interaction-card.logic.ts';
import { anInteraction } from './support/samples.ts';

const cardAfter = (...events: readonly CardEvent[]): CardState => events.reduce(nextCard, freshCard);
const press = (needsSecondPress = false): CardEvent => ({
  type: 'pressed',
  action: 'allow',
  needsSecondPress,
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
    const deny: CardEvent = { type: 'pressed', action: 'deny', needsSecondPress: false };
    expect(cardAfter(press(), deny)).toMatchObject({ action: 'allow' });
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

  it('wants a second press of the same button for an ask that defaults to no', () => {
    const once = cardAfter(press(true));
    expect(once).toEqual({ is: 'pending', confirming: 'allow' });
    expect(nextCard(once, press(true))).toMatchObject({ is: 'submitting' });
    expect(nextCard(once, { type: 'stepped-back' })).toEqual(freshCard);
    expect(nextCard(once, { type: 'pressed', action: 'allow-session', needsSecondPress: true })).toEqual({
      is: 'pending',
      confirming: 'allow-session',
    });
  });

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
