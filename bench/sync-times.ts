import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './running.ts';
import { type Spread, spreadOf } from './spread.ts';

/** How long the disk itself takes to have a few bytes, measured while nobody else of ours writes. */
export class DiskTimes {
  readonly #file = openSync(join(temporaryDirectory(), 'synced'), 'a', 0o600);
  readonly #times: number[] = [];

  async measure(): Promise<void> {
    for (let turn = 0; turn < 50; turn += 1) {
      const started = performance.now();
      writeSync(this.#file, line);
      fdatasyncSync(this.#file);
      this.#times.push(performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  get spread(): Spread {
    return spreadOf(this.#times);
  }

  close(): void {
    closeSync(this.#file);
  }
}

const line = Buffer.from(`${'x'.repeat(200)}\n`);
