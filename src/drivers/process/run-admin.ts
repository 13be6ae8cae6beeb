import { readFileSync } from 'node:fs';
import type { RunIsolation } from '../../protocol/session.ts';
import { isThere } from './holder.ts';
import { ownerOf } from './owner.ts';
import { agentPid, listRuns } from './run-directory.ts';
import { treeEnder } from './tree-ender.ts';

export interface AgentStatus {
  readonly id: string;
  readonly sessionId: string;
  readonly pid: number | undefined;
  readonly running: boolean;
  readonly startedAt: string;
  readonly isolation: RunIsolation;
  /** Resident bytes of the agent's own process, without its commands; unknown where the system does not tell. */
  readonly memory: number | undefined;
}

/** The agents on a data directory, whether a server runs there or not. */
export async function agentStatus(dataDir: string): Promise<readonly AgentStatus[]> {
  const runs = listRuns(dataDir).filter(({ isCommand }) => !isCommand);
  if (runs.length === 0) return [];
  const markers = await treeEnder().markers();
  const prefix = `${ownerOf(dataDir)}/`;
  return runs.map((run) => {
    const { id, sessionId, startedAt, isolation } = run;
    // Behind walls the agent is not the process that was started first.
    const marker = `${prefix}${encodeURIComponent(id)}`;
    const [first] = markers.get(marker) ?? [];
    const running = isThere(run, marker, markers);
    const pid = (isolation === 'walls' ? first : agentPid(run)) ?? first;
    const memory = running && pid !== undefined ? residentBytes(pid) : undefined;
    return { id, sessionId, pid, running, startedAt, isolation, memory };
  });
}

export interface StopReport {
  /** How many agents ran. */
  readonly agents: number;
  /** Processes that could not be ended. */
  readonly remaining: number;
}

/** Ends every agent of a data directory with all it has started. What they said is left for the next server. */
export async function stopAgents(dataDir: string, graceMs = 2_000): Promise<StopReport> {
  const agents = (await agentStatus(dataDir)).filter(({ running }) => running).length;
  const prefix = `${ownerOf(dataDir)}/`;
  const killAt = performance.now() + graceMs;
  const { remaining } = await treeEnder().endMarked(
    (marker) => marker.startsWith(prefix),
    () => killAt,
  );
  return { agents, remaining };
}

function residentBytes(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
  } catch {
    return undefined;
  }
}
