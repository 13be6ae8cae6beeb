import type { Command } from '../command.ts';
import { paintFor } from '../render/paint.ts';
import { oneLine } from '../render/safe-text.ts';
import { modeWords } from '../server-lines.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';

export const agents: Command = {
  usage: 'agents',
  help: `Lists the agents, whether they can be started here, in which mode unless a session says another, and which of them end
with the server.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    const paint = paintFor(console.stdout);
    const list = await (await connect(flags, console)).agents();
    const lines = list.map(
      ({ name, label, available, version, reason, capabilities, defaultPermissionMode }) => {
        const state = available
          ? paint('green', oneLine(version ?? 'available'))
          : paint('red', oneLine(reason ?? 'not available'));
        const end = capabilities.outlivesServer === false ? '  ends with the server' : '';
        const mode = defaultPermissionMode === undefined ? '' : `  ${modeWords(defaultPermissionMode)}`;
        return `${name}  ${oneLine(label)}  ${state}${mode}${end}`;
      },
    );
    print(console, flags, { agents: list }, lines);
    return 0;
  },
};
