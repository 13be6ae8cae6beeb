import { spawn } from 'node:child_process';
import type { SessionId } from '../../protocol/ids.ts';
import type {
  AgentProcess,
  KeptProcess,
  LeftoverReport,
  ProcessHost,
  ProcessSpec,
} from '../../runner/ports/process-host.ts';
import type { RawDirection } from '../../runner/ports/raw-log.ts';
import { failedProcess, hostClosed, LocalProcess, spawnFailure } from './local-process.ts';
import { ownerOf } from './owner.ts';
import { markerVariable } from './process-table.ts';
import { type TreeEnder, treeEnder } from './tree-ender.ts';
import { type IsolationOptions, launchOf } from './walls.ts';
import { startable } from './windows-command.ts';
import { withoutSecrets } from './without-secrets.ts';

export interface LocalProcessHostOptions extends IsolationOptions {
  /** Tells the processes of this server from those of another on the same machine. */
  dataDir: string;
  leftoverGraceMs?: number;
  ender?: TreeEnder;
  /** Every byte that goes in or comes out, before anyone makes sense of it. */
  onRaw?(sessionId: SessionId, direction: RawDirection, chunk: Buffer, processId: string): void;
}

/** Runs agents as children of this program. */
export class LocalProcessHost implements ProcessHost {
  readonly outlivesServer = false;
  readonly #owner: string;
  readonly #ender: TreeEnder;
  readonly #leftoverGraceMs: number;
  readonly #onRaw: LocalProcessHostOptions['onRaw'];
  readonly #isolation: IsolationOptions;
  readonly #running = new Map<string, LocalProcess>();
  #closing: Promise<void> | undefined;

  constructor({
    dataDir,
    leftoverGraceMs = 2_000,
    ender = treeEnder(),
    onRaw,
    ...isolation
  }: LocalProcessHostOptions) {
    this.#isolation = isolation;
    this.#onRaw = onRaw;
    this.#owner = ownerOf(dataDir);
    this.#leftoverGraceMs = leftoverGraceMs;
    this.#ender = ender;
  }

  start(spec: ProcessSpec): AgentProcess {
    if (this.#closing) return failedProcess(spec, hostClosed);
    const marker = `${this.#owner}/${spec.id}`;
    const onRaw = (direction: RawDirection, chunk: Buffer) => {
      if (spec.isCommand) return;
      this.#onRaw?.(spec.sessionId, direction, withoutSecrets(chunk, spec.secrets), spec.id);
    };
    const launch = launchOf(spec, marker, this.#isolation);
    if ('refusal' in launch) {
      return failedProcess(spec, { kind: 'spawn-failed', code: 'failed', message: launch.refusal });
    }
    try {
      const { file, given, ...options } = startable(launch.command, launch.args, spec.env);
      const child = spawn(file, given, {
        ...options,
        cwd: spec.cwd,
        env: { ...spec.env, [markerVariable]: launch.marker },
        stdio: 'pipe',
        detached: process.platform !== 'win32',
        windowsHide: true,
      });
      return this.#keep(
        new LocalProcess(spec, child, {
          marker,
          ender: this.#ender,
          isolation: launch.isolation,
          onRaw,
        }),
      );
    } catch (error) {
      return failedProcess(
        spec,
        spawnFailure(error instanceof Error ? error : new Error(String(error)), spec),
      );
    }
  }

  async kept(): Promise<readonly KeptProcess[]> {
    return [];
  }

  attach(_id: string, _from: number): undefined {
    return undefined;
  }

  async endLeftovers(): Promise<LeftoverReport> {
    const killAt = performance.now() + this.#leftoverGraceMs;
    return this.#ender.endMarked(
      (marker) => this.#isLeftover(marker),
      () => killAt,
    );
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all([...this.#running.values()].map((running) => running.end())).then(() => {});
    return this.#closing;
  }

  detach(): Promise<void> {
    return this.close();
  }

  #keep(started: LocalProcess): LocalProcess {
    this.#running.set(started.id, started);
    started.finished.finally(() => this.#running.delete(started.id));
    return started;
  }

  #isLeftover(marker: string): boolean {
    const prefix = `${this.#owner}/`;
    return marker.startsWith(prefix) && !this.#running.has(marker.slice(prefix.length));
  }
}
