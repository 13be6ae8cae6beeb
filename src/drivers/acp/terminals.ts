import { z } from 'zod';
import type { SessionId } from '../../protocol/ids.ts';
import type { AgentProcess, KeptProcess, ProcessExit, ProcessHost } from '../../runner/ports/process-host.ts';

const mostTerminals = 50;
const rememberedOutputs = 20;
const mostBytes = 1024 * 1024;
const endGraceMs = 1_000;

/** What must be known of a command that runs already. */
const RunningCommand = z.object({
  command: z.string(),
  args: z.array(z.string()),
  outputByteLimit: z.number().optional(),
});
export type RunningCommand = z.infer<typeof RunningCommand>;

export interface TerminalSpec extends RunningCommand {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export const OpenTerminal = z.object({ id: z.string(), spec: RunningCommand });
export type OpenTerminal = z.infer<typeof OpenTerminal>;

export interface TerminalOutput {
  readonly output: string;
  readonly truncated: boolean;
  readonly exitStatus?: ExitStatus;
}

export interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** The commands that an agent has us run. They end with the agent, not with the server. */
export class Terminals {
  readonly #processes: ProcessHost;
  readonly #owner: { readonly processId: string; readonly sessionId: SessionId };
  /** What outlived an earlier server. */
  readonly #left: readonly KeptProcess[];
  readonly #open = new Map<string, Terminal>();
  /** What released ones had printed: calls that name them end later. */
  readonly #outputs = new Map<string, string>();
  #isClosed = false;

  constructor(
    processes: ProcessHost,
    owner: { processId: string; sessionId: SessionId },
    left: readonly KeptProcess[] = [],
  ) {
    this.#processes = processes;
    this.#owner = owner;
    this.#left = left;
  }

  /** Of several with the same id one is started, also where another server did so. */
  create(id: string, spec: TerminalSpec): void {
    if (this.#open.has(id)) return;
    if (this.#isClosed) throw new Error('The agent is being ended');
    if (this.#open.size >= mostTerminals)
      throw new Error(`There are ${mostTerminals} terminals open already`);
    const process = this.#processes.start({
      id: this.#processIdOf(id),
      sessionId: this.#owner.sessionId,
      ...commandOf(spec),
      cwd: spec.cwd,
      env: spec.env,
      isCommand: true,
    });
    this.#open.set(id, new Terminal(spec, process));
  }

  /** Goes on with one that an earlier server started. False when it was released since. */
  takeUp({ id, spec }: OpenTerminal): boolean {
    if (this.#open.has(id)) return true;
    const left = this.#left.find((process) => process.id === this.#processIdOf(id));
    const from = Math.max(0, (left?.outputEnd ?? 0) - mostBytes);
    const process = left && this.#processes.attach(left.id, from);
    if (process) this.#open.set(id, new Terminal(spec, process, from > 0));
    return process !== undefined;
  }

  /** Ends what an earlier server started and nobody asks for any more: it died before it could forget what was released. */
  endUnclaimed(isClaimed: (id: string) => boolean): void {
    const prefix = this.#processIdOf('');
    for (const { id, outputEnd } of this.#left) {
      const name = id.slice(prefix.length);
      if (!id.startsWith(prefix) || this.#open.has(name) || isClaimed(name)) continue;
      const process = this.#processes.attach(id, outputEnd);
      void process?.end({ graceMs: endGraceMs }).then(() => process.stored(Number.MAX_SAFE_INTEGER));
    }
  }

  kept(): OpenTerminal[] {
    return [...this.#open].map(([id, { spec }]) => {
      const { command, args, outputByteLimit } = spec;
      return { id, spec: { command, args, outputByteLimit } };
    });
  }

  output(id: string): TerminalOutput {
    return this.#find(id).output();
  }

  exit(id: string): Promise<ExitStatus> {
    return this.#find(id).exited;
  }

  async kill(id: string): Promise<void> {
    await this.#find(id).end();
  }

  async release(id: string): Promise<Terminal> {
    const terminal = this.#find(id);
    await terminal.end();
    terminal.forget();
    this.#open.delete(id);
    this.#outputs.set(id, terminal.output().output);
    for (const oldest of this.#outputs.keys()) {
      if (this.#outputs.size <= rememberedOutputs) break;
      this.#outputs.delete(oldest);
    }
    return terminal;
  }

  /** What a terminal has printed, also when it is released. */
  printed(id: string): string | undefined {
    return this.#open.get(id)?.output().output ?? this.#outputs.get(id);
  }

  /** Ends what still runs, and gives out what was not released. */
  async close(): Promise<ReadonlyMap<string, Terminal>> {
    this.#isClosed = true;
    const left = new Map(this.#open);
    await Promise.all([...left.values()].map((terminal) => terminal.end()));
    for (const terminal of left.values()) terminal.forget();
    this.#open.clear();
    return left;
  }

  #processIdOf(id: string): string {
    return `${this.#owner.processId}-${id}`;
  }

  #find(id: string): Terminal {
    const terminal = this.#open.get(id);
    if (!terminal) throw new Error(`There is no terminal ${id}`);
    return terminal;
  }
}

export class Terminal {
  readonly spec: RunningCommand;
  /** Settles when it has ended and all it printed was read. */
  readonly exited: Promise<ExitStatus>;
  readonly #process: AgentProcess;
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut: boolean;
  #exit: ExitStatus | undefined;

  constructor(spec: RunningCommand, process: AgentProcess, isCut = false) {
    this.spec = spec;
    this.#process = process;
    this.#isCut = isCut;
    this.#limit = Math.min(Math.max(0, spec.outputByteLimit ?? mostBytes), mostBytes);
    const { promise: allRead, resolve } = Promise.withResolvers<void>();
    process.readOutput({
      chunk: (chunk, offset) => {
        this.#keep(chunk);
        process.stored(Math.max(0, offset + chunk.length - mostBytes));
      },
      end: resolve,
    });
    process.closeInput();
    this.exited = process.exited.then(async (exit) => {
      await allRead;
      this.#exit = statusOf(exit);
      return this.#exit;
    });
  }

  output(): TerminalOutput {
    const all = Buffer.concat(this.#chunks, this.#bytes);
    const shown = all.subarray(Math.max(0, all.length - this.#limit));
    // A cut through the middle of a character leaves a piece that means nothing.
    const output = shown.toString('utf8').replace(this.#isCut ? /^\uFFFD+/ : /^$/, '');
    return { output, truncated: this.#isCut, ...(this.#exit && { exitStatus: this.#exit }) };
  }

  async end(): Promise<void> {
    await this.#process.end({ graceMs: endGraceMs });
    await this.exited;
  }

  /** Nobody will ask for its output again. */
  forget(): void {
    this.#process.stored(Number.MAX_SAFE_INTEGER);
  }

  /** The end of the output is worth more than its beginning; a command that floods must not fill the memory. */
  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limit) this.#isCut = true;
    while (this.#bytes - (this.#chunks[0]?.length ?? 0) >= this.#limit && this.#chunks.length > 1) {
      this.#bytes -= this.#chunks.shift()?.length ?? 0;
    }
  }
}

/** With both outputs in one, in order. A command without arguments is a line for the shell, as agents give it. */
function commandOf({ command, args }: TerminalSpec): { command: string; args: readonly string[] } {
  const script = args.length === 0 ? command : 'exec "$0" "$@"';
  return {
    command: '/bin/sh',
    args: ['-c', `exec 2>&1\n${script}`, ...(args.length === 0 ? [] : [command, ...args])],
  };
}

function statusOf(exit: ProcessExit): ExitStatus {
  return exit.kind === 'exited'
    ? { exitCode: exit.code, signal: exit.signal }
    : { exitCode: 127, signal: null };
}
