import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stopAgents } from '../../src/drivers/process/run-admin.ts';
import { eventually } from './eventually.ts';
import { markedProcesses } from './marked-processes.ts';
import { patienceMs } from './patience.ts';
import { signal } from './running.ts';

const root = resolve(import.meta.dirname, '../..');
const program = join(root, 'bin/beckon.cjs');

export interface BeckonOptions {
  /** A fresh one, removed at the end, unless it is given. */
  readonly dataDir?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly command?: Program;
  readonly through?: readonly string[];
}

interface Program {
  readonly node: string;
  readonly program: string;
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ApiReply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  readonly body: any;
}

export interface Beckon {
  readonly url: string;
  /** Empty where none was printed. */
  readonly pairingCode: string;
  readonly token: string;
  readonly pid: number;
  readonly dataDir: string;
  readonly exited: Promise<Exit>;
  api(method: string, path: string, body?: unknown): Promise<ApiReply>;
  /** Runs the terminal client on this server. */
  run(args: readonly string[], options?: RunOptions): Promise<Output>;
  stdout(): string;
  stderr(): string;
  stop(signal?: NodeJS.Signals): Promise<Exit>;
  kill9(): Promise<Exit>;
}

const running = new Set<ChildProcess>();
const directories = new Set<string>();
/** Where agents may be left. */
const dataDirectories = new Set<string>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const dataDir of dataDirectories) {
    for (const { pid } of markedProcesses(dataDir)) signal(pid, 'SIGKILL');
  }
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** Starts the real program and waits until it is ready. `endBeckons` belongs into `afterEach`. */
export async function startBeckon(options: BeckonOptions = {}): Promise<Beckon> {
  const dataDir = options.dataDir ?? (await temporaryDirectory());
  const started = spawnBeckon(
    [
      'serve',
      '--port',
      '0',
      '--data-dir',
      dataDir,
      '--no-open',
      ...withoutClaude(options.args ?? [], dataDir),
    ],
    options,
  );
  const line = await started.firstLine;
  const [, url, pairingCode = ''] =
    /^Beckon is ready: (http:\/\/[^/\s]+)(?:\/#pair=(\S+))?$/.exec(line) ?? [];
  if (url === undefined) {
    throw new Error(`Beckon did not start: ${line}\n${started.stderr()}`);
  }
  const token = (await readFile(join(dataDir, 'token'), 'utf8')).trim();
  return {
    url,
    pairingCode,
    token,
    dataDir,
    pid: started.child.pid ?? 0,
    exited: started.exited,
    stdout: started.stdout,
    stderr: started.stderr,
    async api(method, path, body) {
      const reply = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: reply.status, body: await reply.json() };
    },
    run: (args, runOptions) => runBeckon([...args, '--data-dir', dataDir], runOptions),
    async stop(signal = 'SIGTERM') {
      started.child.kill(signal);
      return started.exited;
    },
    async kill9() {
      started.child.kill('SIGKILL');
      return started.exited;
    },
  };
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** What is run instead of the source on this very Node. */
  readonly command?: Program;
  /** What stands before the command line: a program that runs it elsewhere, in its own process. */
  readonly through?: readonly string[];
}

/** Runs any command line of the program to its end. */
export async function runBeckon(args: readonly string[], options: RunOptions = {}): Promise<Output> {
  const { child, exited, stdout, stderr } = spawnBeckon(args, options);
  child.stdin?.end(options.input ?? '');
  const { code } = await exited;
  return { code, stdout: stdout(), stderr: stderr() };
}

export interface Spawned {
  readonly child: ChildProcess;
  /** The first line on stdout, or what was on stderr when it ended without one. */
  readonly firstLine: Promise<string>;
  readonly exited: Promise<Exit>;
  stdout(): string;
  stderr(): string;
  /** Resolves when the output has this text, after the given place; with the place behind it. */
  seen(text: string, from?: number): Promise<number>;
}

export function spawnBeckon(args: readonly string[], options: RunOptions = {}): Spawned {
  const { command = { node: process.execPath, program }, through = [] } = options;
  const [first = command.node, ...rest] = [...through, command.node];
  const child = spawn(first, [...rest, command.program, ...args], {
    cwd: options.cwd ?? root,
    // Tests look at agents' processes from outside; walls have tests of their own.
    env: { ...personalEnvironment(), ...forTests, ...options.env },
    stdio: 'pipe',
  });
  running.add(child);
  const dataDir = args[args.indexOf('--data-dir') + 1];
  if (args.includes('--data-dir') && dataDir !== undefined) dataDirectories.add(dataDir);
  let stdout = '';
  let stderr = '';
  const firstLine = Promise.withResolvers<string>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const end = stdout.indexOf('\n');
    if (end !== -1) firstLine.resolve(stdout.slice(0, end));
    child.emit('told');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  const exited = once(child, 'close').then(([code, signal]): Exit => {
    running.delete(child);
    firstLine.resolve(stderr);
    child.emit('told');
    return { code, signal };
  });
  return {
    child,
    exited,
    firstLine: firstLine.promise,
    stdout: () => stdout,
    stderr: () => stderr,
    async seen(text, from = 0) {
      const limit = AbortSignal.timeout(patienceMs);
      for (;;) {
        const place = stdout.indexOf(text, from);
        if (place !== -1) return place + text.length;
        if (child.exitCode !== null)
          throw new Error(`ended without "${text}":\n${stdout.slice(from)}\n${stderr}`);
        await once(child, 'told', { signal: limit }).catch(() => {
          throw new Error(`"${text}" did not come:\n${stdout.slice(from)}\n${stderr}`);
        });
      }
    },
  };
}

/** Ends every process started here, agents included, and removes the directories made here. */
export async function endBeckons(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 11_000);
      await closed;
      clearTimeout(late);
    }),
  );
  await Promise.all([...dataDirectories].map(endAgents));
  dataDirectories.clear();
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
  directories.clear();
}

async function endAgents(dataDir: string): Promise<void> {
  if (markedProcesses(dataDir).length > 0) await stopAgents(dataDir);
  await eventually(`nothing of ${dataDir} goes on`, () => markedProcesses(dataDir).length === 0);
}

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'beckon-'));
  directories.add(directory);
  return directory;
}

/** A Claude Code that happens to be installed must not take part, unless a test asks for it. */
function withoutClaude(args: readonly string[], dataDir: string): readonly string[] {
  return args.includes('--claude') ? args : ['--claude', join(dataDir, 'no-such-program'), ...args];
}

/** Walls have tests of their own, and on a busy machine a recording, or an end in order, takes longer than a person would wait. */
const forTests = { BECKON_ISOLATION: 'off', BECKON_RECORDING_SECONDS: '60', BECKON_END_SECONDS: '60' };

function personalEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(BECKON_|VITEST|NODE_OPTIONS$|FORCE_COLOR$|NO_COLOR$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
