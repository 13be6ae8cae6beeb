import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownerOf } from '../process/owner.ts';
import { markerVariable } from '../process/process-table.ts';
import { keeperPlaces, makeFolder, type Places } from './places.ts';
import type { KeeperOptions } from './program/keeper.ts';

const mostLogBytes = 256 * 1024;
// A keeper moves bytes and computes nothing: what makes code fast would cost it 10 MB.
const nodeFlags = ['--max-semi-space-size=1', '--no-opt', '--no-maglev', '--optimize-for-size'];
/** One thread writes spools; and with glibc, the buffers of pipes go back to the system when they are free. */
const thriftyMemory = {
  UV_THREADPOOL_SIZE: '1',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '16384',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_TOP_PAD_: '0',
};

export interface KeeperLaunch {
  readonly dataDir: string;
  readonly version: string;
  /** The server's own; the keeper takes only what a program needs to run. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly tuning?: KeeperTuning;
}

export type KeeperTuning = Omit<KeeperOptions, 'dataDir' | 'version' | 'log'>;

/** Settles when a keeper is open on the data directory, this one or another that was quicker. Rejects with the reason. */
export async function launchKeeper({ dataDir, version, environment, tuning }: KeeperLaunch): Promise<void> {
  const places = keeperPlaces(dataDir);
  makeFolder(places);
  const program = programPath();
  const isSource = program.endsWith('.ts');
  const compiled = isSource ? compiledSource : places.compiled;
  const env = keeperEnvironment(environment, dataDir, compiled);
  if (isSource) await compileOnce(program, env, compiled);
  const options = { ...tuning, dataDir: resolve(dataDir), version };
  const log = openLog(places);
  try {
    await start(program, JSON.stringify(options), env, log);
  } finally {
    closeSync(log);
  }
}

function programPath(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./program/main.${extension}`, import.meta.url));
}

/** One for all data directories of a checkout: to compile takes longer than to start. */
const compiledSource = fileURLToPath(new URL('../../../node_modules/.cache/beckon-keeper', import.meta.url));

/** Node keeps its compiler for types in memory once it was needed: 17 MB that a keeper has no use for. */
async function compileOnce(program: string, env: Record<string, string>, folder: string): Promise<void> {
  const stamp = join(folder, `${process.version}-${newestSource()}`);
  if (existsSync(stamp)) return;
  await compile(program, env);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(stamp, '');
  } catch {
    // Where nothing can be written, the keeper is the larger for it, and works.
  }
}

function newestSource(): number {
  const folders = ['.', './program', '../process'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return Math.max(...files.map((file) => statSync(file).mtimeMs));
}

async function compile(program: string, env: Record<string, string>): Promise<void> {
  const compiler = spawn(process.execPath, [...nodeFlags, program, 'compile'], {
    env,
    stdio: 'ignore',
    windowsHide: true,
  });
  await once(compiler, 'exit').catch(() => {});
}

async function start(
  program: string,
  options: string,
  env: Record<string, string>,
  log: number,
): Promise<void> {
  const keeper = spawn(process.execPath, [...nodeFlags, program, options], {
    // In a session of its own: what ends the server's terminal must not end it.
    detached: true,
    env,
    stdio: ['ignore', 'ignore', log, 'pipe'],
    windowsHide: true,
  });
  const failed = once(keeper, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => {});
  keeper.unref();
  const said = keeper.stdio[3];
  if (!said || !('setEncoding' in said)) throw await failed;
  let text = '';
  said.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await Promise.race([once(said, 'end'), failed]);
  if (text.startsWith('failed: ')) throw new Error(text.slice('failed: '.length).trim());
}

const needed = ['PATH', 'HOME', 'USER', 'TMPDIR', 'TEMP', 'TMP', 'TZ', 'SYSTEMROOT', 'SystemRoot', 'WINDIR'];

function keeperEnvironment(
  environment: KeeperLaunch['environment'],
  dataDir: string,
  compiled: string,
): Record<string, string> {
  const env: Record<string, string> = { ...thriftyMemory, NODE_COMPILE_CACHE: compiled };
  for (const name of needed) {
    const value = environment[name];
    if (value !== undefined) env[name] = value;
  }
  // A server that an agent of another server started ends with that agent, and its keeper with it. But as part of an agent of
  // its own directory it would take itself for a leftover.
  const marker = environment[markerVariable];
  if (marker !== undefined && !marker.startsWith(`${ownerOf(dataDir)}/`)) env[markerVariable] = marker;
  return env;
}

function openLog({ log }: Places): number {
  const descriptor = openSync(log, 'a', 0o600);
  if (fstatSync(descriptor).size > mostLogBytes) ftruncateSync(descriptor, 0);
  return descriptor;
}
