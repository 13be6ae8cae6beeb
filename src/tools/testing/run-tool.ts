import type { z } from 'zod';
import type { Clock } from '../../engine/ports/clock.ts';
import { SessionId } from '../../protocol/ids.ts';
import type { FormField } from '../../protocol/interaction.ts';
import { describeTool } from '../host/load-file.ts';
import type { ToolCallResult } from '../host/result.ts';
import { ToolRuns } from '../host/tool-runs.ts';
import type { Tool } from '../sdk/define-tool.ts';
import type { ApprovalScope } from '../sdk/interaction.ts';
import { MemoryDesk, type PersonResponse, type Put } from './memory-desk.ts';

/** What a person is shown. */
export interface Prompt {
  readonly id: string;
  readonly type: 'approval' | 'input';
  readonly prompt: string;
  readonly fields: readonly FormField[];
  /** What the fields hold at first, by id. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Why it is asked again. */
  readonly error: string | undefined;
  readonly approvalScopes: readonly ApprovalScope[];
  readonly presentation: 'tool' | 'questionnaire';
  /** From 1; more when the tool asks again. */
  readonly attempt: number;
  /** The prompt whose place it takes. */
  readonly replaces: string | undefined;
  /** Undefined where there is no limit. */
  readonly expiresAt: string | undefined;
}

/** What the person does: answers, lets the time limit pass, or interrupts the agent's turn. */
export type Reaction = PersonResponse | 'timeout' | 'interrupt';

export interface RunToolOptions {
  /** Called with each prompt. Without it, a tool that asks fails the test. */
  readonly respond?: (prompt: Prompt) => Reaction | Promise<Reaction>;
  /** Whether someone is there to answer; true when left out. A function is asked each time. */
  readonly available?: boolean | (() => boolean);
  /** What was approved before, by key. */
  readonly approvals?: Readonly<Record<string, 'session' | 'always'>>;
  /** When it is, as an ISO time; only a `timeout` makes time pass. */
  readonly now?: string;
  /** The agent's cancelling of the call. */
  readonly signal?: AbortSignal;
}

/** What came of it. */
export interface ToolTrial {
  /** What the agent is told: `{ok: true, value, text}` or `{ok: false, code, message, text}`. */
  readonly result: ToolCallResult;
  /** All that was shown, also after the call. */
  readonly prompts: readonly Prompt[];
  /** Those of them that the tool left open. */
  readonly open: readonly Prompt[];
  /** Answers the prompt that was left open, and gives the message the agent gets, or undefined when the tool asks again. */
  answerLate(response: PersonResponse, prompt?: Prompt): Promise<string | undefined>;
  /** The messages that late answers became. */
  readonly lateMessages: readonly string[];
  /** What is approved now for longer than this run, by key. */
  readonly approvals: Readonly<Record<string, 'session' | 'always'>>;
  readonly log: readonly { readonly level: 'info' | 'warn' | 'error'; readonly message: string }[];
  readonly progress: readonly string[];
}

/**
 * Runs a tool as the server does, without server, agent or person: `respond` plays the person.
 *
 * @example
 * const { result } = await runTool(greet, { polite: true }, {
 *   respond: () => ({ action: 'submit', input: { name: 'Ada' } }),
 * });
 */
export async function runTool<Input extends z.ZodObject>(
  tool: Tool<Input>,
  args: z.input<Input>,
  options: RunToolOptions = {},
): Promise<ToolTrial> {
  const { respond, available = true, approvals = {}, now = '2026-01-01T00:00:00.000Z', signal } = options;
  const described = describeTool(tool as unknown as Tool, undefined);
  if (typeof described === 'string') throw new Error(`The tool "${tool.name}" is not offered: ${described}`);
  const clock = new ManualClock(now);
  const desk = new MemoryDesk();
  const log: { level: 'info' | 'warn' | 'error'; message: string }[] = [];
  const progress: string[] = [];
  const failed = new AbortController();
  let isOver = false;

  desk.isAvailable = typeof available === 'function' ? available : () => available;
  for (const [key, scope] of Object.entries(approvals)) {
    await desk.setApproval(sessionId, { toolName: tool.name, key, scope, by: { kind: 'person' } });
  }
  desk.onPut = (put) => {
    if (isOver || put.leftOpen !== undefined) return;
    react(put).catch((error: unknown) => failed.abort(error));
  };
  const react = async (put: Put): Promise<void> => {
    if (respond === undefined) throw new Error(`The tool asked "${put.ask.title}", and nobody was to answer`);
    const reaction = await respond(promptOf(put));
    if (reaction === 'interrupt') return desk.interrupt(sessionId);
    if (reaction === 'timeout') return clock.moveTo(limitOf(put));
    const answered = await desk.respond(put.id, reaction);
    if (!answered.ok) throw new Error(`A person could not answer so: ${answered.refusal.message}`);
  };

  const runs = new ToolRuns({ desk, clock, logger: loggerTo(log) });
  const result = await runs.call(tool as unknown as Tool, sessionId, args, {
    callId: 'call_1',
    signal: signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]),
    progress: (text) => progress.push(text),
  });
  isOver = true;
  if (failed.signal.aborted) throw failed.signal.reason;

  const open = (): Prompt[] => desk.puts.filter(isLeftOpen).map(promptOf);
  return {
    result,
    get prompts() {
      return desk.puts.map(promptOf);
    },
    get open() {
      return open();
    },
    async answerLate(response, prompt = open()[0]) {
      const put = desk.puts.find(({ id }) => id === prompt?.id);
      if (put === undefined) throw new Error('The tool left nothing open');
      const answered = await desk.respond(put.id, response);
      if (!answered.ok) throw new Error(`A person could not answer so: ${answered.refusal.message}`);
      return answered.value?.text;
    },
    lateMessages: desk.lateMessages,
    get approvals() {
      return Object.fromEntries([...desk.approvals.values()].map(({ key, scope }) => [key, scope]));
    },
    log,
    progress,
  };
}

const sessionId = SessionId.parse('ses_test');

const isLeftOpen = ({ leftOpen, outcome }: Put): boolean => leftOpen !== undefined && outcome === undefined;

function limitOf({ ask }: Put): string {
  if (ask.expiresAt === undefined) throw new Error(`"${ask.title}" has no time limit that could pass`);
  return ask.expiresAt;
}

function promptOf({ id, ask }: Put): Prompt {
  const { kind, title, form, approvalScopes = [], tool, expiresAt } = ask;
  const fields = form?.fields ?? [];
  const initial = form?.initialValues ?? {};
  const values = fields
    .map(
      (field) =>
        [field.id, Object.hasOwn(initial, field.id) ? initial[field.id] : field.defaultValue] as const,
    )
    .filter(([, value]) => value !== undefined);
  return {
    id,
    type: kind === 'approval' ? 'approval' : 'input',
    prompt: title,
    fields,
    values: Object.fromEntries(values),
    error: form?.error,
    approvalScopes,
    presentation: form?.presentation ?? 'tool',
    attempt: tool.attempt,
    replaces: tool.replaces,
    expiresAt,
  };
}

function loggerTo(log: { level: 'info' | 'warn' | 'error'; message: string }[]) {
  const write = (level: 'info' | 'warn' | 'error') => (_: object, message: string) =>
    void log.push({ level, message });
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

/** A clock that moves only when told. */
class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  constructor(start: string) {
    this.#now = Date.parse(start);
  }

  now(): string {
    return new Date(this.#now).toISOString();
  }

  elapsed(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Everything that falls due until then is called, in its order. */
  moveTo(time: string): void {
    const end = Date.parse(time);
    const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
    for (const timer of due) {
      if (!this.#timers.delete(timer)) continue;
      this.#now = Math.max(this.#now, timer.at);
      timer.callback();
    }
    this.#now = Math.max(this.#now, end);
  }
}
