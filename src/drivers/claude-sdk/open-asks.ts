import type { Ask } from '../../protocol/interaction.ts';
import type { IncomingRequest } from '../claude/incoming.ts';
import type { JsonObject } from '../fields.ts';

/** What waits for a person: each is a call of the SDK into us that has not returned. */
export class OpenAsks {
  readonly #open = new Map<string, OpenAsk>();
  #isClosed = false;

  /** Settles with the answer; `onWithdrawn` is told when the agent takes the ask back before that. */
  wait(
    ask: Ask,
    request: IncomingRequest,
    signal: AbortSignal,
    onWithdrawn: () => void,
  ): Promise<JsonObject> {
    if (this.#isClosed) return Promise.resolve(noLongerWanted(ask));
    return new Promise((resolve) => {
      const withdraw = () => {
        if (!this.#open.delete(ask.agentRequestId)) return;
        onWithdrawn();
        resolve(noLongerWanted(ask));
      };
      this.#open.set(ask.agentRequestId, {
        request,
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

  /** The agent's own id of an open ask. */
  requestIdOf(agentRequestId: string): string | undefined {
    return this.#open.get(agentRequestId)?.request.requestId;
  }

  /** The ask that waits for an answer under this id of the agent's. */
  under(
    requestId: string,
  ): { readonly agentRequestId: string; readonly request: IncomingRequest } | undefined {
    for (const [agentRequestId, { request }] of this.#open) {
      if (request.requestId === requestId) return { agentRequestId, request };
    }
    return undefined;
  }

  /** Nobody is told anything: an answer would be taken for that of another ask. */
  drop(agentRequestId: string): void {
    this.#open.delete(agentRequestId);
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
  readonly request: IncomingRequest;
  settle(answer: JsonObject): void;
  abandoned(): JsonObject;
}

/** The program does not read what is answered to a request it took back; the SDK must be given something. */
function noLongerWanted({ kind }: Ask): JsonObject {
  return kind === 'form' ? { action: 'cancel' } : { behavior: 'deny', message: 'The request was withdrawn.' };
}
