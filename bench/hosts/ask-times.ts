/** When the client saw the asks of each session, and how long the next one took after an answer. */
export class AskTimes {
  readonly #seen = new Map<string, number[]>();
  readonly #answered = new Map<string, number>();
  readonly #roundTrips: number[] = [];

  begin(session: string): void {
    this.#seen.set(session, []);
    this.#answered.delete(session);
  }

  /** An ask was seen, and is answered at once. */
  ask(session: string): void {
    const now = wallClock();
    this.#seen.get(session)?.push(now);
    const answeredAt = this.#answered.get(session);
    if (answeredAt !== undefined) this.#roundTrips.push(now - answeredAt);
    this.#answered.set(session, now);
  }

  /** By the clock that an agent tells its own times by. */
  seenAt(session: string): readonly number[] {
    return this.#seen.get(session) ?? [];
  }

  /** From an answer to the next ask of the same agent, since they were last taken. */
  takeRoundTrips(): number[] {
    return this.#roundTrips.splice(0);
  }
}

const wallClock = (): number => performance.timeOrigin + performance.now();
