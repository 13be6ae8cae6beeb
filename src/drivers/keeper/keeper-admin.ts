import { readFileSync } from 'node:fs';
import { ownerOf } from '../process/owner.ts';
import { sendSignal } from '../process/process-table.ts';
import { treeEnder } from '../process/tree-ender.ts';
import { closeKeeper } from './close-keeper.ts';
import { dial, type KeeperLink, SilentKeeper } from './dial.ts';
import { keeperNumbers, keeperPlaces, type Places } from './places.ts';
import type { AgentStatus, FromKeeper } from './wire.ts';

const defaultPatienceMs = 5_000;

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

export interface VisitOptions {
  /** How long a keeper that is there may take to answer. */
  readonly patienceMs?: number;
}

/**
 * What runs on a data directory, whether a server does or not: of the newest keeper, with the agents of those it replaces. Rejects
 * with `SilentKeeper` when there is a keeper and none answers.
 */
export async function keeperStatus(
  dataDir: string,
  options: VisitOptions = {},
): Promise<KeeperStatus | undefined> {
  const { answers, silent } = await visitAll(dataDir, options, async (link, status) => {
    const told = await status();
    return told && { hello: link.hello, told };
  });
  const [newest] = answers;
  if (!newest && silent[0]) throw silent[0];
  if (!newest) return undefined;
  return {
    pid: newest.hello.pid,
    version: newest.hello.version,
    startedAt: new Date(newest.hello.startedAt),
    memory: newest.told.memory,
    agents: answers.flatMap(({ told }) => told.agents.map(agentStatus)),
  };
}

export interface StopReport {
  /** How many agents ran, as far as keepers told. */
  readonly agents: number;
  /** Keepers that did not answer and were killed, with agents that nobody counted. */
  readonly killed: number;
  /** Processes that could not be ended. */
  readonly remaining: number;
}

/** Ends every agent of a data directory and its keepers, also what no keeper knows. */
export async function stopKeeper(dataDir: string, options: VisitOptions = {}): Promise<StopReport> {
  const { answers, silent } = await visitAll(dataDir, options, async (link, status) => {
    const told = await status();
    await closeKeeper(link);
    return told?.agents.filter(({ running }) => running).length ?? 0;
  });
  const killed = silent.filter(({ pid }) => pid !== undefined && sendSignal(pid, 'SIGKILL')).length;
  const prefix = `${ownerOf(dataDir)}/`;
  const killAt = performance.now() + 1_000;
  const leftovers = await treeEnder().endMarked(
    (marker) => marker.startsWith(prefix),
    () => killAt,
  );
  const agents = answers.reduce((sum, running) => sum + running, 0);
  return { agents, killed, remaining: leftovers.remaining + silent.length - killed };
}

type Status = Extract<FromKeeper, { t: 'status' }>;
type Visit<T> = (link: KeeperLink, status: () => Promise<Status | undefined>) => Promise<T | undefined>;

async function visitAll<T>(
  dataDir: string,
  { patienceMs = defaultPatienceMs }: VisitOptions,
  visit: Visit<T>,
): Promise<{ answers: T[]; silent: SilentKeeper[] }> {
  const places = keeperPlaces(dataDir);
  const silent: SilentKeeper[] = [];
  const visits = keeperNumbers(places).map((number) =>
    visitOne(places, number, patienceMs, visit).catch((error: unknown) => {
      if (!(error instanceof SilentKeeper)) throw error;
      silent.push(error);
      return undefined;
    }),
  );
  const answers = (await Promise.all(visits)).filter((answer) => answer !== undefined);
  return { answers, silent };
}

async function visitOne<T>(
  places: Places,
  number: number,
  patienceMs: number,
  visit: Visit<T>,
): Promise<T | undefined> {
  const { promise: told, resolve } = Promise.withResolvers<FromKeeper | undefined>();
  const link = await dial(places, number, {
    as: 'visitor',
    version: 'visitor',
    patienceMs,
    onMessage: resolve,
  });
  if (!link) return undefined;
  void link.closed.then(() => resolve(undefined));
  const late = setTimeout(() => resolve(undefined), patienceMs);
  const status = async () => {
    link.send({ t: 'status', n: 1 });
    const message = await told;
    return message?.t === 'status' ? message : undefined;
  };
  return visit(link, status).finally(() => {
    clearTimeout(late);
    link.destroy();
  });
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
