import { randomInt } from 'node:crypto';
import { accept, type Result, refuse } from '../../protocol/errors.ts';

const lifeMs = 10 * 60_000;
const maxOpen = 20;
const failuresPerMinute = 10;
/** Without I, L, O and U: a code may be read from one screen and typed on another. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export interface PairingCode {
  readonly code: string;
  readonly expiresAt: string;
}

/** One-time codes that a new device exchanges for a cookie of its own. */
export class PairingCodes {
  readonly #now: () => number;
  readonly #open = new Map<string, number>();
  #failures: number[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  issue(): PairingCode {
    this.#forgetOld();
    const oldest = this.#open.keys().next().value;
    if (this.#open.size >= maxOpen && oldest !== undefined) this.#open.delete(oldest);
    const code = Array.from({ length: 12 }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
    const end = this.#now() + lifeMs;
    this.#open.set(code, end);
    return { code: (code.match(/.{4}/g) ?? []).join('-'), expiresAt: new Date(end).toISOString() };
  }

  /** Uses the code up. Failures are counted for all callers together: a guesser can take any number of addresses. */
  redeem(code: string): Result<undefined> {
    this.#forgetOld();
    const oldest = this.#failures[0];
    if (this.#failures.length >= failuresPerMinute && oldest !== undefined) {
      const retryAfterSeconds = Math.max(1, Math.ceil((oldest + 60_000 - this.#now()) / 1000));
      return refuse('too_many_requests', 'Too many wrong pairing codes; wait a minute.', {
        retryAfterSeconds,
      });
    }
    if (this.#open.delete(plain(code))) return accept(undefined);
    this.#failures.push(this.#now());
    return refuse('pairing_failed');
  }

  #forgetOld(): void {
    const now = this.#now();
    for (const [code, end] of this.#open) if (end <= now) this.#open.delete(code);
    this.#failures = this.#failures.filter((at) => at > now - 60_000);
  }
}

const plain = (code: string): string =>
  code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
