/** One of a list that is drawn one under the other. */
export interface Placed {
  readonly key: string;
  /** Its height as far as it can be told without drawing it. */
  readonly estimate: number;
}

/** Where each of a long list stands, by heights that were measured or guessed. Only what stands behind a change is placed anew. */
export class ListLayout {
  readonly #padding: number;
  readonly #heights = new Map<string, number>();
  #list: readonly Placed[] = [];
  /** Where each begins, and behind them where the last one ends; as many are right as `#placed` says. */
  readonly #starts: number[];
  #placed = 1;

  constructor(padding: number) {
    this.#padding = padding;
    this.#starts = [padding];
  }

  get count(): number {
    return this.#list.length;
  }

  get height(): number {
    return this.#startOf(this.count) + this.#padding;
  }

  /** The list as it is now; what is before `firstChanged` is as it was. */
  update(list: readonly Placed[], firstChanged: number): void {
    this.#list = list;
    this.#placed = Math.min(this.#placed, firstChanged + 1, list.length + 1);
  }

  /** Notes how high one is, and tells whether that is news. */
  measure(index: number, height: number): boolean {
    const one = this.#list[index];
    if (one === undefined) return false;
    const isNews = height !== this.heightOf(index);
    // Also where it is as high as was thought: what was drawn is known from what was not.
    this.#heights.set(one.key, height);
    if (!isNews) return false;
    this.#placed = Math.min(this.#placed, index + 1);
    return true;
  }

  isMeasured(index: number): boolean {
    const one = this.#list[index];
    return one !== undefined && this.#heights.has(one.key);
  }

  startOf(index: number): number {
    return this.#startOf(Math.min(index, this.count));
  }

  heightOf(index: number): number {
    const one = this.#list[index];
    return one === undefined ? 0 : (this.#heights.get(one.key) ?? one.estimate);
  }

  /** Which one is at an offset: the first above all, the last below all. */
  indexAt(offset: number): number {
    this.#startOf(this.count);
    let [low, high] = [0, Math.max(0, this.count - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #startOf(index: number): number {
    for (; this.#placed <= index; this.#placed += 1) {
      const before = this.#placed - 1;
      this.#starts[this.#placed] = (this.#starts[before] ?? 0) + this.heightOf(before);
    }
    return this.#starts[index] ?? this.#padding;
  }
}
