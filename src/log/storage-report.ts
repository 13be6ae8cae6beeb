import {
  type MissingHistory,
  type StorageProblem,
  type StorageState,
  storageReasons,
} from '../protocol/storage.ts';

/** How things stand with the disk, for all who want to know. */
export class StorageReport {
  readonly #listeners = new Set<(state: StorageState) => void>();
  #state: StorageState;

  constructor(missing: readonly MissingHistory[]) {
    this.#state = { ok: true, missing: [...missing] };
  }

  get state(): StorageState {
    return this.#state;
  }

  listen(listener: (state: StorageState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  failed(problem: StorageProblem): void {
    if (this.#state.problem === problem) return;
    const since = this.#state.since ?? new Date().toISOString();
    this.#change({
      ok: false,
      problem,
      reason: storageReasons[problem],
      since,
      missing: this.#state.missing,
    });
  }

  worked(): void {
    if (!this.#state.ok) this.#change({ ok: true, missing: this.#state.missing });
  }

  /** Told again when it could be kept, it is still the same. */
  isMissing(missing: MissingHistory): void {
    const others = this.#state.missing.filter(({ foundAt }) => foundAt !== missing.foundAt);
    this.#change({ ...this.#state, missing: [...others, missing] });
  }

  #change(state: StorageState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}
