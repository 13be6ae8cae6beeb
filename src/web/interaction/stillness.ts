import { type RefObject, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { STILL_BEFORE_PRESS_MS } from '../../model/limits.ts';
import { useRoom } from '../data/room-context.tsx';

/** A card that took another's place, moved or changed what it shows reacts only after it has been still for so long. */
export const quietMs = STILL_BEFORE_PRESS_MS;

interface Box {
  /** On the screen. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** How far all that it lies in is scrolled. */
  readonly scrolled: { readonly left: number; readonly top: number };
}

interface Press {
  readonly face: string | null;
  readonly isTaken: boolean;
}

const watches = new Set<Stillness>();

/** The page has scrolled by itself, to follow what is said: whatever was aimed at is elsewhere now. */
export function pageScrolledItself(): void {
  for (const watch of watches) watch.hasMoved();
}

/** Since when a card shows what it shows and stands where it stands, and on what the press began that is under way. */
export class Stillness {
  #face: string | null = null;
  #shownSince = Number.NEGATIVE_INFINITY;
  #placedSince = Number.NEGATIVE_INFINITY;
  #element: HTMLElement | null = null;
  #box: Box | null = null;
  #press: Press | null = null;
  #isStill = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  isStill(face: string): boolean {
    return this.#isStill && face === this.#face;
  }

  /** `wasThere`: it was there when the page was opened, or a person is at work on it: nothing else can have been meant. */
  show(face: string, wasThere: boolean): void {
    if (wasThere) this.#shownSince = Number.NEGATIVE_INFINITY;
    else if (face !== this.#face) this.#shownSince = performance.now();
    this.#face = face;
    this.#settle();
  }

  /** Watches where it stands, and where presses on it begin, until the function that is given back is called. */
  open(element: HTMLElement): () => void {
    const over = new AbortController();
    const listen = { capture: true, signal: over.signal };
    element.addEventListener('pointerdown', () => this.#begin('pointer'), listen);
    element.addEventListener('keydown', (event) => this.#begin(event.repeat ? 'repeat' : 'key'), listen);
    this.#element = element;
    this.#box = null;
    this.measure();
    const unwatch = watchLayout(() => this.measure());
    watches.add(this);
    return () => {
      over.abort();
      unwatch();
      watches.delete(this);
      clearTimeout(this.#timer);
      this.#element = null;
    };
  }

  /** Whether the press that is under way may decide: it began on what is still shown, and that was still by then. Asked once. */
  takePress(): boolean {
    // A click that no pointer and no key caused begins when it comes.
    if (this.#press === null) this.#begin('key');
    const press = this.#press;
    this.#press = null;
    return press?.isTaken === true && press.face === this.#face;
  }

  /** Whether it stands elsewhere than when it was last looked at. What a person scrolls is where they want it. */
  measure(): boolean {
    if (this.#element === null) return false;
    const [before, now] = [this.#box, boxOf(this.#element)];
    this.#box = now;
    const hasPlace = now.width > 0;
    const isMoved = before === null ? hasPlace : isElsewhere(before, now);
    if (isMoved) this.hasMoved();
    return isMoved;
  }

  hasMoved(): void {
    this.#placedSince = performance.now();
    this.#settle();
  }

  #begin(by: 'pointer' | 'key' | 'repeat'): void {
    if (by === 'pointer') this.measure();
    const isShown = performance.now() - this.#shownSince >= quietMs;
    const isPlaced = by === 'key' || performance.now() - this.#placedSince >= quietMs;
    this.#press = { face: this.#face, isTaken: by !== 'repeat' && isShown && isPlaced };
  }

  #settle(): void {
    clearTimeout(this.#timer);
    const left = Math.max(this.#shownSince, this.#placedSince) + quietMs - performance.now();
    if (left > 0) this.#timer = setTimeout(() => this.#settle(), left);
    if (this.#isStill === left <= 0) return;
    this.#isStill = left <= 0;
    for (const listener of this.#listeners) listener();
  }
}

function boxOf(element: HTMLElement): Box {
  const { left, top, width, height } = element.getBoundingClientRect();
  const scrolled = { left: 0, top: 0 };
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    scrolled.left += at.scrollLeft;
    scrolled.top += at.scrollTop;
  }
  return { left, top, width, height, scrolled };
}

/** Elsewhere on the screen, and not only because what it lies in was scrolled. */
function isElsewhere(before: Box, now: Box): boolean {
  const isSame = (one: number, other: number): boolean => Math.abs(one - other) < 1;
  if (!isSame(before.width, now.width) || !isSame(before.height, now.height)) return true;
  if (isSame(before.left, now.left) && isSame(before.top, now.top)) return false;
  return (
    !isSame(before.left + before.scrolled.left, now.left + now.scrolled.left) ||
    !isSame(before.top + before.scrolled.top, now.top + now.scrolled.top)
  );
}

export interface Still {
  /** Whether a press would be taken now. */
  readonly isStill: boolean;
  /** Whether the press that is under way may decide. */
  takePress(): boolean;
}

/** Guards what a press on an element decides, while it shows what `face` names. `isKnown`: who presses has been at it before. */
export function useStill(area: RefObject<HTMLElement | null>, face: string, isKnown = false): Still {
  const isAsOpened = useRoom((room) => room.isAsOpened);
  const wasThere = isAsOpened || isKnown;
  const [stillness] = useState(() => new Stillness());
  const isStill = useSyncExternalStore(stillness.subscribe, () => stillness.isStill(face));
  useLayoutEffect(() => stillness.show(face, wasThere), [stillness, face, wasThere]);
  useLayoutEffect(
    () => (area.current === null ? undefined : stillness.open(area.current)),
    [stillness, area],
  );
  return { isStill, takePress: () => stillness.takePress() };
}

/** Whether a value changed so short a time ago that a press is not meant for it yet. */
export function useIsNew<T>(value: T): boolean {
  const [known, setKnown] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setKnown(value), quietMs);
    return () => clearTimeout(timer);
  }, [value]);
  return value !== known;
}

const measures = new Set<() => boolean>();
let observer: MutationObserver | undefined;
let frame = 0;
/** An animation may begin so slowly that its first frame moves nothing. */
const stillFrames = 3;

/** Measures whenever the page may be laid out anew, frame by frame for as long as anything moves. `measure` tells whether it did. */
function watchLayout(measure: () => boolean): () => void {
  measures.add(measure);
  if (observer === undefined) {
    observer = new MutationObserver(measureSoon);
    observer.observe(document.documentElement, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
    addEventListener('resize', measureSoon);
  }
  return () => {
    measures.delete(measure);
    if (measures.size > 0) return;
    observer?.disconnect();
    observer = undefined;
    removeEventListener('resize', measureSoon);
    cancelAnimationFrame(frame);
    frame = 0;
  };
}

function measureSoon(): void {
  if (frame === 0) frame = requestAnimationFrame(() => measureAll(stillFrames));
}

function measureAll(framesLeft: number): void {
  const hasMoved = [...measures].filter((measure) => measure()).length > 0;
  const left = hasMoved ? stillFrames : framesLeft - 1;
  frame = left > 0 ? requestAnimationFrame(() => measureAll(left)) : 0;
}
