import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { AgentProcess, ProcessExit, WriteOutcome } from '../../runner/ports/process-host.ts';
import { type IncomingRequest, readLine } from '../claude/incoming.ts';
import type { DiagnosticKind } from '../diagnostics.ts';
import { LineSplitter, type OverlongLine } from '../lines.ts';
import type { SdkProcess } from './sdk-types.ts';

const askingSubtypes = new Set(['can_use_tool', 'elicitation']);

/** How many rounds of the event loop the SDK has to call back before it reads on. */
const roundsPerRequest = 3;

/**
 * A process of the host, as the SDK wants to see one: the host ends its whole tree, and sees every byte. A line that is no message
 * stops here, for the SDK gives up on all that follows some of them.
 *
 * The SDK calls back for a request while earlier messages still wait to be taken from it, and would go on with later ones. So it gets
 * its lines in steps: after a request it gets the next line only when the callback has had its turn, and the order of the wire is kept.
 */
export class HostedProcess extends EventEmitter<ProcessEvents> implements SdkProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles when the process is gone, all its output was given out, and its exit was told. */
  readonly over: Promise<void>;
  killed = false;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  /** Its output may still be on its way. */
  hasEnded = false;
  readonly #process: AgentProcess;
  readonly #lines: Line[] = [];
  readonly #splitter: LineSplitter;
  readonly #detach: () => void;
  readonly #written = new Set<WrittenWaiter>();
  readonly #asked = new Map<string, IncomingRequest[]>();
  readonly #outputFed = Promise.withResolvers<void>();
  #isHeld = false;
  #isFull = false;
  #isOutputOver = false;
  #isEndFed = false;

  constructor(process: AgentProcess, { onOverlong, onProblem }: HostedProcessOptions) {
    super();
    this.#process = process;
    this.stdin = new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => void this.#write(chunk).then(() => done()),
      final: (done) => {
        process.closeInput();
        done();
      },
    });
    this.stdout = new Readable({ read: () => this.#readOn() });
    this.#splitter = new LineSplitter({
      onLine: (line) => this.#lines.push(...this.#messageIn(line, onProblem)),
      onOverlong,
    });
    this.#detach = process.readOutput({
      chunk: (chunk) => {
        this.#splitter.feed(chunk);
        this.#feed();
      },
      end: () => {
        this.#splitter.end();
        this.#isOutputOver = true;
        this.#feed();
      },
    });
    // Without a listener an error ends the whole server, and the SDK does not listen all the time.
    this.on('error', () => {});
    this.stdin.on('error', () => {});
    this.stdout.on('error', () => {});
    this.over = this.#tellExit();
  }

  kill(): boolean {
    this.killed = true;
    void this.#process.end();
    return true;
  }

  /** Settles when the line with this id is in the pipe, or will never be. */
  written(id: string): Promise<WriteOutcome> {
    return new Promise((settle) => this.#written.add({ text: JSON.stringify(id), settle }));
  }

  /** What is still to be read is of no use to anyone. */
  dropOutput(): void {
    this.#detach();
    this.#splitter.stop();
    this.#lines.length = 0;
    this.#isOutputOver = true;
    this.#feed();
  }

  /** What the SDK calls back for, as it was on the wire: on its way it loses fields. Given out once, the oldest of an id first. */
  takeAsked(requestId: string): IncomingRequest | undefined {
    const requests = this.#asked.get(requestId);
    const request = requests?.shift();
    if (requests?.length === 0) this.#asked.delete(requestId);
    return request;
  }

  /** One that was not understood is passed on where the agent waits for a reply: the SDK refuses it. */
  #messageIn(text: string, onProblem: HostedProcessOptions['onProblem']): readonly Line[] {
    const read = readLine(text);
    switch (read.kind) {
      case 'blank':
        return [];
      case 'problem':
        onProblem(read.problem, text);
        return read.requestId === undefined ? [] : [{ text, callsBack: true }];
      case 'request':
        if (askingSubtypes.has(read.subtype))
          this.#asked.set(read.requestId, [...(this.#asked.get(read.requestId) ?? []), read]);
        return [{ text, callsBack: true }];
      case 'cancel':
        return [{ text, callsBack: true }];
      case 'message':
      case 'response':
        return [{ text, callsBack: false }];
    }
  }

  async #write(chunk: string | Buffer): Promise<void> {
    const found = new Map<string, WrittenWaiter>();
    for (const waiter of this.#written) {
      if (!found.has(waiter.text) && chunk.includes(waiter.text)) found.set(waiter.text, waiter);
    }
    for (const waiter of found.values()) this.#written.delete(waiter);
    const outcome = await this.#process.write(chunk);
    for (const { settle } of found.values()) settle(outcome);
  }

  #readOn(): void {
    this.#isFull = false;
    this.#feed();
  }

  #feed(): void {
    while (!this.#isHeld && !this.#isFull) {
      const line = this.#lines.shift();
      if (line === undefined) break;
      if (line.callsBack) this.#hold();
      this.#isFull = !this.stdout.push(`${line.text}\n`);
    }
    if (!this.#isOutputOver || this.#lines.length > 0 || this.#isHeld || this.#isEndFed) return;
    this.#isEndFed = true;
    this.stdout.push(null);
    this.#outputFed.resolve();
  }

  #hold(rounds = roundsPerRequest): void {
    this.#isHeld = rounds > 0;
    if (this.#isHeld) setImmediate(() => this.#hold(rounds - 1));
    else this.#feed();
  }

  /** The exit is told after the last line: told before, the SDK may leave lines unread. */
  async #tellExit(): Promise<void> {
    const exit = await this.#process.exited;
    this.hasEnded = true;
    for (const { settle } of this.#written) settle(notWritten);
    this.#written.clear();
    await this.#outputFed.promise;
    this.#emitEnd(exit);
  }

  #emitEnd(exit: ProcessExit): void {
    if (exit.kind !== 'exited') {
      this.exitCode = 1;
      this.emit('error', new Error(exit.message));
      return;
    }
    this.exitCode = exit.code;
    this.signalCode = exit.signal as NodeJS.Signals | null;
    this.emit('exit', this.exitCode, this.signalCode);
  }
}

export interface HostedProcessOptions {
  onOverlong(line: OverlongLine): void;
  onProblem(problem: DiagnosticKind, line: string): void;
}

interface Line {
  readonly text: string;
  /** The SDK calls back for it. */
  readonly callsBack: boolean;
}

interface ProcessEvents {
  exit: [code: number | null, signal: NodeJS.Signals | null];
  error: [error: Error];
}

interface WrittenWaiter {
  readonly text: string;
  settle(outcome: WriteOutcome): void;
}

const notWritten: WriteOutcome = { ok: false, code: 'closed', message: 'The agent has ended' };
