import { type AgentFact, mostFactsAtOnce, type Report } from '../../runner/ports/agent-driver.ts';
import type { AgentProcess } from '../../runner/ports/process-host.ts';
import { MarkKeeper } from './mark-keeper.ts';
import type { Memory } from './translate/memory.ts';

export interface ReportingOptions {
  readonly memory: Memory;
  /** Where the reading begins. */
  readonly readFrom: number;
  /** How far to read until all is told that was said while nobody listened; undefined where there is no such thing. */
  readonly backlogEnd: number | undefined;
  readonly report: Report;
  /** The one that runs now. */
  readonly process: () => Pick<AgentProcess, 'id' | 'outlivesServer'>;
}

/** Gathers the facts of one reading, and tells them together with the place up to which was read. */
export class Reporting {
  readonly #options: ReportingOptions;
  readonly #marks: MarkKeeper;
  #facts: AgentFact[] = [];
  #backlogEnd: number | undefined;
  #isHeldBack = false;
  #isDetached = false;

  constructor(options: ReportingOptions) {
    this.#options = options;
    this.#marks = new MarkKeeper(options.memory, options.readFrom);
    this.#backlogEnd = options.backlogEnd;
  }

  get isDetached(): boolean {
    return this.#isDetached;
  }

  beginLine(endOffset: number): void {
    if (this.#facts.length >= mostFactsAtOnce) this.flush();
    this.#marks.beginLine(endOffset);
  }

  /** The line that was begun says nothing whole. */
  isFragment(): void {
    this.#marks.isFragment();
  }

  /** To be told with what else is read now. */
  add(...facts: readonly AgentFact[]): void {
    this.#facts.push(...facts);
  }

  tell(facts: readonly AgentFact[]): void {
    this.#facts.push(...facts);
    this.flush();
  }

  flush(): void {
    if (this.#facts.length === 0 || this.#isHeldBack) return;
    const facts = this.#facts;
    this.#facts = [];
    if (this.#isDetached) return;
    const { id, outlivesServer } = this.#options.process();
    const isStored = outlivesServer && facts.some(({ type }) => type !== 'delta');
    this.#options.report(facts, isStored ? this.#marks.mark(id) : undefined);
  }

  /**
   * The reply that makes the agent ready has been read, and is about to be told. What was read with it is told together with that: the
   * mark is behind the reply, and a server that starts there would never hear that the agent is ready.
   */
  holdBack(isHeldBack: boolean): void {
    this.#isHeldBack = isHeldBack;
  }

  haveRead(offset: number): void {
    if (this.#backlogEnd === undefined || offset < this.#backlogEnd) return;
    this.#backlogEnd = undefined;
    this.tell([{ type: 'caught-up' }]);
  }

  /** Another process, from its first byte. */
  restart(): void {
    this.#marks.restart();
  }

  /** The last fact. */
  end(exited: AgentFact): void {
    this.#marks.end();
    this.tell([exited]);
  }

  detach(): void {
    this.#isDetached = true;
  }
}
