import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isObject, type JsonObject, textAt } from '../../fields.ts';
import { Interrupted, isMode, type Session } from './session.ts';
import {
  type Answered,
  answersIn,
  failed,
  findTool,
  type Tool,
  type ToolResult,
  verdictOn,
} from './tools.ts';
import type { Turn } from './turn.ts';

/** A sub-agent's part of the conversation. */
interface Part {
  readonly agentId: string;
  readonly toolUseId: string;
  readonly description: string;
}

export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export interface ToolOutcome {
  readonly isError: boolean;
  readonly text: string;
  /** The input it ran with, edited or not. */
  readonly input: JsonObject;
}

export interface Question {
  readonly question: string;
  readonly header: string;
  readonly options: readonly { readonly label: string; readonly description: string }[];
  readonly multiSelect: boolean;
}

export type Answers =
  | { readonly is: 'answered'; readonly answers: readonly Answered[] }
  | { readonly is: 'refused'; readonly reason: string };

type BlockType = 'text' | 'thinking';

/** One message of the model: its blocks share an id. */
interface Reply {
  readonly id: string;
  index: number;
  open: { readonly type: BlockType; said: string } | undefined;
}

const rejected =
  "The user doesn't want to proceed with this tool use. STOP what you are doing and wait for the user to tell you how to proceed.";
const invalid = 'The canUseTool callback returned an invalid permission result.';

/** What a scene can do: say, think, call tools, ask. */
export class Stage {
  readonly turn: Turn;
  readonly session: Session;
  readonly #part: Part | undefined;
  #reply: Reply | undefined;
  #heard: string[] = [];
  lastText = '';

  constructor(turn: Turn, part?: Part) {
    this.turn = turn;
    this.session = turn.session;
    this.#part = part;
  }

  /** What the person said, as a command or in words. */
  get text(): string {
    return this.turn.message.text.replace(/^\//, '');
  }

  /** Streams a text, a word and the space after it at a time, so that it reads as if it were typed. */
  say(text: string, paceMs = this.session.pace): Promise<void> {
    return this.stream('text', text.match(/\S+\s*|\s+/g) ?? [], paceMs);
  }

  think(text: string): Promise<void> {
    return this.stream('thinking', text.match(/\S+\s*|\s+/g) ?? [], this.session.pace);
  }

  /** Streams pieces exactly as they are given; what is said in a row is one block. */
  async stream(type: BlockType, pieces: Iterable<string>, paceMs: number): Promise<void> {
    const reply = await this.#speaking();
    for (const piece of pieces) {
      if (reply.open?.type !== type) {
        await this.#closeBlock();
        reply.open = { type, said: '' };
        await this.#blockEvent('content_block_start', { content_block: { type, [type]: '' } });
      }
      reply.open.said += piece;
      await this.#blockEvent('content_block_delta', { delta: { type: `${type}_delta`, [type]: piece } });
      await this.pause(paceMs);
    }
  }

  async pause(ms: number): Promise<void> {
    const { signal } = this.turn;
    if (ms > 0) await delay(ms, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }

  /** Calls a tool, from the permission it needs to the line with its result. */
  async tool(name: string, input: JsonObject): Promise<ToolOutcome> {
    return this.act(name, input, async (use) => {
      const tool = findTool(name) ?? this.session.mcp.find(name);
      if (tool === undefined) return failed(`No such tool available: ${name}`);
      const permit = await this.#permission(tool, use);
      if (typeof permit === 'string') return failed(permit);
      const result = await tool.run(permit, {
        session: this.session,
        signal: this.turn.signal,
        toolUseId: use.id,
      });
      return { ...result, input: permit };
    });
  }

  /** A call whose work the scene does itself, as for sub-agents and the tools of others. */
  async act(
    name: string,
    input: JsonObject,
    work: (use: ToolUse) => Promise<ToolResult & { readonly input?: JsonObject }>,
  ): Promise<ToolOutcome> {
    const use = await this.announce(name, input);
    this.turn.calls += 1;
    try {
      const result = await work(use).catch((error: unknown) => {
        if (error instanceof Interrupted) return undefined;
        throw error;
      });
      const { signal } = this.turn;
      await this.result(use, result === undefined || signal.aborted ? failed(rejected) : result);
      signal.throwIfAborted();
      if (this.#part === undefined) this.#heard.push(...(await this.turn.steer()));
      return { isError: result?.isError === true, text: textOf(result), input: result?.input ?? input };
    } finally {
      this.turn.calls -= 1;
    }
  }

  /** Puts questions to the person. Gives the answers, or why there are none. */
  async ask(questions: readonly Question[]): Promise<Answers> {
    const outcome = await this.tool('AskUserQuestion', { questions });
    if (outcome.isError) return { is: 'refused', reason: outcome.text };
    return { is: 'answered', answers: answersIn(outcome.input) };
  }

  /** Hands work to a sub-agent, and gives its last words. */
  async delegate(
    task: { readonly description: string; readonly prompt: string },
    script: (stage: Stage) => Promise<void>,
  ): Promise<string> {
    const { description, prompt } = task;
    const { text } = await this.act('Agent', { ...task, subagent_type: 'general-purpose' }, async (use) => {
      const agentId = `a${randomUUID().replaceAll('-', '').slice(0, 16)}`;
      const inner = new Stage(this.turn, { agentId, toolUseId: use.id, description });
      const tell = (subtype: string, fields: JsonObject): Promise<void> =>
        this.session.line({ type: 'system', subtype, task_id: agentId, tool_use_id: use.id, ...fields });
      await tell('task_started', { task_type: 'local_agent', description, prompt });
      await inner.line({
        type: 'user',
        message: { role: 'user', content: [{ type: 'text', text: prompt }] },
      });
      try {
        await script(inner);
        await inner.endReply('end_turn');
      } catch (error) {
        await tell('task_notification', { status: 'stopped', summary: inner.lastText });
        throw error;
      }
      await tell('task_notification', { status: 'completed', summary: inner.lastText });
      return { content: inner.lastText };
    });
    return text;
  }

  /** Sends a line of this part of the conversation. */
  line(line: JsonObject): Promise<void> {
    const part = this.#part;
    return this.session.line({
      ...line,
      parent_tool_use_id: part?.toolUseId ?? null,
      ...(part && { agent_id: part.agentId, task_description: part.description }),
    });
  }

  /** Says that it calls a tool; the message of the model ends with it. */
  async announce(name: string, input: JsonObject): Promise<ToolUse> {
    await this.#speaking();
    await this.#closeBlock();
    const use = { id: `toolu_demo_${randomUUID()}`, name, input };
    await this.#blockEvent('content_block_start', { content_block: { type: 'tool_use', ...use, input: {} } });
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
    await this.#blockEvent('content_block_delta', { delta });
    await this.#finishBlock({ type: 'tool_use', ...use });
    await this.endReply('tool_use');
    this.turn.signal.throwIfAborted();
    return use;
  }

  /** The line with the result of a call. */
  async result(use: ToolUse, { content, isError = false, structured }: ToolResult): Promise<void> {
    const block = { type: 'tool_result', tool_use_id: use.id, content, is_error: isError };
    await this.line({
      type: 'user',
      message: { role: 'user', content: [block] },
      // A sub-agent's results come without their structured twin.
      ...(structured !== undefined && !this.#part && { tool_use_result: structured }),
    });
  }

  async endReply(stopReason: 'end_turn' | 'tool_use'): Promise<void> {
    await this.#closeBlock();
    if (this.#reply === undefined) return;
    await this.#event({ type: 'message_delta', delta: { stop_reason: stopReason } });
    await this.#event({ type: 'message_stop' });
    this.#reply = undefined;
  }

  /** The turn was cut off: what was half said is shown as such. */
  async cutOff(): Promise<void> {
    const open = this.#reply?.open;
    if (open !== undefined && open.said !== '')
      await this.#block({ type: open.type, [open.type]: open.said }, true);
    this.#reply = undefined;
  }

  /** The input that the call may run with, or the reason why it may not. */
  async #permission(tool: Tool, use: ToolUse): Promise<JsonObject | string> {
    const verdict = verdictOn(tool, this.session.mode);
    if (verdict !== 'ask') return verdict === 'allow' ? use.input : verdict;
    const request = {
      subtype: 'can_use_tool',
      tool_name: tool.name,
      display_name: tool.name,
      input: use.input,
      tool_use_id: use.id,
      ...(this.#part && { agent_id: this.#part.agentId }),
    };
    const answer = await this.session.ask(request, this.turn.signal);
    if (!answer.ok) return answer.reason;
    const { behavior, updatedInput, updatedPermissions, message, interrupt } = answer.response;
    if (behavior === 'deny' && typeof message === 'string') {
      if (interrupt === true) this.turn.stop();
      return message;
    }
    if (behavior !== 'allow' || !isObject(updatedInput)) return invalid;
    for (const update of Array.isArray(updatedPermissions) ? updatedPermissions.filter(isObject) : [])
      if (update.type === 'setMode' && isMode(update.mode)) await this.session.changeMode(update.mode);
    return updatedInput;
  }

  async #speaking(): Promise<Reply> {
    this.turn.signal.throwIfAborted();
    if (this.#reply !== undefined) return this.#reply;
    if (this.#part === undefined) await this.turn.echo();
    this.#reply = { id: `msg_demo_${randomUUID()}`, index: 0, open: undefined };
    await this.#event({ type: 'message_start', message: this.#message([]) });
    const heard = this.#heard.splice(0).map((text) => `“${text}”`);
    if (heard.length > 0) await this.say(`(While I was working you said ${heard.join(' and ')}. Noted.)\n\n`);
    return this.#reply;
  }

  async #closeBlock(): Promise<void> {
    const open = this.#reply?.open;
    if (this.#reply === undefined || open === undefined) return;
    this.#reply.open = undefined;
    if (open.type === 'text') this.lastText = open.said;
    if (open.type === 'text' && this.#part === undefined) this.turn.lastText = open.said;
    await this.#finishBlock({ type: open.type, [open.type]: open.said });
  }

  async #finishBlock(block: JsonObject): Promise<void> {
    await this.#block(block);
    await this.#blockEvent('content_block_stop', {});
    if (this.#reply !== undefined) this.#reply.index += 1;
  }

  async #block(block: JsonObject, aborted = false): Promise<void> {
    this.turn.outputTokens += Math.ceil(JSON.stringify(block).length / 4);
    await this.line({ type: 'assistant', message: this.#message([block]), ...(aborted && { aborted }) });
  }

  #message(content: readonly JsonObject[]): JsonObject {
    return { id: this.#reply?.id, type: 'message', role: 'assistant', model: this.session.model, content };
  }

  #blockEvent(type: string, fields: JsonObject): Promise<void> {
    return this.#event({ type, index: this.#reply?.index, ...fields });
  }

  /** Sub-agents speak in whole lines; only the conversation itself is streamed in pieces. */
  async #event(event: JsonObject): Promise<void> {
    if (this.#part === undefined) await this.line({ type: 'stream_event', event });
  }
}

function textOf(result: ToolResult | undefined): string {
  const { content = '' } = result ?? {};
  return typeof content === 'string'
    ? content
    : content.map((block) => textAt(block, 'text') ?? '').join('\n');
}
