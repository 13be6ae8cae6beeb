import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { namesIn, type RunDirectory } from './run-directory.ts';
import type { LargeWrite } from './write-journal.ts';

/** A FIFO takes so many bytes at once or none of them (PIPE_BUF). */
export const wholeBytes = process.platform === 'linux' ? 4096 : 512;

/** All of it, once it is written; `failed` if the agent does not read; `unknown` if nobody can say. */
export type LargeOutcome = Buffer | 'failed' | 'unknown';

/**
 * What is too large to be written in one piece is laid down as a file, and the shell that holds the agent writes it: a server that
 * is killed in the midst of it leaves no half line. `agent/sent-NAME` says that all of it is written, also to the next server.
 */
export class LargeWrites {
  readonly #run: RunDirectory;
  readonly #waiting = new Map<string, (outcome: LargeOutcome) => void>();

  constructor(run: RunDirectory) {
    this.#run = run;
  }

  /** Of those that earlier servers announced, the ones that are being written or were, and are not on record. */
  takeUp(announced: readonly LargeWrite[]): (LargeWrite & { readonly outcome: Promise<LargeOutcome> })[] {
    const found = announced.flatMap((write) => {
      const outcome = existsSync(this.#path(write.name)) ? this.write(write.name) : undefined;
      return outcome === undefined ? [] : [{ ...write, outcome }];
    });
    // A server died before it could tell anyone, or after it had put all on record.
    const known = new Set(found.map(({ name }) => name));
    for (const name of namesIn(this.#folder)) if (!known.has(name)) this.forget(name);
    return found;
  }

  /** The name of what is to be written; undefined where it cannot be laid down. */
  layDown(data: Buffer): string | undefined {
    const name = randomUUID();
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(this.#path(name), data, { mode: 0o600 });
      return name;
    } catch {
      this.takeBack(name);
      return undefined;
    }
  }

  takeBack(name: string): void {
    remove(this.#path(name));
  }

  /** Has the shell write it, which it does once. Undefined where there is no shell. */
  write(name: string): Promise<LargeOutcome> | undefined {
    if (this.#outcomeOf(name) === undefined && !tellHolder(this.#run, name)) return undefined;
    return new Promise((resolve) => {
      this.#waiting.set(name, resolve);
      this.look();
    });
  }

  look(): void {
    for (const name of this.#waiting.keys()) {
      const outcome = this.#outcomeOf(name) ?? (hasHolder(this.#run) ? undefined : 'unknown');
      if (outcome !== undefined) this.#settle(name, outcome);
    }
  }

  /** It is on record. */
  forget(name: string): void {
    this.takeBack(name);
    remove(this.#endPath(name, 'sent'));
    remove(this.#endPath(name, 'failed'));
  }

  /** Nobody waits any more; what the shell was told to write, it writes all the same. */
  close(): void {
    this.look();
    for (const name of this.#waiting.keys()) this.#settle(name, 'unknown');
  }

  #settle(name: string, outcome: LargeOutcome): void {
    this.#waiting.get(name)?.(outcome);
    this.#waiting.delete(name);
  }

  #outcomeOf(name: string): Buffer | 'failed' | undefined {
    if (existsSync(this.#endPath(name, 'sent'))) return contentOf(this.#path(name));
    return existsSync(this.#endPath(name, 'failed')) ? 'failed' : undefined;
  }

  get #folder(): string {
    return join(this.#run.path, 'large');
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  #endPath(name: string, end: 'sent' | 'failed'): string {
    return join(this.#run.path, 'agent', `${end}-${name}`);
  }
}

/** A line for the shell that holds the agent's input: the name of a large write, or nothing, to let the input go. False where it is gone. */
export function tellHolder(run: RunDirectory, line: string): boolean {
  return withHolder(run, (fd) => writeSync(fd, `${line}\n`));
}

const hasHolder = (run: RunDirectory): boolean => withHolder(run, () => undefined);

function withHolder({ path }: RunDirectory, use: (fd: number) => void): boolean {
  try {
    const fd = openSync(join(path, 'hold'), constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      use(fd);
    } finally {
      closeSync(fd);
    }
    return true;
  } catch {
    return false;
  }
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A disk that is read-only: what is left there is passed over by the next server.
  }
}
