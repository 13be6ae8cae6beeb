import type { MessageId } from '../../protocol/ids.ts';
import type { OutgoingMessage } from '../../runner/ports/agent-driver.ts';
import { type JsonObject, objectAt } from '../fields.ts';
import type { Peer, TakeReply } from './peer.ts';
import { requestName, type SentRequest } from './sent-names.ts';
import type { Turn, Turns } from './turns.ts';

export interface SteeringParts {
  readonly turns: Turns;
  peer(): Pick<Peer, 'newId' | 'request' | 'expectReply'>;
  /** Sends a message in a turn of its own. */
  prompt(message: OutgoingMessage): Promise<void>;
}

/** Whether an agent takes messages into a turn that runs: the protocol has no word for it, and some have one of their own. */
export const canBeSteered = (initialized: JsonObject): boolean =>
  objectAt(objectAt(initialized, '_meta') ?? {}, 'steering')?.supported === true;

/** Messages for the turn that runs. One that comes too late for it is sent in the next. */
export class Steering {
  readonly #parts: SteeringParts;
  /** Those that the agent has not taken, also of an earlier server: what they say is known once they are given again. */
  readonly #messages = new Map<string, OutgoingMessage | undefined>();
  /** Those that the turn was given: an interrupt may come before it does anything with them. */
  readonly #given = new Map<string, OutgoingMessage | undefined>();
  readonly #tooLate = new Set<string>();

  constructor(parts: SteeringParts) {
    this.#parts = parts;
  }

  async send(message: OutgoingMessage, sessionId: string, prompt: readonly JsonObject[]): Promise<void> {
    const { turns, peer } = this.#parts;
    const { messageId } = message;
    if (turns.running?.steered.includes(messageId)) {
      this.#given.set(messageId, message);
      return;
    }
    const isSent = this.#messages.has(messageId);
    this.#messages.set(messageId, message);
    if (isSent) {
      if (!turns.running) this.turnEnded();
      return;
    }
    const id = peer().newId();
    const params = { sessionId, prompt, _meta: { steering: { idleBehavior: 'promptRequired' } } };
    const name = requestName({ kind: 'steer', id, value: messageId });
    await peer().request(id, '_session/steering', params, name, this.#onReply(messageId));
  }

  /** Goes on with what an earlier server sent and heard nothing of. */
  takeUp(sent: readonly SentRequest[], inFlight: readonly MessageId[]): void {
    for (const { kind, id, value } of sent) {
      const messageId = inFlight.find((waiting) => waiting === value);
      if (kind !== 'steer' || messageId === undefined) continue;
      this.#messages.set(messageId, undefined);
      this.#parts.peer().expectReply(id, this.#onReply(messageId));
    }
  }

  /** The turn is over: what came too late for it is next, or what it was given and did not get to. */
  turnEnded(turn?: Turn): void {
    for (const messageId of turn?.steered.splice(0) ?? []) {
      this.#messages.set(messageId, this.#given.get(messageId));
      this.#tooLate.add(messageId);
    }
    this.#given.clear();
    const [messageId] = this.#tooLate;
    const message = messageId === undefined ? undefined : this.#messages.get(messageId);
    if (!message) return;
    this.#forget(message.messageId);
    // What cannot be written is given back with the end of the process.
    this.#parts.prompt(message).catch(() => undefined);
  }

  #onReply(messageId: MessageId): TakeReply {
    return (reply) => {
      const { turns } = this.#parts;
      if (reply.ok && reply.result.outcome === 'injected' && turns.running) {
        turns.running.steered.push(messageId);
        this.#given.set(messageId, this.#messages.get(messageId));
        this.#forget(messageId);
        return;
      }
      this.#tooLate.add(messageId);
      if (!turns.running) this.turnEnded();
    };
  }

  #forget(messageId: MessageId): void {
    this.#messages.delete(messageId);
    this.#tooLate.delete(messageId);
  }
}
