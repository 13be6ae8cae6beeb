import type { Clock } from '../../src/engine/ports/clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that moves only when told, and can be set. */
export class FakeClock implements Clock {
  #now = 0;
  #midnight = Date.parse('2026-01-01T00:00:00Z');
  readonly #timers = new Set<Timer>();

  now(): string {
    return new Date(this.#midnight + this.#now).toISOString();
  }

  elapsed(): number {
    return this.#now;
  }

  /** Sets it forward, or back, while no time passes. */
  set(milliseconds: number): void {
    this.#midnight += milliseconds;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, milliseconds), callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time pass; what falls due on the way is called in its order, at its moment. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let due = this.#next(end); due !== undefined; due = this.#next(end)) {
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
    }
    this.#now = end;
  }

  /** How many timers are armed. */
  get armed(): number {
    return this.#timers.size;
  }

  #next(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
