import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { wholeLog } from '../../client/whole-log.ts';
import { type ExportFormat, exportFormats, exportSession } from '../../model/export/session-export.ts';
import type { Command } from '../command.ts';
import { Failure, UsageError } from '../failure.ts';
import { choiceFlag, clientFlags, isSet, onlyWith, textFlag } from '../flags.ts';
import { absolute } from '../paths.ts';
import { counted, inBytes } from '../render/measures.ts';
import { safeJson } from '../render/safe-text.ts';
import { clientFlagsHelp, connect, findSession, print } from './client-command.ts';

export const exportCommand: Command = {
  usage: 'export SESSION [--format json|markdown|html] [--output FILE]',
  help: `Writes a session as one document: a page to show someone (html, which runs nothing and fetches nothing), markdown, or all
events as JSON. It holds what was said, asked, decided and done; not the session's variables, no token, no pictures. What an agent
printed is in it as it was: look through it before you pass it on.

  --format FORMAT   json, markdown or html; html unless told
  --output FILE     write it there, and not to the output
  --force           replace the file if it is there
${clientFlagsHelp}`,
  flags: {
    ...clientFlags,
    format: { type: 'string' },
    output: { type: 'string' },
    force: { type: 'boolean' },
  },
  mostWords: 1,
  async run(flags, console) {
    const output = textFlag(flags, 'output');
    onlyWith(flags, 'output', 'force');
    const format = formatOf(choiceFlag(flags, 'format', exportFormats), isSet(flags, 'json'), output);
    const transport = await connect(flags, console);
    const session = await findSession(transport, flags.positionals[0]);
    const events = await wholeLog(transport, session.id);
    const document = exportSession(session, events, { format, at: new Date().toISOString() });
    if (output === undefined) {
      // A terminal must not be made to do anything by what is printed; a file or a pipe gets it as it is.
      const isScreen = console.stdout.isTTY === true && format === 'json';
      console.stdout.write(isScreen ? `${safeJson(JSON.parse(document))}\n` : document);
      return 0;
    }
    const file = absolute(output, console.cwd, console.env);
    if (existsSync(file) && !isSet(flags, 'force'))
      throw new Failure(`${file} is there already; --force replaces it`, 'file_exists');
    await writeFile(file, document, { mode: 0o600 });
    const bytes = Buffer.byteLength(document);
    print(console, flags, { file, format, bytes, events: events.length }, [
      `${file}: ${inBytes(bytes)}, ${counted(events.length, 'event')}`,
    ]);
    return 0;
  },
};

/** For machines it is the events, unless a file gets the document and they are told of that. */
function formatOf(
  asked: ExportFormat | undefined,
  isJson: boolean,
  output: string | undefined,
): ExportFormat {
  if (!isJson || output !== undefined) return asked ?? 'html';
  if (asked !== undefined && asked !== 'json')
    throw new UsageError(
      `--json and --format ${asked} cannot be given together, unless --output names a file`,
    );
  return 'json';
}
