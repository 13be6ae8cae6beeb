import { randomUUID } from 'node:crypto';
import type { JsonObject } from './json.ts';

/** Where a reply's lines go: the conversation itself, or a sub-agent's part of it. */
export interface Voice {
  readonly model: string;
  /** Sub-agents speak in whole lines; only the conversation itself is streamed in pieces. */
  readonly streams: boolean;
  send(line: JsonObject): Promise<void>;
}

export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

const SIGNATURE = 'YmVja29uLWRlbW8=';

/** One message of the model: its stream events, and one `assistant` line for each block, all with the same id. */
export class Reply {
  readonly #voice: Voice;
  readonly #id = `msg_demo_${randomUUID()}`;
  #index = 0;
  #open: { readonly type: 'text' | 'thinking'; said: string } | undefined;
  outputTokens = 0;
  /** The last block of text that was finished. */
  text = '';

  private constructor(voice: Voice) {
    this.#voice = voice;
  }

  static async start(voice: Voice): Promise<Reply> {
    const reply = new Reply(voice);
    await reply.#event({ type: 'message_start', message: reply.#message([]) });
    return reply;
  }

  /** Adds to the open block, or opens one: what is said in a row is one block. */
  async add(type: 'text' | 'thinking', piece: string): Promise<void> {
    if (this.#open?.type !== type) {
      await this.closeBlock();
      this.#open = { type, said: '' };
      await this.#start(type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' });
    }
    this.#open.said += piece;
    await this.#delta(
      type === 'text' ? { type: 'text_delta', text: piece } : { type: 'thinking_delta', thinking: piece },
    );
  }

  async closeBlock(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    if (open.type === 'text') this.text = open.said;
    if (open.type === 'thinking') await this.#delta({ type: 'signature_delta', signature: SIGNATURE });
    await this.#finish(blockOf(open));
  }

  async toolUse(use: ToolUse): Promise<void> {
    await this.closeBlock();
    const block = { type: 'tool_use', id: use.id, name: use.name };
    await this.#start({ ...block, input: {} });
    await this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify(use.input) });
    await this.#finish({ ...block, input: use.input });
  }

  async end(stopReason: 'end_turn' | 'tool_use'): Promise<void> {
    await this.closeBlock();
    const delta = { stop_reason: stopReason, stop_sequence: null };
    await this.#event({ type: 'message_delta', delta, usage: { output_tokens: this.outputTokens } });
    await this.#event({ type: 'message_stop' });
  }

  /** Cut off: what was said so far still becomes a line. */
  async abort(): Promise<void> {
    if (this.#open === undefined || this.#open.said === '') return;
    await this.#line(blockOf(this.#open), { aborted: true });
  }

  #start(block: JsonObject): Promise<void> {
    return this.#event({ type: 'content_block_start', index: this.#index, content_block: block });
  }

  #delta(delta: JsonObject): Promise<void> {
    return this.#event({ type: 'content_block_delta', index: this.#index, delta });
  }

  async #finish(block: JsonObject): Promise<void> {
    await this.#line(block);
    await this.#event({ type: 'content_block_stop', index: this.#index++ });
  }

  async #line(block: JsonObject, extra: JsonObject = {}): Promise<void> {
    this.outputTokens += tokensIn(JSON.stringify(block));
    const timestamp = new Date().toISOString();
    await this.#voice.send({ type: 'assistant', message: this.#message([block]), timestamp, ...extra });
  }

  #message(content: readonly JsonObject[]): JsonObject {
    return {
      id: this.#id,
      type: 'message',
      role: 'assistant',
      model: this.#voice.model,
      content,
      stop_reason: null,
      stop_sequence: null,
      usage: usageOf(0, this.outputTokens),
    };
  }

  async #event(event: JsonObject): Promise<void> {
    if (this.#voice.streams) await this.#voice.send({ type: 'stream_event', event });
  }
}

export function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}

export function usageOf(inputTokens: number, outputTokens: number): JsonObject {
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
  };
}

function blockOf(open: { readonly type: 'text' | 'thinking'; readonly said: string }): JsonObject {
  return open.type === 'text'
    ? { type: 'text', text: open.said }
    : { type: 'thinking', thinking: open.said, signature: SIGNATURE };
}
