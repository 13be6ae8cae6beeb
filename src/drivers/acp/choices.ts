import { z } from 'zod';
import { type AgentFact, AgentRefusal } from '../../runner/ports/agent-driver.ts';
import { modeChange, modelChange } from '../facts.ts';
import type { JsonObject } from '../fields.ts';
import { RequestError, wordsOf } from './json-rpc.ts';
import type { Peer, TakeReply } from './peer.ts';
import { requestName, type SentRequest } from './sent-names.ts';
import { type Choice, choiceRequest, configIn, optionRequest, type SessionSettings } from './settings.ts';
import type { Memory } from './translate/memory.ts';
import { configChange } from './translate/update.ts';

/** A mode, a model or another option that was asked for and is not confirmed yet. */
export const Choosing = z.object({
  kind: z.enum(['mode', 'model', 'option']),
  id: z.number(),
  value: z.string(),
});
type Choosing = z.infer<typeof Choosing>;

export interface ChoiceParts {
  readonly memory: Memory;
  peer(): Pick<Peer, 'newId' | 'request' | 'expectReply'>;
  session(): { readonly id: string; readonly settings: SessionSettings } | undefined;
  /** What can be chosen from here on. */
  learn(settings: SessionSettings): void;
  report(facts: readonly AgentFact[]): void;
}

/** What a person chooses of what the agent offers. It holds when the agent confirms it. */
export class Choices {
  readonly #parts: ChoiceParts;
  readonly #underWay = new Map<number, Choosing>();

  constructor(parts: ChoiceParts) {
    this.#parts = parts;
  }

  mode(value: string): Promise<void> {
    return this.#choose('mode', value, this.#parts.session()?.settings.mode, choiceRequest);
  }

  model(value: string): Promise<void> {
    return this.#choose('model', value, this.#parts.session()?.settings.model, choiceRequest);
  }

  option(id: string, value: string): Promise<void> {
    const option = this.#parts.session()?.settings.options.find((each) => each.id === id);
    return this.#choose('option', value, option, optionRequest);
  }

  kept(): Choosing[] {
    return [...this.#underWay.values()];
  }

  /** Whoever asked for it is gone; that the agent goes on with it is told all the same. */
  takeUp(sent: readonly SentRequest[]): void {
    for (const { kind, id, value } of sent) {
      if (kind === 'prompt' || kind === 'steer') continue;
      this.#parts.peer().expectReply(id, this.#onReply({ kind, id, value }));
    }
  }

  /** One option may change what others offer. */
  learnFrom(holder: JsonObject): void {
    const session = this.#parts.session();
    if (!session || !Array.isArray(holder.configOptions)) return;
    const { model = session.settings.model, options } = configIn(holder);
    this.#parts.learn({ ...session.settings, model, options });
  }

  async #choose<C extends Choice>(
    kind: Choosing['kind'],
    value: string,
    choice: C | undefined,
    requestFor: (choice: C, sessionId: string, value: string) => ReturnType<typeof choiceRequest>,
  ): Promise<void> {
    const session = this.#parts.session();
    if (!session) throw new Error('The agent is not ready');
    if (!choice?.options.some((option) => option.value === value))
      throw new AgentRefusal(`The agent has no ${kind} "${value}".`);
    const { method, params } = requestFor(choice, session.id, value);
    const peer = this.#parts.peer();
    const id = peer.newId();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onReply = this.#onReply({ kind, id, value }, resolve, (error) =>
      reject(error instanceof RequestError ? new AgentRefusal(wordsOf(error)) : error),
    );
    const written = peer.request(id, method, params, requestName({ kind, id, value }), onReply);
    written.catch(reject);
    await promise;
  }

  #onReply(choice: Choosing, resolve = (): void => {}, reject = (_: Error): void => {}): TakeReply {
    const { memory, report } = this.#parts;
    this.#underWay.set(choice.id, choice);
    return (reply) => {
      this.#underWay.delete(choice.id);
      if (!reply.ok) return reject(reply.error);
      this.learnFrom(reply.result);
      const { kind, value } = choice;
      if (kind === 'option') report(configChange(memory, reply.result));
      else report((kind === 'mode' ? modeChange : modelChange)(memory, value));
      return resolve();
    };
  }
}
