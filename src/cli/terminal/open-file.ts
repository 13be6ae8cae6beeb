import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ChangesSince } from '../../protocol/changes.ts';
import type { Session } from '../../protocol/session.ts';
import type { Console } from '../console.ts';
import { UsageError } from '../failure.ts';
import { choiceFlag, isSet, onlyWith, type ParsedFlags } from '../flags.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientCommand, findSession, isElsewhere } from './client-command.ts';

export const open = clientCommand({
  usage: 'open SESSION FILE[:LINE[:COLUMN]] [--diff [--since start|turn|commit]]',
  mostWords: 2,
  help: `Opens a file that a session works on in the editor that the configuration of its machine names ("editor"), there.
FILE is seen from here where it is there, else from the top of the work tree, as "beckon diff --stat" names it.`,
  flags: { diff: { type: 'boolean' }, since: { type: 'string' } },
  flagsHelp: `  --diff            beside how it was
  --since WHEN      start: when the session began (the usual); turn: before its last turn; commit: in what is checked out`,
  async run({ flags, console, connect }) {
    onlyWith(flags, 'diff', 'since');
    const since = choiceFlag(flags, 'since', ChangesSince.options);
    const [name, given] = flags.positionals;
    if (name !== undefined && given === undefined) throw new UsageError('which file? It is missing');
    const transport = await connect();
    const session = await findSession(transport, name);
    const place = placeIn(given ?? '', (file) => pathHere(file, session, flags, console));
    await transport.openFile(session.id, {
      ...place,
      ...(isSet(flags, 'diff') && { diff: since === undefined ? {} : { since } }),
    });
    return [{ status: 'ok', ...place }, [`opened ${oneLine(place.file)}`]];
  },
});

interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** A file whose name ends like a place in one is that file. */
function placeIn(given: string, here: (file: string) => string | undefined): Place {
  const whole = here(given);
  if (whole !== undefined) return { file: whole };
  const [, name = given, line, column] = /^(.+?):(\d+)(?::(\d+))?$/s.exec(given) ?? [];
  return {
    file: here(name) ?? name,
    ...(line !== undefined && { line: Number(line) }),
    ...(column !== undefined && { column: Number(column) }),
  };
}

/** Its whole path where the session works on this machine and the file is seen from here. */
function pathHere(
  file: string,
  { machine }: Session,
  flags: ParsedFlags,
  console: Console,
): string | undefined {
  if (machine !== undefined || isElsewhere(flags, console)) return undefined;
  const path = resolve(console.cwd, file);
  return existsSync(path) ? path : undefined;
}
