import { visibleLine } from '../../model/suspicious-text.ts';
import type { Command } from '../command.ts';
import { Failure, UsageError } from '../failure.ts';
import { choiceFlag, type ParsedFlags, textFlag } from '../flags.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';
import { findInteraction } from './find.ts';
import { formValues } from './form-values.ts';

export const approve: Command = {
  usage: 'approve [ID] [FIELD=VALUE…]',
  help: `Allows a tool call. ID is an interaction's id or its beginning; with only one open it may be left out.
An interactive tool may want something filled in with it: FIELD=VALUE, by the ids of the fields.

  --scope once|session|always    for how long (once)
  --pattern P       what a standing approval covers: the subject, with * for any run of characters
  --input JSON      allow with this input instead; for an interactive tool, the object of the values to fill in
  --mode MODE       for a plan: the mode to go on in
${clientFlagsHelp}`,
  flags: {
    ...clientFlags,
    scope: { type: 'string' },
    pattern: { type: 'string' },
    input: { type: 'string' },
    mode: { type: 'string' },
  },
  async run(flags, console) {
    const scope = choiceFlag(flags, 'scope', ['once', 'session', 'always'] as const);
    const pattern = textFlag(flags, 'pattern');
    const mode = textFlag(flags, 'mode');
    const updatedInput = inputOf(flags);
    const pairs = flags.positionals.filter((word) => word.includes('='));
    const transport = await connect(flags, console);
    const open = await findInteraction(
      transport,
      flags.positionals.find((word) => !word.includes('=')),
    );
    const { interactionId, sessionId, kind, toolName } = open;
    if (kind !== 'approval') throw new Failure(`this is a ${kind}, not an approval: use "beckon answer"`);
    if (pairs.length > 0 && (open.tool === undefined || open.form === undefined)) {
      throw new UsageError(`"${pairs[0]}": there is nothing to fill in here`);
    }
    const { warnings } =
      pattern === undefined
        ? { warnings: [] }
        : await transport.previewPattern({ toolName, pattern, sessionId, interactionId });
    const interaction =
      open.tool !== undefined && open.form !== undefined
        ? await transport.respond(sessionId, {
            interactionId,
            action: 'approve',
            ...(scope === undefined ? {} : { approvalScope: scope }),
            input: updatedInput ?? formValues(open.form, pairs),
          })
        : await transport.approve(sessionId, {
            requestId: interactionId,
            decision: 'allow',
            ...(scope === undefined ? {} : { scope }),
            ...(pattern === undefined ? {} : { pattern }),
            ...(mode === undefined ? {} : { mode }),
            ...(updatedInput === undefined ? {} : { updatedInput }),
          });
    print(console, flags, { status: 'ok', interaction, warnings }, [
      `allowed: ${oneLine(toolName)}`,
      ...warnings.map(({ message }) => `warning: ${visibleLine(message)}`),
      ...(warnings.length === 0 ? [] : ['"beckon grants" lists it, and takes it back with --revoke.']),
    ]);
    return 0;
  },
};

function inputOf(flags: ParsedFlags): Record<string, unknown> | undefined {
  const text = textFlag(flags, 'input');
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Told below, like any other value that is no object.
  }
  throw new UsageError('--input must be a JSON object');
}
