import { randomInt, randomUUID } from 'node:crypto';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import type { Unlock } from '../../protocol/unlock.ts';
import { randomSecret } from './devices.ts';
import { alphabet, typedCode } from './pairing.ts';
import { tokenCheck } from './token.ts';

const askedMs = 3 * 60_000;
const maxAsked = 5;
const defaultMinutes = 15;

interface Entry {
  unlock: Unlock;
  readonly code: string;
  readonly isSecret: (presented: string) => boolean;
  timer: NodeJS.Timeout;
}

/**
 * Terminals that may decide for a time. A terminal asks and shows a code; a person types the code on a paired page. So a press on
 * the wrong request does nothing: whoever asks without being the person's own terminal has another code. Nothing of it is stored:
 * a restart ends it.
 */
export class Unlocks {
  readonly #now: () => number;
  readonly #onChange: () => void;
  readonly #onEnd: (id: string) => void;
  /** The oldest first. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: {
    readonly now: () => number;
    readonly onChange: () => void;
    /** It was open and is over. */
    readonly onEnd: (id: string) => void;
  }) {
    this.#now = options.now;
    this.#onChange = options.onChange;
    this.#onEnd = options.onEnd;
  }

  list(): Unlock[] {
    return [...this.#entries.values()].map(({ unlock }) => unlock);
  }

  get(id: string): Unlock | undefined {
    return this.#entries.get(id)?.unlock;
  }

  /** The secret is good for nothing until the wish is allowed. */
  ask(name: string, minutes = defaultMinutes): { unlock: Unlock; code: string; secret: string } {
    const asked = this.list().filter(({ status }) => status === 'asked');
    if (asked.length >= maxAsked) this.end(asked[0]?.id ?? '');
    const id = randomUUID();
    const unlock: Unlock = { id, name, minutes, status: 'asked', expiresAt: this.#in(askedMs) };
    const code = this.#freshCode();
    const secret = randomSecret();
    this.#entries.set(id, { unlock, code, isSecret: tokenCheck(secret), timer: this.#endAfter(id, askedMs) });
    this.#onChange();
    return { unlock, code, secret };
  }

  allow(id: string, code: string): Result<Unlock> {
    const entry = this.#entries.get(id);
    if (entry?.unlock.status !== 'asked') return refuse('unlock_not_found');
    if (typedCode(code) !== entry.code)
      return refuse('invalid_value', 'This is not the code that the terminal shows.', { field: 'code' });
    clearTimeout(entry.timer);
    const ms = entry.unlock.minutes * 60_000;
    entry.unlock = { ...entry.unlock, status: 'open', expiresAt: this.#in(ms) };
    entry.timer = this.#endAfter(id, ms);
    this.#onChange();
    return accept(entry.unlock);
  }

  /** Refuses a wish, or takes the leave back. */
  end(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    clearTimeout(entry.timer);
    this.#entries.delete(id);
    if (entry.unlock.status === 'open') this.#onEnd(id);
    this.#onChange();
    return true;
  }

  /** The terminal that this secret lets decide, now. */
  find(secret: string): Unlock | undefined {
    const entry = [...this.#entries.values()].find(({ isSecret }) => isSecret(secret));
    const isOpen = entry?.unlock.status === 'open' && Date.parse(entry.unlock.expiresAt) > this.#now();
    return isOpen ? entry.unlock : undefined;
  }

  close(): void {
    for (const { timer } of this.#entries.values()) clearTimeout(timer);
    this.#entries.clear();
  }

  /** By a timer, which a clock that is set back does not stretch. */
  #endAfter(id: string, ms: number): NodeJS.Timeout {
    return setTimeout(() => this.end(id), ms).unref();
  }

  #in = (ms: number): string => new Date(this.#now() + ms).toISOString();

  #freshCode(): string {
    const taken = new Set([...this.#entries.values()].map(({ code }) => code));
    for (;;) {
      const code = Array.from({ length: 4 }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
      if (!taken.has(code)) return code;
    }
  }
}
