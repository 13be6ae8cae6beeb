import { readFileSync } from 'node:fs';
import { ownerOf } from '../process/owner.ts';
import { treeEnder } from '../process/tree-ender.ts';
import { type DialOptions, dial, type KeeperLink } from './dial.ts';
import { closeKeeper } from './keeper-process-host.ts';
import { keeperNumbers, keeperPlaces, socketPath } from './places.ts';
import type { AgentStatus, FromKeeper } from './wire.ts';

const patienceMs = 10_000;

export interface KeeperStatus {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: Date;
  /** Resident bytes. */
  readonly memory: number;
  readonly agents: readonly KeeperAgentStatus[];
}

export interface KeeperAgentStatus {
  readonly id: string;
  readonly sessionId: string;
  readonly pid: number | undefined;
  readonly running: boolean;
  readonly startedAt: Date;
  /** Resident bytes of the agent's own process, without its commands; unknown where the system does not tell. */
  readonly memory: number | undefined;
  /** Bytes printed that no server has stored yet. */
  readonly unstored: number;
}

/** What runs on a data directory, whether a server does or not: of the newest keeper, with the agents of those it replaces. */
export async function keeperStatus(dataDir: string): Promise<KeeperStatus | undefined> {
  const statuses = await visitAll(dataDir, async (link, next) => {
    link.send({ t: 'status', n: 1 });
    const status = await next();
    return status?.t === 'status' ? { hello: link.hello, status } : undefined;
  });
  const [newest] = statuses;
  if (!newest) return undefined;
  return {
    pid: newest.hello.pid,
    version: newest.hello.version,
    startedAt: new Date(newest.hello.startedAt),
    memory: newest.status.memory,
    agents: statuses.flatMap(({ status }) => status.agents.map(agentStatus)),
  };
}

/** Ends every agent of a data directory and its keepers, also what no keeper knows. Tells how many agents ran. */
export async function stopKeeper(dataDir: string): Promise<{ agents: number; remaining: number }> {
  const before = await keeperStatus(dataDir);
  await visitAll(dataDir, (link) => closeKeeper(link));
  const prefix = `${ownerOf(dataDir)}/`;
  const killAt = performance.now() + 1_000;
  const leftovers = await treeEnder().endMarked(
    (marker) => marker.startsWith(prefix),
    () => killAt,
  );
  const running = before?.agents.filter((agent) => agent.running).length ?? 0;
  return { agents: running, remaining: leftovers.remaining };
}

async function visitAll<T>(
  dataDir: string,
  visit: (link: KeeperLink, next: () => Promise<FromKeeper | undefined>) => Promise<T | undefined>,
): Promise<T[]> {
  const places = keeperPlaces(dataDir);
  const visits = keeperNumbers(places).map(async (number) => {
    const { promise, resolve } = Promise.withResolvers<FromKeeper | undefined>();
    const options: DialOptions = { as: 'visitor', version: 'visitor', patienceMs, onMessage: resolve };
    const link = await dial(socketPath(places, number), options);
    if (!link) return undefined;
    void link.closed.then(() => resolve(undefined));
    return visit(link, () => promise).finally(() => link.destroy());
  });
  return (await Promise.all(visits)).filter((result) => result !== undefined);
}

function agentStatus(agent: AgentStatus): KeeperAgentStatus {
  const { id, sessionId, pid, running, startedAt, outputEnd, stored } = agent;
  return {
    id,
    sessionId,
    pid: pid === 0 ? undefined : pid,
    running,
    startedAt: new Date(startedAt),
    memory: running ? residentBytes(pid) : undefined,
    unstored: outputEnd - stored,
  };
}

function residentBytes(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
  } catch {
    return undefined;
  }
}
