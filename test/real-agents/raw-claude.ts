import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type ClaudeProgram, claudeEnvironment } from './claude-program.ts';

export type Line = Record<string, unknown> & { type: string };
export type Ask = Line & {
  request_id: string;
  request: Record<string, unknown> & { tool_name: string; input: Record<string, unknown> };
};

export interface RawClaudeOptions {
  readonly program: ClaudeProgram;
  readonly baseUrl: string;
  readonly home: string;
  readonly cwd: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const flags = [
  '-p',
  '--input-format=stream-json',
  '--output-format=stream-json',
  '--permission-prompt-tool=stdio',
  '--verbose',
  '--include-partial-messages',
  '--replay-user-messages',
];

/** The real program over bare pipes: lines in, lines out, nothing of Beckon between. */
export class RawClaude {
  readonly lines: Line[] = [];
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Exit, and everything that was printed has been read. */
  readonly closed: Promise<unknown>;
  stderr = '';

  readonly #child: ChildProcess;
  readonly #listeners = new Set<() => void>();
  #taken = 0;

  constructor(options: RawClaudeOptions) {
    const child = spawn(options.program.path, [...flags, ...(options.args ?? [])], {
      cwd: options.cwd,
      env: { ...claudeEnvironment(options), ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    // A write to a program that has just ended must not end the test run.
    child.stdin.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    const reader = createInterface({ input: child.stdout }).on('line', (text) => {
      this.lines.push(JSON.parse(text) as Line);
      for (const listener of this.#listeners) listener();
    });
    this.exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
    this.closed = Promise.all([this.exited, once(reader, 'close')]);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(line: Record<string, unknown>): void {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  say(text: string, extra: Record<string, unknown> = {}): void {
    const message = { role: 'user', content: [{ type: 'text', text }] };
    this.send({ type: 'user', message, parent_tool_use_id: null, ...extra });
  }

  request(request_id: string, request: Record<string, unknown>): void {
    this.send({ type: 'control_request', request_id, request });
  }

  respond(request_id: unknown, response: Record<string, unknown>): void {
    this.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
  }

  /** The next line, after those given out before, that the predicate picks; lines in between are skipped. */
  next<T extends Line>(what: string, accepts: (line: Line) => line is T, deadlineMs?: number): Promise<T>;
  next(what: string, accepts: (line: Line) => boolean, deadlineMs?: number): Promise<Line>;
  async next(what: string, accepts: (line: Line) => boolean, deadlineMs = 40_000): Promise<Line> {
    const deadline = AbortSignal.timeout(deadlineMs);
    for (;;) {
      while (this.#taken < this.lines.length) {
        const line = this.lines[this.#taken++];
        if (line !== undefined && accepts(line)) return line;
      }
      await this.#change(deadline, what);
    }
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill(signal);
    await this.exited;
  }

  async #change(deadline: AbortSignal, what: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = () => {
      const seen = this.lines.slice(-8).map((line) => JSON.stringify(line).slice(0, 200));
      reject(new Error(`No ${what} in time. Last lines:\n${seen.join('\n')}\n${this.stderr}`));
    };
    this.#listeners.add(resolve);
    deadline.addEventListener('abort', late);
    if (deadline.aborted) late();
    await promise.finally(() => {
      this.#listeners.delete(resolve);
      deadline.removeEventListener('abort', late);
    });
  }
}

export function isResult(line: Line): boolean {
  return line.type === 'result';
}

export function isAsk(line: Line): line is Ask {
  return line.type === 'control_request' && (line as Ask).request.subtype === 'can_use_tool';
}
