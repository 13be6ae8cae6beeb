import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../fields.ts';
import type { McpServers } from './mcp.ts';
import type { SessionMemory } from './session-memory.ts';

/** The version of Claude Code whose wire the demo agent speaks. */
export const version = '2.1.325';
export const defaultModel = 'beckon-demo';

export const modes = ['acceptEdits', 'auto', 'bypassPermissions', 'default', 'dontAsk', 'plan'] as const;
export type PermissionMode = (typeof modes)[number];
export const isMode = (value: unknown): value is PermissionMode => modes.some((mode) => mode === value);

/** The turn was cut off by a person: an interrupt, or a denial that ends the turn. */
export class Interrupted extends Error {}

/** Something a person said. */
export interface Message {
  readonly uuid: string;
  readonly content: readonly JsonObject[];
  readonly text: string;
  /** Media types of the pictures that came with it. */
  readonly images: readonly string[];
}

/** How a request to the host ended: with its answer, or why there is none. */
export type Answer =
  | { readonly ok: true; readonly response: JsonObject }
  | { readonly ok: false; readonly reason: string };

interface SessionStart {
  readonly id: string;
  readonly cwd: string;
  readonly mode: PermissionMode;
  readonly model: string | undefined;
  /** Milliseconds between the words of a streamed text. */
  readonly pace: number;
  readonly memory: SessionMemory;
  readonly mcp: McpServers;
}

/** What lives as long as the process: the wire to the host, what the host is asked, mode and model. */
export class Session {
  readonly id: string;
  readonly cwd: string;
  readonly pace: number;
  readonly memory: SessionMemory;
  readonly mcp: McpServers;
  /** Whether it was started without any asking; only then may the host switch asking off again. */
  readonly mayBypass: boolean;
  readonly #open = new Map<string, (answer: Answer) => void>();
  #drained: Promise<void> | undefined;
  #mode: PermissionMode;
  #modeBeforePlan: PermissionMode = 'default';
  model: string;
  costUsd = 0;
  /** Of the conversation itself: it can be forked there once its turn has ended. */
  lastLine: string | undefined;

  constructor({ id, cwd, mode, model, pace, memory, mcp }: SessionStart) {
    this.id = id;
    this.cwd = cwd;
    this.pace = pace;
    this.memory = memory;
    this.mcp = mcp;
    this.mayBypass = mode === 'bypassPermissions';
    this.#mode = mode;
    this.model = model ?? defaultModel;
    // A host that died leaves a broken pipe; the turn goes on unattended, as the real program's does.
    process.stdout.on('error', () => {});
  }

  get mode(): PermissionMode {
    return this.#mode;
  }

  /** Switches the mode and says so, as the real program does when it changed. */
  async changeMode(mode: PermissionMode): Promise<void> {
    if (mode === this.#mode) return;
    if (mode === 'plan') this.#modeBeforePlan = this.#mode;
    this.#mode = mode;
    await this.line({ type: 'system', subtype: 'status', status: null, permissionMode: mode });
  }

  async leavePlanMode(): Promise<void> {
    if (this.#mode === 'plan') await this.changeMode(this.#modeBeforePlan);
  }

  /** Sends a line that carries the session's id and a uuid of its own. */
  line(line: JsonObject): Promise<void> {
    const uuid = textAt(line, 'uuid') ?? randomUUID();
    const isSaid = line.type === 'assistant' || (line.type === 'user' && line.isReplay !== true);
    if (isSaid && textAt(line, 'parent_tool_use_id') === undefined) this.lastLine = uuid;
    return this.send({ ...line, session_id: this.id, uuid });
  }

  send(line: JsonObject): Promise<void> {
    return this.write(`${JSON.stringify(line)}\n`);
  }

  /** Settles when the pipe takes more. */
  async write(bytes: string | Uint8Array): Promise<void> {
    if (process.stdout.errored || process.stdout.write(bytes)) return;
    // Not at once: a fast reader would otherwise keep us writing, and our own input unread.
    this.#drained ??= once(process.stdout, 'drain')
      .then(
        () => new Promise<void>((resolve) => setImmediate(resolve)),
        () => {},
      )
      .finally(() => {
        this.#drained = undefined;
      });
    await this.#drained;
  }

  /** Asks the host. Any number of requests may be open, answered in any order; the signal takes this one back. */
  ask(request: JsonObject, signal: AbortSignal): Promise<Answer> {
    const id = randomUUID();
    void this.send({ type: 'control_request', request_id: id, request });
    return new Promise((resolve) => {
      const withdraw = (): void => {
        void this.send({ type: 'control_cancel_request', request_id: id });
        settle({ ok: false, reason: 'Tool permission request aborted' });
      };
      const settle = (answer: Answer): void => {
        signal.removeEventListener('abort', withdraw);
        this.#open.delete(id);
        resolve(answer);
      };
      signal.addEventListener('abort', withdraw, { once: true });
      this.#open.set(id, settle);
    });
  }

  /** Takes an answer of the host; one to a request that is no longer open is ignored. */
  answered(response: JsonObject): void {
    const settle = this.#open.get(textAt(response, 'request_id') ?? '');
    if (response.subtype === 'success')
      settle?.({ ok: true, response: objectAt(response, 'response') ?? {} });
    else settle?.({ ok: false, reason: textAt(response, 'error') ?? 'no reason given' });
  }

  /** Shows a message as the host sent it: it was taken. */
  echo({ uuid, content }: Message): Promise<void> {
    const message = { role: 'user', content };
    return this.line({ type: 'user', message, parent_tool_use_id: null, uuid, isReplay: true });
  }

  lifecycle({ uuid }: Message, state: 'queued' | 'started' | 'completed' | 'cancelled'): Promise<void> {
    return this.line({ type: 'command_lifecycle', command_uuid: uuid, state });
  }
}

export function messageIn(line: JsonObject): Message {
  const body = objectAt(line, 'message') ?? {};
  const words = textAt(body, 'content');
  const content = words === undefined ? listAt(body, 'content') : [{ type: 'text', text: words }];
  return {
    uuid: textAt(line, 'uuid') ?? randomUUID(),
    content,
    text: content
      .map((block) => textAt(block, 'text') ?? '')
      .join('\n')
      .trim(),
    images: content.flatMap(({ type, source }) =>
      type === 'image' && isObject(source) ? (textAt(source, 'media_type') ?? 'unknown') : [],
    ),
  };
}
