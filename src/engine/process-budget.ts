import type { SessionState } from '../model/state.ts';
import { canSleep, wantsProcess } from '../model/status.ts';
import type { SessionId } from '../protocol/ids.ts';

export interface BudgetOptions {
  readonly most: number;
  readonly state: (id: SessionId) => SessionState | undefined;
  /** Resolves to whether a process was started. */
  readonly start: (id: SessionId) => Promise<boolean>;
  readonly sleep: (id: SessionId) => void;
}

/** Sees to it that no more processes are alive than allowed; whoever has been idle longest makes room first. */
export class ProcessBudget {
  readonly #options: BudgetOptions;
  readonly #alive = new Set<SessionId>();
  readonly #line = new Set<SessionId>();

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** To be called after each change of a session. */
  notice(state: SessionState): void {
    if (state.process === null && this.#alive.has(state.id) && !wantsProcess(state)) this.#free(state.id);
    if (wantsProcess(state)) this.#want(state);
    else this.#line.delete(state.id);
    if (this.#line.size > 0) this.#makeRoom();
  }

  /** Counts a process that was there before. */
  adopt(id: SessionId): void {
    this.#alive.add(id);
  }

  #want({ id, wake }: SessionState): void {
    if (this.#line.has(id)) return;
    if (this.#alive.has(id)) {
      if (this.#starting.has(id)) return;
      // Its process has just ended and it wants another. After a crash the place is still its own; else it was given up for those in line.
      if (wake === 'crash' || this.#line.size === 0) this.#start(id);
      else {
        this.#line.add(id);
        this.#free(id);
      }
      return;
    }
    if (this.#alive.size < this.#options.most) this.#start(id);
    else this.#line.add(id);
  }

  readonly #starting = new Set<SessionId>();

  #start(id: SessionId): void {
    this.#alive.add(id);
    this.#starting.add(id);
    void this.#options.start(id).then((started) => {
      this.#starting.delete(id);
      if (!started) this.#free(id);
    });
  }

  #free(id: SessionId): void {
    this.#alive.delete(id);
    for (const next of this.#line) {
      if (this.#alive.size >= this.#options.most) return;
      this.#line.delete(next);
      this.#start(next);
    }
  }

  #makeRoom(): void {
    const idle: SessionState[] = [];
    let leaving = 0;
    for (const id of this.#alive) {
      const state = this.#options.state(id);
      if (state?.process?.phase === 'closing') leaving += 1;
      else if (state !== undefined && canSleep(state)) idle.push(state);
    }
    idle.sort((a, b) => (a.since < b.since ? -1 : 1));
    for (const state of idle.slice(0, Math.max(0, this.#line.size - leaving))) this.#options.sleep(state.id);
  }
}
