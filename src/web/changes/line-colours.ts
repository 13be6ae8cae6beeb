import { Listeners } from '../../model/listeners.ts';
import { coloured, sidesOf } from '../diff/patch.logic.ts';
import { highlight, known } from '../markdown/highlight/highlighter.ts';
import { languageOfFile } from '../markdown/highlight/language.logic.ts';
import type { Line } from '../markdown/highlight/pieces.ts';
import type { PatchLines } from './patch-lines.logic.ts';

/** So many lines are coloured at once, when the first of them comes into view. */
const atOnce = 200;
/** Longer lines are shown as they are. */
const longestLine = 2_000;

type Pieces = readonly (Line | undefined)[];

/** The colours of lines in view. */
export class LineColours {
  readonly #known = new WeakMap<PatchLines, Map<number, Pieces | null>>();
  readonly #listeners = new Listeners();
  #version = 0;

  get version(): number {
    return this.#version;
  }

  readonly subscribe = this.#listeners.add;

  /** The pieces of a line; undefined until they are known, and where they cannot be. */
  of(patch: PatchLines, at: number, path: string): Line | undefined {
    const part = Math.floor(at / atOnce);
    const parts = this.#known.get(patch) ?? new Map<number, Pieces | null>();
    this.#known.set(patch, parts);
    const pieces = parts.get(part);
    if (pieces !== undefined) return pieces?.[at - part * atOnce];
    parts.set(part, null);
    void this.#colour(patch, part, path).then((found) => {
      if (found === null) return;
      parts.set(part, found);
      this.#version += 1;
      this.#listeners.tell();
    });
    return undefined;
  }

  async #colour(patch: PatchLines, part: number, path: string): Promise<Pieces | null> {
    const language = languageOfFile(path);
    const lines = patch.lines.slice(part * atOnce, (part + 1) * atOnce);
    if (language === undefined || lines.some(({ text }) => text.length > longestLine)) return null;
    const hunk = lines.map((line) => ({ ...line, marks: [] }));
    const { before, after } = sidesOf([hunk]);
    const ask = (code: string) => known(code, language) ?? highlight(code, language, false);
    const [old, fresh] = await Promise.all([ask(before), ask(after)]);
    if (old === null || fresh === null) return null;
    return (coloured([hunk], old, fresh)[0] ?? []).map(({ pieces }) => pieces);
  }
}
