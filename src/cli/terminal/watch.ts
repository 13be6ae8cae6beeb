import type { Transport } from '../../client/transport.ts';
import type { Session, WhileBusy } from '../../protocol/session.ts';
import type { Command } from '../command.ts';
import type { Console } from '../console.ts';
import { UsageError } from '../failure.ts';
import { isSet, type ParsedFlags, textFlag } from '../flags.ts';
import { clientFlags, connect, serverWhileBusy } from './connect.ts';
import { findSession } from './find.ts';
import { followAsConversation } from './follow-conversation.ts';
import { followAsJson } from './follow-json.ts';

export const watch: Command = {
  usage: 'watch SESSION',
  help: `Shows the conversation live. On a terminal you can answer what the agent asks, and a line you type is sent to it;
while it asks, a line that begins with ">" is sent as a message. Ctrl-C interrupts the turn; twice, it leaves: the session goes on.

  --tail N          begin with the last N events (200)
  --all             begin with the first
  --once            leave when the turn has ended and nothing is queued
  --interactive     read answers and messages from the input, also when it is no terminal
  --data-dir DIR    the server's data directory (BECKON_DATA_DIR; default ~/.beckon)
  --json            one JSON object a line: snapshot, event, delta`,
  flags: {
    ...clientFlags,
    tail: { type: 'string' },
    all: { type: 'boolean' },
    once: { type: 'boolean' },
    interactive: { type: 'boolean' },
  },
  async run(flags, console) {
    const tail = tailOf(flags);
    const transport = await connect(flags, console);
    const session = await findSession(transport, flags.positionals[0]);
    return watchSession(transport, session, console, {
      after: isSet(flags, 'all') ? 0 : Math.max(0, session.lastSeq - tail),
      isInteractive: isInteractive(flags, console),
      isOnce: isSet(flags, 'once'),
      whileBusy: await serverWhileBusy(flags, console),
      isJson: isSet(flags, 'json'),
    });
  },
};

export interface Watching {
  readonly after: number;
  readonly isInteractive: boolean;
  readonly isOnce: boolean;
  /** As the server is set, for a session that is not. */
  readonly whileBusy: WhileBusy;
  readonly isJson: boolean;
}

export function watchSession(
  transport: Transport,
  session: Session,
  console: Console,
  watching: Watching,
): Promise<number> {
  return watching.isJson
    ? followAsJson(transport, session, console, watching)
    : followAsConversation(transport, session, console, watching);
}

export function isInteractive(flags: ParsedFlags, { stdin, stdout }: Console): boolean {
  return isSet(flags, 'interactive') || Boolean(stdin.isTTY && stdout.isTTY);
}

function tailOf(flags: ParsedFlags): number {
  const text = textFlag(flags, 'tail') ?? '200';
  if (!/^\d+$/.test(text)) throw new UsageError(`--tail must be a number, not "${text}"`);
  return Number(text);
}
