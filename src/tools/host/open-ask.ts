import type { AskEnd, LateAnswer, ToolAsk, ToolDesk } from '../../engine/ports/tool-desk.ts';
import type { Refusal, Result } from '../../protocol/errors.ts';
import type { InteractionId, SessionId } from '../../protocol/ids.ts';
import { ToolError } from '../sdk/tool-error.ts';

type Late = (end: AskEnd) => Promise<LateAnswer | null>;

/** An ask that stands before a person. It ends once: by an answer, or because nobody waits for one any more. */
export class OpenAsk {
  readonly id: InteractionId;
  readonly ended: Promise<AskEnd>;
  readonly #desk: ToolDesk;
  readonly #sessionId: SessionId;
  readonly #ears: Ears;
  #isOpen = true;

  /** Stored and shown when this settles. */
  static async put(desk: ToolDesk, sessionId: SessionId, ask: ToolAsk): Promise<OpenAsk> {
    const { promise, resolve } = Promise.withResolvers<AskEnd>();
    const ears: Ears = { ended: promise, leaving: undefined };
    const put = await desk.ask(sessionId, ask, async (end) => {
      // Whoever answers while the ask is being left open must be heard once: here, or late.
      const late = ears.leaving === undefined ? undefined : await ears.leaving;
      if (late !== undefined) return late(end);
      resolve(end);
      return null;
    });
    if (!put.ok) throw refused(put.refusal);
    return new OpenAsk(desk, sessionId, put.value, ears);
  }

  private constructor(desk: ToolDesk, sessionId: SessionId, id: InteractionId, ears: Ears) {
    this.#desk = desk;
    this.#sessionId = sessionId;
    this.#ears = ears;
    this.id = id;
    this.ended = ears.ended;
    void this.ended.then(() => {
      this.#isOpen = false;
    });
  }

  /** False as soon as it has ended or was left open: whoever put it has nothing to do with it any more. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Closes it. If an answer came first, it stays as it is, and this gives that end. */
  async close(outcome: 'expired' | 'withdrawn', reason: string): Promise<AskEnd | undefined> {
    return this.#endedBefore(await this.#desk.end(this.#sessionId, this.id, { outcome, reason }));
  }

  /** The call ends, the ask stays; `late` hears the answer. If an answer came first, this gives it, and `late` hears nothing. */
  async leaveOpen(message: string | undefined, late: Late): Promise<AskEnd | undefined> {
    const leaving = this.#desk.leaveOpen(this.#sessionId, this.id, message);
    this.#ears.leaving = leaving.then(
      ({ ok }) => (ok ? late : undefined),
      () => undefined,
    );
    return this.#endedBefore(await leaving);
  }

  async #endedBefore(result: Result<undefined>): Promise<AskEnd | undefined> {
    if (result.ok) {
      this.#isOpen = false;
      return undefined;
    }
    const { code } = result.refusal;
    if (endedCodes.has(code)) return this.ended;
    throw refused(result.refusal);
  }
}

interface Ears {
  readonly ended: Promise<AskEnd>;
  leaving: Promise<Late | undefined> | undefined;
}

const refused = ({ code, message }: Refusal) => new ToolError(code, message);

/** Whichever it is, by the time the ask was to be closed it had its end, and we hear of that. */
const endedCodes: ReadonlySet<string> = new Set([
  'interaction_already_resolved',
  'interaction_gone',
  'interaction_not_found',
]);
