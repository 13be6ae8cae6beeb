import type { AgentFact, CountedDiagnostic, CountedFact, Diagnostic } from '../model/agent-fact.ts';
import { type FactBatch, isPassing } from './ports/runner.ts';

/** What to do with a batch: its new facts, and the number of the last of them; or the run must be attached to again. */
type Taken = { readonly facts: readonly CountedFact[]; readonly last: number } | 'gap';

/** Takes the facts of a run in the order of their numbers, each once. */
export class FactIntake {
  /** The number of the last fact that was taken. */
  #last: number;
  readonly #diagnostics: DiagnosticCounts;

  constructor(last: number, diagnostics: DiagnosticCounts) {
    this.#last = last;
    this.#diagnostics = diagnostics;
  }

  get last(): number {
    return this.#last;
  }

  take({ first, facts }: FactBatch): Taken {
    if (first > this.#last + 1) return 'gap';
    const isNext = first === this.#last + 1;
    const news = isNext ? facts : afterKnown(facts, this.#last + 1 - first);
    for (const fact of news) if (!isPassing(fact)) this.#last += 1;
    return { facts: this.#diagnostics.thin(news), last: this.#last };
  }
}

/** Without the first ones, so many with a number, and without what passed by among them. */
function afterKnown(facts: readonly AgentFact[], known: number): readonly AgentFact[] {
  let left = known;
  const next = facts.findIndex((fact) => !isPassing(fact) && --left < 0);
  return next === -1 ? [] : facts.slice(next);
}

interface Kind {
  latest: Diagnostic;
  count: number;
  told: number;
}

/**
 * Counts what could not be understood of a run, by its kind. Drivers report every one; an agent that babbles would fill the log with
 * them. So they are told at the first, tenth, hundredth… time, and as many as there were when a turn or the run ends.
 */
export class DiagnosticCounts {
  readonly #kinds = new Map<string, Kind>();
  /** By kind, as many as are on record of this run from an earlier server. */
  readonly #recorded: Readonly<Record<string, number>>;

  constructor(recorded: Readonly<Record<string, number>> = {}) {
    this.#recorded = recorded;
  }

  thin(facts: readonly AgentFact[]): readonly CountedFact[] {
    const thinned: CountedFact[] = [];
    for (const fact of facts) {
      if (fact.type === 'diagnostic') {
        thinned.push(...this.#count(fact));
        continue;
      }
      if (fact.type === 'turn-ended' || fact.type === 'exited') thinned.push(...this.untold());
      thinned.push(fact);
    }
    return thinned;
  }

  /** Those that were counted since they were last told; with this, they are. */
  untold(): CountedDiagnostic[] {
    return [...this.#kinds.values()].filter(({ count, told }) => count > told).map(tell);
  }

  #count(diagnostic: Diagnostic): CountedDiagnostic[] {
    const before = this.#recorded[diagnostic.code] ?? 0;
    const kind = this.#kinds.get(diagnostic.code) ?? { latest: diagnostic, count: before, told: before };
    this.#kinds.set(diagnostic.code, kind);
    kind.latest = diagnostic;
    kind.count += 1;
    return Number.isInteger(Math.log10(kind.count)) ? [tell(kind)] : [];
  }
}

function tell(kind: Kind): CountedDiagnostic {
  kind.told = kind.count;
  return { ...kind.latest, count: kind.count };
}
