import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { AgentProcess, ProcessExit, WriteOutcome } from '../../engine/ports/process-host.ts';
import { LineSplitter, type OverlongLine } from '../lines.ts';
import type { SdkProcess } from './sdk-types.ts';

/** How many rounds of the event loop the SDK has to call back before it reads on. */
const roundsPerRequest = 3;

/**
 * A process of the host, as the SDK wants to see one: the host ends its whole tree, and sees every byte.
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
  readonly #lines: string[] = [];
  readonly #splitter: LineSplitter;
  readonly #detach: () => void;
  readonly #written = new Set<WrittenWaiter>();
  readonly #outputFed = Promise.withResolvers<void>();
  #isHeld = false;
  #isFull = false;
  #isOutputOver = false;
  #isEndFed = false;

  constructor(process: AgentProcess, { onOverlong }: { onOverlong(line: OverlongLine): void }) {
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
    this.#splitter = new LineSplitter({ onLine: (line) => this.#lines.push(line), onOverlong });
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

  async #write(chunk: string | Buffer): Promise<void> {
    const outcome = await this.#process.write(chunk);
    for (const waiter of this.#written) {
      if (!chunk.includes(waiter.text)) continue;
      this.#written.delete(waiter);
      waiter.settle(outcome);
    }
  }

  #readOn(): void {
    this.#isFull = false;
    this.#feed();
  }

  #feed(): void {
    while (!this.#isHeld && !this.#isFull) {
      const line = this.#lines.shift();
      if (line === undefined) break;
      if (isRequest(line)) this.#hold();
      this.#isFull = !this.stdout.push(`${line}\n`);
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

interface ProcessEvents {
  exit: [code: number | null, signal: NodeJS.Signals | null];
  error: [error: Error];
}

interface WrittenWaiter {
  readonly text: string;
  settle(outcome: WriteOutcome): void;
}

const notWritten: WriteOutcome = { ok: false, code: 'closed', message: 'The agent has ended' };

/** Inside a text the quotes are escaped, so what the agent says is not mistaken for a request. */
function isRequest(line: string): boolean {
  return line.includes('"control_request"') || line.includes('"control_cancel_request"');
}
