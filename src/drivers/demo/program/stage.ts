import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from './json.ts';
import type { Message } from './message.ts';
import { Reply, type ToolUse } from './reply.ts';
import type { Answer } from './requests.ts';
import { type Session, sendLine } from './session.ts';
import { type AskListener, callTool, performCall, type ToolOutcome } from './tool-call.ts';
import { findTool } from './tools/index.ts';
import { type Answered, answersTo } from './tools/person.ts';
import type { Tool, ToolResult } from './tools/tool.ts';
import type { Turn } from './turn.ts';

export interface ToolRequest {
  readonly name: string;
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

/** Whose part of the conversation a stage is: none for the conversation itself. */
export interface Part {
  readonly agentId: string;
  readonly toolUseId: string;
  readonly type: string;
  readonly description: string;
  readonly depth: number;
  /** The real program shows nothing of a sub-agent's sub-agent but its asks. */
  readonly hidden: boolean;
}

interface StageOptions {
  readonly message?: Message;
  readonly part?: Part;
  /** What ends it; the turn's own signal unless it outlives the turn. */
  readonly signal?: AbortSignal;
}

/** What a scene can do: say, think, call tools, ask, and everything the wire knows. */
export class Stage {
  readonly turn: Turn;
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly part: Part | undefined;
  readonly #message: Message | undefined;
  #reply: Reply | undefined;
  #heard: Message[] = [];
  #lastText = '';
  toolsUsed = 0;

  constructor(turn: Turn, { message, part, signal = turn.signal }: StageOptions = {}) {
    this.turn = turn;
    this.session = turn.session;
    this.signal = signal;
    this.part = part;
    this.#message = message;
  }

  get text(): string {
    return this.#message?.text ?? '';
  }

  get images(): readonly string[] {
    return this.#message?.images ?? [];
  }

  get lastText(): string {
    return this.#lastText;
  }

  /** Streams a text, a word at a time. */
  async say(text: string, paceMs = this.session.pace): Promise<void> {
    await this.#speak('text', pieces(text), paceMs);
  }

  /** Streams pieces exactly as they are given, as fast as the host reads. */
  async stream(parts: Iterable<string>): Promise<void> {
    await this.#speak('text', parts, 0);
  }

  async think(text: string): Promise<void> {
    await this.#speak('thinking', pieces(text), this.session.pace);
  }

  async tool(name: string, input: JsonObject, onAsk?: AskListener): Promise<ToolOutcome> {
    const [outcome] = await this.#runAll(await this.#announce([{ name, input }]), onAsk);
    if (outcome === undefined) throw new Error('a call without an outcome');
    return outcome;
  }

  /** Several calls in one message: they ask at the same time if all of them can, else one after the other. */
  async tools(requests: readonly ToolRequest[]): Promise<readonly ToolOutcome[]> {
    return this.#runAll(await this.#announce(requests));
  }

  /** Calls a tool without waiting for it; more may be started before it ends. */
  async start(request: ToolRequest): Promise<{ readonly outcome: Promise<ToolOutcome> }> {
    const [use] = await this.#announce([request]);
    if (use === undefined) throw new Error('nothing was announced');
    const outcome = this.whileCalling(callTool(this, use));
    outcome.catch(() => undefined);
    return { outcome };
  }

  /** A bare request to the host, without any tool call around it. */
  async request(request: JsonObject): Promise<Answer> {
    await this.finishReply('tool_use');
    const answer = await this.whileCalling(this.session.requests.raise(request, { signal: this.signal }));
    this.signal.throwIfAborted();
    return answer;
  }

  /** A call whose work the scene does itself, as for sub-agents and the tools of others. */
  async act(
    name: string,
    input: JsonObject,
    work: (use: ToolUse) => Promise<ToolResult>,
  ): Promise<ToolOutcome> {
    const [use] = await this.#announce([{ name, input }]);
    if (use === undefined) throw new Error('nothing was announced');
    const outcome = await this.whileCalling(performCall(this, use, () => work(use)));
    await this.#listen();
    return outcome;
  }

  /** Puts questions to the person. Gives the answers, or why there are none. */
  async ask(questions: readonly Question[]): Promise<Answers> {
    const outcome = await this.tool('AskUserQuestion', { questions });
    if (outcome.isError) return { is: 'refused', reason: outcome.text };
    const given = outcome.input.answers;
    return { is: 'answered', answers: answersTo(outcome.input, isObject(given) ? given : {}) };
  }

  /** Sends a line of this part of the conversation. */
  async line(line: JsonObject): Promise<void> {
    const part = this.part;
    if (part === undefined) {
      await sendLine(this.session, { ...line, parent_tool_use_id: null });
    } else if (!part.hidden) {
      const { agentId, toolUseId, type, description } = part;
      const tags = {
        parent_tool_use_id: toolUseId,
        agent_id: agentId,
        subagent_type: type,
        task_description: description,
      };
      await sendLine(this.session, { ...line, ...tags });
    }
  }

  system(subtype: string, fields: JsonObject): Promise<void> {
    return sendLine(this.session, { type: 'system', subtype, ...fields });
  }

  /** Bytes outside of the protocol, for rehearsals of a program that misbehaves. */
  raw(bytes: string | Uint8Array): Promise<void> {
    return this.session.wire.write(bytes);
  }

  async pause(ms: number): Promise<void> {
    this.signal.throwIfAborted();
    if (ms <= 0) return;
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(this.signal.reason);
      };
      const timer = setTimeout(() => {
        this.signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      this.signal.addEventListener('abort', stop, { once: true });
    });
  }

  async end(): Promise<void> {
    await this.finishReply('end_turn');
  }

  async finishReply(stopReason: 'end_turn' | 'tool_use'): Promise<void> {
    const reply = this.#reply;
    if (reply === undefined) return;
    this.#reply = undefined;
    await reply.end(stopReason);
    this.#count(reply, stopReason);
  }

  /** The turn was cut off: what was half said is shown as such. */
  async cutOff(): Promise<void> {
    await this.#reply?.abort();
    if (this.#reply !== undefined) this.#count(this.#reply, null);
    this.#reply = undefined;
  }

  /** A turn cut off while a call is open ends with other words than one cut off while it speaks. */
  async whileCalling<T>(calls: Promise<T>): Promise<T> {
    if (this.signal !== this.turn.signal) return calls;
    this.turn.calls.add(calls);
    try {
      return await calls;
    } finally {
      this.turn.calls.delete(calls);
    }
  }

  async #announce(requests: readonly ToolRequest[]): Promise<readonly ToolUse[]> {
    const reply = await this.#speaking();
    const uses = requests.map((request) => ({ ...request, id: `toolu_demo_${randomUUID()}` }));
    for (const use of uses) {
      await reply.toolUse(use);
      await this.#reportProgress(use);
    }
    await this.finishReply('tool_use');
    this.toolsUsed += uses.length;
    this.signal.throwIfAborted();
    return uses;
  }

  async #runAll(uses: readonly ToolUse[], onAsk?: AskListener): Promise<readonly ToolOutcome[]> {
    const together = uses.every((use) => this.#find(use.name)?.concurrent === true);
    const outcomes = await this.whileCalling(together ? this.#together(uses) : this.#inOrder(uses, onAsk));
    await this.#listen();
    return outcomes;
  }

  #find(name: string): Tool | undefined {
    return findTool(name) ?? this.session.mcp.find(name);
  }

  async #together(uses: readonly ToolUse[]): Promise<readonly ToolOutcome[]> {
    // All of them settle before the turn goes on, so that each has its result line even when interrupted.
    const settled = await Promise.allSettled(uses.map((use) => callTool(this, use)));
    return settled.map((call) => {
      if (call.status === 'rejected') throw call.reason;
      return call.value;
    });
  }

  async #inOrder(uses: readonly ToolUse[], onAsk: AskListener | undefined): Promise<readonly ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    for (const use of uses) outcomes.push(await callTool(this, use, onAsk));
    return outcomes;
  }

  /** What was said meanwhile comes in here, between a tool's result and the model's next word. */
  async #listen(): Promise<void> {
    if (this.part !== undefined) return;
    for (const message of this.turn.takeWaiting()) {
      await this.turn.steer(message);
      this.session.memory.hear(message.text);
      this.#heard.push(message);
    }
  }

  async #speaking(): Promise<Reply> {
    this.signal.throwIfAborted();
    if (this.#reply !== undefined) return this.#reply;
    if (this.part === undefined) await this.#request();
    const { model, flags } = this.session;
    const streams = flags.partialMessages && this.part === undefined;
    this.#reply = await Reply.start({ model, streams, send: (line) => this.line(this.#tag(line)) });
    const heard = this.#heard.splice(0).map((message) => `“${message.text}”`);
    if (heard.length > 0) await this.say(`(While I was working you said ${heard.join(' and ')}. Noted.)\n\n`);
    return this.#reply;
  }

  async #request(): Promise<void> {
    const { uuids } = this.turn;
    await this.system('status', {
      status: 'requesting',
      ...(uuids.length > 0 && { user_message_uuids: uuids }),
    });
    await this.turn.echo();
  }

  /** The first line of an answer names the messages that it answers. */
  #tag(line: JsonObject): JsonObject {
    const { uuids } = this.turn;
    if (line.type !== 'assistant' || uuids.length === 0 || this.turn.answered) return line;
    this.turn.answered = true;
    return { ...line, user_message_uuid: uuids[0], user_message_uuids: uuids };
  }

  async #reportProgress(use: ToolUse): Promise<void> {
    if (this.part === undefined) return;
    const { agentId, toolUseId, type } = this.part;
    await this.system('task_progress', {
      task_id: agentId,
      tool_use_id: toolUseId,
      description: `Running ${use.name}`,
      subagent_type: type,
      last_tool_name: use.name,
    });
  }

  async #speak(type: 'text' | 'thinking', parts: Iterable<string>, paceMs: number): Promise<void> {
    const reply = await this.#speaking();
    for (const part of parts) {
      await reply.add(type, part);
      if (paceMs > 0) await this.pause(paceMs);
      else this.signal.throwIfAborted();
    }
  }

  #count(reply: Reply, stopReason: string | null): void {
    if (reply.text !== '') this.#lastText = reply.text;
    if (this.part !== undefined) return;
    if (reply.text !== '') this.turn.lastText = reply.text;
    this.turn.replies += 1;
    this.turn.outputTokens += reply.outputTokens;
    this.turn.stopReason = stopReason;
  }
}

/** A word and the space after it at a time, so that a streamed text reads as if it were typed. */
function pieces(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}
