import type { Command } from '../command.ts';
import { isSet } from '../flags.ts';
import { sessionList } from '../render/listing.ts';
import { paintFor } from '../render/paint.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';

export const ls: Command = {
  usage: 'ls [--all]',
  help: `Lists the sessions that are not stopped: id, status and since when, agent, what is open or queued, title (key).

  --all             stopped sessions, too
${clientFlagsHelp}`,
  flags: { ...clientFlags, all: { type: 'boolean' } },
  async run(flags, console) {
    const all = await (await connect(flags, console)).sessions();
    const isAll = isSet(flags, 'all') || isSet(flags, 'json');
    const shown = isAll ? all : all.filter(({ status }) => status !== 'stopped');
    const hidden = all.length - shown.length;
    const more = hidden > 0 ? [`(${hidden} stopped: "beckon ls --all")`] : [];
    print(console, flags, { sessions: all }, [
      ...sessionList(shown, Date.now(), paintFor(console.stdout)),
      ...more,
    ]);
    return 0;
  },
};
