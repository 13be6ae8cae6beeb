import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { keeperStatus, stopKeeper } from '../../../src/drivers/keeper/keeper-admin.ts';
import {
  KeeperProcessHost,
  type KeeperProcessHostOptions,
} from '../../../src/drivers/keeper/keeper-process-host.ts';
import type { KeeperTuning } from '../../../src/drivers/keeper/launch.ts';
import type { AgentProcess, ProcessSpec } from '../../../src/engine/ports/process-host.ts';
import { SessionId } from '../../../src/protocol/ids.ts';
import { isRunning } from '../../support/running.ts';
import { Server } from './server.ts';

/** A data directory with keepers, hosts and servers on it, all of which end with the test. */
export class KeeperRoom {
  readonly dir = mkdtempSync(join(tmpdir(), 'beckon-keeper-'));
  readonly strays: number[] = [];
  readonly #servers: Server[] = [];
  #lastId = 0;

  host(options: Partial<KeeperProcessHostOptions> = {}): KeeperProcessHost {
    return new KeeperProcessHost({
      dataDir: this.dir,
      version: 'test',
      environment: process.env,
      ...options,
    });
  }

  server(tuning?: KeeperTuning): Server {
    const server = new Server({ dataDir: this.dir, ...(tuning && { tuning }) });
    this.#servers.push(server);
    return server;
  }

  spec(command: string, args: readonly string[], session = 's1'): ProcessSpec {
    this.#lastId += 1;
    const env = { PATH: process.env.PATH ?? '' };
    const id = `p${this.#lastId}`;
    return { id, sessionId: SessionId.parse(session), command, args, cwd: this.dir, env };
  }

  shell(script: string, session?: string): ProcessSpec {
    return this.spec('sh', ['-c', script], session);
  }

  node(script: string, session?: string): ProcessSpec {
    return this.spec(process.execPath, ['-e', script], session);
  }

  async keeperPid(): Promise<number> {
    const pid = (await keeperStatus(this.dir))?.pid;
    if (pid === undefined) throw new Error('There is no keeper');
    this.strays.push(pid);
    return pid;
  }

  /** The number that a script wrote into a file of the directory. */
  async pidIn(file: string): Promise<number> {
    const path = join(this.dir, file);
    const pid = await eventually(`${file} holds a pid`, () => {
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      return text.endsWith('\n') && Number(text);
    });
    this.strays.push(pid);
    return pid;
  }

  async end(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.kill()));
    await stopKeeper(this.dir);
    for (const pid of this.strays) {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    }
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Waits for a fact, for a bounded time. */
export async function eventually<T>(
  what: string,
  read: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`Never came true: ${what}`);
    await delay(5);
  }
}

/** All it prints, to its end. */
export async function outputOf(agent: AgentProcess): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    agent.readOutput({ chunk: (chunk) => chunks.push(chunk), end: resolve });
  });
  return Buffer.concat(chunks);
}

export const textOf = async (agent: AgentProcess): Promise<string> => (await outputOf(agent)).toString();
