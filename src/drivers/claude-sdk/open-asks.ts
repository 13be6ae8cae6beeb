import type { Ask } from '../../protocol/interaction.ts';
import type { JsonObject } from '../fields.ts';

/** What waits for a person: each is a call of the SDK into us that has not returned. */
export class OpenAsks {
  readonly #open = new Map<string, OpenAsk>();
  #isClosed = false;

  /** Settles with the answer; `onWithdrawn` is told when the agent takes the ask back before that. */
  wait(ask: Ask, signal: AbortSignal, onWithdrawn: () => void): Promise<JsonObject> {
    if (this.#isClosed) return Promise.resolve(noLongerWanted(ask));
    return new Promise((resolve) => {
      const withdraw = () => {
        if (!this.#open.delete(ask.agentRequestId)) return;
        onWithdrawn();
        resolve(noLongerWanted(ask));
      };
      this.#open.set(ask.agentRequestId, {
        settle: (answer) => {
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        },
        abandoned: () => noLongerWanted(ask),
      });
      signal.addEventListener('abort', withdraw, { once: true });
      if (signal.aborted) withdraw();
    });
  }

  has(agentRequestId: string): boolean {
    return this.#open.has(agentRequestId);
  }

  /** False when it is not open any more. */
  answer(agentRequestId: string, answer: JsonObject): boolean {
    const open = this.#open.get(agentRequestId);
    this.#open.delete(agentRequestId);
    open?.settle(answer);
    return open !== undefined;
  }

  /** The agent waits for this one no more, though it did not say so. */
  abandon(agentRequestId: string): void {
    const open = this.#open.get(agentRequestId);
    if (open) this.answer(agentRequestId, open.abandoned());
  }

  /** Nobody is left to be answered; a call that never returns would be kept in memory for ever. */
  close(): void {
    this.#isClosed = true;
    for (const agentRequestId of [...this.#open.keys()]) this.abandon(agentRequestId);
  }
}

interface OpenAsk {
  settle(answer: JsonObject): void;
  abandoned(): JsonObject;
}

/** The program does not read what is answered to a request it took back; the SDK must be given something. */
function noLongerWanted({ kind }: Ask): JsonObject {
  return kind === 'form' ? { action: 'cancel' } : { behavior: 'deny', message: 'The request was withdrawn.' };
}
