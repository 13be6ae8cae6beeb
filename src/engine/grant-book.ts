import { isInForce } from '../model/grants.ts';
import { timeLeft } from '../model/limits.ts';
import type { Event, NewEvent } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import type { Clock } from './ports/clock.ts';

export interface GrantBookOptions {
  readonly clock: Clock;
  /** Puts the end on record. */
  readonly onExpired: (grant: Grant) => void;
}

/** Grants that hold in all sessions: a fold of the global stream. */
export class GrantBook {
  readonly #options: GrantBookOptions;
  #grants: readonly Grant[] = [];
  readonly #timers = new Map<string, () => void>();

  constructor(options: GrantBookOptions) {
    this.#options = options;
  }

  /** Those in force. One whose time is seen to be up is over for good, whatever the clock says later. */
  get grants(): readonly Grant[] {
    const now = this.#options.clock.now();
    for (const grant of this.#grants) if (!isInForce(grant, now)) this.#expire(grant);
    return this.#grants;
  }

  fold(event: Event | NewEvent): void {
    if (event.type === 'grant.created') {
      this.#grants = [...this.#grants, event.grant];
      this.#watch(event.grant);
    }
    if (event.type === 'grant.ended') this.#drop(event.grantId);
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #watch(grant: Grant): void {
    if (grant.expiresAt === undefined) return;
    const { clock } = this.#options;
    const left = timeLeft(grant.createdAt, grant.expiresAt, clock.now());
    this.#timers.set(
      grant.id,
      clock.after(left, () => this.#expire(grant)),
    );
  }

  #expire(grant: Grant): void {
    this.#drop(grant.id);
    this.#options.onExpired(grant);
  }

  #drop(grantId: string): void {
    this.#grants = this.#grants.filter((grant) => grant.id !== grantId);
    this.#timers.get(grantId)?.();
    this.#timers.delete(grantId);
  }
}
