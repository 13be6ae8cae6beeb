import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { quietMs, Stillness } from '../../src/web/interaction/stillness.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'requestAnimationFrame'] });
});
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

/** A card whose place is in the test's hand. */
function aCard(box = { left: 0, top: 0, width: 100, height: 50 }) {
  const element = document.createElement('div');
  document.body.append(element);
  const place = { ...box };
  element.getBoundingClientRect = () => ({ ...place }) as DOMRect;
  const stillness = new Stillness();
  stillness.open(element);
  return { element, place, stillness };
}

const press = (element: HTMLElement, type: 'pointerdown' | 'keydown', repeat = false): void => {
  const event = new Event(type, { bubbles: true });
  Object.defineProperty(event, 'repeat', { value: repeat });
  element.dispatchEvent(event);
};

describe('[UI13] the stillness of a card', () => {
  it('comes half a second after it was shown, and again after it showed something else', () => {
    const { stillness } = aCard();
    stillness.show('a', false);
    expect(stillness.isStill('a')).toBe(false);
    vi.advanceTimersByTime(quietMs);
    expect(stillness.isStill('a')).toBe(true);
    expect(stillness.isStill('b')).toBe(false);
    stillness.show('b', false);
    vi.advanceTimersByTime(quietMs - 1);
    expect(stillness.isStill('b')).toBe(false);
  });

  it('ends when it moves, for the pointer; the keys do not aim', () => {
    const { element, place, stillness } = aCard();
    stillness.show('a', false);
    vi.advanceTimersByTime(quietMs);
    place.top = 40;
    press(element, 'pointerdown');
    expect(stillness.takePress()).toBe(false);
    press(element, 'keydown');
    expect(stillness.takePress()).toBe(true);
    vi.advanceTimersByTime(quietMs);
    press(element, 'pointerdown');
    expect(stillness.takePress()).toBe(true);
  });

  it('stays when a person scrolls what it lies in', () => {
    const { element, place, stillness } = aCard();
    stillness.show('a', false);
    vi.advanceTimersByTime(quietMs);
    place.top = -40;
    document.body.scrollTop = 40;
    press(element, 'pointerdown');
    expect(stillness.takePress()).toBe(true);
    document.body.scrollTop = 0;
  });

  it('takes no key that is held down, and each press once', () => {
    const { element, stillness } = aCard();
    stillness.show('a', true);
    press(element, 'keydown', true);
    expect(stillness.takePress()).toBe(false);
    press(element, 'keydown');
    expect(stillness.takePress()).toBe(true);
  });

  const seed = testSeed();
  it(`takes a press only on what was shown, unmoved, for that long before it began (seed ${seed})`, () => {
    const random = seededRandom(seed);
    const { element, place, stillness } = aCard();
    let face = 'face 0';
    let [changedAt, movedAt] = [performance.now(), performance.now()];
    let began: { face: string; isLawful: boolean } | null = null;
    let taken = 0;
    stillness.show(face, false);
    for (let step = 1; step <= 3000; step += 1) {
      vi.advanceTimersByTime(Math.floor(random() * 400));
      const dice = random();
      const now = performance.now();
      if (dice < 0.15) {
        face = `face ${step}`;
        changedAt = now;
        stillness.show(face, false);
      } else if (dice < 0.25) {
        place.left += 10;
        movedAt = now;
        stillness.measure();
      } else if (dice < 0.6) {
        const isPointer = random() < 0.5;
        press(element, isPointer ? 'pointerdown' : 'keydown');
        const isLawful = now - changedAt >= quietMs && (!isPointer || now - movedAt >= quietMs);
        began = { face, isLawful };
      } else if (began !== null) {
        const isTaken = stillness.takePress();
        expect([step, isTaken]).toEqual([step, began.isLawful && began.face === face]);
        taken += isTaken ? 1 : 0;
        began = null;
      }
    }
    expect(taken).toBeGreaterThan(10);
  });
});
