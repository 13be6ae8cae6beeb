import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, stringAt } from './json.ts';
import type { Wire } from './wire.ts';

/** How a request of ours ended: answered, refused, taken back by us, or left without a host. */
export type Answer =
  | { readonly kind: 'success'; readonly response: JsonObject }
  | { readonly kind: 'error'; readonly error: string }
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'closed' };

export interface Raise {
  readonly id?: string;
  /** What the request belongs to: it is withdrawn together with all others of the same signal. */
  readonly signal?: AbortSignal;
}

interface Open {
  readonly signal: AbortSignal | undefined;
  readonly settle: (answer: Answer) => void;
}

/** The control requests that wait for the host. Any number may be open, and are answered in any order. */
export class Requests {
  readonly #wire: Wire;
  readonly #open = new Map<string, Open>();
  #closed = false;
  #unasked = 0;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** How many answers came to requests that were not open, so that a host which answers twice is noticed. */
  get unasked(): number {
    return this.#unasked;
  }

  raise(request: JsonObject, { id = randomUUID(), signal }: Raise = {}): Promise<Answer> {
    if (this.#closed) return Promise.resolve({ kind: 'closed' });
    if (signal?.aborted) return Promise.resolve({ kind: 'withdrawn' });
    void this.#wire.send({ type: 'control_request', request_id: id, request });
    return new Promise((settle) => {
      this.#open.set(id, { signal, settle });
    });
  }

  /** An answer to a request that is no longer open is ignored. */
  answer(response: JsonObject): void {
    const id = stringAt(response, 'request_id');
    if (id === undefined) return;
    if (!this.#open.has(id)) this.#unasked += 1;
    if (response.subtype === 'error') {
      this.#settle(id, { kind: 'error', error: stringAt(response, 'error') ?? 'no reason given' });
      return;
    }
    const body = response.response;
    this.#settle(id, { kind: 'success', response: isObject(body) ? body : {} });
  }

  withdraw(id: string): void {
    if (!this.#open.has(id)) return;
    void this.#wire.send({ type: 'control_cancel_request', request_id: id });
    this.#settle(id, { kind: 'withdrawn' });
  }

  withdrawAll(signal: AbortSignal): void {
    for (const [id, open] of [...this.#open]) if (open.signal === signal) this.withdraw(id);
  }

  /** The host is gone: nothing will be answered any more. */
  close(): void {
    this.#closed = true;
    for (const id of [...this.#open.keys()]) this.#settle(id, { kind: 'closed' });
  }

  #settle(id: string, answer: Answer): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.settle(answer);
  }
}
