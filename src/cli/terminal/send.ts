import type { MessageReceipt } from '../../client/transport.ts';
import type { Disposition, WhileBusy } from '../../protocol/session.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../failure.ts';
import { choiceFlag, isSet } from '../flags.ts';
import { clientFlags, clientFlagsHelp, connect, print, serverWhileBusy } from './connect.ts';
import { findSession } from './find.ts';
import { textOf } from './text-of.ts';

const dispositions = ['auto', 'queue', 'interrupt', 'steer'] as const;

export const send: Command = {
  usage: 'send SESSION TEXT…',
  help: `Says something to the agent. TEXT "-" reads it from the input. While the agent works, the message is queued, or interrupts
it where the session or the server is set so.

  --queue, --interrupt, --steer    what to do while the agent works (also --disposition NAME)
  --replace         in the place of what is queued
${clientFlagsHelp}`,
  flags: {
    ...clientFlags,
    disposition: { type: 'string' },
    queue: { type: 'boolean' },
    interrupt: { type: 'boolean' },
    steer: { type: 'boolean' },
    replace: { type: 'boolean' },
  },
  async run(flags, console) {
    const [name, ...words] = flags.positionals;
    if (words.length === 0) throw new UsageError('say what to send: beckon send SESSION TEXT');
    const said =
      (['queue', 'interrupt', 'steer'] as const).find((each) => isSet(flags, each)) ??
      choiceFlag(flags, 'disposition', dispositions);
    const transport = await connect(flags, console);
    const session = await findSession(transport, name);
    const disposition = said ?? dispositionOf(session.whileBusy ?? (await serverWhileBusy(flags, console)));
    const receipt = await transport.sendMessage(session.id, {
      message: await textOf(words, console),
      disposition,
      ...(isSet(flags, 'replace') ? { replace: true } : {}),
    });
    print(console, flags, { ...receipt }, [receiptLine(receipt)]);
    return 0;
  },
};

/** To queue is what the server does by itself, and then it says why. */
export const dispositionOf = (whileBusy: WhileBusy): Disposition =>
  whileBusy === 'interrupt' ? 'interrupt' : 'auto';

/** "sent", or "queued at place 2: the agent is working" */
export function receiptLine(receipt: MessageReceipt): string {
  const place = receipt.status === 'sent' ? '' : ` at place ${receipt.position}`;
  const how = receipt.applied === 'interrupt' || receipt.applied === 'steer' ? ` (${receipt.applied})` : '';
  return `${receipt.status}${place}${how}${receipt.reason === undefined ? '' : `: ${receipt.reason}`}`;
}
