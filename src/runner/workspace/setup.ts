import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionId } from '../../protocol/ids.ts';
import type { SetupRun } from '../../protocol/worktree.ts';
import type { ProcessHost } from '../ports/process-host.ts';
import { digestOf, mostSetupBytes, setupPath } from './project.ts';

export interface SetupOptions {
  /** Where agents run: the setup is kept from what they are kept from, and ends with all it started. */
  readonly processes: Pick<ProcessHost, 'start'>;
  /** What agents are started with. */
  readonly env: Readonly<Record<string, string>>;
  readonly longestMs?: number;
}

export interface SetupOrder {
  readonly worktreeId: string;
  /** The top of the worktree. */
  readonly path: string;
  readonly sessionId: SessionId;
  /** Of the content that a person agreed to. */
  readonly digest: string;
}

const longestMs = 15 * 60_000;
/** The end of what it prints is kept. */
const mostOutput = 64 * 1024;

/** Runs the setups of projects in their worktrees, in each one at a time. */
export class Setups {
  readonly #options: SetupOptions;
  readonly #running = new Map<string, { readonly run: Promise<SetupRun>; readonly abort: AbortController }>();
  #count = 0;

  constructor(options: SetupOptions) {
    this.#options = options;
  }

  /** Only what was agreed to. Asked for again while it runs, as after a lost connection, it is the same run. Never rejects. */
  run(order: SetupOrder): Promise<SetupRun> {
    const { worktreeId } = order;
    const underWay = this.#running.get(worktreeId);
    if (underWay !== undefined) return underWay.run;
    const abort = new AbortController();
    this.#count += 1;
    const id = `${worktreeId}-setup-${this.#count}`;
    const run = runSetup(this.#options, order, { id, signal: abort.signal }).finally(() =>
      this.#running.delete(worktreeId),
    );
    this.#running.set(worktreeId, { run, abort });
    return run;
  }

  /** False where none runs. */
  end(worktreeId: string): boolean {
    this.#running.get(worktreeId)?.abort.abort();
    return this.#running.has(worktreeId);
  }
}

async function runSetup(
  options: SetupOptions,
  order: SetupOrder,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal },
): Promise<SetupRun> {
  const began = performance.now();
  const ended = (outcome: SetupRun['outcome'], code: number | null, output: string): SetupRun => ({
    outcome,
    code,
    output,
    durationMs: Math.round(performance.now() - began),
  });
  const program = await setupFile(order.path);
  if (program === undefined || digestOf(program.content) !== order.digest) return ended('changed', null, '');
  const place = join(order.path, setupPath);
  const child = options.processes.start({
    id,
    sessionId: order.sessionId,
    isCommand: true,
    // What it complains of belongs between the other lines.
    command: '/bin/sh',
    args: ['-c', 'exec "$@" 2>&1', 'setup', ...(program.isExecutable ? [] : ['/bin/sh']), place],
    cwd: order.path,
    env: { ...options.env, BECKON_WORKTREE: order.path },
  });
  const tail = new OutputTail();
  const printed = Promise.withResolvers<void>();
  child.readOutput({ chunk: (chunk) => tail.add(chunk), end: () => printed.resolve() });
  child.closeInput();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void child.end();
  }, options.longestMs ?? longestMs);
  signal.addEventListener('abort', () => void child.end(), { once: true });
  if (signal.aborted) void child.end();
  const exit = await child.exited;
  clearTimeout(timer);
  // What it left running would work on beside the agent.
  await child.end();
  if (exit.kind === 'exited') await printed.promise;
  if (exit.kind === 'spawn-failed')
    return ended(exit.code === 'host-closed' ? 'ended' : 'failed', null, exit.message);
  if (isLate) return ended('late', null, tail.text());
  if (exit.kind === 'host-lost' || exit.code === null) return ended('ended', null, tail.text());
  return ended(exit.code === 0 ? 'done' : 'failed', exit.code, tail.text());
}

/** No link leads to it. */
async function setupFile(
  path: string,
): Promise<{ readonly content: Buffer; readonly isExecutable: boolean } | undefined> {
  const folder = await lstat(join(path, '.beckon')).catch(() => undefined);
  if (folder?.isDirectory() !== true) return undefined;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(path, setupPath), flags).catch(() => undefined);
  try {
    const stat = await file?.stat();
    if (file === undefined || !stat?.isFile() || stat.size > mostSetupBytes) return undefined;
    return { content: await file.readFile(), isExecutable: (stat.mode & 0o100) !== 0 };
  } finally {
    await file?.close();
  }
}

class OutputTail {
  #chunks: Buffer[] = [];
  #size = 0;
  #isCut = false;

  add(chunk: Buffer): void {
    this.#chunks.push(Buffer.from(chunk));
    this.#size += chunk.length;
    if (this.#size < 2 * mostOutput) return;
    const end = Buffer.concat(this.#chunks).subarray(-mostOutput);
    this.#chunks = [end];
    this.#size = end.length;
    this.#isCut = true;
  }

  text(): string {
    const all = Buffer.concat(this.#chunks);
    const text = all.subarray(-mostOutput).toString('utf8');
    return this.#isCut || all.length > mostOutput ? `…\n${text}` : text;
  }
}
