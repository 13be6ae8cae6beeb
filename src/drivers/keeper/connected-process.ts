import type {
  AgentProcess,
  EndOptions,
  OutputReader,
  ProcessExit,
  ProcessSpec,
  WriteOutcome,
} from '../../engine/ports/process-host.ts';
import type { RawDirection } from '../../engine/ports/raw-log.ts';
import { StderrTail } from '../process/stderr-tail.ts';
import type { KeeperLink } from './dial.ts';
import type { FromKeeper, ToKeeper } from './wire.ts';

/** How much output may be under way to a reader that has not taken it. */
const windowBytes = 256 * 1024;
/** How much may be stored without the keeper's knowledge: it only forgets it then, and to tell it of each line costs as much as the line. */
export const untoldBytes = 8 * 1024;

export interface ConnectedProcessOptions {
  readonly id: string;
  readonly sessionId: string;
  /** Undefined for a process that is there already. */
  readonly spec?: ProcessSpec;
  readonly from: number;
  /** Makes numbers and ids that were never used before. */
  nextNumber(): number;
  newWriteId(): string;
  onRaw(direction: RawDirection, chunk: Buffer): void;
  /** Nothing more will be heard of it or asked about it. */
  onOver(): void;
}

/** A process in the keeper's hands. What was asked and not answered is asked again when the connection was lost. */
export class ConnectedProcess implements AgentProcess {
  readonly id: string;
  readonly sessionId: string;
  readonly outlivesServer = true;
  readonly exited: Promise<ProcessExit>;
  readonly #options: ConnectedProcessOptions;
  readonly #settleExit: (exit: ProcessExit) => void;
  readonly #stderr = new StderrTail();
  readonly #asked = new Map<number, Asked>();
  #link: KeeperLink | undefined;
  #keeper: string | undefined;
  #isTaken: boolean;
  #pid: number | undefined;
  #reader: OutputReader | undefined;
  #readerGone = false;
  #isPaused = false;
  #inbox: { readonly bytes: Buffer; readonly at: number }[] = [];
  #received: number;
  #delivered: number;
  #wanted: number;
  #logged = 0;
  #stored = 0;
  #toldStored = 0;
  #outputEnded = false;
  #isEndTold = false;
  #inputClosed = false;
  #hasExited = false;
  #isTreeEnded = false;
  #gone: WriteOutcome | undefined;

  constructor(options: ConnectedProcessOptions) {
    this.#options = options;
    this.id = options.id;
    this.sessionId = options.sessionId;
    this.#isTaken = options.spec === undefined;
    this.#received = options.from;
    this.#delivered = options.from;
    this.#wanted = options.from + windowBytes;
    ({ promise: this.exited, resolve: this.#settleExit } = Promise.withResolvers<ProcessExit>());
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  /** Which keeper has it; undefined until one was asked. */
  get keeper(): string | undefined {
    return this.#keeper;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Settles when the keeper has answered all it was asked. */
  async settled(): Promise<void> {
    await Promise.all([...this.#asked.values()].map(({ answered }) => answered));
  }

  connect(link: KeeperLink, keeper: string): void {
    const { id } = this;
    const { spec, sessionId } = this.#options;
    this.#link = link;
    this.#keeper = keeper;
    this.#wanted = this.#delivered + windowBytes;
    const to = this.#wanted;
    if (this.#isTaken || !spec) link.send({ t: 'attach', id, from: this.#received, to });
    else link.send({ t: 'start', id, sessionId, to }, launchOf(spec));
    this.#toldStored = 0;
    if (this.#stored > 0) this.#tellStored();
    for (const { message, body } of this.#asked.values()) link.send(message, body);
    if (this.#inputClosed) link.send({ t: 'close-input', id });
  }

  hear(message: FromKeeper, body: Buffer): void {
    switch (message.t) {
      case 'attached':
        this.#isTaken = true;
        this.#pid = message.pid === 0 ? undefined : message.pid;
        this.#logged = Math.max(this.#logged, message.seen);
        if (this.#stderr.lines().length === 0) this.#stderr.begin(message.stderr);
        return;
      case 'output':
        this.#take(body, message.at);
        return;
      case 'output-end':
        this.#outputEnded = true;
        this.#deliver();
        this.#tellStored();
        this.#look();
        return;
      case 'stderr':
        if (message.lost > 0) this.#stderr.feed(Buffer.from(`\n… (${message.lost} bytes left out)\n`));
        this.#options.onRaw('err', body);
        this.#stderr.feed(body);
        return;
      case 'stderr-end':
        this.#stderr.end();
        return;
      case 'exited':
        this.#exit(message.exit);
        return;
      case 'wrote':
        this.#answer(message.n, message.outcome);
        return;
      case 'ended':
        this.#isTreeEnded = true;
        this.#answer(message.n, done);
        return;
      case 'unknown-process':
        this.lose({ kind: 'host-lost', message: 'The keeper does not know the process any more' });
        return;
      case 'hello':
      case 'status':
      case 'replaced':
        return;
    }
  }

  /** There is no keeper that has it any more. */
  lose(exit: ProcessExit): void {
    this.#letGo('gone', 'The process is gone');
    this.#isTreeEnded = true;
    this.#outputEnded = true;
    this.#exit(exit);
    this.#deliver();
  }

  /** It goes on without this server: nothing more is heard of it, not even its end. */
  release(): void {
    this.#tellStored();
    this.#link?.send({ t: 'release', id: this.id, seen: this.#logged });
    this.#letGo('detached', 'The server has let go of the process');
  }

  async write(data: string | Buffer, writeId = this.#options.newWriteId()): Promise<WriteOutcome> {
    if (this.#gone) return this.#gone;
    if (this.#inputClosed) return inputClosed;
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    this.#options.onRaw('in', bytes);
    return this.#ask((n) => ({ t: 'write', id: this.id, n, writeId }), bytes);
  }

  stored(offset: number): void {
    if (offset <= this.#stored && offset > 0) return;
    this.#stored = offset;
    if (this.#outputEnded || offset - this.#toldStored >= untoldBytes) this.#tellStored();
    this.#look();
  }

  closeInput(): void {
    if (this.#inputClosed) return;
    this.#inputClosed = true;
    this.#link?.send({ t: 'close-input', id: this.id });
  }

  readOutput(reader: OutputReader): () => void {
    if (this.#reader || this.#readerGone) throw new Error(`The output of ${this.id} has a reader already`);
    this.#reader = reader;
    queueMicrotask(() => this.#deliver());
    return () => {
      this.#reader = undefined;
      this.#readerGone = true;
      this.#deliver();
    };
  }

  pauseOutput(): void {
    this.#isPaused = true;
  }

  resumeOutput(): void {
    this.#isPaused = false;
    this.#deliver();
  }

  stderrTail(): readonly string[] {
    return this.#stderr.lines();
  }

  onStderr(listener: (line: string) => void): () => void {
    return this.#stderr.listen(listener);
  }

  async end({ graceMs }: EndOptions = {}): Promise<void> {
    this.closeInput();
    if (this.#gone || (this.#isTreeEnded && this.#hasExited)) return;
    await this.#ask((n) => ({ t: 'end', id: this.id, n, ...(graceMs !== undefined && { graceMs }) }));
  }

  #ask(make: (n: number) => ToKeeper, body?: Buffer): Promise<WriteOutcome> {
    const n = this.#options.nextNumber();
    const { promise: answered, resolve: answer } = Promise.withResolvers<WriteOutcome>();
    const message = make(n);
    this.#asked.set(n, { message, body, answered, answer });
    this.#link?.send(message, body);
    return answered;
  }

  #answer(n: number, outcome: WriteOutcome): void {
    this.#asked.get(n)?.answer(outcome);
    this.#asked.delete(n);
    this.#look();
  }

  #take(bytes: Buffer, at: number): void {
    const known = Math.max(0, this.#received - at);
    if (known >= bytes.length) return;
    this.#inbox.push({ bytes: bytes.subarray(known), at: at + known });
    this.#received = at + bytes.length;
    this.#deliver();
  }

  #deliver(): void {
    while (this.#readerGone || (this.#reader && !this.#isPaused)) {
      const next = this.#inbox.shift();
      if (!next) break;
      this.#delivered = next.at + next.bytes.length;
      this.#log(next.bytes, next.at);
      this.#reader?.chunk(next.bytes, next.at);
    }
    if (this.#wanted - this.#delivered <= windowBytes / 2) {
      this.#wanted = this.#delivered + windowBytes;
      this.#link?.send({ t: 'want', id: this.id, to: this.#wanted });
    }
    this.#tellEnd();
  }

  /** What an earlier server was sent is in its log already, or was lost with it: better a gap there than a thing twice. */
  #log(bytes: Buffer, at: number): void {
    const known = Math.max(0, this.#logged - at);
    if (known >= bytes.length) return;
    this.#options.onRaw('out', bytes.subarray(known));
    this.#logged = at + bytes.length;
  }

  #tellEnd(): void {
    if (!this.#outputEnded || this.#isEndTold || this.#inbox.length > 0 || !this.#reader) return;
    this.#isEndTold = true;
    this.#reader.end();
  }

  #tellStored(): void {
    if (this.#stored === this.#toldStored) return;
    this.#toldStored = this.#stored;
    this.#link?.send({ t: 'stored', id: this.id, offset: this.#stored });
  }

  #exit(exit: ProcessExit): void {
    this.#hasExited = true;
    this.#settleExit(exit);
    this.#look();
  }

  /** What the keeper was asked to write it may have written. */
  #letGo(code: string, message: string): void {
    this.#gone ??= { ok: false, code, message };
    this.#link = undefined;
    for (const { answer } of this.#asked.values()) answer({ ok: false, code, message, uncertain: true });
    this.#asked.clear();
  }

  #look(): void {
    const isOver =
      this.#hasExited &&
      this.#isTreeEnded &&
      this.#outputEnded &&
      this.#asked.size === 0 &&
      this.#stored >= this.#received;
    if (isOver) this.#options.onOver();
  }
}

interface Asked {
  readonly message: ToKeeper;
  readonly body: Buffer | undefined;
  readonly answered: Promise<WriteOutcome>;
  answer(outcome: WriteOutcome): void;
}

const done: WriteOutcome = { ok: true };
const inputClosed: WriteOutcome = { ok: false, code: 'input-closed', message: 'The input is closed' };

function launchOf({ command, args, cwd, env }: ProcessSpec): Buffer {
  return Buffer.from(JSON.stringify({ command, args, cwd, env }));
}
