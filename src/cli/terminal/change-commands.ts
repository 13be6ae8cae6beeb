import { relative, resolve, sep } from 'node:path';
import { BeckonError } from '../../client/beckon-error.ts';
import type { HttpTransport } from '../../client/http-transport.ts';
import { wholeLogBackwards } from '../../client/whole-log.ts';
import { isPatchOf, patchesIn } from '../../model/patch-files.ts';
import { visibleLine } from '../../model/suspicious-text.ts';
import {
  type ChangedFile,
  ChangesSince,
  type SessionChanges,
  type UndoChoice,
  type UndoObstacle,
} from '../../protocol/changes.ts';
import type { EventOf } from '../../protocol/event.ts';
import type { Session } from '../../protocol/session.ts';
import type { Command } from '../command.ts';
import type { Console } from '../console.ts';
import { Failure, UsageError } from '../failure.ts';
import { atMostOne, choiceFlag, clientFlags, isSet, listFlag, type ParsedFlags, textFlag } from '../flags.ts';
import { counted } from '../render/measures.ts';
import { type Paint, paintFor } from '../render/paint.ts';
import { fileLines, patchLines } from '../render/patch-lines.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientCommand, clientFlagsHelp, connect, findSession, print } from './client-command.ts';
import { askForKey } from './press.ts';

export const diff: Command = {
  usage: 'diff [SESSION] [PATH…] [--since start|turn|commit] [--turn N] [--stat]',
  mostWords: Number.POSITIVE_INFINITY,
  help: `Prints what changed in the files that a session works on, as a patch: in colours for a person, and as it is for "| git apply".
Without SESSION, that of the session which was used last in this directory.

  PATH…             only these files, or those below these folders
  --since WHEN      start: since the session began (the usual); turn: in its last turn; commit: since what is checked out
  --turn N          in one turn: 1 is the last, 2 the one before it; or a turn's id
  --stat            only which files, and how many lines
${clientFlagsHelp}`,
  flags: {
    ...clientFlags,
    since: { type: 'string' },
    turn: { type: 'string' },
    stat: { type: 'boolean' },
  },
  async run(flags, console) {
    atMostOne(flags, 'since', 'turn');
    const since = choiceFlag(flags, 'since', ChangesSince.options);
    const transport = await connect(flags, console);
    const { session, paths } = await sessionAndPaths(transport, flags, console);
    const changes = await changesOf(transport, session, since, textFlag(flags, 'turn'));
    const files = changes.files.filter((file) => isAmong(file, paths, changes.root, console));
    if (paths.length > 0 && files.length === 0)
      throw new Failure('nothing changed in these files', 'no_changes');
    const paint = paintFor(console);
    if (isSet(flags, 'stat')) {
      print(console, flags, { ...changes, files }, fileLines(files, paint));
      return 0;
    }
    const { text, isCut } = await transport.changePatch(session.id, {
      before: changes.before,
      after: changes.after,
    });
    const parts = patchesIn(text);
    const patch = (
      paths.length === 0 ? parts : parts.filter((part) => files.some(({ path }) => isPatchOf(part, path)))
    ).join('');
    if (isSet(flags, 'json')) print(console, flags, { ...changes, files, patch, isCut }, []);
    else if (console.stdout.isTTY) {
      if (patch !== '') console.stdout.write(`${patchLines(patch, paint).join('\n')}\n`);
    } else console.stdout.write(patch);
    const missing = files.filter(({ path }) => !parts.some((part) => isPatchOf(part, path)));
    if (missing.length === 0) return 0;
    const names = missing
      .slice(0, 10)
      .map(({ path }) => visibleLine(path))
      .join(', ');
    console.stderr.write(`not in this patch, for they are no text or it would be too long: ${names}\n`);
    return isCut ? 1 : 0;
  },
};

/** The first word names a session, or else it is a path and the session is the one that works here. */
async function sessionAndPaths(
  transport: HttpTransport,
  { positionals: [first, ...others] }: ParsedFlags,
  console: Console,
): Promise<{ readonly session: Session; readonly paths: readonly string[] }> {
  if (first !== undefined) {
    const named = await findSession(transport, first).catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'session_not_found') return error;
      throw error;
    });
    if (!(named instanceof Failure)) return { session: named, paths: others };
    const here = await sessionHere(transport, console);
    if (here === undefined) throw named;
    return { session: here, paths: [first, ...others] };
  }
  const session = await sessionHere(transport, console);
  if (session === undefined)
    throw new UsageError('which session? None works in this directory ("beckon ls" lists them)');
  return { session, paths: [] };
}

async function sessionHere(transport: HttpTransport, { cwd }: Console): Promise<Session | undefined> {
  const { sessions } = await transport.sessionPage({ limit: 1_000, machine: 'local' });
  const worksHere = (directory: string): boolean => cwd === directory || cwd.startsWith(directory + sep);
  return sessions.find((session) => worksHere(session.cwd) || worksHere(session.realCwd ?? session.cwd));
}

async function changesOf(
  transport: HttpTransport,
  { id }: Session,
  since: ChangesSince | undefined,
  turn: string | undefined,
): Promise<SessionChanges> {
  if (turn === undefined) return transport.changes(id, since === undefined ? {} : { since });
  return transport.changes(id, { since: 'turn', turn: await turnNamed(transport, id, turn) });
}

/** Counted from the last, or by its id. */
async function turnNamed(transport: HttpTransport, session: string, name: string): Promise<string> {
  if (!/^\d+$/.test(name)) return name;
  const { turns } = await transport.changes(session, { since: 'turn' });
  const found = turns[Number(name) - 1];
  if (found === undefined)
    throw new Failure(
      `there is no turn ${name}: of ${counted(turns.length, 'turn')} something is recorded`,
      'turn_not_found',
    );
  return found.turnId;
}

/** Paths are those of the work tree, or as they are seen from here. */
function isAmong(file: ChangedFile, paths: readonly string[], root: string, { cwd }: Console): boolean {
  if (paths.length === 0) return true;
  return paths.some((given) => {
    const fromTop = relative(root, resolve(cwd, given)).replaceAll(sep, '/');
    return [given.replace(/\/$/, ''), fromTop].some(
      (path) => file.path === path || file.movedFrom === path || file.path.startsWith(`${path}/`),
    );
  });
}

export const undo = clientCommand({
  usage: 'undo SESSION [--turn N | --redo] [--overwrite PATH…] [--leave PATH…] [--yes]',
  mostWords: 1,
  help: `Puts back what a turn changed in the files, those paths and no others. It lists them first, and then wants a press, or --yes.`,
  flags: {
    turn: { type: 'string' },
    redo: { type: 'boolean' },
    overwrite: { type: 'string', multiple: true },
    leave: { type: 'string', multiple: true },
    yes: { type: 'boolean' },
  },
  flagsHelp: `  --turn N          which turn: 1 is the last (the usual), 2 the one before it; or a turn's id
  --redo            undo the last undo instead
  --overwrite PATH  of a file that was edited since: put it back all the same; may be repeated
  --leave PATH      of a file that was edited since: leave it as it is; may be repeated
  --yes             without a press`,
  async run({ flags, console, paint, connect: open }) {
    atMostOne(flags, 'turn', 'redo');
    const transport = await open();
    const session = await findSession(transport, flags.positionals[0]);
    const wanted = isSet(flags, 'redo')
      ? await lastUndo(transport, session)
      : await turnToUndo(transport, session, textFlag(flags, 'turn') ?? '1');
    const say = (lines: readonly string[]): void => {
      if (!isSet(flags, 'json')) console.stdout.write(`${lines.join('\n')}\n`);
    };
    say([wanted.title, ...wanted.lines(paint).map((line) => `  ${line}`)]);
    if (wanted.count === 0) return [{ done: false, paths: [] }, ['nothing to put back']];
    await agree(flags, console, 'Put them back? Press y, or any other key to leave them.');
    const { span } = wanted;
    const done = await transport.undo(session.id, span).catch(async (error: unknown) => {
      const met = obstaclesIn(error);
      if (met === undefined) throw error;
      say([
        paint(
          'yellow',
          `Nothing was changed: ${counted(met.obstacles.length, 'file')} must be decided on first.`,
        ),
      ]);
      const choices = await chosen(met.obstacles, { flags, console, paint });
      return transport.undo(session.id, { ...span, choices, shown: met.shown });
    });
    const again = `"beckon undo ${session.id} --redo" undoes this.`;
    return [{ ...done }, [`${counted(done.paths.length, 'file')} put back. ${again}`]];
  },
});

interface Wanted {
  readonly title: string;
  readonly count: number;
  readonly span: { readonly turnId: string } | { readonly before: string; readonly after: string };
  lines(paint: Paint): readonly string[];
}

async function turnToUndo(transport: HttpTransport, { id }: Session, name: string): Promise<Wanted> {
  const changes = await transport.changes(id, {
    since: 'turn',
    turn: await turnNamed(transport, id, name),
  });
  const turnId = changes.turnId ?? '';
  const title = changes.turns.find((turn) => turn.turnId === turnId)?.title;
  const of = title === undefined ? 'the turn' : `the turn "${oneLine(title)}"`;
  return {
    title: `Back to how they were before ${of}:`,
    count: changes.files.length,
    span: { turnId },
    lines: (paint) => fileLines(changes.files, paint),
  };
}

/** How far back an undo is looked for. */
const mostEvents = 20_000;

async function lastUndo(transport: HttpTransport, { id }: Session): Promise<Wanted> {
  let seen = 0;
  for await (const event of wholeLogBackwards(transport, id)) {
    seen += 1;
    if (event.type === 'files.restored') return redoOf(event);
    if (seen > mostEvents) break;
  }
  throw new Failure('nothing was undone in this session', 'nothing_undone');
}

const redoOf = ({ before, after, paths, files }: EventOf<'files.restored'>): Wanted => ({
  title: 'Back to how they were before the last undo:',
  count: files,
  span: { before, after },
  lines: () => [
    ...paths.map(visibleLine),
    ...(files > paths.length ? [`and ${files - paths.length} more`] : []),
  ],
});

function obstaclesIn(
  error: unknown,
): { readonly obstacles: readonly UndoObstacle[]; readonly shown: string } | undefined {
  if (!(error instanceof BeckonError) || error.code !== 'undo_obstacles') return undefined;
  const { obstacles, shown } = error.details;
  return Array.isArray(obstacles) && typeof shown === 'string' ? { obstacles, shown } : undefined;
}

const whyWords: Readonly<Record<UndoObstacle['why'], string>> = {
  edited: 'it was edited since',
  'in-the-way': 'something that is not recorded lies there',
  unrecorded: 'it could not be recorded',
};

/** What the flags say for each; for the rest a person at a terminal is asked. */
async function chosen(
  obstacles: readonly UndoObstacle[],
  {
    flags,
    console,
    paint,
  }: { readonly flags: ParsedFlags; readonly console: Console; readonly paint: Paint },
): Promise<Record<string, UndoChoice>> {
  const [overwrite, leave] = [listFlag(flags, 'overwrite'), listFlag(flags, 'leave')];
  const choices: Record<string, UndoChoice> = {};
  const open: UndoObstacle[] = [];
  for (const obstacle of obstacles) {
    const { path, canOverwrite } = obstacle;
    if (leave.includes(path) || !canOverwrite) choices[path] = 'leave';
    else if (overwrite.includes(path)) choices[path] = 'overwrite';
    else open.push(obstacle);
  }
  const told = open.map(({ path, why }) => `  ${visibleLine(path)}: ${whyWords[why]}`);
  if (open.length > 0 && (!isAtTerminal(console) || isSet(flags, 'json') || isSet(flags, 'yes')))
    throw new Failure(
      `say for each of these --overwrite PATH or --leave PATH; nothing was changed:\n${told.join('\n')}`,
      'undo_obstacles',
    );
  for (const [at, { path }] of open.entries()) {
    console.stdout.write(`${paint('yellow', told[at] ?? '')}\n`);
    const key = await askForKey(console, '  o overwrites it, l leaves it; any other key ends this.');
    if (key !== 'o' && key !== 'l') throw notDone();
    choices[path] = key === 'o' ? 'overwrite' : 'leave';
  }
  return choices;
}

/** A press at a terminal, or a flag where nobody is there to press. */
async function agree(flags: ParsedFlags, console: Console, question: string): Promise<void> {
  if (isSet(flags, 'yes')) return;
  if (!isAtTerminal(console) || isSet(flags, 'json'))
    throw new Failure('nothing was done; with --yes it is put back', 'not_confirmed');
  if ((await askForKey(console, question)) !== 'y') throw notDone();
}

const notDone = (): Failure => new Failure('nothing was done', 'not_confirmed');

const isAtTerminal = ({ stdin, stdout }: Console): boolean => stdin.isTTY && stdout.isTTY;

export const fork = clientCommand({
  usage: 'fork SESSION [--turn N] [--title TITLE]',
  mostWords: 1,
  help: `Starts another session that goes on with the conversation of this one: all of it, or as it was before a turn. The files stay as they are.`,
  flags: { turn: { type: 'string' }, title: { type: 'string' } },
  flagsHelp: `  --turn N          before which turn: 1 is the last, 2 the one before it; or a turn's id
  --title TITLE     what it is called`,
  async run({ flags, connect: open }) {
    const [turn, title] = [textFlag(flags, 'turn'), textFlag(flags, 'title')];
    const transport = await open();
    const { id } = await findSession(transport, flags.positionals[0]);
    const session = await transport.fork(id, {
      ...(turn !== undefined && { turnId: await turnNamed(transport, id, turn) }),
      ...(title !== undefined && { title }),
    });
    return [{ session }, [session.id]];
  },
});
