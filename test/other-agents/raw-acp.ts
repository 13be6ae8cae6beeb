import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { isRecord, type Json, records } from '../real-agents/model-dialect.ts';

export interface RawAcpOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The kind of option that its asks are answered with. */
  readonly answer: 'allow_once' | 'reject_once';
}

/** An agent that is talked to line by line, without any driver of ours; all that it prints is kept. */
export class RawAcp {
  readonly lines: Json[] = [];
  readonly #options: RawAcpOptions;
  readonly #child: ChildProcess;
  readonly #replies = new Map<number, (reply: Json) => void>();
  #lastId = 0;

  constructor(options: RawAcpOptions) {
    const { command, args, cwd, env } = options;
    this.#options = options;
    this.#child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    if (!this.#child.stdout) throw new Error('The agent has no output');
    createInterface(this.#child.stdout).on('line', (line) => this.#take(JSON.parse(line)));
  }

  request(method: string, params: Json): Promise<Json> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Json>();
    this.#replies.set(id, resolve);
    this.#write({ id, method, params });
    return promise;
  }

  async kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    process.kill(-pid, 'SIGKILL');
    await once(this.#child, 'exit');
  }

  #take(line: Json): void {
    this.lines.push(line);
    if (typeof line.method !== 'string') this.#replies.get(Number(line.id))?.(line);
    else if ('id' in line) this.#answer(line, isRecord(line.params) ? line.params : {});
  }

  #answer({ id, method }: Json, params: Json): void {
    const { answer } = this.#options;
    if (method === 'session/request_permission') {
      const option = records(params.options).find(({ kind }) => kind === answer);
      this.#write({ id, result: { outcome: { outcome: 'selected', optionId: option?.optionId } } });
    } else if (method === 'elicitation/create') this.#write({ id, result: { action: 'decline' } });
    else this.#write({ id, error: { code: -32601, message: `There is no method ${String(method)}` } });
  }

  #write(message: Json): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
