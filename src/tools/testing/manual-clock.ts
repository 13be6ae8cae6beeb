import type { Clock } from '../../engine/ports/clock.ts';

/** A clock that moves only when told. */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  constructor(start: string) {
    this.#now = Date.parse(start);
  }

  now(): string {
    return new Date(this.#now).toISOString();
  }

  elapsed(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Everything that falls due until then is called, in its order. */
  moveTo(time: string): void {
    const end = Date.parse(time);
    const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
    for (const timer of due) {
      if (!this.#timers.delete(timer)) continue;
      this.#now = Math.max(this.#now, timer.at);
      timer.callback();
    }
    this.#now = Math.max(this.#now, end);
  }
}
