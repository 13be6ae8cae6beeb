import { toolKeys } from '../../tools/mcp/endpoint.ts';
import type { Command } from '../command.ts';
import { runningServer } from '../data-directory.ts';
import { Failure, UsageError } from '../failure.ts';
import { isSet } from '../flags.ts';
import { dataDirectoryOf } from '../paths.ts';
import { columns } from '../render/columns.ts';
import { readToolSecret, renewToolSecret } from '../secret-files.ts';
import { connect, findSession, print } from './client-command.ts';

export const mcpKey: Command = {
  usage: 'mcp-key SESSION, or mcp-key --rotate',
  help: `Prints the address and the key by which an MCP client of yours reaches the interactive tools, as the agent of a session does:
what a tool asks belongs to that session. The key opens this address alone, and only while the session is not stopped; with it nobody
can list, answer or read anything. It stays the same until the keys are rotated.

  --rotate          make all keys worthless. The running server takes the old ones until it is restarted; agents that run then
                    have no tools until they are started anew
  --data-dir DIR    the server's data directory (BECKON_DATA_DIR; default ~/.beckon)
  --json            print one JSON document for machines`,
  flags: { 'data-dir': { type: 'string' }, rotate: { type: 'boolean' }, json: { type: 'boolean' } },
  mostWords: 1,
  async run(flags, console) {
    const dataDir = dataDirectoryOf(flags, console);
    const [name] = flags.positionals;
    const server = await runningServer(dataDir);
    if (isSet(flags, 'rotate')) {
      if (name !== undefined) throw new UsageError('--rotate is for all sessions: name none');
      await renewToolSecret(dataDir);
      print(console, flags, { status: 'ok', restartNeeded: server !== undefined }, [
        server === undefined
          ? 'All keys are new.'
          : 'All keys are new when the server is restarted: "beckon restart". Until then it takes the old ones.',
      ]);
      return 0;
    }
    const transport = await connect(flags, console);
    const { id, status } = await findSession(transport, name);
    const secret = await readToolSecret(dataDir);
    if (server === undefined || secret === undefined)
      throw new Failure(`the tools' secret is missing in ${dataDir}; the server makes it when it starts`);
    const key = toolKeys(secret).of(id);
    const addressAt = (url: string): string => `${url}/mcp/${encodeURIComponent(id)}`;
    const url = addressAt(server.url);
    const publicUrl = server.publicUrl === undefined ? undefined : addressAt(server.publicUrl);
    const isOpen = status !== 'stopped' && status !== 'failed';
    const config = {
      mcpServers: { beckon: { type: 'http', url, headers: { Authorization: `Bearer ${key}` } } },
    };
    print(console, flags, { sessionId: id, url, ...(publicUrl && { publicUrl }), key, isOpen, config }, [
      ...columns([
        ['address', url],
        ...(publicUrl === undefined ? [] : [['from elsewhere', publicUrl]]),
        ['key', key],
      ]),
      `As most clients want it: ${JSON.stringify(config)}`,
      ...(isOpen ? [] : [`The session is ${status}: the key opens nothing until it is resumed.`]),
    ]);
    return 0;
  },
};
