import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionId } from '../../src/protocol/ids.ts';
import type { AgentProcess, ProcessSpec } from '../../src/runner/ports/process-host.ts';
import { eventually } from './eventually.ts';
import { signal } from './running.ts';

/** A data directory in which processes are started; those that told their pid end with the test. */
export class ProcessRoom {
  readonly dir = mkdtempSync(join(tmpdir(), 'beckon-processes-'));
  readonly strays: number[] = [];
  #lastId = 0;

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
    for (const pid of this.strays) signal(pid, 'SIGKILL');
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** For a script: waits for a signal that never comes, in a session of its own, and is no child of its starter's starter. */
export const orphan = (file: string): string => `(setsid sh -c 'echo $$ > ${file}; exec sleep 600' &)`;

/** All it prints, to its end. */
export async function outputOf(agent: AgentProcess): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    agent.readOutput({ chunk: (chunk) => chunks.push(chunk), end: resolve });
  });
  return Buffer.concat(chunks);
}

export const textOf = async (agent: AgentProcess): Promise<string> => (await outputOf(agent)).toString();
