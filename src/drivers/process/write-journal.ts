import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { EarlierWrites } from '../../runner/ports/process-host.ts';
import { type RunDirectory, sizeOf } from './run-directory.ts';

const mostBytes = 4 * 1024 * 1024;
const readEveryMs = 1_000;

/** How far the agent's output was read. */
export interface Place {
  readonly out: number;
  readonly err: number;
}

export interface LargeWrite {
  readonly id: string | undefined;
  readonly name: string;
}

/**
 * What was written to an agent, each with its id, the time, and how far the agent's output was read by then. It is written after
 * the agent's input took it, so that what stands here has arrived; it survives the server, not a power cut, as the agent does.
 *
 *     == in TIME BYTES OUTPUT-OFFSET STDERR-OFFSET ID
 *
 * Now and then `== at` stands there instead, with nothing written: so much was read by then. A write that must not be repeated is
 * announced by `== to`: an announcement without its `== in` was made by a server that died in the middle of it. So is a large one,
 * with the name of its file.
 */
export class WriteJournal {
  readonly #path: string;
  #file: number | undefined;
  #bytes = 0;
  #lastRead = 0;

  constructor(run: RunDirectory) {
    this.#path = toldPath(run);
  }

  /** What earlier servers wrote. The note that was being made when one died is cut off: nothing would be found behind it. */
  recover(): EarlierWrites & { readonly large: readonly LargeWrite[] } {
    const { told, end } = readTold(this.#path);
    if (end < sizeOf(this.#path)) truncateSync(this.#path, end);
    this.#bytes = end;
    const records = [...readTold(`${this.#path}.older`).told, ...told];
    const idsOf = (kind: Told['kind']) =>
      new Set(records.flatMap((record) => (record.kind === kind ? (record.id ?? []) : [])));
    const written = idsOf('in');
    const large = records.flatMap(({ kind, id, data }) =>
      kind === 'to' && data.length > 0 ? [{ id, name: data.toString() }] : [],
    );
    return { written, doubtful: new Set([...idsOf('to')].filter((id) => !written.has(id))), large };
  }

  /** False when it could not be noted. */
  aboutToWrite(place: Place, { id, name = '' }: Partial<LargeWrite>): boolean {
    return this.#add('to', Buffer.from(name), place, id);
  }

  wrote(data: Buffer, place: Place, id: string | undefined): void {
    this.#add('in', data, place, id);
  }

  read(place: Place): void {
    const now = Date.now();
    if (now - this.#lastRead < readEveryMs) return;
    this.#lastRead = now;
    this.#add('at', Buffer.alloc(0), place, undefined);
  }

  #add(kind: Told['kind'], data: Buffer, { out, err }: Place, id: string | undefined): boolean {
    const name = id === undefined ? '-' : encodeURIComponent(id);
    const header = `== ${kind} ${new Date().toISOString()} ${data.length} ${out} ${err} ${name}\n`;
    try {
      if (this.#bytes > mostBytes) this.#rotate();
      this.#file ??= openSync(this.#path, 'a', 0o600);
      const record = Buffer.concat([Buffer.from(header), data, lineEnd]);
      const isWhole = writeSync(this.#file, record) === record.length;
      // A piece of a record would hide all that are noted after it.
      if (isWhole) this.#bytes += record.length;
      else ftruncateSync(this.#file, this.#bytes);
      return isWhole;
    } catch {
      // A full disk: the agent has it all the same, and is told once more by the next server at worst.
      return false;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #rotate(): void {
    this.close();
    renameSync(this.#path, `${this.#path}.older`);
    this.#bytes = 0;
  }
}

const lineEnd = Buffer.from('\n');

export const toldPath = ({ path }: Pick<RunDirectory, 'path'>): string => join(path, 'told');

export interface Told {
  readonly kind: 'in' | 'at' | 'to';
  readonly at: string;
  readonly out: number;
  readonly err: number;
  readonly id: string | undefined;
  readonly data: Buffer;
}

/** Up to `end`, behind which stands at most a piece that was cut off by the death of whoever wrote it. */
export function readTold(path: string): { readonly told: readonly Told[]; readonly end: number } {
  const bytes = bytesIn(path);
  const told: Told[] = [];
  let end = 0;
  for (;;) {
    const headerEnd = bytes.indexOf(0x0a, end);
    const header = /^== (in|at|to) (\S+) (\d+) (\d+) (\d+) (\S+)$/.exec(
      bytes.toString('utf8', end, headerEnd),
    );
    const dataEnd = headerEnd + 1 + Number(header?.[3]);
    if (headerEnd < 0 || header === null || dataEnd >= bytes.length) return { told, end };
    told.push({
      kind: header[1] as Told['kind'],
      at: header[2] ?? '',
      out: Number(header[4]),
      err: Number(header[5]),
      id: header[6] === '-' ? undefined : decodeURIComponent(header[6] ?? ''),
      data: bytes.subarray(headerEnd + 1, dataEnd),
    });
    end = dataEnd + 1;
  }
}

function bytesIn(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
