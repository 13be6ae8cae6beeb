import { accessSync, closeSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../protocol/errors.ts';
import type { Room } from '../../protocol/storage.ts';
import type {
  AgentProcess,
  KeptProcess,
  LeftoverReport,
  ProcessExit,
  ProcessHost,
  ProcessSpec,
} from '../../runner/ports/process-host.ts';
import { givenBack } from './agent-output.ts';
import { roomIn, type Space, spaceOn } from './disk-room.ts';
import { FileProcess } from './file-process.ts';
import { holderSuffix, isThere, startHolder } from './holder.ts';
import { failedProcess, hostClosed } from './local-process.ts';
import { ownerOf } from './owner.ts';
import { sendSignal } from './process-table.ts';
import {
  clearGivenUp,
  createRun,
  findRun,
  giveUpStart,
  listRuns,
  openForAppend,
  outputPath,
  type RunDirectory,
  sizeOf,
  stderrPath,
} from './run-directory.ts';
import { type TreeEnder, treeEnder } from './tree-ender.ts';
import { type IsolationOptions, launchOf } from './walls.ts';

const megabyte = 1024 * 1024;
const detachPatienceMs = 1_000;
const sweepMs = 250;
const mostUnreadOnLowDisk = megabyte;
/** How often those are looked at of which the file system tells nothing. */
const lookMs = 50;
/** Each process is looked at once in so many sweeps, for what the file system did not tell. */
const sweepsPerRound = 8;

export interface FileProcessHostOptions extends IsolationOptions {
  readonly dataDir: string;
  readonly leftoverGraceMs?: number;
  readonly ender?: TreeEnder;
  readonly mostUnreadBytes?: number;
  /** What is free where agents print; looked at four times a second while any runs. */
  readonly space?: () => Promise<Space | undefined>;
  /** There is more room for agents, or less. */
  onRoom?(room: Room): void;
  /** The system has no file watches left; told once. */
  onUnwatched?(code: string): void;
  /** Takes what is left of a run that is over. */
  onOver?(run: RunDirectory): void;
}

/** Runs agents on files, so that they outlive this program, and no other program of ours is needed for that. */
export class FileProcessHost implements ProcessHost {
  readonly outlivesServer = true;
  readonly #options: FileProcessHostOptions;
  readonly #owner: string;
  readonly #ender: TreeEnder;
  readonly #processes = new Map<string, FileProcess>();
  #kept = new Map<string, RunDirectory>();
  #sweeper: NodeJS.Timeout | undefined;
  #looker: NodeJS.Timeout | undefined;
  #sweeps = 0;
  #room: Room = 'enough';
  /** A disk that does not answer must not be asked again and again. */
  #lookingForRoom: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: FileProcessHostOptions) {
    this.#options = options;
    this.#owner = ownerOf(options.dataDir);
    this.#ender = options.ender ?? treeEnder();
  }

  start(spec: ProcessSpec): AgentProcess {
    if (this.#closing !== undefined) return failedProcess(spec, hostClosed);
    const earlier = findRun(this.#options.dataDir, spec.id);
    if (earlier !== undefined && !giveUpStart(earlier))
      return this.#add(earlier, { from: 0, secrets: spec.secrets });
    const refusal = whyNot(spec);
    if (refusal !== undefined) return failedProcess(spec, refusal);
    try {
      return this.#start(spec);
    } catch (error) {
      return failedProcess(spec, failed(error));
    }
  }

  async kept(): Promise<readonly KeptProcess[]> {
    const runs = listRuns(this.#options.dataDir).filter(({ id }) => !this.#processes.has(id));
    const markers = await this.#ender.markers();
    const kept = runs.map((run) => ({ run, running: this.#isRunning(run, markers) }));
    this.#kept = new Map(kept.map(({ run }) => [run.id, run]));
    return kept.map(({ run, running }) => ({
      id: run.id,
      sessionId: run.sessionId,
      running,
      outputEnd: sizeOf(outputPath(run)),
      givenBack: givenBack(run),
    }));
  }

  /** Knows those that `kept` told of last. */
  attach(id: string, from: number): AgentProcess | undefined {
    const run = this.#kept.get(id);
    if (run === undefined || this.#closing !== undefined) return undefined;
    this.#kept.delete(id);
    return this.#add(run, { from });
  }

  async endLeftovers(): Promise<LeftoverReport> {
    const known = new Set([
      ...listRuns(this.#options.dataDir).map(({ id }) => id),
      ...this.#processes.keys(),
    ]);
    const prefix = `${this.#owner}/`;
    const killAt = performance.now() + (this.#options.leftoverGraceMs ?? 2_000);
    const report = await this.#ender.endMarked(
      (marker) => marker.startsWith(prefix) && !known.has(idIn(marker)),
      () => killAt,
    );
    clearGivenUp(this.#options.dataDir);
    return report;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  detach(): Promise<void> {
    this.#closing ??= this.#detach();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((process) => process.end()));
    this.#letGo();
  }

  async #detach(): Promise<void> {
    const settled = Promise.all([...this.#processes.values()].map((process) => process.settled()));
    await Promise.race([settled, delay(detachPatienceMs)]);
    this.#letGo();
  }

  #letGo(): void {
    clearInterval(this.#sweeper);
    clearInterval(this.#looker);
    for (const process of this.#processes.values()) process.release();
    this.#processes.clear();
  }

  #start(spec: ProcessSpec): AgentProcess {
    const marker = this.#markerOf(spec.id);
    const launch = launchOf(spec, marker, this.#options);
    if ('refusal' in launch) return failedProcess(spec, failed(launch.refusal));
    const { isolation } = launch;
    const run = createRun(this.#options.dataDir, spec, { startedAt: new Date().toISOString(), isolation });
    const files: number[] = [];
    try {
      const [out, err] = [openForAppend(outputPath(run)), openForAppend(stderrPath(run))];
      files.push(out, err);
      const holder = startHolder(
        { ...spec, ...launch },
        {
          directory: run.path,
          marker: launch.marker,
          holder: `${marker}${holderSuffix}`,
          out,
          err,
        },
      );
      return this.#add(run, { from: 0, secrets: spec.secrets, holder });
    } finally {
      for (const file of files) closeSync(file);
    }
  }

  #add(
    run: RunDirectory,
    parts: {
      readonly from: number;
      readonly secrets?: readonly string[] | undefined;
      readonly holder?: ReturnType<typeof startHolder>;
    },
  ): FileProcess {
    const process = new FileProcess({
      run,
      marker: this.#markerOf(run.id),
      ender: this.#ender,
      from: parts.from,
      holder: parts.holder,
      secrets: parts.secrets ?? [],
      mostUnreadBytes: () => this.#mostUnreadBytes,
      onUnwatched: (code) => this.#lookByItself(code),
      onOver: (over) => {
        if (this.#processes.get(run.id) === over) this.#processes.delete(run.id);
        this.#options.onOver?.(run);
      },
    });
    this.#processes.set(run.id, process);
    this.#sweeper ??= setInterval(() => void this.#sweep(), sweepMs).unref();
    return process;
  }

  #lookByItself(code: string): void {
    if (this.#looker !== undefined) return;
    this.#options.onUnwatched?.(code);
    this.#looker = setInterval(() => {
      for (const process of this.#processes.values()) if (!process.isWatched) process.look();
    }, lookMs).unref();
  }

  get #mostUnreadBytes(): number {
    if (this.#room === 'none') return -1;
    return this.#room === 'low' ? mostUnreadOnLowDisk : (this.#options.mostUnreadBytes ?? 64 * megabyte);
  }

  async #lookForRoom(): Promise<void> {
    const before = this.#room;
    if (this.#processes.size === 0 && before === 'enough') return;
    const { space = () => spaceOn(this.#options.dataDir) } = this.#options;
    const found = await space();
    if (found === undefined || this.#closing !== undefined) return;
    this.#room = roomIn(found, before);
    if (this.#room === 'enough' && before === 'enough') return;
    if (this.#room !== before) this.#options.onRoom?.(this.#room);
    for (const process of this.#processes.values()) process.regulate();
  }

  /** Finds what no notification told: output, and an agent that is gone although nobody wrote down how it ended. */
  async #sweep(): Promise<void> {
    this.#sweeps += 1;
    this.#lookingForRoom ??= this.#lookForRoom().finally(() => {
      this.#lookingForRoom = undefined;
    });
    const due = [...this.#processes.values()].filter(
      (process, index) => !process.hasExited && (index + this.#sweeps) % sweepsPerRound === 0,
    );
    for (const process of due) process.look();
    const silent = due.filter((process) => !process.hasExited && !hasProcess(process.pid));
    if (silent.length === 0) return;
    const markers = await this.#ender.markers();
    for (const process of silent) {
      if (this.#isRunning(process.run, markers)) continue;
      process.look();
      process.lose('The agent has ended; how is not known');
    }
  }

  #isRunning(run: RunDirectory, markers: ReadonlyMap<string, readonly number[]>): boolean {
    return isThere(run, this.#markerOf(run.id), markers);
  }

  #markerOf(id: string): string {
    return `${this.#owner}/${encodeURIComponent(id)}`;
  }
}

/** A process that was not reaped yet counts as there, and so does another that got its number: both are found out in the next step. */
const hasProcess = (pid: number | undefined): boolean => pid !== undefined && sendSignal(pid, 0);

const idIn = (marker: string): string => decodeURIComponent(marker.split('/')[1] ?? '');

/** What a shell would only tell in words: the directory or the program is not there, or cannot be run. */
function whyNot({ command, args, cwd, env }: ProcessSpec): ProcessExit | undefined {
  const no = (
    code: 'cwd-missing' | 'not-found' | 'not-executable' | 'failed',
    message: string,
  ): ProcessExit => ({
    kind: 'spawn-failed',
    code,
    message,
  });
  if (!existsSync(cwd)) return no('cwd-missing', `There is no directory ${cwd}`);
  if ([command, ...args].some((text) => text.includes('\0')))
    return no('failed', 'An argument has a null byte');
  const found = candidates(command, cwd, env.PATH ?? '').filter((path) => isFile(path));
  if (found.length === 0) return no('not-found', `There is no program ${command}`);
  return found.some(isExecutable) ? undefined : no('not-executable', `${command} may not be run`);
}

function candidates(command: string, cwd: string, path: string): string[] {
  if (command.includes('/')) return [resolve(cwd, command)];
  return path.split(delimiter).map((directory) => resolve(cwd, directory, command));
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const failed = (error: unknown): ProcessExit => ({
  kind: 'spawn-failed',
  code: 'failed',
  message: messageOf(error),
});
