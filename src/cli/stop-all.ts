import { stopAgents } from '../drivers/process/run-admin.ts';
import type { Command } from './command.ts';
import { Failure } from './failure.ts';
import { dataDirectoryOf } from './paths.ts';
import { counted } from './render/measures.ts';
import { endServer, isTaken, nameless, settledServer } from './running-server.ts';
import { clientFlags, clientFlagsHelp, print } from './terminal/connect.ts';

const patienceMs = 12_000;
const killPatienceMs = 2_000;

export const stopAll: Command = {
  usage: 'stop-all',
  help: `Ends the server, if one runs, and every agent with all it has started.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    const dataDir = dataDirectoryOf(flags, console);
    const server = await settledServer(dataDir);
    if (server !== undefined && !(await endServer(dataDir, server, 'SIGTERM', patienceMs))) {
      await endServer(dataDir, server, 'SIGKILL', killPatienceMs);
    }
    const { agents, remaining } = await stopAgents(dataDir);
    if (isTaken(dataDir)) {
      const why = server && `the server at ${server.url} (process ${server.pid}) does not end`;
      throw new Failure(`the agents are ended, but ${why ?? nameless(dataDir)}`);
    }
    if (remaining > 0) throw new Failure(`of the agents' processes, ${remaining} could not be ended`);
    print(console, flags, { server: server ?? null, agents }, [
      server === undefined ? 'No server ran.' : `Ended the server at ${server.url}, and its agents.`,
      ...(agents > 0 ? [`Ended ${counted(agents, 'agent')} that went on without a server.`] : []),
    ]);
    return 0;
  },
};
