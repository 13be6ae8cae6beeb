import type { RoomCalls } from '../../../client/calls.ts';
import { Listeners } from '../../../model/listeners.ts';
import { type FileNow, linesIn } from './review.logic.ts';

/** So many files are kept in memory. */
const mostKept = 100;

/** The lines of files that comments are about, fetched once for as long as a file holds the same. */
export class FileLines {
  readonly #calls: Pick<RoomCalls, 'fileAt'>;
  readonly #sessionId: string;
  readonly #listeners = new Listeners();
  /** The least recently fetched first; undefined while it is under way, null for a file that is not there. */
  readonly #known = new Map<string, readonly string[] | null | undefined>();
  #version = 0;

  constructor(calls: Pick<RoomCalls, 'fileAt'>, sessionId: string) {
    this.#calls = calls;
    this.#sessionId = sessionId;
  }

  get version(): number {
    return this.#version;
  }

  readonly subscribe = this.#listeners.add;

  /** Undefined where it is not known. */
  of = ({ name }: FileNow): readonly string[] | null | undefined => this.#known.get(name);

  want({ name, at, path }: FileNow): void {
    if (this.#known.has(name)) return;
    this.#known.set(name, undefined);
    for (const oldest of [...this.#known.keys()].slice(0, -mostKept)) this.#known.delete(oldest);
    this.#calls.fileAt(this.#sessionId, { at, path }).then(
      ({ base64 }) => this.#take(name, base64 === null ? null : linesIn(textOf(base64))),
      // What cannot be had is asked for again when something else has changed.
      () => this.#known.delete(name),
    );
  }

  #take(name: string, lines: readonly string[] | null): void {
    this.#known.set(name, lines);
    this.#version += 1;
    this.#listeners.tell();
  }
}

const textOf = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64), (byte) => byte.codePointAt(0) ?? 0));
