import type { Command } from '../command.ts';
import { textFlag } from '../flags.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';
import { findSession } from './find.ts';

export const queue: Command = {
  usage: 'queue SESSION [--remove MESSAGE]',
  help: `Lists what waits to be sent.

  --remove MESSAGE  take the message with this id, or at this place, out of the queue
${clientFlagsHelp}`,
  flags: { ...clientFlags, remove: { type: 'string' } },
  async run(flags, console) {
    const transport = await connect(flags, console);
    const session = await findSession(transport, flags.positionals[0]);
    const remove = textFlag(flags, 'remove');
    let messages = await transport.queue(session.id);
    if (remove !== undefined) {
      const named = messages.find(
        ({ messageId, position }) => messageId === remove || String(position) === remove,
      );
      messages = await transport.removeQueued(session.id, named?.messageId ?? remove);
    }
    const lines = messages.map(
      ({ position, message, sending }) => `${position}. ${oneLine(message)}${sending ? ' (being sent)' : ''}`,
    );
    print(console, flags, { queue: messages }, lines.length === 0 ? ['Nothing is queued.'] : lines);
    return 0;
  },
};
