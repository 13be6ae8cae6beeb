import type { WriteOutcome } from '../../runner/ports/process-host.ts';

// A write is repeated when a server died between making it and noting that it was made: a matter of milliseconds, and of as
// many writes as fit into them.
const rememberedWrites = 1_024;

/** Of several writes with the same id only the first is made; the others settle as it did. */
export class WritesOnce {
  readonly #made = new Map<string, Promise<WriteOutcome>>();
  readonly #pending = new Set<string>();

  /** `made`: the ids of what another server wrote. */
  constructor(made: Iterable<string> = []) {
    for (const id of made) this.#made.set(id, Promise.resolve({ ok: true }));
  }

  /** Settles when every write that was begun has an outcome. */
  async settled(): Promise<void> {
    await Promise.all([...this.#pending].map((id) => this.#made.get(id)));
  }

  once(id: string | undefined, make: () => Promise<WriteOutcome>): Promise<WriteOutcome> {
    if (id === undefined) return make();
    const earlier = this.#made.get(id);
    if (earlier) return earlier;
    const outcome = make();
    this.#made.set(id, outcome);
    this.#pending.add(id);
    void outcome.then(() => {
      this.#pending.delete(id);
      this.#forgetOldest();
    });
    return outcome;
  }

  #forgetOldest(): void {
    for (const id of this.#made.keys()) {
      if (this.#made.size - this.#pending.size <= rememberedWrites) return;
      if (!this.#pending.has(id)) this.#made.delete(id);
    }
  }
}
