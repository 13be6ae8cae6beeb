import { type RefObject, useLayoutEffect, useReducer, useState } from 'react';
import { flushSync } from 'react-dom';
import { ListLayout, type Placed } from '../../conversation/list-layout.logic.ts';

/** Whoever scrolls down to so near to the end wants to see what comes; whoever scrolls up, by however little, does not. */
const endThreshold = 48;
/** Older pages are read so long before one reaches the top. */
const readAhead = 1600;
/** So many are drawn on both sides of what is in view. */
const overscan = 6;
/** Until the height of the box is known. */
const likelyHeight = 900;

/** A conversation begins at its end, and stays there. */
interface ListKind {
  /** Free space before the first and behind the last. */
  readonly padding: number;
  readonly followsEnd: boolean;
}
const conversation: ListKind = { padding: 40, followsEnd: true };

/** The list in a box that scrolls. `firstChanged` tells which entry is the first that differs from the last drawing. */
export function useVirtualList(
  box: RefObject<HTMLElement | null>,
  entries: readonly Placed[],
  firstChanged: number,
  kind: ListKind = conversation,
): VirtualList {
  const [list] = useState(() => new VirtualList(kind));
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  list.update(entries, firstChanged);
  useLayoutEffect(() => (box.current === null ? undefined : list.attach(box.current, redraw)), [list, box]);
  // After every drawing: rows are as high as they turn out to be.
  useLayoutEffect(() => list.settle());
  return list;
}

/**
 * A long list of which only what is in view is drawn, in the flow of the page. At the end it follows what comes; away from
 * it what is in view stays where it is, whatever is added, read in front or turns out to be higher than thought.
 */
export class VirtualList {
  readonly #layout: ListLayout;
  readonly #followsEnd: boolean;
  readonly #drawn = new Set<Element>();
  #entries: readonly Placed[] = [];
  #box: HTMLElement | null = null;
  #observer: ResizeObserver | null = null;
  #redraw = (): void => {};
  #viewHeight = likelyHeight;
  #top = 0;
  /** Where the box was when it was last looked at: elsewhere, somebody has scrolled it. */
  #seenTop = 0;
  #isAtEnd: boolean;
  /** One in view and how far it begins above the top, for as long as the end is not followed. */
  #anchor = { key: '', index: 0, above: 0 };
  /** What is to be brought into view. */
  #goal: { readonly key: string; readonly align: 'start' | 'center' } | null = null;

  constructor({ padding, followsEnd }: ListKind) {
    this.#layout = new ListLayout(padding);
    this.#followsEnd = followsEnd;
    this.#isAtEnd = followsEnd;
  }

  get isNearStart(): boolean {
    return this.#top < readAhead;
  }
  get height(): number {
    return this.#layout.height;
  }
  get viewHeight(): number {
    return this.#viewHeight;
  }
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }
  get firstInView(): number {
    return this.#layout.indexAt(this.#top + 1);
  }
  get lastInView(): number {
    return this.#layout.indexAt(this.#top + this.#viewHeight);
  }

  heightOf(index: number): number {
    return this.#layout.heightOf(index);
  }

  /** What is to be drawn: the first of it, where it begins, and the one behind the last. */
  range(): { readonly from: number; readonly to: number; readonly start: number } {
    const from = Math.max(0, this.#layout.indexAt(this.#top) - overscan);
    const to = Math.min(this.#layout.count, this.lastInView + 1 + overscan);
    return { from, to, start: this.#layout.startOf(from) };
  }

  toEnd(): void {
    this.#goal = null;
    this.#isAtEnd = true;
    this.#move();
    this.#redraw();
  }

  toEntry(key: string, align: 'start' | 'center'): void {
    this.#goal = { key, align };
    this.#isAtEnd = false;
    this.#move();
    this.#redraw();
  }

  update(entries: readonly Placed[], firstChanged: number): void {
    // Where somebody has scrolled to is told by where the entries were until now.
    this.#takeScroll();
    const isElsewhere = firstChanged <= this.#anchor.index;
    this.#entries = entries;
    this.#layout.update(entries, firstChanged);
    if (isElsewhere) this.#findAnchor();
    this.#move();
  }

  /** For the element that an entry is drawn in. */
  watch(element: HTMLElement | null): (() => void) | undefined {
    if (element === null) return undefined;
    this.#drawn.add(element);
    this.#observer?.observe(element);
    return () => {
      this.#drawn.delete(element);
      this.#observer?.unobserve(element);
    };
  }

  attach(box: HTMLElement, redraw: () => void): () => void {
    const scrolled = (): void => {
      const before = this.#view();
      this.#takeScroll();
      if (this.#differsFrom(before)) flushSync(redraw);
    };
    const observer = new ResizeObserver(() => {
      this.#takeScroll();
      if (this.#measure()) flushSync(redraw);
    });
    this.#box = box;
    this.#redraw = redraw;
    this.#observer = observer;
    observer.observe(box);
    for (const element of this.#drawn) observer.observe(element);
    box.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      box.removeEventListener('scroll', scrolled);
      observer.disconnect();
      this.#box = null;
      this.#redraw = () => {};
    };
  }

  /** Takes in how high all that was drawn is, and scrolls to where the list should be. */
  settle(): void {
    if (this.#box === null) return;
    const drawn = this.#view();
    this.#takeScroll();
    const isMeasured = this.#measure();
    this.#move();
    // The page must be as high as it will be before it can be scrolled there.
    if (isMeasured || this.#differsFrom(drawn)) {
      this.#redraw();
      return;
    }
    if (Math.abs(this.#box.scrollTop - this.#top) >= 1) this.#box.scrollTop = this.#top;
    this.#seenTop = this.#box.scrollTop;
    // From here on the first in view stays, and what opens grows downwards.
    if (this.#goal === null) {
      this.#anchorInView();
      return;
    }
    this.#goal = null;
    // What was brought into view stays, also when the end is near.
    this.#stayAt(this.#top, 1);
    if (this.#differsFrom(drawn)) this.#redraw();
  }

  /** All that a drawing depends on: after a change of any of it the list is drawn anew. */
  #view(): readonly unknown[] {
    const { from, to } = this.range();
    return [from, to, this.lastInView, this.#isAtEnd, this.isNearStart];
  }

  #differsFrom(drawn: readonly unknown[]): boolean {
    return this.#view().some((part, at) => part !== drawn[at]);
  }

  #measure(): boolean {
    const clientHeight = this.#box?.clientHeight ?? 0;
    // A page that is not shown has no heights.
    if (clientHeight === 0) return false;
    let isNews = clientHeight !== this.#viewHeight;
    this.#viewHeight = clientHeight;
    for (const element of this.#drawn) {
      const index = Number(element.getAttribute('data-index'));
      isNews = this.#layout.measure(index, element.getBoundingClientRect().height) || isNews;
    }
    return isNews;
  }

  /** Takes in that somebody has scrolled, before anything else is. */
  #takeScroll(): void {
    if (this.#box === null) return;
    const { scrollTop, scrollHeight, clientHeight } = this.#box;
    // A list that became shorter is moved by the browser, not by a person; and it stays there when it grows again.
    this.#seenTop = Math.min(this.#seenTop, scrollHeight - clientHeight);
    if (Math.abs(scrollTop - this.#seenTop) < 1) return;
    const threshold = scrollTop < this.#seenTop ? 1 : endThreshold;
    this.#seenTop = scrollTop;
    this.#goal = null;
    this.#stayAt(scrollTop, threshold);
  }

  #stayAt(top: number, threshold: number): void {
    this.#top = top;
    this.#isAtEnd = this.#followsEnd && this.#mostTop() - top <= threshold;
    this.#anchorInView();
  }

  /** What was drawn before stays where it is: what is drawn for the first time above it may turn out to be of another height. */
  #anchorInView(): void {
    const first = this.#layout.indexAt(this.#top);
    let index = first;
    while (index < this.lastInView && !this.#layout.isMeasured(index)) index += 1;
    if (!this.#layout.isMeasured(index)) index = first;
    const key = this.#entries[index]?.key ?? '';
    this.#anchor = { key, index, above: this.#top - this.#layout.startOf(index) };
  }

  /** What is in view stands elsewhere in the list when something was read in front of it. */
  #findAnchor(): void {
    const { key, index, above } = this.#anchor;
    if (this.#entries[index]?.key === key) return;
    const found = this.#entries.findIndex((entry) => entry.key === key);
    this.#anchor = { key, index: found === -1 ? Math.min(index, this.#layout.count) : found, above };
  }

  #move(): void {
    this.#top = Math.max(0, Math.min(this.#mostTop(), this.#wantedTop()));
  }

  #wantedTop(): number {
    if (this.#goal !== null) {
      const { key, align } = this.#goal;
      const index = this.#entries.findLastIndex((entry) => entry.key === key);
      const space = align === 'start' ? 0 : (this.#viewHeight - this.#layout.heightOf(index)) / 2;
      return this.#layout.startOf(Math.max(0, index)) - space;
    }
    if (this.#isAtEnd) return this.#mostTop();
    return this.#layout.startOf(this.#anchor.index) + this.#anchor.above;
  }

  #mostTop(): number {
    return Math.max(0, this.#layout.height - this.#viewHeight);
  }
}
