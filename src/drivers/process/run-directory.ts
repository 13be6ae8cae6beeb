import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { SessionId } from '../../protocol/ids.ts';
import { RunIsolation } from '../../protocol/session.ts';
import type { ProcessExit, ProcessSpec } from '../../runner/ports/process-host.ts';

/**
 * What is on disk of one run of an agent, or of a command that it has us run, in `run/<id>/`:
 *
 *     about.json        of which session it is, and whether it is a command beside the agent
 *     begun/            made by the shell that runs the agent, before it does: an agent is started once
 *     in, hold          the FIFOs of its input, and of the shell that holds that open
 *     told              what was written to its input, with ids and times
 *     stopped           there while the agent is stopped
 *     large/            what the shell is to write to its input, being too large for one piece
 *     agent/            what comes from its side, and is watched: out, err, pid, exit, how, and what of `large` was written
 */
export interface RunDirectory {
  readonly id: string;
  readonly sessionId: SessionId;
  readonly startedAt: string;
  readonly isolation: RunIsolation;
  readonly isCommand: boolean;
  readonly path: string;
}

const About = z.object({
  id: z.string(),
  sessionId: SessionId,
  startedAt: z.string(),
  isolation: RunIsolation,
  isCommand: z.boolean().default(false),
});

const runsDirectory = (dataDir: string): string => join(resolve(dataDir), 'run');

/** Makes the directory of a run that has none. A start that was claimed and never made leaves one that cannot be used again. */
export function createRun(
  dataDir: string,
  { id, sessionId, isCommand = false }: ProcessSpec,
  facts: Pick<RunDirectory, 'startedAt' | 'isolation'>,
): RunDirectory {
  const runs = runsDirectory(dataDir);
  mkdirSync(runs, { recursive: true, mode: 0o700 });
  const path = firstFree(join(runs, folderOf(id)));
  mkdirSync(join(path, 'agent'), { mode: 0o700 });
  const about = { id, sessionId, isCommand, ...facts };
  writeFileSync(join(path, 'about.json'), JSON.stringify(about), { mode: 0o600 });
  return { ...about, path };
}

/** An id is no path: neither "/" nor ".." may lead out of the directory. */
export const folderOf = (id: string): string => encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E');

function firstFree(path: string): string {
  for (let attempt = 1; ; attempt += 1) {
    const candidate = pathOf(path, attempt);
    try {
      mkdirSync(candidate, { mode: 0o700 });
      return candidate;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** The run of this id, if one was made or is about to be. */
export function findRun(dataDir: string, id: string): RunDirectory | undefined {
  const path = join(runsDirectory(dataDir), folderOf(id));
  for (let attempt = 1; existsSync(pathOf(path, attempt)); attempt += 1) {
    const run = readRun(pathOf(path, attempt));
    if (run !== undefined) return run;
  }
  return undefined;
}

const pathOf = (path: string, attempt: number): string => (attempt === 1 ? path : `${path}.${attempt}`);

/** Those that were begun, or are about to be. One whose description is damaged, or was never written, is left out. */
export function listRuns(dataDir: string): RunDirectory[] {
  return namesIn(runsDirectory(dataDir)).flatMap((name) => readRun(join(runsDirectory(dataDir), name)) ?? []);
}

export function readRun(path: string): RunDirectory | undefined {
  try {
    return { ...About.parse(JSON.parse(readFileSync(join(path, 'about.json'), 'utf8'))), path };
  } catch {
    return undefined;
  }
}

/**
 * False when the agent was started. True when it was not, and now never will be: a shell of an earlier server that comes to it
 * late finds its start taken, and the run is no longer listed. Its directory stays, so that no other run gets its name.
 */
export function giveUpStart({ path }: RunDirectory): boolean {
  try {
    mkdirSync(join(path, 'begun'), { mode: 0o700 });
  } catch {
    return false;
  }
  rmSync(join(path, 'about.json'), { force: true });
  return true;
}

/** Removes what is left of starts that were given up, once no shell can come to them any more. */
export function clearGivenUp(dataDir: string): void {
  const runs = runsDirectory(dataDir);
  for (const name of namesIn(runs)) {
    if (readRun(join(runs, name)) === undefined) rmSync(join(runs, name), { recursive: true, force: true });
  }
}

/** The agent's process, once the shell has started it. */
export const agentPid = ({ path }: RunDirectory): number | undefined => pidIn(join(path, 'agent', 'pid'));

/** The shell that waits for the agent, once it has begun. */
export const shellPid = ({ path }: RunDirectory): number | undefined => pidIn(join(path, 'begun', 'shell'));

function pidIn(path: string): number | undefined {
  const text = textIn(path);
  return text.endsWith('\n') ? Number(text) || undefined : undefined;
}

/** Whether a server has stopped the agent for printing too much. A full disk may not take the note: a file without content mostly fits. */
export function noteStopped({ path }: RunDirectory, isStopped: boolean): void {
  try {
    if (isStopped) writeFileSync(join(path, 'stopped'), '', { mode: 0o600 });
    else rmSync(join(path, 'stopped'), { force: true });
  } catch {
    // Should this server be killed now, the agent stays stopped until a person lets it go on.
  }
}

export const wasStopped = ({ path }: RunDirectory): boolean => existsSync(join(path, 'stopped'));

/** How the agent ended, once the shell has written it down. */
export function exitIn({ path }: RunDirectory): ProcessExit | undefined {
  const text = textIn(join(path, 'agent', 'exit'));
  if (!text.endsWith('\n')) return undefined;
  const status = Number(text);
  // The shell says in words when a signal ended what it waited for; a program may also return such a number by itself.
  const wasSignalled = status > 128 && textIn(join(path, 'agent', 'how')) !== '';
  const signal = wasSignalled ? signalOf(status - 128) : undefined;
  return signal === undefined
    ? { kind: 'exited', code: status, signal: null }
    : { kind: 'exited', code: null, signal };
}

const signalOf = (number: number): string | undefined =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0];

type Place = Pick<RunDirectory, 'path'>;
export const outputPath = ({ path }: Place): string => join(path, 'agent', 'out');
export const stderrPath = ({ path }: Place): string => join(path, 'agent', 'err');

export const openForAppend = (path: string): number => openSync(path, 'a', 0o600);

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** None where there is no such directory. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
