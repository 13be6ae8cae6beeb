import type { AgentProcess, ProcessExit } from '../../../engine/ports/process-host.ts';
import type { AgentStatus, FromKeeper } from '../wire.ts';
import type { Link, OutputSource } from './link.ts';
import { OutputSpool, type SpoolLimits, type SpoolMemory } from './output-spool.ts';

export interface KeptAgentOptions {
  readonly process: AgentProcess;
  readonly sessionId: string;
  readonly spoolPath: string;
  readonly limits: SpoolLimits;
  readonly memory: SpoolMemory;
  /** It has ended, a server was told, and all it printed is stored. */
  onOver(agent: KeptAgent): void;
}

/** A process, what it printed that no server has stored, and how it ended. */
export class KeptAgent implements OutputSource {
  readonly id: string;
  readonly sessionId: string;
  readonly startedAt = Date.now();
  readonly process: AgentProcess;
  /** Settles when it has ended and a server was told all of it. */
  readonly told: Promise<void>;
  readonly #options: KeptAgentOptions;
  readonly #spool: OutputSpool;
  readonly #toldAll: () => void;
  #link: Link | undefined;
  #sent = 0;
  #wanted = 0;
  #seen = 0;
  #stored = 0;
  #outputEnded = false;
  #isEndTold = false;
  #exit: ProcessExit | undefined;
  #stderrLost = 0;
  #isHeldBack = false;

  constructor(options: KeptAgentOptions) {
    const { process, sessionId, spoolPath, limits, memory } = options;
    this.#options = options;
    this.id = process.id;
    this.sessionId = sessionId;
    this.process = process;
    this.#spool = new OutputSpool(spoolPath, limits, memory, () => this.#regulate());
    ({ promise: this.told, resolve: this.#toldAll } = Promise.withResolvers<void>());
    process.readOutput({
      chunk: (chunk) => {
        this.#spool.append(chunk);
        if (this.#stored > this.#spool.start) this.stored(this.#stored);
        this.#link?.offer(this);
        this.#regulate();
      },
      end: () => {
        this.#outputEnded = true;
        this.#link?.offer(this);
      },
    });
    void process.exited.then(async (exit) => {
      this.#exit = exit;
      this.#tell({ t: 'exited', id: this.id, exit });
      this.#look();
      await process.end();
      this.#tell({ t: 'stderr-end', id: this.id });
    });
  }

  attach(link: Link, from: number, to: number): void {
    this.#link = link;
    // What was dropped cannot be had again: the offset of the first piece shows the gap.
    this.#sent = Math.max(from, this.#spool.start);
    this.#wanted = this.#sent + to - from;
    this.#isEndTold = false;
    this.#stderrLost = 0;
    const { id, process } = this;
    this.#tell({ t: 'attached', id, pid: process.pid ?? 0, seen: this.#seen, stderr: process.stderrTail() });
    if (this.#exit) this.#tell({ t: 'exited', id, exit: this.#exit });
    link.offer(this);
    this.#regulate();
  }

  /** The server has gone; what it did not store is kept for the next. */
  detach(): void {
    this.#link?.withdraw(this);
    this.#link = undefined;
    this.#isEndTold = false;
    this.#regulate();
  }

  release(seen: number): void {
    this.detach();
    this.#seen = seen;
  }

  want(to: number): void {
    this.#wanted = Math.max(this.#wanted, to);
    if (this.hasOutput) this.#link?.offer(this);
  }

  stored(offset: number): void {
    // May lie ahead of what was printed so far.
    this.#stored = Math.max(this.#stored, offset);
    this.#spool.forgetBefore(this.#stored);
    // What is not wanted need not be passed on.
    this.#sent = Math.max(this.#sent, this.#spool.start);
    if (this.hasOutput) this.#link?.offer(this);
    this.#regulate();
    this.#look();
  }

  stderr(chunk: Buffer): void {
    if (!this.#link || this.#link.isCrowded) {
      this.#stderrLost += chunk.length;
      return;
    }
    this.#tell({ t: 'stderr', id: this.id, lost: this.#stderrLost }, chunk);
    this.#stderrLost = 0;
  }

  get isOver(): boolean {
    return this.#isEndTold && this.#exit !== undefined && this.#spool.start === this.#spool.end;
  }

  get isRunning(): boolean {
    return this.#exit === undefined;
  }

  get hasOutput(): boolean {
    if (!this.#link) return false;
    return this.#sent < this.#spool.end ? this.#sent < this.#wanted : this.#outputEnded && !this.#isEndTold;
  }

  nextOutput(): { message: FromKeeper; body?: Buffer } | undefined {
    if (!this.hasOutput) return undefined;
    const { id } = this;
    const at = this.#sent;
    if (at === this.#spool.end) {
      this.#isEndTold = true;
      queueMicrotask(() => this.#look());
      return { message: { t: 'output-end', id } };
    }
    const body = this.#spool.read(at, this.#wanted - at);
    this.#sent += body.length;
    this.#seen = Math.max(this.#seen, this.#sent);
    this.#regulate();
    return { message: { t: 'output', id, at }, body };
  }

  status(): AgentStatus {
    return {
      id: this.id,
      sessionId: this.sessionId,
      pid: this.process.pid ?? 0,
      running: this.isRunning,
      startedAt: this.startedAt,
      outputEnd: this.#spool.end,
      stored: this.#spool.start,
      spooled: this.#spool.spooled,
    };
  }

  /** Nobody wants to know any more. */
  forget(): void {
    this.detach();
    this.#spool.close();
  }

  #tell(message: FromKeeper, body?: Buffer): void {
    this.#link?.tell(message, body);
  }

  #look(): void {
    if (this.#isEndTold && this.#exit) this.#toldAll();
    if (this.isOver) this.#options.onOver(this);
  }

  /**
   * Holds the process back when the spool is full of what no server has taken. What a server has taken and not yet stored is dropped
   * instead, oldest first: a server that stores at the end of a very long line would wait for the rest of it for ever.
   */
  #regulate(): void {
    const { spoolBytes } = this.#options.limits;
    const { end } = this.#spool;
    if (this.#link) this.#spool.forgetBefore(Math.min(this.#sent, end - spoolBytes));
    const awaited = end - (this.#link ? Math.max(this.#sent, this.#spool.start) : this.#spool.start);
    const isFull = awaited >= spoolBytes || this.#spool.isCrowded;
    if (isFull === this.#isHeldBack) return;
    this.#isHeldBack = isFull;
    if (isFull) this.process.pauseOutput();
    // Not at once: it may print into the midst of a piece that is being passed on, and overtake it.
    else queueMicrotask(() => this.#isHeldBack || this.process.resumeOutput());
  }
}
