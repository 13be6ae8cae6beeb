import type { Command } from '../command.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';
import { findSession } from './find.ts';

export const stop: Command = {
  usage: 'stop SESSION',
  help: `Ends the session and its agent, and prints what was queued and not sent.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    const transport = await connect(flags, console);
    const session = await findSession(transport, flags.positionals[0]);
    const returned = await transport.stop(session.id);
    const notSent = returned.map((text) => `not sent: ${oneLine(text)}`);
    print(console, flags, { status: 'ok', returned }, ['stopped', ...notSent]);
    return 0;
  },
};
