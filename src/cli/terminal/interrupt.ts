import type { Command } from '../command.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';
import { findSession } from './find.ts';

export const interrupt: Command = {
  usage: 'interrupt SESSION',
  help: `Ends the running turn, not the session.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    const transport = await connect(flags, console);
    const session = await findSession(transport, flags.positionals[0]);
    await transport.interrupt(session.id);
    print(console, flags, { status: 'ok' }, ['interrupted']);
    return 0;
  },
};
