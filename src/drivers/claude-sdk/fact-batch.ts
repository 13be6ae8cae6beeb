import type { AgentFact, Report } from '../../runner/ports/agent-driver.ts';

/** Reports together what comes in one round of the event loop; nothing while it is paused, and nothing after the last word. */
export class FactBatch {
  readonly #report: Report;
  #facts: AgentFact[] = [];
  #isDue = false;
  #isPaused = false;
  #isClosed = false;

  constructor(report: Report) {
    this.#report = report;
  }

  add(...facts: readonly AgentFact[]): void {
    if (this.#isClosed) return;
    this.#facts.push(...facts);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.flush());
  }

  flush(): void {
    this.#isDue = false;
    if (this.#isPaused || this.#isClosed || this.#facts.length === 0) return;
    const facts = this.#facts;
    this.#facts = [];
    this.#report(facts);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.flush();
  }

  close(lastWord: AgentFact): void {
    this.add(lastWord);
    this.resume();
    this.#isClosed = true;
  }
}
