import type { AskEnd, LateAnswer, ToolAsk } from '../../src/engine/ports/tool-desk.ts';
import type { InteractionId } from '../../src/protocol/ids.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import type { EngineRoom } from './engine-room.ts';
import { deployAsk } from './session-states.ts';

/** The run of an interactive tool, as far as the engine knows of one: it asks, and hears how that ended. */
export class ToolRun {
  readonly heard: AskEnd[] = [];
  readonly sessionId: SessionId;
  readonly #room: EngineRoom;
  /** What it makes of an answer that comes late. */
  reply: (end: AskEnd) => Promise<LateAnswer | null> = async () => null;

  constructor(room: EngineRoom, session: string) {
    this.#room = room;
    this.sessionId = SessionId.parse(session);
  }

  readonly listener = (end: AskEnd): Promise<LateAnswer | null> => {
    this.heard.push(end);
    this.#room.look();
    return this.reply(end);
  };

  async asks(ask: ToolAsk = deployAsk()): Promise<InteractionId> {
    const asked = await this.#room.engine.tools.ask(this.sessionId, ask, this.listener);
    if (!asked.ok) throw new Error(asked.refusal.message);
    return asked.value;
  }

  async leavesOpen(interactionId: InteractionId, message?: string): Promise<void> {
    const left = await this.#room.engine.tools.leaveOpen(this.sessionId, interactionId, message);
    if (!left.ok) throw new Error(left.refusal.message);
  }

  async asksAndLeaves(ask: ToolAsk = deployAsk()): Promise<InteractionId> {
    const id = await this.asks(ask);
    await this.leavesOpen(id);
    return id;
  }

  /** The end it was told of, come or to come. */
  end(): Promise<AskEnd> {
    return this.#room.until('the end of the ask', () => this.heard[0]);
  }
}
