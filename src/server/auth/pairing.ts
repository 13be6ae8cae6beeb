import { randomInt } from 'node:crypto';
import { accept, type Result, refuse } from '../../protocol/errors.ts';

const lifeMs = 10 * 60_000;
const maxOpen = 20;
/** Without I, L, O and U: a code may be read from one screen and typed on another. */
export const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export interface PairingCode {
  readonly code: string;
  readonly expiresAt: string;
}

/**
 * One-time codes that a new device exchanges for a cookie of its own. Wrong ones lock nothing: any program on this machine could
 * keep everybody out by guessing. A code has 12 characters of 32, which is 2^60 codes; 50,000 guesses a second, more than this
 * server answers, for the ten minutes of 20 open codes hit one of them with a probability of 20 * 3e7 / 2^60 = 5e-10.
 */
export class PairingCodes {
  readonly #now: () => number;
  readonly #open = new Map<string, number>();

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

  /** Uses the code up. */
  redeem(code: string): Result<undefined> {
    this.#forgetOld();
    return this.#open.delete(typedCode(code)) ? accept(undefined) : refuse('pairing_failed');
  }

  #forgetOld(): void {
    const now = this.#now();
    for (const [code, end] of this.#open) if (end <= now) this.#open.delete(code);
  }
}

/** A code as it was made, whatever was made of it by a person. */
export const typedCode = (code: string): string =>
  code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
