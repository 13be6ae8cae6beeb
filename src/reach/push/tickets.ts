import { createHash, randomBytes } from 'node:crypto';
import type { AnswerTicket } from '../../engine/ports/push.ts';

const most = 1_000;

interface Issued extends AnswerTicket {
  /** The notice it came with. */
  readonly noticeId: string;
}

/**
 * What notifications may answer. A ticket is known to this process and to the browser it was encrypted for, and is stored nowhere:
 * whoever reads the server's files finds none, and a restart ends them all.
 */
export class Tickets {
  readonly #elapsed: () => number;
  /** By the hash of the ticket, the oldest first. */
  readonly #known = new Map<string, Issued & { readonly until: number }>();

  /** `elapsed` in milliseconds, by a clock that nobody sets. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  issue(good: Issued, lifeMs: number): string {
    const ticket = randomBytes(24).toString('base64url');
    this.#known.set(hash(ticket), { ...good, until: this.#elapsed() + lifeMs });
    if (this.#known.size > most) this.#known.delete(this.#known.keys().next().value ?? '');
    return ticket;
  }

  find(ticket: string, deviceId: string): AnswerTicket | undefined {
    const found = this.#known.get(hash(ticket));
    return found?.deviceId === deviceId && found.until > this.#elapsed() ? found : undefined;
  }

  spend(ticket: string): Issued | undefined {
    const spent = this.#known.get(hash(ticket));
    this.#known.delete(hash(ticket));
    return spent;
  }

  forget(deviceId: string): void {
    for (const [key, ticket] of this.#known) if (ticket.deviceId === deviceId) this.#known.delete(key);
  }
}

/** So that how long a look takes tells nothing of a ticket. */
const hash = (ticket: string): string => createHash('sha256').update(ticket).digest('base64url');
