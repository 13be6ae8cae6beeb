import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { RunIsolation } from '../../protocol/session.ts';
import type { ProcessSpec } from '../../runner/ports/process-host.ts';
import { findProgram } from './find-program.ts';
import { markerVariable } from './process-table.ts';

/** `auto`: walls where they can be had; `require`: no agent without them; `off`: none. */
export const isolations = ['auto', 'require', 'off'] as const;

/** What a host needs to know to keep agents behind walls. */
export interface IsolationOptions {
  readonly walls?: Walls | undefined;
  /** No agent is started without them. */
  readonly isRequired?: boolean;
}

/** What is to be run for an agent, behind walls if there are any; or why it must not be. */
export function launchOf(
  spec: ProcessSpec,
  marker: string,
  { walls, isRequired = false }: IsolationOptions,
): (Walled & { readonly isolation: RunIsolation }) | { readonly refusal: string } {
  const walled = walls?.around(spec, marker) ?? { cannot: 'there are no walls on this machine' };
  if (!('cannot' in walled)) return { ...walled, isolation: 'walls' };
  if (isRequired) return { refusal: `The agent cannot be isolated: ${walled.cannot}` };
  const { command, args } = spec;
  return { command, args, marker, isolation: 'none' };
}

/** What keeps agents from the files and processes of the server and of each other. */
export interface Walls {
  /** The same command behind the walls, or why it cannot be there. */
  around(spec: ProcessSpec, marker: string): Walled | { readonly cannot: string };
}

export interface Walled {
  readonly command: string;
  readonly args: readonly string[];
  /** That of the program that makes the walls. */
  readonly marker: string;
}

const probeMs = 5_000;

/** Ends the marker of the program that makes the walls: what it runs is the agent. */
export const wallSuffix = '/wall';

/** Tries what this system has. A reason in words where there is nothing. */
export async function findWalls(
  dataDir: string,
  env: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): Promise<Walls | { readonly missing: string }> {
  const tool = toolOf(platform);
  if (tool === undefined) return { missing: 'this system has no walls that Beckon knows' };
  const { program, hint = '' } = tool;
  const found = findProgram(program, env);
  if (found === undefined) return { missing: `"${program}" is not installed${hint}` };
  const hidden = realpathSync(dataDir);
  const options = platform === 'darwin' ? sandboxOptions(hidden, []) : bubblewrapOptions(hidden, []);
  const problem = await tryOut(found.command, [...options, 'true']);
  if (problem !== undefined) return { missing: `"${program}" does not work here: ${problem}` };
  return {
    around({ command, args, cwd, needs = [] }, marker) {
      const worktree = worktreeAround(cwd, hidden);
      if (isWithin(cwd, hidden) && worktree === undefined)
        return { cannot: 'its directory lies in the data directory of Beckon' };
      const open = worktree === undefined ? needs : [...needs, worktree];
      if (platform === 'darwin') {
        const walls = sandboxOptions(hidden, open);
        return { command: found.command, args: [...walls, command, ...args], marker };
      }
      const walls = [...bubblewrapOptions(hidden, open), '--setenv', markerVariable, marker, '--'];
      return {
        command: found.command,
        args: [...walls, command, ...args],
        marker: `${marker}${wallSuffix}`,
      };
    },
  };
}

/** The worktree that a directory lies in: `worktrees/REPOSITORY/NAME` of the data directory. The others stay hidden from its agent. */
function worktreeAround(directory: string, hidden: string): string | undefined {
  const [folder, repository = '.', name = '.'] = relative(hidden, realPath(directory)).split(sep);
  if (folder !== 'worktrees' || repository.startsWith('.') || name.startsWith('.')) return undefined;
  return join(hidden, folder, repository, name);
}

function toolOf(platform: NodeJS.Platform): { readonly program: string; readonly hint?: string } | undefined {
  if (platform === 'linux') return { program: 'bwrap', hint: ' (the package is called "bubblewrap")' };
  return platform === 'darwin' ? { program: 'sandbox-exec' } : undefined;
}

/**
 * Everything as it is, but for the data directory, which is empty, and other processes, which are not there. When the agent ends,
 * everything it ever started ends with it: its process namespace is gone.
 */
function bubblewrapOptions(hidden: string, needs: readonly string[]): string[] {
  return [
    ...['--dev-bind', '/', '/', '--tmpfs', hidden],
    ...needs.flatMap((path) => ['--bind-try', path, path]),
    ...['--unshare-pid', '--proc', '/proc', '--die-with-parent'],
    ...(process.getuid?.() === 0 ? rootCapabilities : []),
  ];
}

/** What root may still do: enough for a package manager, too little to take the walls down. */
const rootCapabilities = [
  '--cap-drop',
  'ALL',
  ...[
    'CAP_AUDIT_WRITE',
    'CAP_CHOWN',
    'CAP_DAC_OVERRIDE',
    'CAP_FOWNER',
    'CAP_FSETID',
    'CAP_KILL',
    'CAP_NET_BIND_SERVICE',
    'CAP_NET_RAW',
    'CAP_SETFCAP',
    'CAP_SETGID',
    'CAP_SETPCAP',
    'CAP_SETUID',
    'CAP_SYS_CHROOT',
  ].flatMap((capability) => ['--cap-add', capability]),
];

/** macOS: files only; processes see each other. */
function sandboxOptions(hidden: string, needs: readonly string[]): string[] {
  const subpath = (path: string): string => `(subpath ${JSON.stringify(path)})`;
  const profile = [
    '(version 1)',
    '(allow default)',
    `(deny file-read* file-write* ${subpath(hidden)})`,
    ...(needs.length === 0 ? [] : [`(allow file-read* file-write* ${needs.map(subpath).join(' ')})`]),
  ];
  return ['-p', profile.join(' ')];
}

function tryOut(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: probeMs }, (error, _stdout, stderr) =>
      resolve(error === null ? undefined : stderr.trim() || error.message),
    );
  });
}

function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, realPath(path));
  return way === '' || !(way.startsWith('..') || isAbsolute(way));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
