import type { Command } from '../command.ts';
import { UsageError } from '../failure.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';

export const search: Command = {
  usage: 'search WORDS…',
  help: `Searches messages, tool calls and decisions of all sessions.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    if (flags.positionals.length === 0) throw new UsageError('say what to search for');
    const transport = await connect(flags, console);
    const hits = await transport.search({ q: flags.positionals.join(' ') });
    const lines = hits.map(({ title, seq, excerpt }) => `${oneLine(title)} #${seq}: ${oneLine(excerpt)}`);
    print(console, flags, { hits }, lines.length === 0 ? ['Nothing found.'] : lines);
    return 0;
  },
};
