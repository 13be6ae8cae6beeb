import { close, ftruncate, open, readSync, unlink, writev } from 'node:fs';
import { promisify } from 'node:util';

const openFile = promisify(open);
const unlinkFile = promisify(unlink);
const writeAll = promisify(writev);
const truncate = promisify(ftruncate);
const closeFile = promisify(close);

/**
 * A file of bounded size for a stretch of output that moves on: an offset lies at its remainder by the file's size. It has no name
 * from the moment it is opened, so that nothing of it is left, however its keeper ends. A slow disk holds up nobody: only reading
 * is done at once, and what was written lately is in the system's memory.
 */
export class SpoolFile {
  readonly #path: string;
  readonly #size: number;
  #descriptor: number | undefined;
  #isEmpty = true;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, size: number) {
    this.#path = path;
    this.#size = size;
  }

  /** False when the disk did not take it all; what it took is not counted on. */
  write(offset: number, blocks: readonly Buffer[]): Promise<boolean> {
    this.#isEmpty = false;
    return this.#inTurn(async () => {
      this.#descriptor ??= await openNameless(this.#path);
      let at = offset;
      for (const run of this.#runs(offset, blocks)) {
        await writeRun(this.#descriptor, run, at % this.#size);
        at += bytesIn(run);
      }
    });
  }

  read(offset: number, length: number): Buffer {
    if (this.#descriptor === undefined) throw new Error('The spool file was never written');
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const at = (offset + done) % this.#size;
      const read = readSync(this.#descriptor, bytes, done, Math.min(length - done, this.#size - at), at);
      if (read === 0) throw new Error(`The spool file ends before ${offset + done}`);
      done += read;
    }
    return bytes;
  }

  /** Gives the disk its room back. */
  clear(): void {
    if (this.#isEmpty) return;
    this.#isEmpty = true;
    void this.#inTurn(async () => {
      if (this.#isEmpty && this.#descriptor !== undefined) await truncate(this.#descriptor, 0);
    });
  }

  remove(): void {
    void this.#inTurn(async () => {
      if (this.#descriptor !== undefined) await closeFile(this.#descriptor);
      this.#descriptor = undefined;
    });
  }

  #inTurn(act: () => Promise<void>): Promise<boolean> {
    const done = this.#last.then(act).then(
      () => true,
      () => false,
    );
    this.#last = done;
    return done;
  }

  /** The blocks, cut where the file begins again. */
  #runs(offset: number, blocks: readonly Buffer[]): Buffer[][] {
    const runs: Buffer[][] = [[]];
    let at = offset % this.#size;
    for (const block of blocks) {
      const room = this.#size - at;
      runs.at(-1)?.push(block.subarray(0, room));
      if (block.length >= room) runs.push(block.length > room ? [block.subarray(room)] : []);
      at = (at + block.length) % this.#size;
    }
    return runs.filter((run) => run.length > 0);
  }
}

async function writeRun(descriptor: number, run: readonly Buffer[], position: number): Promise<void> {
  const { bytesWritten: written } = await writeAll(descriptor, run, position);
  const total = bytesIn(run);
  if (written === total) return;
  if (written === 0) throw new Error('The disk takes no more');
  await writeRun(descriptor, [Buffer.concat(run, total).subarray(written)], position + written);
}

const bytesIn = (blocks: readonly Buffer[]): number => blocks.reduce((sum, { length }) => sum + length, 0);

async function openNameless(path: string): Promise<number> {
  const descriptor = await openFile(path, 'w+', 0o600);
  // Windows may refuse; the next keeper removes it.
  await unlinkFile(path).catch(() => {});
  return descriptor;
}
