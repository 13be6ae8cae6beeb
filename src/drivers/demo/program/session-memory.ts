import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from './json.ts';

const KEPT_MESSAGES = 50;
const KEPT_UUIDS = 500;

interface Remembered {
  readonly cwd: string;
  turns: number;
  /** What the person said, oldest first. */
  said: string[];
  /** What the person asked to be remembered. */
  kept: string[];
  /** Messages taken, so that one sent twice runs once. */
  uuids: string[];
  /** Set by a rehearsal of a program that cannot be brought back. */
  crashesOnStart: boolean;
}

/** What one conversation leaves on disk, so that it can be resumed by its id in the same directory. */
export class SessionMemory {
  readonly #file: string;
  readonly #state: Remembered;
  readonly #earlierUuids: ReadonlySet<string>;

  private constructor(file: string, state: Remembered) {
    this.#file = file;
    this.#state = state;
    this.#earlierUuids = new Set(state.uuids);
  }

  static begin(home: string, sessionId: string, cwd: string): SessionMemory {
    const state = { cwd, turns: 0, said: [], kept: [], uuids: [], crashesOnStart: false };
    return new SessionMemory(fileOf(home, sessionId), state);
  }

  /** Nothing when this directory holds no such conversation. */
  static recall(home: string, sessionId: string, cwd: string): SessionMemory | undefined {
    if (!/^[\w-]+$/.test(sessionId)) return undefined;
    const file = fileOf(home, sessionId);
    const state = read(file);
    return state?.cwd === cwd ? new SessionMemory(file, state) : undefined;
  }

  get turns(): number {
    return this.#state.turns;
  }

  get said(): readonly string[] {
    return this.#state.said;
  }

  get kept(): readonly string[] {
    return this.#state.kept;
  }

  get crashesOnStart(): boolean {
    return this.#state.crashesOnStart;
  }

  hear(text: string): void {
    this.#state.said = [...this.#state.said, text].slice(-KEPT_MESSAGES);
  }

  keep(text: string): void {
    this.#state.kept = [...this.#state.kept, text].slice(-KEPT_MESSAGES);
  }

  knows(uuid: string): boolean {
    return this.#state.uuids.includes(uuid);
  }

  knewBefore(uuid: string): boolean {
    return this.#earlierUuids.has(uuid);
  }

  note(uuid: string): void {
    this.#state.uuids = [...this.#state.uuids, uuid].slice(-KEPT_UUIDS);
  }

  countTurn(): void {
    this.#state.turns += 1;
  }

  crashOnEveryStart(): void {
    this.#state.crashesOnStart = true;
  }

  save(): void {
    mkdirSync(join(this.#file, '..'), { recursive: true, mode: 0o700 });
    // Written aside and renamed: a kill in between must not leave half a conversation.
    const aside = `${this.#file}.${process.pid}`;
    writeFileSync(aside, JSON.stringify(this.#state), { mode: 0o600 });
    renameSync(aside, this.#file);
  }
}

function fileOf(home: string, sessionId: string): string {
  return join(home, 'sessions', `${sessionId}.json`);
}

function read(file: string): Remembered | undefined {
  try {
    const state: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isObject(state) || typeof state.cwd !== 'string') return undefined;
    return {
      cwd: state.cwd,
      turns: typeof state.turns === 'number' ? state.turns : 0,
      said: stringsIn(state.said),
      kept: stringsIn(state.kept),
      uuids: stringsIn(state.uuids),
      crashesOnStart: state.crashesOnStart === true,
    };
  } catch {
    return undefined;
  }
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
