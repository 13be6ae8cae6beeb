import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';

/** A program that can be started: what to run, and what comes before the flags. */
export interface Program {
  readonly command: string;
  readonly leadingArgs: readonly string[];
}

/** The program at a path, or of a name on PATH; undefined when there is none. */
export function findProgram(name: string, env: Readonly<Record<string, string>>): Program | undefined {
  const isPath = isAbsolute(name) || name.includes('/') || name.includes(sep);
  const candidates = isPath
    ? [resolve(name)]
    : (env.PATH ?? env.Path ?? '')
        .split(delimiter)
        .filter((directory) => directory !== '')
        .flatMap((directory) => [join(directory, name), ...windowsNames(directory, name)]);
  const command = candidates.find(isExecutable);
  return command === undefined ? undefined : { command, leadingArgs: [] };
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
  args: string[],
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  return new Promise((settle) => {
    execFile(command, args, { env, timeout: 10_000 }, (error, stdout) => {
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

function windowsNames(directory: string, name: string): string[] {
  return process.platform === 'win32' ? [join(directory, `${name}.exe`)] : [];
}
