import { type KeeperAgentStatus, keeperStatus } from '../drivers/keeper/keeper-admin.ts';
import type { Command } from './command.ts';
import { dataDirectoryOf } from './paths.ts';
import { columns } from './render/columns.ts';
import { age, counted } from './render/measures.ts';
import { oneLine } from './render/safe-text.ts';
import { runningServer } from './running-server.ts';
import { clientFlags, clientFlagsHelp, print } from './terminal/connect.ts';

export const status: Command = {
  usage: 'status',
  help: `Tells what runs on the data directory, also when no server does: the server, the keeper that owns the agents, and each agent
with its memory and how long it has been up.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    const dataDir = dataDirectoryOf(flags, console);
    const server = (await runningServer(dataDir)) ?? null;
    const keeper = (await keeperStatus(dataDir)) ?? null;
    const now = Date.now();
    const up = (since: string): string => `up ${age(since, now)}`;
    const agents = keeper?.agents ?? [];
    print(console, flags, { server, keeper }, [
      ...columns([
        server === null
          ? ['server', 'not running']
          : ['server', server.url, `process ${server.pid}`, up(server.startedAt)],
        keeper === null
          ? ['keeper', 'not running']
          : [
              'keeper',
              megabytes(keeper.memory),
              `process ${keeper.pid}`,
              up(keeper.startedAt.toISOString()),
              `version ${oneLine(keeper.version)}`,
            ],
      ]),
      agents.length === 0
        ? 'No agents.'
        : `${counted(agents.filter(({ running }) => running).length, 'agent')} running`,
      ...columns(agents.map((agent) => agentLine(agent, up))),
    ]);
    return 0;
  },
};

const agentLine = (agent: KeeperAgentStatus, up: (since: string) => string): string[] => [
  `  ${oneLine(agent.sessionId)}`,
  agent.running ? (agent.memory === undefined ? 'running' : megabytes(agent.memory)) : 'ended',
  agent.pid === undefined ? '' : `process ${agent.pid}`,
  up(agent.startedAt.toISOString()),
  agent.unstored === 0 ? '' : `${counted(agent.unstored, 'byte')} to be read`,
];

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;
