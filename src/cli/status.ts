import { type AgentStatus, agentStatus } from '../drivers/process/run-admin.ts';
import type { Command } from './command.ts';
import { dataDirectoryOf } from './paths.ts';
import { columns } from './render/columns.ts';
import { age, counted } from './render/measures.ts';
import { oneLine } from './render/safe-text.ts';
import { runningServer } from './running-server.ts';
import { clientFlags, clientFlagsHelp, print } from './terminal/connect.ts';

export const status: Command = {
  usage: 'status',
  help: `Tells what runs on the data directory, also when no server does: the server, and each agent with its memory and how long it
has been up.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    const dataDir = dataDirectoryOf(flags, console);
    const server = (await runningServer(dataDir)) ?? null;
    const agents = await agentStatus(dataDir);
    const now = Date.now();
    const up = (since: string): string => `up ${age(since, now)}`;
    print(console, flags, { server, agents }, [
      ...columns([
        server === null
          ? ['server', 'not running']
          : ['server', server.url, `process ${server.pid}`, up(server.startedAt)],
      ]),
      ...agentLines(agents, up),
    ]);
    return 0;
  },
};

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
