import type { Command } from '../command.ts';
import { paintFor } from '../render/paint.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';

export const agents: Command = {
  usage: 'agents',
  help: `Lists the agents and whether they can be started here.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    const paint = paintFor(console.stdout);
    const list = await (await connect(flags, console)).agents();
    const lines = list.map(({ name, label, available, version, reason }) => {
      const state = available
        ? paint('green', oneLine(version ?? 'available'))
        : paint('red', oneLine(reason ?? 'not available'));
      return `${name}  ${oneLine(label)}  ${state}`;
    });
    print(console, flags, { agents: list }, lines);
    return 0;
  },
};
