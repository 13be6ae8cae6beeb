import type { Event, NewEvent } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';

/** Grants that hold in all sessions: a fold of the global stream. */
export class GrantBook {
  #grants: readonly Grant[] = [];

  get grants(): readonly Grant[] {
    return this.#grants;
  }

  fold(event: Event | NewEvent): void {
    if (event.type === 'grant.created') this.#grants = [...this.#grants, event.grant];
    if (event.type === 'grant.ended') {
      this.#grants = this.#grants.filter((grant) => grant.id !== event.grantId);
    }
  }
}
