import type { Command } from '../command.ts';
import { isSet, textFlag } from '../flags.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';
import { findInteraction } from './find.ts';

export const deny: Command = {
  usage: 'deny [ID] [--reason R]',
  help: `Denies a tool call, or dismisses a question or a form. ID is an interaction's id or its beginning; with only one open it may be left out.

  --reason R        told to the agent
  --interrupt       end the turn as well
${clientFlagsHelp}`,
  flags: { ...clientFlags, reason: { type: 'string' }, interrupt: { type: 'boolean' } },
  async run(flags, console) {
    const transport = await connect(flags, console);
    const { interactionId, sessionId, kind, toolName } = await findInteraction(
      transport,
      flags.positionals[0],
    );
    const text = textFlag(flags, 'reason');
    const reason = text === undefined ? {} : { reason: text };
    const interrupt = isSet(flags, 'interrupt') ? { interrupt: true } : {};
    const interaction =
      kind === 'approval'
        ? await transport.deny(sessionId, { requestId: interactionId, ...reason, ...interrupt })
        : await transport.respond(sessionId, { interactionId, action: 'cancel', ...reason });
    print(console, flags, { status: 'ok', interaction }, [
      `${interaction.outcome ?? 'denied'}: ${oneLine(toolName)}`,
    ]);
    return 0;
  },
};
