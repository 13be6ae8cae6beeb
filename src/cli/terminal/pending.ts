import type { Command } from '../command.ts';
import { interactionView } from '../render/interaction-view.ts';
import { pendingList } from '../render/listing.ts';
import { paintFor } from '../render/paint.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';
import { findInteraction, findSession } from './find.ts';

export const pending: Command = {
  usage: 'pending [ID] [--session SESSION]',
  help: `Lists what waits for you, oldest first; with an interaction's ID, shows it whole.

  --session SESSION  of this session only
${clientFlagsHelp}`,
  flags: { ...clientFlags, session: { type: 'string' } },
  async run(flags, console) {
    const transport = await connect(flags, console);
    const paint = paintFor(console.stdout);
    const [id] = flags.positionals;
    if (id !== undefined) {
      const interaction = await findInteraction(transport, id);
      print(console, flags, { interaction }, interactionView(interaction, paint, Number.POSITIVE_INFINITY));
      return 0;
    }
    const { session } = flags.values;
    const of = typeof session === 'string' ? (await findSession(transport, session)).id : undefined;
    const open = await transport.pending(of);
    const ids = new Set(open.map(({ sessionId }) => sessionId));
    const sessions = await Promise.all([...ids].map((one) => transport.session(one)));
    print(console, flags, { pending: open }, pendingList(open, sessions, Date.now(), paint));
    return 0;
  },
};
