import { messageOf } from '../protocol/errors.ts';
import type { WriteOutcome } from '../runner/ports/process-host.ts';

/** Answers that are being written. An agent's exit is told after the last of them: until then it is not known what became of it. */
export class AnswersUnderWay {
  readonly #given = new Map<string, Promise<WriteOutcome>>();

  /** Who takes over does again what may not be done, also an answer that is just being given: that is one. */
  give(agentRequestId: string, write: () => Promise<WriteOutcome>): Promise<WriteOutcome> {
    const begun = this.#given.get(agentRequestId);
    if (begun) return begun;
    const given = write().catch(maybe);
    this.#given.set(agentRequestId, given);
    void given.then(() => this.#given.delete(agentRequestId));
    return given;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#given.values());
  }
}

/** A fault of ours in the middle of it. */
const maybe = (error: unknown): WriteOutcome => ({
  ok: false,
  code: 'failed',
  message: messageOf(error),
  uncertain: true,
});
