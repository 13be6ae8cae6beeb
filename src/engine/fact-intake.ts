import type { AgentFact } from '../model/agent-fact.ts';
import { type FactBatch, isPassing } from './ports/runner.ts';

/** What to do with a batch: its new facts, and the number of the last of them; or the run must be attached to again. */
type Taken = { readonly facts: readonly AgentFact[]; readonly last: number } | 'gap';

/** Takes the facts of a run in the order of their numbers, each once. */
export class FactIntake {
  /** The number of the last fact that was taken. */
  #last: number;

  constructor(last: number) {
    this.#last = last;
  }

  get last(): number {
    return this.#last;
  }

  take({ first, facts }: FactBatch): Taken {
    if (first > this.#last + 1) return 'gap';
    const isNext = first === this.#last + 1;
    const news = isNext ? facts : afterKnown(facts, this.#last + 1 - first);
    for (const fact of news) if (!isPassing(fact)) this.#last += 1;
    return { facts: news, last: this.#last };
  }
}

/** Without the first ones, so many with a number, and without what passed by among them. */
function afterKnown(facts: readonly AgentFact[], known: number): readonly AgentFact[] {
  let left = known;
  const next = facts.findIndex((fact) => !isPassing(fact) && --left < 0);
  return next === -1 ? [] : facts.slice(next);
}
