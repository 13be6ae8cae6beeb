import type { Clock } from './ports/clock.ts';

/** How long something has stayed the same, counted in time that passed: a clock that is set back a year must not keep an agent awake for it. */
export class Stillness<Owner extends object> {
  readonly #clock: Clock;
  readonly #lookEveryMs: number;
  readonly #seen = new WeakMap<Owner, { readonly what: string; readonly from: number }>();

  constructor(clock: Clock, lookEveryMs: number) {
    this.#clock = clock;
    this.#lookEveryMs = lookEveryMs;
  }

  /** To be asked at each look; undefined when there is nothing that could stay the same. */
  of(owner: Owner, it: { readonly what: string; readonly since: string } | undefined): number {
    if (it === undefined) {
      this.#seen.delete(owner);
      return 0;
    }
    const now = this.#clock.elapsed();
    const seen = this.#seen.get(owner);
    if (seen?.what === it.what) return now - seen.from;
    // It began after the last look, whatever the clock says.
    const age = Date.parse(this.#clock.now()) - Date.parse(it.since);
    const from = now - Math.min(Math.max(0, age), this.#lookEveryMs);
    this.#seen.set(owner, { what: it.what, from });
    return now - from;
  }
}
