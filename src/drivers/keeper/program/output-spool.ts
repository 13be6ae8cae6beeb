import { SpoolFile } from './spool-file.ts';

const blockBytes = 16 * 1024;
/** What each process may keep in memory in any case. */
const modestBytes = 32 * 1024;
/** The pipe is stopped when the spool is full; what was read by then must still fit. */
const spareBytes = 1024 * 1024;
/** Blocks that are written together. */
const batchBlocks = 16;

export interface SpoolLimits {
  /** Bytes kept of each process, in memory and in its file. */
  readonly spoolBytes: number;
  /** Bytes of one process in memory, and of all together. */
  readonly memoryBytes: number;
  readonly allMemoryBytes: number;
}

export const spoolLimits: SpoolLimits = {
  spoolBytes: 64 * 1024 * 1024,
  memoryBytes: 512 * 1024,
  allMemoryBytes: 2 * 1024 * 1024,
};

/** What the spools of all processes hold in memory together. */
export interface SpoolMemory {
  bytes: number;
}

interface Block {
  /** The offset of the block's first byte. */
  readonly start: number;
  readonly bytes: Buffer;
  used: number;
}

/**
 * A process's output by offset, from what is not stored yet to what it printed last: the newest in memory, the rest in a file.
 * Small pieces are copied together: a Buffer for each line would cost ten times the line.
 */
export class OutputSpool {
  readonly #limits: SpoolLimits;
  readonly #memory: SpoolMemory;
  readonly #file: SpoolFile;
  readonly #onRoom: () => void;
  #blocks: Block[] = [];
  #stored = 0;
  #end = 0;
  #isWriting = false;

  /** `onRoom`: it may not be crowded any more. */
  constructor(path: string, limits: SpoolLimits, memory: SpoolMemory, onRoom: () => void = () => {}) {
    this.#limits = limits;
    this.#memory = memory;
    this.#onRoom = onRoom;
    this.#file = new SpoolFile(path, limits.spoolBytes + spareBytes);
  }

  /** The first byte that is still here. */
  get start(): number {
    return this.#stored;
  }

  get end(): number {
    return this.#end;
  }

  get spooled(): number {
    return Math.max(0, this.#memoryStart - this.#stored);
  }

  /** Whether too much is in memory: the disk is slow, or full, or takes nothing for another reason. */
  get isCrowded(): boolean {
    return this.#holdsMoreThan(2);
  }

  append(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      const block = this.#openBlock();
      const copied = chunk.copy(block.bytes, block.used, at);
      block.used += copied;
      at += copied;
      this.#end += copied;
    }
    this.#spill();
  }

  /** Some bytes from this offset on, at most a block. What is given out is never changed. */
  read(offset: number, most: number): Buffer {
    const wanted = Math.min(most, blockBytes, this.#end - offset);
    if (offset < this.#memoryStart) {
      return this.#file.read(offset, Math.min(wanted, this.#memoryStart - offset));
    }
    const block = this.#blocks.findLast(({ start }) => start <= offset);
    if (!block) return Buffer.alloc(0);
    const from = offset - block.start;
    return block.bytes.subarray(from, Math.min(block.used, from + wanted));
  }

  /** Nobody will ask for what is before this offset. */
  forgetBefore(offset: number): void {
    this.#stored = Math.max(this.#stored, Math.min(offset, this.#end));
    // A block with room is kept for what comes next, or each short line would take a new one.
    while (this.#blocks.length > 0 && this.#isDone(this.#blocks[0])) this.#dropBlock();
    this.#clearFile();
    this.#spill();
  }

  close(): void {
    while (this.#blocks.length > 0) this.#dropBlock();
    this.#file.remove();
  }

  get #memoryStart(): number {
    return this.#blocks[0]?.start ?? this.#end;
  }

  get #memoryBytes(): number {
    return this.#blocks.length * blockBytes;
  }

  #openBlock(): Block {
    const last = this.#blocks.at(-1);
    if (last && last.used < blockBytes) return last;
    const block = { start: this.#end, bytes: Buffer.allocUnsafeSlow(blockBytes), used: 0 };
    this.#blocks.push(block);
    this.#memory.bytes += blockBytes;
    return block;
  }

  #isDone(block: Block | undefined): boolean {
    return block !== undefined && block.used === blockBytes && block.start + block.used <= this.#stored;
  }

  #dropBlock(): void {
    this.#blocks.shift();
    this.#memory.bytes -= blockBytes;
  }

  #spill(): void {
    if (this.#isWriting || !this.#holdsMoreThan(1)) return;
    const surplus =
      this.#blocks.length - Math.ceil(Math.min(modestBytes, this.#limits.memoryBytes) / blockBytes);
    const batch = this.#blocks.slice(0, Math.min(surplus, batchBlocks));
    const [first] = batch;
    if (!first) return;
    const skipped = Math.max(0, this.#stored - first.start);
    const written = first.start + batch.length * blockBytes;
    const bytes = batch.map((block, index) => block.bytes.subarray(index === 0 ? skipped : 0, block.used));
    this.#isWriting = true;
    void this.#file.write(first.start + skipped, bytes).then((isWritten) => {
      this.#isWriting = false;
      while (isWritten && this.#blocks[0] && this.#blocks[0].start < written) this.#dropBlock();
      this.#clearFile();
      this.#onRoom();
      if (isWritten) this.#spill();
    });
  }

  /** Not while something is being written: that is needed. */
  #clearFile(): void {
    if (!this.#isWriting && this.#stored >= this.#memoryStart) this.#file.clear();
  }

  #holdsMoreThan(times: number): boolean {
    const { memoryBytes, allMemoryBytes } = this.#limits;
    const own = this.#memoryBytes;
    return own > times * memoryBytes || (this.#memory.bytes > times * allMemoryBytes && own > modestBytes);
  }
}
