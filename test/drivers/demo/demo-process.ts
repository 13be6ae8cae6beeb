import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patienceMs } from '../../support/patience.ts';
import { signal } from '../../support/running.ts';

const PROGRAM = join(import.meta.dirname, '../../../src/drivers/demo/program/main.ts');
const FLAGS = [
  '-p',
  '--input-format=stream-json',
  '--output-format=stream-json',
  '--permission-prompt-tool=stdio',
  '--verbose',
  '--include-partial-messages',
  '--replay-user-messages',
];

export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Record<string, unknown>;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

/** A line as it came: the fields that the tests look at. */
export interface Line {
  readonly type: string;
  readonly subtype?: string;
  readonly uuid?: string;
  readonly state?: string;
  readonly status?: string | null;
  readonly model?: string;
  readonly permissionMode?: string;
  readonly isReplay?: boolean;
  readonly aborted?: boolean;
  readonly timestamp?: string;
  readonly session_id?: string;
  readonly request_id?: string;
  readonly parent_tool_use_id?: string | null;
  readonly task_id?: string;
  readonly tool_use_id?: string;
  readonly spawn_depth?: number;
  readonly command_uuid?: string;
  readonly user_message_uuids?: readonly string[];
  readonly tool_use_result?: unknown;
  readonly event?: { readonly type: string; readonly delta?: { readonly text?: string } };
  readonly message?: { readonly id?: string; readonly content: string | readonly Block[] };
}

export interface Ask extends Line {
  readonly request_id: string;
  readonly request: {
    readonly subtype: string;
    readonly tool_name: string;
    readonly tool_use_id: string;
    readonly agent_id?: string;
    readonly input: Record<string, unknown>;
  };
}

export interface Response extends Line {
  readonly response: {
    readonly subtype: string;
    readonly request_id: string;
    readonly error?: string;
    readonly response?: Record<string, unknown>;
  };
}

export interface Result extends Line {
  readonly result?: string;
  readonly is_error: boolean;
  readonly terminal_reason: string;
  readonly total_cost_usd: number;
  readonly duration_ms: number;
  readonly usage: unknown;
  readonly permission_denials: readonly unknown[];
  readonly origin?: { readonly kind: string };
  readonly errors?: readonly string[];
}

export interface DemoOptions {
  readonly args?: readonly string[];
  readonly flags?: readonly string[];
  readonly cwd?: string;
  readonly home?: string;
  readonly pace?: number;
}

const running = new Set<DemoProcess>();
const directories = new Set<string>();
const strays = new Set<number>();

export function startDemo(options: DemoOptions = {}): DemoProcess {
  const demo = new DemoProcess(options);
  running.add(demo);
  return demo;
}

function directory(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-demo-')));
  directories.add(made);
  return made;
}

/** A process that the program left behind, to be ended after the test. */
export function adopt(pid: number): number {
  strays.add(pid);
  return pid;
}

export async function endDemos(): Promise<void> {
  for (const demo of running) {
    demo.kill('SIGKILL');
    await demo.exited;
  }
  for (const pid of strays) signal(pid, 'SIGKILL');
  for (const made of directories) rmSync(made, { recursive: true, force: true });
  running.clear();
  strays.clear();
  directories.clear();
}

export class DemoProcess {
  readonly cwd: string;
  readonly home: string;
  readonly exited: Promise<number | NodeJS.Signals>;
  /** Every whole line so far; those that are no JSON objects are left out. */
  readonly lines: Line[] = [];
  readonly child: ChildProcessWithoutNullStreams;
  raw = Buffer.alloc(0);
  stderr = '';
  #taken = 0;
  #wake = Promise.withResolvers<void>();
  #ended = false;

  constructor({ args = [], flags = FLAGS, cwd = directory(), home = directory(), pace = 0 }: DemoOptions) {
    this.cwd = cwd;
    this.home = home;
    this.child = spawn(process.execPath, [PROGRAM, ...flags, ...args], {
      cwd,
      env: { ...process.env, BECKON_DEMO_HOME: home, BECKON_DEMO_PACE: String(pace) },
    });
    this.child.stdin.on('error', () => undefined);
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#changed();
    });
    let rest = Buffer.alloc(0);
    this.child.stdout.on('data', (chunk: Buffer) => {
      this.raw = Buffer.concat([this.raw, chunk]);
      rest = Buffer.concat([rest, chunk]);
      for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10)) {
        this.#take(rest.subarray(0, at).toString('utf8'));
        rest = rest.subarray(at + 1);
      }
      this.#changed();
    });
    this.exited = once(this.child, 'close').then(([code, signal]) => {
      this.#ended = true;
      this.#changed();
      return code ?? signal;
    });
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  send(line: object): void {
    this.child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  say(text: string, extra: object = {}): void {
    this.send({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] }, ...extra });
  }

  request(request_id: string, request: object): void {
    this.send({ type: 'control_request', request_id, request });
  }

  respond({ request_id }: Ask, response: object): void {
    this.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
  }

  allow(ask: Ask, extra: object = {}): void {
    this.respond(ask, { behavior: 'allow', updatedInput: ask.request.input, ...extra });
  }

  /** The next line, after those given out before, that the predicate picks. */
  next(what: string, accepts: (line: Line) => boolean): Promise<Line> {
    return this.#next(what, (line): line is Line => accepts(line));
  }

  ask(): Promise<Ask> {
    return this.#next('ask', isAsk);
  }

  result(): Promise<Result> {
    return this.#next('result', (line): line is Result => line.type === 'result');
  }

  answerTo(id: string): Promise<Response> {
    return this.#next(`answer to ${id}`, (line): line is Response => isResponseTo(line, id));
  }

  toolResult(): Promise<Line> {
    return this.next('tool result', (line) => contentOf(line)[0]?.type === 'tool_result');
  }

  #next<T extends Line>(what: string, accepts: (line: Line) => line is T): Promise<T> {
    return this.until(what, () => {
      while (this.#taken < this.lines.length) {
        const line = this.lines[this.#taken++];
        if (line !== undefined && accepts(line)) return line;
      }
      return undefined;
    });
  }

  /** Waits until the probe gives something, looking again whenever the program said something. */
  async until<T>(what: string, probe: () => T | undefined): Promise<T> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const found = probe();
      if (found !== undefined) return found;
      const left = deadline - Date.now();
      if (this.#ended || left <= 0) throw new Error(`No ${what}.\n${this.#tail()}\n${this.stderr}`);
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, left);
      await Promise.race([this.#wake.promise, late.promise]);
      clearTimeout(timer);
    }
  }

  async end(): Promise<number | NodeJS.Signals> {
    this.child.stdin.end();
    return this.exited;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  #take(text: string): void {
    try {
      const line: unknown = JSON.parse(text);
      if (isLine(line)) this.lines.push(line);
    } catch {
      // Kept in `raw` alone.
    }
  }

  #changed(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }

  #tail(): string {
    return this.lines
      .slice(-6)
      .map((line) => JSON.stringify(line).slice(0, 200))
      .join('\n');
  }
}

export function isAsk(line: Line): line is Ask {
  return line.type === 'control_request';
}

function isResponseTo(line: Line, id: string): line is Response {
  return line.type === 'control_response' && (line as Response).response.request_id === id;
}

export function contentOf(line: Line | undefined): readonly Block[] {
  const content = line?.message?.content;
  return Array.isArray(content) ? content : [];
}

/** The kind of a line, for comparing the order of lines. */
export function kindOf(line: Line): string {
  if (line.type === 'system') return `system/${line.subtype}`;
  if (line.event !== undefined) return line.event.type;
  if (line.type === 'command_lifecycle') return `lifecycle ${line.state}`;
  if (line.type === 'user') return line.isReplay === true ? 'echo' : (contentOf(line)[0]?.type ?? 'user');
  if (line.type === 'assistant') return `assistant ${contentOf(line)[0]?.type}`;
  return line.type;
}

export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

function isLine(value: unknown): value is Line {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
