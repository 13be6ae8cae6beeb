import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acpDriver } from '../../../src/drivers/acp/driver.ts';
import { LocalProcessHost } from '../../../src/drivers/process/local-process-host.ts';
import type { AgentDriver } from '../../../src/engine/ports/agent-driver.ts';

export interface AcpRig {
  readonly driver: AgentDriver;
  /** Where the session works: empty, below `dir`. */
  readonly cwd: string;
  readonly dir: string;
  /** Where the agent keeps its conversations, and notes what it was told. */
  readonly home: string;
  /** All that went over the agent's pipes. */
  raw(): string;
  close(): Promise<void>;
}

/** The scripted agent, a real process, behind the driver. */
export function acpRig({
  flags = [],
  startLimitMs,
}: {
  flags?: string[];
  startLimitMs?: number;
} = {}): AcpRig {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-acp-')));
  const cwd = join(dir, 'work');
  const home = join(dir, 'home');
  mkdirSync(cwd);
  const seen: Buffer[] = [];
  const processes = new LocalProcessHost({ dataDir: dir, onRaw: (_, __, chunk) => seen.push(chunk) });
  const program = join(import.meta.dirname, '..', '..', 'support', 'acp-agent', 'main.ts');
  const agent = {
    name: 'scripted',
    label: 'Scripted',
    command: process.execPath,
    args: ['--no-warnings', program, ...flags],
    env: { ACP_AGENT_HOME: home },
  };
  const driver = acpDriver({
    processes,
    environment: process.env,
    version: '0.0.0',
    agent,
    ...(startLimitMs !== undefined && { startLimitMs }),
  });
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
