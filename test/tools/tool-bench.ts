import { z } from 'zod';
import type { CallOptions } from '../../src/engine/ports/tool-calls.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import type { ToolCallResult } from '../../src/tools/host/result.ts';
import { ToolRuns } from '../../src/tools/host/tool-runs.ts';
import { defineTool, type Tool } from '../../src/tools/sdk/define-tool.ts';
import type { ToolContext } from '../../src/tools/sdk/index.ts';
import type { PersonResponse } from '../../src/tools/testing/memory-desk.ts';
import { MemoryDesk, type Put } from '../../src/tools/testing/memory-desk.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { patienceMs } from '../support/patience.ts';

export const session = SessionId.parse('ses_1');

/** Tools run here as they do on the server, on a desk in memory and a clock that stands still. */
export class ToolBench {
  readonly desk = new MemoryDesk();
  readonly clock = new FakeClock();
  readonly logged: { level: string; message: string; details: object }[] = [];
  readonly runs: ToolRuns;
  readonly #waiting = new Set<() => void>();
  /** In the order in which they came before the person; whoever asked knows of it by then. */
  readonly #shown: Put[] = [];
  #seen = 0;

  constructor() {
    const write = (level: string) => (details: object, message: string) => {
      this.logged.push({ level, message, details });
    };
    const logger = { info: write('info'), warn: write('warn'), error: write('error') };
    this.runs = new ToolRuns({ desk: this.desk, clock: this.clock, logger });
    this.desk.onPut = (put) => {
      this.#shown.push(put);
      this.#look();
    };
  }

  call(tool: Tool, args: unknown = {}, options: Partial<CallOptions> = {}): Promise<ToolCallResult> {
    const { signal } = new AbortController();
    return this.runs.call(tool, session, args, { callId: 'call_1', signal, ...options });
  }

  /** Runs a handler as a tool without arguments. */
  run(handler: (context: ToolContext) => unknown, options: Partial<CallOptions> = {}) {
    return this.call(toolOf(handler), {}, options);
  }

  /** The next ask that comes before the person. */
  async asked(): Promise<Put> {
    this.#seen += 1;
    const at = this.#seen - 1;
    return this.until(`ask ${this.#seen}`, () => this.#shown[at]);
  }

  async answer(put: Put, response: PersonResponse): Promise<void> {
    const answered = await this.desk.respond(put.id, response);
    if (!answered.ok) throw new Error(answered.refusal.message);
  }

  async until<T>(what: string, look: () => T | undefined | false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const timer = setTimeout(() => reject(new Error(`Never came: ${what}`)), patienceMs);
    const check = (): void => {
      const found = look();
      if (found !== undefined && found !== false) resolve(found);
    };
    this.#waiting.add(check);
    check();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(check);
    });
  }

  #look(): void {
    for (const check of this.#waiting) check();
  }
}

export const toolOf = (handler: (context: ToolContext) => unknown, name = 'a_tool'): Tool =>
  defineTool({
    name,
    description: 'A tool of the tests.',
    input: z.object({}),
    handler: (_, context) => handler(context) as string,
  });

/** Work that was started is through as far as it can go without anyone's doing. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
