import type { AgentFact } from '../../runner/ports/agent-driver.ts';

export type FactOf<T extends AgentFact['type']> = Extract<AgentFact, { type: T }>;
type Said = FactOf<'said'>['event'];
export type SaidOf<T extends Said['type']> = Extract<Said, { type: T }>;

/** Keeps what a driver reports, in order, and lets a test wait for what is still to come. */
export class FactRecorder {
  readonly all: AgentFact[] = [];
  readonly #patienceMs: number;
  readonly #waiting = new Set<() => void>();

  constructor(patienceMs = 60_000) {
    this.#patienceMs = patienceMs;
  }

  readonly report = (facts: readonly AgentFact[]): void => {
    this.all.push(...facts);
    for (const check of this.#waiting) check();
  };

  /** The first fact, at or after `from`, that the test accepts. */
  async next<T extends AgentFact>(
    what: string,
    accepts: (fact: AgentFact) => T | undefined,
    from = 0,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const check = () => {
      for (const fact of this.all.slice(from)) {
        const accepted = accepts(fact);
        if (accepted) resolve(accepted);
      }
    };
    const timer = setTimeout(() => {
      const seen = this.all.filter((fact) => fact.type !== 'delta').slice(-12);
      reject(
        new Error(
          `Never came: ${what}. The last facts:\n${seen.map((fact) => JSON.stringify(fact).slice(0, 300)).join('\n')}`,
        ),
      );
    }, this.#patienceMs);
    this.#waiting.add(check);
    check();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(check);
    });
  }

  of<T extends AgentFact['type']>(type: T, from = 0): Promise<FactOf<T>> {
    return this.next(type, (fact) => (isOf(fact, type) ? fact : undefined), from);
  }

  /** All facts of a type, so far. */
  every<T extends AgentFact['type']>(type: T): FactOf<T>[] {
    return this.all.filter((fact) => isOf(fact, type));
  }

  said<T extends Said['type']>(type: T): SaidOf<T>[] {
    return this.every('said')
      .map((fact) => fact.event)
      .filter((event): event is SaidOf<T> => event.type === type);
  }

  types(): string[] {
    return this.all.map((fact) => (fact.type === 'said' ? fact.event.type : fact.type));
  }
}

function isOf<T extends AgentFact['type']>(fact: AgentFact, type: T): fact is FactOf<T> {
  return fact.type === type;
}
