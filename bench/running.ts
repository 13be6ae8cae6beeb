import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const graceMs = 60_000;
const children = new Set<ChildProcess>();
const directories = new Set<string>();

/** Starts a program that is ended with the benchmark, whatever becomes of that. */
export function start(program: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Waits for the first line of its output that begins so, and gives the rest of that line. */
export function lineOf(child: ChildProcess, from: 'stdout' | 'stderr', beginning: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  child[from]?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-100_000);
    const line = said
      .split('\n')
      .find((each, index, all) => each.startsWith(beginning) && index + 1 < all.length);
    if (line !== undefined) resolve(line.slice(beginning.length));
  });
  child.once('exit', (code) =>
    reject(new Error(`A program ended with ${code} instead of "${beginning}"\n${said}`)),
  );
  child.once('error', reject);
  return within(60_000, promise, `the line "${beginning}"`);
}

/** Asks it to end, and sees to it that it does. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await gone;
  clearTimeout(force);
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'beckon-bench-'));
  directories.add(directory);
  return directory;
}

/** Leaves nothing behind: no process, no file. */
export async function endAll(): Promise<void> {
  await Promise.all([...children].map(end));
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  directories.clear();
}

export async function within<T>(ms: number, promise: Promise<T>, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`Waited ${ms} ms in vain for ${what}`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds of processor time that a program and the shells it holds its agents with have used; NaN where the system does not tell. */
export const processorTime = (child: ChildProcess): number =>
  ownProcesses(child).reduce((sum, pid) => sum + (statOf(pid)?.processorMs ?? 0), 0) || Number.NaN;

/** Milliseconds of processor time of one process alone, without those it started. */
export const ownProcessorTime = ({ pid = 0 }: ChildProcess): number => statOf(pid)?.processorMs ?? Number.NaN;

/** Milliseconds that the processors of this machine have worked in all, whatever for. */
export function machineProcessorTime(): number {
  try {
    const [, ...fields] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/ +/);
    const idle = Number(fields[3]) + Number(fields[4]);
    return (fields.slice(0, 8).reduce((sum, ticks) => sum + Number(ticks), 0) - idle) * 10;
  } catch {
    return Number.NaN;
  }
}

/** A program's process, and after it those of the shells that hold its agents: not the agents. */
export function ownProcesses({ pid = 0 }: ChildProcess): number[] {
  const all = processes();
  const own = [pid];
  for (let found = [pid]; found.length > 0; ) {
    found = all
      .filter(({ parent, name }) => found.includes(parent) && holders.has(name))
      .map(({ pid }) => pid);
    own.push(...found);
  }
  return own;
}

const holders = new Set(['sh', 'dash', 'bash', 'bwrap']);

interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly processorMs: number;
}

function processes(): ProcessStat[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
  } catch {
    return [];
  }
}

function statOf(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const processorMs = (Number(fields[11]) + Number(fields[12])) * 10;
    return { pid, name, parent: Number(fields[1]), processorMs };
  } catch {
    return undefined;
  }
}
