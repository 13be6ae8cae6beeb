import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, textsAt } from '../../fields.ts';

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
    return new SessionMemory(fileOf(home, sessionId), { cwd, turns: 0, said: [], kept: [], uuids: [] });
  }

  /** Nothing when this directory holds no such conversation. */
  static recall(home: string, sessionId: string, cwd: string): SessionMemory | undefined {
    if (!/^[\w-]+$/.test(sessionId)) return undefined;
    const file = fileOf(home, sessionId);
    const state = read(file);
    return state?.cwd === cwd ? new SessionMemory(file, state) : undefined;
  }

  get state(): Readonly<Remembered> {
    return this.#state;
  }

  hear(text: string): void {
    this.#state.said = [...this.#state.said, text].slice(-keptMessages);
  }

  keep(text: string): void {
    this.#state.kept = [...this.#state.kept, text].slice(-keptMessages);
  }

  /** False when the message was taken before. */
  takes(uuid: string): boolean {
    if (this.#state.uuids.includes(uuid)) return false;
    this.#state.uuids = [...this.#state.uuids, uuid].slice(-keptUuids);
    return true;
  }

  countTurn(): void {
    this.#state.turns += 1;
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
    return { cwd: state.cwd, turns, said, kept, uuids };
  } catch {
    return undefined;
  }
}
