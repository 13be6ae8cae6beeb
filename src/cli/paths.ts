import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Console } from './console.ts';
import { type ParsedFlags, textFlag } from './flags.ts';

/** The data directory of this command line: flag, environment, or `~/.beckon`. */
export function dataDirectoryOf(flags: ParsedFlags, { env, cwd }: Console): string {
  const given = textFlag(flags, 'data-dir') ?? (env.BECKON_DATA_DIR || undefined);
  return given === undefined ? join(homeOf(env), '.beckon') : absolute(given, cwd, env);
}

export function absolute(path: string, from: string, env: Console['env']): string {
  return path === '~' || path.startsWith('~/') ? join(homeOf(env), path.slice(1)) : resolve(from, path);
}

const homeOf = (env: Console['env']): string => env.HOME || homedir();
