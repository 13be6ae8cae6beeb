import { Listeners } from '../../model/listeners.ts';
import type { ChangedFile, Patch } from '../../protocol/changes.ts';
import type { PatchQuery } from '../../protocol/command.ts';
import type { FilePatch } from './diff-rows.logic.ts';
import { type PatchLines, readPatch } from './patch-lines.logic.ts';

/** A file whose patch is to be shown; whole, with every line of it. */
export interface Wanted {
  readonly file: ChangedFile;
  readonly isWhole: boolean;
}

interface Held {
  /** What it is the patch of. */
  readonly of: string;
  readonly patch: FilePatch;
}

/** So many are asked for at a time: the server runs one git after the other. */
const atOnce = 3;
/** Lines around each change that bring every line of a file. */
const allLines = 1_000_000;
const loading: FilePatch = { is: 'loading' };

/** The patches of the files in view. One that was shown stays until the next is there. */
export class PatchStore {
  readonly #ask: (query: PatchQuery) => Promise<Patch>;
  readonly #listeners = new Listeners();
  readonly #held = new Map<string, Held>();
  readonly #underWay = new Set<string>();
  #points = { before: '', after: '' };
  #wanted: readonly Wanted[] = [];
  #version = 0;

  constructor(ask: (query: PatchQuery) => Promise<Patch>) {
    this.#ask = ask;
  }

  get version(): number {
    return this.#version;
  }

  readonly subscribe = this.#listeners.add;

  of(path: string): FilePatch {
    return this.#held.get(path)?.patch ?? loading;
  }

  /** What is compared from here on. With another beginning all that is known is out of date. */
  compare(before: string, after: string, paths: ReadonlySet<string>): void {
    if (before !== this.#points.before) this.#held.clear();
    for (const path of this.#held.keys()) if (!paths.has(path)) this.#held.delete(path);
    this.#points = { before, after };
  }

  /** Asks for what is in view and not known yet; what has left the view is no longer asked for. */
  show(wanted: readonly Wanted[]): void {
    this.#wanted = wanted;
    this.#askOn();
  }

  retry(path: string): void {
    this.#held.delete(path);
    this.#tell();
    this.#askOn();
  }

  #askOn(): void {
    for (const wanted of this.#wanted) {
      if (this.#underWay.size >= atOnce) return;
      const { path } = wanted.file;
      if (this.#underWay.has(path) || this.#held.get(path)?.of === this.#nameOf(wanted)) continue;
      this.#underWay.add(path);
      void this.#fetch(wanted).finally(() => {
        this.#underWay.delete(path);
        this.#askOn();
      });
    }
  }

  async #fetch(wanted: Wanted): Promise<void> {
    const { file, isWhole } = wanted;
    const { before, after } = this.#points;
    const of = this.#nameOf(wanted);
    const patch = await this.#ask({
      before,
      after,
      path: file.path,
      ...(isWhole ? { context: allLines } : {}),
    }).then(
      (given): FilePatch => ({
        is: 'there',
        patch: readPatch(given.text, isWhole, this.#linesOf(file.path)),
        isCut: given.isCut,
        isBinary: given.isBinary,
      }),
      (error: unknown): FilePatch => ({ is: 'failed', error }),
    );
    if (before !== this.#points.before) return;
    this.#held.set(file.path, { of, patch });
    this.#tell();
  }

  #linesOf(path: string): PatchLines | undefined {
    const patch = this.of(path);
    return patch.is === 'there' ? patch.patch : undefined;
  }

  #nameOf({ file: { path, movedFrom = '', kind, content }, isWhole }: Wanted): string {
    return [this.#points.before, path, movedFrom, kind, content, isWhole].join('\n');
  }

  #tell(): void {
    this.#version += 1;
    this.#listeners.tell();
  }
}
