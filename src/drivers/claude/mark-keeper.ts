import type { ReadingMark } from '../../runner/ports/agent-driver.ts';
import { keepMemory, type Memory, type StreamedBlock } from './translate/memory.ts';

/**
 * Knows from where the agent's output must be read again if this server ends now. Fragments at the end do not move the mark: they
 * are not stored, and whoever comes next must hear the sentence from its beginning.
 */
export class MarkKeeper {
  readonly #memory: Memory;
  #base: number;
  #offset: number;
  #streamed: StreamedBlock | undefined;
  #line: { readonly end: number; isFragment: boolean } | undefined;

  constructor(memory: Memory, base: number) {
    this.#memory = memory;
    this.#base = base;
    this.#offset = base;
    this.#streamed = copyOf(memory.streamed);
  }

  /** `endOffset` counts from where this reading began. */
  beginLine(endOffset: number): void {
    this.#passLine();
    this.#line = { end: this.#base + endOffset, isFragment: false };
  }

  isFragment(): void {
    if (this.#line) this.#line.isFragment = true;
  }

  mark(processId: string): ReadingMark {
    this.#passLine();
    return { processId, offset: this.#offset, memory: keepMemory(this.#memory, this.#streamed) };
  }

  /** Another process, from its first byte. */
  restart(): void {
    this.#line = undefined;
    this.#base = 0;
    this.#offset = 0;
    this.#streamed = undefined;
  }

  /** Nothing is left to be read. */
  end(): void {
    this.#line = undefined;
    this.#offset = Number.MAX_SAFE_INTEGER;
  }

  #passLine(): void {
    if (this.#line && !this.#line.isFragment) {
      this.#offset = this.#line.end;
      this.#streamed = copyOf(this.#memory.streamed);
    }
    this.#line = undefined;
  }
}

const copyOf = (block: StreamedBlock | undefined): StreamedBlock | undefined => block && { ...block };
