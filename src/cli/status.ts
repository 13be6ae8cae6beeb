import { statfs } from 'node:fs/promises';
import { untoldBytes } from '../drivers/keeper/connected-process.ts';
import { SilentKeeper } from '../drivers/keeper/dial.ts';
import { type KeeperAgentStatus, type KeeperStatus, keeperStatus } from '../drivers/keeper/keeper-admin.ts';
import { StorageState, storageReasons } from '../protocol/storage.ts';
import type { Command } from './command.ts';
import { dataDirectoryOf } from './paths.ts';
import { columns } from './render/columns.ts';
import { age, counted } from './render/measures.ts';
import { oneLine } from './render/safe-text.ts';
import { isTaken, runningServer } from './running-server.ts';
import { storageLines } from './storage-lines.ts';
import { clientFlags, clientFlagsHelp, print } from './terminal/connect.ts';

export const status: Command = {
  usage: 'status',
  help: `Tells what runs on the data directory, also when no server does: the server, the keeper that owns the agents, and each agent
with its memory and how long it has been up.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    const dataDir = dataDirectoryOf(flags, console);
    const server = (await runningServer(dataDir)) ?? null;
    const storage = server === null ? await diskOf(dataDir) : await storageOf(server.url);
    const keeper = await knownOf(dataDir);
    const now = Date.now();
    const up = (since: string): string => `up ${age(since, now)}`;
    print(console, flags, { server, storage, keeper }, [
      ...columns([
        server === null
          ? ['server', isTaken(dataDir) ? 'running; it tells no address' : 'not running']
          : ['server', server.url, `process ${server.pid}`, up(server.startedAt)],
        keeperLine(keeper, up),
      ]),
      ...(storage === null ? [] : storageLines(storage)),
      ...agentLines(keeper, server === null ? 1 : untoldBytes, up),
    ]);
    return 0;
  },
};

/** Null where the server does not say: it is about to end, or an older one. */
async function storageOf(url: string): Promise<StorageState | null> {
  try {
    const reply = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(healthPatienceMs) });
    return StorageState.safeParse(((await reply.json()) as { storage?: unknown }).storage).data ?? null;
  } catch {
    return null;
  }
}
const healthPatienceMs = 2_000;

/** Without a server to ask: a server on a full disk cannot even store its address. */
async function diskOf(dataDir: string): Promise<StorageState | null> {
  try {
    const { bavail, bsize } = await statfs(dataDir);
    const problem = 'disk-full';
    return bavail * bsize > 0 ? null : { ok: false, problem, reason: storageReasons[problem], missing: [] };
  } catch {
    return null;
  }
}

type Known = (KeeperStatus & { readonly answers: true }) | Silent | null;
interface Silent {
  readonly answers: false;
  readonly pid: number | null;
}
type Up = (since: string) => string;

async function knownOf(dataDir: string): Promise<Known> {
  try {
    const keeper = await keeperStatus(dataDir);
    return keeper ? { ...keeper, answers: true } : null;
  } catch (error) {
    if (error instanceof SilentKeeper) return { answers: false, pid: error.pid ?? null };
    throw error;
  }
}

function keeperLine(keeper: Known, up: Up): string[] {
  if (keeper === null) return ['keeper', 'not running'];
  if (!keeper.answers) return ['keeper', 'does not answer', ...(keeper.pid ? [`process ${keeper.pid}`] : [])];
  const { memory, pid, startedAt, version } = keeper;
  return [
    'keeper',
    megabytes(memory),
    `process ${pid}`,
    up(startedAt.toISOString()),
    `version ${oneLine(version)}`,
  ];
}

/** `worthTelling`: so much unread output is no mere delay in telling the keeper that it was stored. */
function agentLines(keeper: Known, worthTelling: number, up: Up): string[] {
  if (keeper !== null && !keeper.answers) return ['What agents it has is not known.'];
  const agents = keeper?.agents ?? [];
  if (agents.length === 0) return ['No agents.'];
  return [
    `${counted(agents.filter(({ running }) => running).length, 'agent')} running`,
    ...columns(agents.map((agent) => agentLine(agent, worthTelling, up))),
  ];
}

const agentLine = (agent: KeeperAgentStatus, worthTelling: number, up: Up): string[] => [
  `  ${oneLine(agent.sessionId)}`,
  agent.running ? (agent.memory === undefined ? 'running' : megabytes(agent.memory)) : 'ended',
  agent.pid === undefined ? '' : `process ${agent.pid}`,
  up(agent.startedAt.toISOString()),
  agent.unstored < worthTelling ? '' : `${counted(agent.unstored, 'byte')} to be read`,
];

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;
