import type { Command } from '../command.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';

export const pair: Command = {
  usage: 'pair',
  help: `Prints a link that lets one more browser in, once.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    const link = await (await connect(flags, console)).pairingLink();
    print(console, flags, link, [link.url]);
    return 0;
  },
};
