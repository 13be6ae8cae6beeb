import type { JsonRpcId } from '@agentclientprotocol/sdk';
import type { JsonObject } from '../fields.ts';

interface OpenAsk {
  readonly agentRequestId: string;
  readonly requestId: JsonRpcId;
  readonly params: JsonObject;
  /** What is said when nobody decides any more. */
  readonly cancelled: JsonObject;
}

/** The requests of the agent that wait for a person; each is settled once. */
export class OpenAsks {
  readonly #open = new Map<string, OpenAsk & { settle(reply: JsonObject): void }>();

  /** The promise is what the agent gets. */
  add(ask: OpenAsk): Promise<JsonObject> {
    const { promise, resolve } = Promise.withResolvers<JsonObject>();
    this.#open.set(ask.agentRequestId, { ...ask, settle: resolve });
    return promise;
  }

  /** The ask that waits for a reply under this id of the agent's. */
  under(requestId: JsonRpcId): OpenAsk | undefined {
    return [...this.#open.values()].find((open) => open.requestId === requestId);
  }

  /** Nobody is told anything: a reply would be taken for that of another ask. */
  drop(agentRequestId: string): void {
    this.#open.delete(agentRequestId);
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  has(agentRequestId: string): boolean {
    return this.#open.has(agentRequestId);
  }

  /** The id under which the reply goes out; undefined when it is settled already. */
  settle(agentRequestId: string, reply: JsonObject): JsonRpcId | undefined {
    const open = this.#open.get(agentRequestId);
    if (!open) return undefined;
    this.#open.delete(agentRequestId);
    open.settle(reply);
    return open.requestId;
  }

  cancel(agentRequestId: string): boolean {
    const open = this.#open.get(agentRequestId);
    return open !== undefined && this.settle(agentRequestId, open.cancelled) !== undefined;
  }

  cancelAll(): readonly string[] {
    return [...this.#open.keys()].filter((agentRequestId) => this.cancel(agentRequestId));
  }
}
