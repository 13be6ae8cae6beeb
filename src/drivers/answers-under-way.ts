import type { WriteOutcome } from '../engine/ports/process-host.ts';

/** Answers that are being written. An agent's exit is told after the last of them: until then it is not known what became of it. */
export class AnswersUnderWay {
  readonly #given = new Map<string, Promise<WriteOutcome>>();

  /** Who takes over does again what may not be done, also an answer that is just being given: that is one. */
  give(agentRequestId: string, write: () => Promise<WriteOutcome>): Promise<WriteOutcome> {
    const begun = this.#given.get(agentRequestId);
    if (begun) return begun;
    const given = write();
    this.#given.set(agentRequestId, given);
    const over = () => void this.#given.delete(agentRequestId);
    given.then(over, over);
    return given;
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#given.values());
  }
}
