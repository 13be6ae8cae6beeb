import { statfs } from 'node:fs/promises';
import { type AgentStatus, agentStatus } from '../drivers/process/run-admin.ts';
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
  help: `Tells what runs on the data directory, also when no server does: the server, and each agent with its memory and how long it
has been up.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    const dataDir = dataDirectoryOf(flags, console);
    const server = (await runningServer(dataDir)) ?? null;
    const storage = server === null ? await diskOf(dataDir) : await storageOf(server.url);
    const agents = await agentStatus(dataDir);
    const now = Date.now();
    const up = (since: string): string => `up ${age(since, now)}`;
    print(console, flags, { server, storage, agents }, [
      ...columns([
        server === null
          ? ['server', isTaken(dataDir) ? 'running; it tells no address' : 'not running']
          : ['server', server.url, `process ${server.pid}`, up(server.startedAt)],
      ]),
      ...(storage === null ? [] : storageLines(storage)),
      ...agentLines(agents, up),
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

function agentLines(agents: readonly AgentStatus[], up: (since: string) => string): string[] {
  if (agents.length === 0) return ['No agents.'];
  return [
    `${counted(agents.filter(({ running }) => running).length, 'agent')} running`,
    ...columns(
      agents.map(({ sessionId, running, memory, pid, startedAt, isIsolated }) => [
        `  ${oneLine(sessionId)}`,
        running ? (memory === undefined ? 'running' : megabytes(memory)) : 'ended',
        pid === undefined ? '' : `process ${pid}`,
        up(startedAt),
        isIsolated ? 'isolated' : 'not isolated',
      ]),
    ),
  ];
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;
