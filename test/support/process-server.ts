import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { KeptProcess, ProcessExit, ProcessSpec } from '../../src/runner/ports/process-host.ts';
import { patienceMs } from './patience.ts';

export type ServerOrder =
  | { do: 'start'; spec: ProcessSpec }
  | { do: 'attach'; id: string; from: number }
  | { do: 'kept' }
  | { do: 'write'; id: string; text: string; writeId: string }
  | { do: 'stored'; id: string; offset: number };

export type ServerEvent =
  | { what: 'up' }
  | { what: 'output'; id: string; at: number; bytes: string }
  | { what: 'output-end'; id: string }
  | { what: 'exited'; id: string; exit: ProcessExit }
  | { what: 'wrote'; id: string; writeId: string; ok: boolean }
  | { what: 'kept'; processes: readonly KeptProcess[] }
  | { what: 'none'; id: string };

/** A server in a process of its own, to be killed. */
export class ProcessServer {
  readonly child: ChildProcess;
  readonly events: ServerEvent[] = [];
  readonly #heard = new Set<() => void>();

  constructor(dataDir: string) {
    const program = join(import.meta.dirname, 'process-server-program.ts');
    this.child = spawn(process.execPath, [program, dataDir], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdin?.on('error', () => {});
    // What a killed server did not say to the end was not said.
    let rest = '';
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      this.events.push(...lines.map((line) => JSON.parse(line) as ServerEvent));
      for (const look of this.#heard) look();
    });
  }

  do(order: ServerOrder): void {
    this.child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  /** What `find` makes of the events, once it makes something of them. */
  async hears<T>(what: string, find: (events: readonly ServerEvent[]) => T | undefined): Promise<T> {
    // On a busy machine a program takes longer to start than to do anything.
    await this.#until('that it is up', (events) => events[0]);
    return this.#until(what, find);
  }

  async #until<T>(what: string, find: (events: readonly ServerEvent[]) => T | undefined): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const look = () => {
      const found = find(this.events);
      if (found !== undefined) resolve(found);
    };
    const late = setTimeout(() => reject(new Error(`Never heard: ${what}`)), patienceMs);
    this.#heard.add(look);
    look();
    try {
      return await promise;
    } finally {
      this.#heard.delete(look);
      clearTimeout(late);
    }
  }

  async kept(): Promise<readonly KeptProcess[]> {
    const before = this.events.filter(({ what }) => what === 'kept').length;
    this.do({ do: 'kept' });
    return this.hears('what is kept', (events) => {
      const told = events.filter((event) => event.what === 'kept');
      return told.length > before ? told.at(-1)?.processes : undefined;
    });
  }

  /** What it was given of this process's output, in one piece; throws where two chunks do not meet. */
  output(id: string): { from: number; end: number; bytes: Buffer } {
    const chunks = this.events.filter((event) => event.what === 'output').filter((event) => event.id === id);
    const from = chunks[0]?.at ?? 0;
    let end = from;
    const parts = chunks.map(({ at, bytes }) => {
      const part = Buffer.from(bytes, 'base64');
      if (at !== end) throw new Error(`A chunk begins at ${at}, the one before ended at ${end}`);
      end += part.length;
      return part;
    });
    return { from, end, bytes: Buffer.concat(parts) };
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await exited;
  }
}
