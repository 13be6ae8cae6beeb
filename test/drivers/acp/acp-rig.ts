import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acpDriver } from '../../../src/drivers/acp/driver.ts';
import { FileProcessHost } from '../../../src/drivers/process/file-process-host.ts';
import { LocalProcessHost } from '../../../src/drivers/process/local-process-host.ts';
import type { AgentDriver } from '../../../src/runner/ports/agent-driver.ts';
import type { ProcessHost } from '../../../src/runner/ports/process-host.ts';

export interface AcpRig {
  readonly driver: AgentDriver;
  /** Where the session works: empty, below `dir`. */
  readonly cwd: string;
  readonly dir: string;
  /** Where the agent keeps its conversations, and notes what it was told. */
  readonly home: string;
  /** All that went over the agent's pipes, where it has any. */
  raw(): string;
  close(): Promise<void>;
}

/** The scripted agent, a real process, behind the driver. */
export function acpRig({
  flags = [],
  startLimitMs,
  isOnFiles = false,
}: {
  flags?: string[];
  startLimitMs?: number;
  isOnFiles?: boolean;
} = {}): AcpRig {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-acp-')));
  const cwd = join(dir, 'work');
  const home = join(dir, 'home');
  mkdirSync(cwd);
  const seen: Buffer[] = [];
  const processes = isOnFiles
    ? new FileProcessHost({ dataDir: dir })
    : new LocalProcessHost({ dataDir: dir, onRaw: (_, __, chunk) => seen.push(chunk) });
  const driver = scriptedDriver({ processes, home, flags, startLimitMs });
  return {
    driver,
    cwd,
    dir,
    home,
    raw: () => Buffer.concat(seen).toString('latin1'),
    async close() {
      await processes.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export function scriptedDriver({
  processes,
  home,
  flags,
  startLimitMs,
}: {
  readonly processes: ProcessHost;
  readonly home: string;
  readonly flags: readonly string[];
  readonly startLimitMs?: number | undefined;
}): AgentDriver {
  const program = join(import.meta.dirname, '..', '..', 'support', 'acp-agent', 'main.ts');
  return acpDriver({
    processes,
    environment: process.env,
    version: '0.0.0',
    agent: {
      name: 'scripted',
      label: 'Scripted',
      command: process.execPath,
      args: ['--no-warnings', program, ...flags],
      env: { ACP_AGENT_HOME: home },
      signIn: { command: 'scripted login', variable: 'SCRIPTED_KEY' },
    },
    ...(startLimitMs !== undefined && { startLimitMs }),
  });
}
