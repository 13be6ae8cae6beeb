import type {
  AgentProcess,
  OutputReader,
  ProcessExit,
  ProcessHost,
  ProcessSpec,
} from '../../../src/runner/ports/process-host.ts';

/** A host whose one process prints what the test lets it print, and keeps what is written to it. */
export class ScriptedHost implements ProcessHost {
  readonly outlivesServer = false;
  readonly started: ScriptedProcess[] = [];
  readonly #onStart: (process: ScriptedProcess) => void;

  constructor(onStart: (process: ScriptedProcess) => void = () => {}) {
    this.#onStart = onStart;
  }

  start(spec: ProcessSpec): AgentProcess {
    const started = new ScriptedProcess(spec);
    this.started.push(started);
    this.#onStart(started);
    return started;
  }

  kept = async () => [];
  attach = () => undefined;
  endLeftovers = async () => ({ found: 0, killed: 0, remaining: 0 });

  async close(): Promise<void> {
    for (const process of this.started) await process.end();
  }

  detach = () => this.close();
}

type Line = Record<string, unknown> & { type: string };

export class ScriptedProcess implements AgentProcess {
  readonly id: string;
  readonly spec: ProcessSpec;
  readonly pid = undefined;
  readonly outlivesServer = false;
  readonly isolation = 'none';
  readonly earlierWrites = { written: new Set<string>(), doubtful: new Set<string>() };
  readonly exited: Promise<ProcessExit>;
  /** Lines that were written to it, in order. */
  readonly input: Line[] = [];
  onInput: (line: Line) => void = () => {};
  wasEnded = false;
  #reader: OutputReader | undefined;
  #early: Buffer[] = [];
  #exit: (exit: ProcessExit) => void = () => {};
  #isOver = false;
  #isPaused = false;

  constructor(spec: ProcessSpec) {
    this.id = spec.id;
    this.spec = spec;
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
  }

  /** All in one chunk. */
  print(...lines: object[]): void {
    this.printText(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  printText(text: string): void {
    const chunk = Buffer.from(text);
    if (this.#reader && !this.#isPaused) this.#reader.chunk(chunk, 0);
    else this.#early.push(chunk);
  }

  exit(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#isPaused) this.#reader?.end();
    this.#exit({ kind: 'exited', code, signal: null });
  }

  async write(data: string | Buffer) {
    if (this.#isOver) return { ok: false as const, code: 'EPIPE', message: 'The process has ended' };
    for (const text of data.toString().split('\n')) {
      if (text === '') continue;
      const line: Line = JSON.parse(text);
      this.input.push(line);
      queueMicrotask(() => this.onInput(line));
    }
    return { ok: true as const };
  }

  readOutput(reader: OutputReader): () => void {
    this.#reader = reader;
    queueMicrotask(() => this.resumeOutput());
    return () => {
      this.#reader = undefined;
    };
  }

  stored(): void {}
  closeInput(): void {}

  pauseOutput(): void {
    this.#isPaused = true;
  }

  resumeOutput(): void {
    this.#isPaused = false;
    for (const chunk of this.#early.splice(0)) this.#reader?.chunk(chunk, 0);
    if (this.#isOver) this.#reader?.end();
  }

  stderrTail = () => ['the last line of stderr'];

  async end(): Promise<void> {
    this.wasEnded = true;
    this.exit(0);
  }
}
