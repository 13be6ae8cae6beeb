import type { Clock } from './ports/clock.ts';

/** What is armed, by what it is about: all of that is cleared at once. */
export class Timers {
  readonly #clock: Clock;
  readonly #armed = new Map<string, (() => void)[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  arm(about: string, milliseconds: number, callback: () => void): void {
    const cancel = this.#clock.after(milliseconds, callback);
    this.#armed.set(about, [...(this.#armed.get(about) ?? []), cancel]);
  }

  clear(about: string): void {
    for (const cancel of this.#armed.get(about) ?? []) cancel();
    this.#armed.delete(about);
  }

  clearAll(): void {
    for (const about of [...this.#armed.keys()]) this.clear(about);
  }
}
