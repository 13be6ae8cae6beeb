import type { JsonObject } from '../../fields.ts';
import { type Cast, pickScene } from './scenes/scene.ts';
import { Interrupted, type Message, type Session, version } from './session.ts';
import { Stage } from './stage.ts';
import { toolNames } from './tools.ts';

const usdPerInputToken = 4e-6;
const usdPerOutputToken = 20e-6;

/** From the message it took to its result. */
export class Turn {
  readonly session: Session;
  readonly message: Message;
  readonly #takeWaiting: () => readonly Message[];
  readonly #steered: Message[] = [];
  readonly #controller = new AbortController();
  readonly #startedAt = performance.now();
  #isEchoed = false;
  /** Calls that wait or run: they decide how an interrupt is worded. */
  calls = 0;
  #stoppedInTools = false;
  outputTokens = 0;
  lastText = '';

  constructor(session: Session, message: Message, takeWaiting: () => readonly Message[]) {
    this.session = session;
    this.message = message;
    this.#takeWaiting = takeWaiting;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(): void {
    if (this.signal.aborted) return;
    this.#stoppedInTools = this.calls > 0;
    this.#controller.abort(new Interrupted());
  }

  async play(cast: Cast): Promise<void> {
    const { session, message } = this;
    session.memory.hear(message.text);
    await session.lifecycle(message, 'started');
    // Saved before anything is done: a crash in the first turn must leave a conversation to resume.
    session.memory.save();
    await session.mcp.ready();
    await this.#open();
    const end = await this.#perform(cast);
    await this.echo();
    for (const steered of this.#steered) await session.lifecycle(steered, 'completed');
    session.memory.countTurn(session.lastLine);
    session.memory.save();
    await this.#tellResult(end);
    await session.lifecycle(message, end.is_error ? 'cancelled' : 'completed');
  }

  /** The real program echoes a message no sooner than the model's first byte. */
  async echo(): Promise<void> {
    if (this.#isEchoed) return;
    this.#isEchoed = true;
    await this.session.echo(this.message);
  }

  /** Takes what was said meanwhile into the running turn. */
  async steer(): Promise<readonly string[]> {
    const heard = this.#takeWaiting();
    for (const message of heard) {
      this.#steered.push(message);
      await this.session.echo(message);
      await this.session.lifecycle(message, 'started');
      this.session.memory.hear(message.text);
    }
    return heard.map(({ text }) => text);
  }

  #open(): Promise<void> {
    const { cwd, model, mode, mcp } = this.session;
    return this.session.line({
      type: 'system',
      subtype: 'init',
      cwd,
      tools: [...toolNames, ...mcp.toolNames()],
      mcp_servers: mcp.status(),
      model,
      permissionMode: mode,
      claude_code_version: version,
      capabilities: ['msg_lifecycle_v1'],
      user_message_uuids: [this.message.uuid],
    });
  }

  async #perform(cast: Cast): Promise<TurnEnd> {
    const stage = new Stage(this);
    try {
      await pickScene(cast, this.message, this.session.mode).play(stage);
      await stage.endReply('end_turn');
      return { subtype: 'success', is_error: false, result: this.lastText, terminal_reason: 'completed' };
    } catch (error) {
      await stage.cutOff();
      if (error instanceof Interrupted) return this.#interrupted();
      const result = error instanceof Error ? error.message : String(error);
      return { subtype: 'success', is_error: true, result, terminal_reason: 'api_error' };
    }
  }

  async #interrupted(): Promise<TurnEnd> {
    const where = this.#stoppedInTools ? ' for tool use' : '';
    const content = [{ type: 'text', text: `[Request interrupted by user${where}]` }];
    await this.session.line({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
    const terminal_reason = this.#stoppedInTools ? 'aborted_tools' : 'aborted_streaming';
    return { subtype: 'error_during_execution', is_error: true, errors: ['interrupted'], terminal_reason };
  }

  /** Usage is of the turn; the cost is a running total of the process. */
  #tellResult(end: TurnEnd): Promise<void> {
    const input_tokens = Math.ceil(this.message.text.length / 4);
    const usage = { input_tokens, output_tokens: this.outputTokens };
    this.session.costUsd += input_tokens * usdPerInputToken + this.outputTokens * usdPerOutputToken;
    return this.session.line({
      type: 'result',
      ...end,
      duration_ms: Math.round(performance.now() - this.#startedAt),
      total_cost_usd: this.session.costUsd,
      usage,
      user_message_uuids: [this.message, ...this.#steered].map(({ uuid }) => uuid),
    });
  }
}

type TurnEnd = JsonObject & { readonly is_error: boolean };
