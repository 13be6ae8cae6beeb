import { statfs } from 'node:fs/promises';
import { HttpTransport } from '../client/http-transport.ts';
import { type AgentStatus, agentStatus, stopAgents } from '../drivers/process/run-admin.ts';
import type { ChannelState } from '../protocol/channel.ts';
import { localMachine } from '../protocol/local-machine.ts';
import type { Machine } from '../protocol/machine.ts';
import type { Agent, Session } from '../protocol/session.ts';
import { StorageState, storageReasons } from '../protocol/storage.ts';
import type { Console } from './console.ts';
import { endServer, isTaken, nameless, runningServer, settledServer } from './data-directory.ts';
import { timeForEnd } from './ending.ts';
import { Failure } from './failure.ts';
import type { ParsedFlags } from './flags.ts';
import { dataDirectoryOf } from './paths.ts';
import { columns } from './render/columns.ts';
import { isolationWords } from './render/event-lines.ts';
import { age, counted } from './render/measures.ts';
import type { Paint } from './render/paint.ts';
import { oneLine } from './render/safe-text.ts';
import { channelLine, isolationLine, modeLine, storageLines } from './server-lines.ts';
import { clientCommand, connect } from './terminal/client-command.ts';
import { stateCells } from './terminal/machine-commands.ts';

export const status = clientCommand({
  usage: 'status',
  help: `Tells what runs on the data directory, also when no server does: the server, each agent with its memory and how long it
has been up, and which agents end with the server.`,
  async run({ flags, console, paint }) {
    const dataDir = dataDirectoryOf(flags, console);
    const server = (await runningServer(dataDir)) ?? null;
    const storage = server === null ? await diskOf(dataDir) : await storageOf(server.url);
    const agents = await agentStatus(dataDir);
    const told = server === null ? undefined : await askServer(flags, console);
    const machines = server === null ? [] : await otherMachines(flags, console);
    const ending = endingWithServer(told);
    const modes = defaultModes(told);
    const now = Date.now();
    const up = (since: string): string => `up ${age(since, now)}`;
    return [
      {
        server,
        storage,
        agents,
        ...(machines.length > 0 && { machines }),
        defaultModes: modes,
        channels: told?.channels ?? [],
        endingWithServer: ending.map(({ label: _, ...agent }) => agent),
      },
      [
        ...columns([
          server === null
            ? ['server', isTaken(dataDir) ? 'running; it tells no address' : 'not running']
            : ['server', server.url, `process ${server.pid}`, up(server.startedAt)],
        ]),
        ...(server?.publicUrl === undefined
          ? []
          : [`reached from elsewhere at ${oneLine(server.publicUrl)}`]),
        ...(storage === null ? [] : storageLines(storage)),
        ...(server?.isolation === undefined ? [] : [isolationLine(server.isolation)]),
        ...modes.map(({ agent, permissionMode }) => modeLine(agent, permissionMode)),
        ...(told?.channels ?? []).map((channel) => channelLine(channel, now)),
        ...machineLines(machines, now, paint),
        ...agentLines(agents, up),
        ...endingLines(ending),
        ...(agents.length + ending.length === 0 ? ['No agents.'] : []),
      ],
    ];
  },
});

/** Null where the server does not say: it is about to end, or an older one. */
async function storageOf(url: string): Promise<StorageState | null> {
  try {
    const { storage } = await new HttpTransport({ baseUrl: url, timeoutMs: healthPatienceMs }).health();
    return StorageState.safeParse(storage).data ?? null;
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
  if (agents.length === 0) return [];
  return [
    `${counted(agents.filter(({ running }) => running).length, 'agent')} running`,
    ...columns(
      agents.map(({ sessionId, running, memory, pid, startedAt, isolation }) => [
        `  ${oneLine(sessionId)}`,
        running ? (memory === undefined ? 'running' : megabytes(memory)) : 'ended',
        pid === undefined ? '' : `process ${pid}`,
        up(startedAt),
        isolationWords[isolation],
      ]),
    ),
  ];
}

/** A server that hangs must not keep the rest from being told. */
const serverPatienceMs = 3_000;

/** Undefined when it does not answer. */
async function askServer(flags: ParsedFlags, console: Console): Promise<Told | undefined> {
  try {
    const transport = await connect(flags, console, { timeoutMs: serverPatienceMs });
    const [kinds, sessions, channels] = await Promise.all([
      transport.agents(),
      transport.sessions(),
      // An older server does not tell.
      transport.channels().catch(() => []),
    ]);
    return { kinds, sessions, channels };
  } catch {
    return undefined;
  }
}

/** None where there is only the server's own, or the server is one that knows of none. */
async function otherMachines(flags: ParsedFlags, console: Console): Promise<readonly Machine[]> {
  try {
    const transport = await connect(flags, console, { timeoutMs: serverPatienceMs });
    return (await transport.machines()).filter(({ name }) => name !== localMachine);
  } catch {
    return [];
  }
}

const machineLines = (machines: readonly Machine[], now: number, paint: Paint): string[] =>
  columns(machines.map((machine) => ['machine', oneLine(machine.name), ...stateCells(machine, now, paint)]));

interface Told {
  readonly kinds: readonly Agent[];
  readonly sessions: readonly Session[];
  readonly channels: readonly ChannelState[];
}

interface EndingAgent {
  readonly sessionId: string;
  readonly agent: string;
  readonly label: string;
}

/** Those that are not on files, of which only the server can tell. */
function endingWithServer({ kinds, sessions }: Told = nothingTold): readonly EndingAgent[] {
  return sessions.flatMap(({ id, agent, status: state, capabilities }) => {
    const kind = kinds.find(({ name }) => name === agent);
    const outlives = (capabilities ?? kind?.capabilities)?.outlivesServer ?? true;
    const isThere = !['asleep', 'stopped', 'failed'].includes(state);
    return outlives || !isThere ? [] : [{ sessionId: id, agent, label: kind?.label ?? agent }];
  });
}

/** A mode may make an agent ask for less than people expect of it. */
const defaultModes = ({ kinds }: Told = nothingTold) =>
  kinds.flatMap(({ name, defaultPermissionMode }) =>
    defaultPermissionMode === undefined ? [] : [{ agent: name, permissionMode: defaultPermissionMode }],
  );

const nothingTold: Told = { kinds: [], sessions: [], channels: [] };

function endingLines(ending: readonly EndingAgent[]): string[] {
  if (ending.length === 0) return [];
  return [
    `${counted(ending.length, 'agent')} ${ending.length === 1 ? 'ends' : 'end'} with the server`,
    ...columns(ending.map(({ sessionId, label }) => [`  ${oneLine(sessionId)}`, oneLine(label)])),
  ];
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;

const killPatienceMs = 10_000;

export const stopAll = clientCommand({
  usage: 'stop-all',
  help: 'Ends the server, if one runs, and every agent with all it has started.',
  async run({ flags, console }) {
    const dataDir = dataDirectoryOf(flags, console);
    const server = await settledServer(dataDir);
    if (server !== undefined && !(await endServer(dataDir, server, 'SIGTERM', timeForEnd(console.env)))) {
      await endServer(dataDir, server, 'SIGKILL', killPatienceMs);
    }
    const { agents, remaining } = await stopAgents(dataDir);
    if (isTaken(dataDir)) {
      const why = server && `the server at ${server.url} (process ${server.pid}) does not end`;
      throw new Failure(`the agents are ended, but ${why ?? nameless(dataDir)}`);
    }
    if (remaining > 0) throw new Failure(`of the agents' processes, ${remaining} could not be ended`);
    return [
      { server: server ?? null, agents },
      [
        server === undefined ? 'No server ran.' : `Ended the server at ${server.url}, and its agents.`,
        ...(agents > 0 ? [`Ended ${counted(agents, 'agent')} that went on without a server.`] : []),
      ],
    ];
  },
});
