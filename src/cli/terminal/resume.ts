import type { Command } from '../command.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';
import { findSession } from './find.ts';

export const resume: Command = {
  usage: 'resume SESSION',
  help: `Starts the agent of a stopped or failed session again; what is queued is sent then.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    const transport = await connect(flags, console);
    const found = await findSession(transport, flags.positionals[0]);
    const session = await transport.resume(found.id);
    print(console, flags, { status: 'ok', session }, ['resumed']);
    return 0;
  },
};
