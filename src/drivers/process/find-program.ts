import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { startable, windowsVariable } from './windows-command.ts';

/** A program that can be started: what to run, and what comes before the flags. */
export interface Program {
  readonly command: string;
  readonly leadingArgs: readonly string[];
}

/** The machine that is looked at; tests give another. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Whether a file is there that may be run. */
  isProgram(path: string): boolean;
}

const thisMachine: Machine = { platform: process.platform, isProgram: isExecutable };

/** The program at a path, or of a name on PATH; undefined when there is none. */
export function findProgram(
  name: string,
  env: Readonly<Record<string, string>>,
  { platform, isProgram }: Machine = thisMachine,
): Program | undefined {
  const paths = platform === 'win32' ? win32 : posix;
  const isPath = paths.isAbsolute(name) || name.includes('/') || name.includes(paths.sep);
  const places = isPath ? [paths.resolve(name)] : searched(env, platform).map((one) => paths.join(one, name));
  const command = places.flatMap((place) => namesOf(place, env, platform)).find(isProgram);
  return command === undefined ? undefined : { command, leadingArgs: [] };
}

function searched(env: Readonly<Record<string, string>>, platform: NodeJS.Platform): readonly string[] {
  const path = platform === 'win32' ? windowsVariable(env, 'PATH') : env.PATH;
  return (path ?? '').split(platform === 'win32' ? ';' : ':').filter((directory) => directory !== '');
}

/** On Windows a program is known by its ending, and may be named without; a file without one is not run, though it may lie there. */
function namesOf(
  place: string,
  env: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): readonly string[] {
  if (platform !== 'win32') return [place];
  const endings = (windowsVariable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD')
    .split(';')
    .filter((ending) => ending.startsWith('.'))
    .map((ending) => ending.toLowerCase());
  const isWhole = endings.includes(win32.extname(place).toLowerCase());
  return isWhole ? [place] : endings.map((ending) => `${place}${ending}`);
}

/** Asks a program for its version, once for each state of its file: a listing must not start processes each time. */
export class VersionReader {
  readonly #known = new Map<string, Promise<string | undefined>>();

  read(
    { command, leadingArgs }: Program,
    env: Readonly<Record<string, string>>,
  ): Promise<string | undefined> {
    const state = [command, ...leadingArgs].map(stamp).join(' ');
    const known = this.#known.get(state);
    if (known) return known;
    const asked = askVersion(command, [...leadingArgs, '--version'], env);
    this.#known.set(state, asked);
    // A program that failed once (an update under way) is asked again.
    void asked.then((version) => version === undefined && this.#known.delete(state));
    return asked;
  }
}

function askVersion(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  return new Promise((settle) => {
    const { file, given, ...options } = startable(command, args, env);
    execFile(file, given, { ...options, env, timeout: 10_000 }, (error, stdout) => {
      settle(error ? undefined : /\d+\.\d+\.\d+[^\s]*/.exec(stdout)?.[0]);
    });
  });
}

function stamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return `${path}@${stats?.mtimeMs}:${stats?.size}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
