import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject, listAt, numberAt, textAt, textsAt } from '../../fields.ts';

const keptMessages = 50;
const keptUuids = 500;

interface Remembered {
  readonly cwd: string;
  turns: number;
  /** What the person said, oldest first. */
  said: readonly string[];
  /** What the person asked to be remembered. */
  kept: readonly string[];
  /** Messages taken, so that one sent twice runs once. */
  uuids: readonly string[];
  /** Where turns ended: the last line of each, and how much was said and kept by then. */
  ends: readonly TurnEnd[];
}

interface TurnEnd {
  readonly at: string;
  readonly turns: number;
  readonly said: number;
  readonly kept: number;
}

/** What one conversation leaves on disk, so that it can be resumed by its id in the same directory. */
export class SessionMemory {
  readonly #file: string;
  readonly #state: Remembered;

  private constructor(file: string, state: Remembered) {
    this.#file = file;
    this.#state = state;
  }

  static begin(home: string, sessionId: string, cwd: string): SessionMemory {
    return new SessionMemory(fileOf(home, sessionId), {
      cwd,
      turns: 0,
      said: [],
      kept: [],
      uuids: [],
      ends: [],
    });
  }

  /** Nothing when this directory holds no such conversation. */
  static recall(home: string, sessionId: string, cwd: string): SessionMemory | undefined {
    if (!/^[\w-]+$/.test(sessionId)) return undefined;
    const file = fileOf(home, sessionId);
    const state = read(file);
    return state?.cwd === cwd ? new SessionMemory(file, state) : undefined;
  }

  /** A copy under another name, up to this line or whole; nothing when the line ends no turn. */
  fork(sessionId: string, at: string | undefined): SessionMemory | undefined {
    const file = join(this.#file, '..', `${sessionId}.json`);
    if (at === undefined) return new SessionMemory(file, { ...this.#state });
    const end = this.#state.ends.find((each) => each.at === at);
    if (end === undefined) return undefined;
    const { cwd, said, kept, uuids, ends } = this.#state;
    return new SessionMemory(file, {
      cwd,
      turns: end.turns,
      said: said.slice(0, end.said),
      kept: kept.slice(0, end.kept),
      uuids,
      ends: ends.slice(0, ends.indexOf(end) + 1),
    });
  }

  get state(): Readonly<Remembered> {
    return this.#state;
  }

  hear(text: string): void {
    this.#state.said = this.#withLast('said', text);
  }

  keep(text: string): void {
    this.#state.kept = this.#withLast('kept', text);
  }

  /** False when the message was taken before. */
  takes(uuid: string): boolean {
    if (this.#state.uuids.includes(uuid)) return false;
    this.#state.uuids = [...this.#state.uuids, uuid].slice(-keptUuids);
    return true;
  }

  /** The turn has ended with this line. */
  countTurn(at: string | undefined): void {
    this.#state.turns += 1;
    if (at === undefined) return;
    const { turns, said, kept, ends } = this.#state;
    this.#state.ends = [...ends, { at, turns, said: said.length, kept: kept.length }].slice(-keptMessages);
  }

  /** What no longer fits is forgotten, and with it the ends of turns before it. */
  #withLast(list: 'said' | 'kept', text: string): readonly string[] {
    const texts = [...this.#state[list], text];
    const forgotten = Math.max(0, texts.length - keptMessages);
    this.#state.ends = this.#state.ends.flatMap((end) => {
      const left = end[list] - forgotten;
      return left < 0 ? [] : [{ ...end, [list]: left }];
    });
    return texts.slice(forgotten);
  }

  save(): void {
    mkdirSync(join(this.#file, '..'), { recursive: true, mode: 0o700 });
    // Written aside and renamed: a kill in between must not leave half a conversation.
    const aside = `${this.#file}.${process.pid}`;
    writeFileSync(aside, JSON.stringify(this.#state), { mode: 0o600 });
    renameSync(aside, this.#file);
  }
}

const fileOf = (home: string, sessionId: string): string => join(home, 'sessions', `${sessionId}.json`);

function read(file: string): Remembered | undefined {
  try {
    const state: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isObject(state) || typeof state.cwd !== 'string') return undefined;
    const turns = typeof state.turns === 'number' ? state.turns : 0;
    const [said, kept, uuids] = [textsAt(state, 'said'), textsAt(state, 'kept'), textsAt(state, 'uuids')];
    return { cwd: state.cwd, turns, said, kept, uuids, ends: endsIn(state) };
  } catch {
    return undefined;
  }
}

function endsIn(state: JsonObject): TurnEnd[] {
  return listAt(state, 'ends').flatMap((end) => {
    const [turns, said, kept] = [numberAt(end, 'turns'), numberAt(end, 'said'), numberAt(end, 'kept')];
    const at = textAt(end, 'at');
    return at === undefined || turns === undefined || said === undefined || kept === undefined
      ? []
      : [{ at, turns, said, kept }];
  });
}
