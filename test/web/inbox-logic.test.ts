import { describe, expect, it } from 'vitest';
import { docked } from '../../src/web/dock/docked.ts';
import {
  currentIn,
  type InboxItem,
  inboxItems,
  isBatchable,
  likeOnes,
  nextOpen,
  noFilter,
  stepFrom,
} from '../../src/web/pages/inbox/inbox.logic.ts';
import { anInteraction, at, interactionsOf } from './support/samples.ts';

const ask = (id: string, seconds: number, more: Parameters<typeof anInteraction>[0] = {}) =>
  anInteraction({ id, createdAt: at(seconds), ...more });
const items = (...ids: readonly string[]): InboxItem[] =>
  ids.map((id, index) => ({ interaction: ask(id.replace('!', ''), index), isLeaving: id.startsWith('!') }));

describe('the list of the inbox', () => {
  it('[UI2] is oldest first, with what has just ended in the place it had', () => {
    const ended = ask('b', 2, { status: 'resolved' });
    const list = inboxItems(interactionsOf(ask('a', 1), ask('c', 3), ended), noFilter);
    expect(list.map(({ interaction, isLeaving }) => [interaction.interactionId, isLeaving])).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
    ]);
  });

  it('[UI2] can be narrowed to a session and to a kind', () => {
    const all = [ask('a', 1), ask('b', 2, { session: 's2' }), ask('c', 3, { kind: 'question' })];
    const ids = (filter: Partial<typeof noFilter>) =>
      inboxItems(interactionsOf(...all), { ...noFilter, ...filter }).map(
        ({ interaction }) => interaction.interactionId,
      );
    expect(ids({ sessionId: 's2' })).toEqual(['b']);
    expect(ids({ kind: 'question' })).toEqual(['c']);
  });

  it('[UI2] stays where one is, and moves to the next when that one leaves', () => {
    expect(currentIn(items('a', 'b'), 'b', [])).toBe('b');
    expect(currentIn(items('a', 'c'), 'b', ['a', 'b', 'c'])).toBe('c');
    expect(currentIn(items('a'), 'b', ['a', 'b'])).toBe('a');
    expect(currentIn(items('a', 'b'), null, [])).toBe('a');
    expect(currentIn([], 'a', ['a'])).toBeNull();
  });

  it('[UI2] goes on to what still waits after an answer, not to what is leaving', () => {
    expect(nextOpen(items('a', '!b', 'c'), 'a')).toBe('c');
    expect(nextOpen(items('a', '!b'), '!b'.slice(1))).toBe('a');
    expect(nextOpen(items('!a'), 'a')).toBeNull();
  });

  it('steps and stops at both ends', () => {
    expect(stepFrom(items('a', 'b'), 'a', 1)).toBe('b');
    expect(stepFrom(items('a', 'b'), 'b', 1)).toBe('b');
    expect(stepFrom(items('a', 'b'), 'a', -1)).toBe('a');
  });

  it('[UI2] allows together only what is alike and needs no look of its own', () => {
    const bash = ask('a', 1);
    const others = [
      ask('b', 2),
      ask('c', 3, { toolName: 'Write' }),
      ask('d', 4, { defaultToNo: true }),
      ask('e', 5, { requiresPerson: true }),
      ask('f', 6, { kind: 'question' }),
      ask('g', 7, { plan: 'p' }),
    ];
    expect(likeOnes([bash, ...others], bash).map(({ interactionId }) => interactionId)).toEqual(['a', 'b']);
    expect(others.filter(isBatchable).map(({ interactionId }) => interactionId)).toEqual(['b', 'c']);
  });
});

describe('the dock', () => {
  const a = ask('a', 1, { session: 's1' });
  const b = ask('b', 2, { session: 's2' });
  const c = ask('c', 3, { session: 's3' });
  const none = () => false;

  it('[UI5] shows the oldest that is not on the screen, with its neighbours', () => {
    expect(docked(interactionsOf(a, b, c), none, null)).toEqual({
      interaction: a,
      at: 1,
      count: 3,
      previous: null,
      next: 'b',
    });
    expect(docked(interactionsOf(a, b, c), (id) => id === 'a', null)).toMatchObject({
      interaction: b,
      count: 2,
    });
    expect(docked(interactionsOf(a), (id) => id === 'a', null)).toBeUndefined();
  });

  it('[UI5] stays with the one chosen when others come or go', () => {
    expect(docked(interactionsOf(a, b, c), none, 'b')).toMatchObject({
      interaction: b,
      previous: 'a',
      next: 'c',
    });
    expect(docked(interactionsOf(b, c), none, 'b')).toMatchObject({ interaction: b, at: 1 });
    expect(docked(interactionsOf(a, c), none, 'b')).toMatchObject({ interaction: a });
  });

  it('[UI5] stays with one that ends there until it leaves, and goes on at once where it is asked again', () => {
    const over = interactionsOf(a, b, { ...b, status: 'resolved' });
    expect(docked(over, none, 'b')).toMatchObject({ interaction: { status: 'resolved' }, next: 'a' });
    expect(docked(over, none, 'a')).toMatchObject({ interaction: a, next: null });
    expect(docked({ ...over, leaving: [] }, none, 'b')).toMatchObject({ interaction: a });
  });

  it('[UI5] leaves it to a session on the screen to show its next one', () => {
    const second = ask('a2', 4, { session: 's1' });
    expect(docked(interactionsOf(a, second), (id) => id === 'a', null)).toBeUndefined();
  });
});
