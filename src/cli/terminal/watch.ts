import { join } from 'node:path';
import type { HttpTransport } from '../../client/http-transport.ts';
import type { CreateSession } from '../../protocol/command.ts';
import { localMachine } from '../../protocol/local-machine.ts';
import { type Session, WhileBusy } from '../../protocol/session.ts';
import type { Command } from '../command.ts';
import type { Console } from '../console.ts';
import { UsageError } from '../failure.ts';
import {
  atMostOne,
  choiceFlag,
  clientFlags,
  type FlagDefinitions,
  isSet,
  listFlag,
  type ParsedFlags,
  pairsFlag,
  textFlag,
} from '../flags.ts';
import { absolute, dataDirectoryOf } from '../paths.ts';
import { chooseSession } from './choose-session.ts';
import {
  clientFlagsHelp,
  connect,
  findSession,
  isElsewhere,
  print,
  serverFlagsHelp,
  serverWhileBusy,
  textOf,
} from './client-command.ts';
import { followAsConversation, followAsJson } from './follow-session.ts';
import { type History, historyInFile, historyInMemory } from './history.ts';
import { isTerminal } from './screen.ts';
import { chosenTemplate } from './template.ts';
import { worktreeWish } from './worktrees.ts';

const newFlags = {
  ...clientFlags,
  agent: { type: 'string' },
  machine: { type: 'string' },
  cwd: { type: 'string' },
  key: { type: 'string' },
  title: { type: 'string' },
  description: { type: 'string' },
  template: { type: 'string' },
  set: { type: 'string', multiple: true },
  mode: { type: 'string' },
  model: { type: 'string' },
  'while-busy': { type: 'string' },
  label: { type: 'string', multiple: true },
  env: { type: 'string', multiple: true },
  ephemeral: { type: 'boolean' },
  worktree: { type: 'boolean' },
  base: { type: 'string' },
  branch: { type: 'string' },
  setup: { type: 'string' },
  watch: { type: 'boolean' },
  'no-watch': { type: 'boolean' },
  interactive: { type: 'boolean' },
  once: { type: 'boolean' },
} as const satisfies FlagDefinitions;

export const newSession: Command = {
  mostWords: Number.POSITIVE_INFINITY,
  usage: 'new [--agent A] [--machine M] [--cwd DIR] [--key K] [PROMPT…]',
  help: `Starts a session and prints its id; on a terminal it goes on with "beckon watch". PROMPT "-" reads it from the input.

  --agent A         which agent ("beckon agents" lists them)
  --machine M       where it runs ("beckon machines" lists them; where the server does)
  --cwd DIR         where the agent works (this directory; on another machine the home there)
  --key K           another system's name for the session
  --template NAME   begin with a prompt that was kept ("beckon templates"), on its machine; PROMPT comes behind it
  --set BLANK=TEXT  fill in a blank of it (may be repeated); on a terminal you are asked for the others
  --description D   what it is about: with the title it is the first message where there is no PROMPT
  --title T, --mode MODE, --model M, --label L (may be repeated)
  --while-busy HOW  queue or interrupt: what messages do while the agent works (as the server is set)
  --env NAME=VALUE  a variable for the agent (may be repeated)
  --ephemeral       its log is removed when it ends
  --worktree        in a worktree of its own ("beckon worktrees" lists them), on a branch that is named after the session
  --base B, --branch B    what that is made from (as the project says, or what is checked out), and its branch
  --setup DIGEST    let the project's .beckon/setup run in it, as it was shown
  --watch, --no-watch    follow it, or only print the id
  --once            with --watch: leave when the turn has ended
  --interactive     with --watch: read answers and messages from the input, also when it is no terminal
${clientFlagsHelp}`,
  flags: newFlags,
  async run(flags, console) {
    atMostOne(flags, 'watch', 'no-watch');
    if (isSet(flags, 'no-watch')) atMostOne(flags, 'no-watch', 'once', 'interactive');
    const transport = await connect(flags, console);
    const session = await transport.createSession(await requestOf(flags, console, transport));
    print(console, flags, { session }, [session.id]);
    const isWatched =
      isSet(flags, 'watch') || (console.stdout.isTTY && !isSet(flags, 'no-watch') && !isSet(flags, 'json'));
    if (!isWatched) return 0;
    return watchSession(transport, session, flags, console, { after: 0 });
  },
};

async function requestOf(
  flags: ParsedFlags,
  console: Console,
  transport: HttpTransport,
): Promise<CreateSession> {
  const { positionals } = flags;
  const template = await chosenTemplate(flags, console, transport);
  const said = [
    template?.prompt,
    positionals.length === 0 ? undefined : await textOf(positionals, console),
  ].filter((part) => part !== undefined);
  const machine = textFlag(flags, 'machine') ?? template?.machine;
  const labels = listFlag(flags, 'label');
  const env = pairsFlag(flags, 'env');
  const texts = {
    agent: textFlag(flags, 'agent'),
    machine,
    cwd: directoryOn(machine, textFlag(flags, 'cwd'), console),
    key: textFlag(flags, 'key'),
    title: textFlag(flags, 'title'),
    description: textFlag(flags, 'description'),
    permissionMode: textFlag(flags, 'mode'),
    model: textFlag(flags, 'model'),
    whileBusy: choiceFlag(flags, 'while-busy', WhileBusy.options),
  };
  const isDefault = template?.worktree ?? false;
  const worktree = await worktreeWish(flags, { cwd: texts.cwd, machine }, { console, transport, isDefault });
  return {
    ...(worktree !== undefined && { worktree }),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)),
    ...(said.length === 0 ? {} : { prompt: said.join('\n\n') }),
    ...(labels.length === 0 ? {} : { labels: [...labels] }),
    ...(env.length === 0 ? {} : { env: Object.fromEntries(env) }),
    ...(isSet(flags, 'ephemeral') ? { ephemeral: true } : {}),
  };
}

/** Only the machine itself knows what a directory there is called; this shell knows its own. */
function directoryOn(
  machine: string | undefined,
  cwd: string | undefined,
  console: Console,
): string | undefined {
  if (machine === undefined || machine === localMachine) {
    return cwd === undefined ? console.cwd : absolute(cwd, console.cwd, console.env);
  }
  if (cwd === undefined || cwd.startsWith('/') || cwd === '~' || cwd.startsWith('~/')) return cwd;
  throw new UsageError(`on ${machine}, a directory is named whole: --cwd /… or --cwd '~/…'`);
}

export const watch: Command = {
  usage: 'watch [SESSION]',
  mostWords: 1,
  help: `Shows the conversation live. Without SESSION, on a terminal, all sessions are shown, and one is chosen; Escape comes back to them.
On a terminal you can answer what the agent asks, and a line you type is sent to it;
while it asks, a line that begins with ">" is sent as a message. Ctrl-C interrupts the turn; twice, it leaves: the session goes on.

  --tail N          begin with the last N events (200)
  --all             begin with the first
  --once            leave when the turn has ended and nothing is queued
  --interactive     read answers and messages from the input, also when it is no terminal
${serverFlagsHelp}
  --json            one JSON object a line: snapshot, event, delta`,
  flags: {
    ...clientFlags,
    tail: { type: 'string' },
    all: { type: 'boolean' },
    once: { type: 'boolean' },
    interactive: { type: 'boolean' },
  },
  async run(flags, console) {
    atMostOne(flags, 'tail', 'all');
    const tail = tailOf(flags);
    const transport = await connect(flags, console);
    const [name] = flags.positionals;
    const afterOf = ({ lastSeq }: Session) => (isSet(flags, 'all') ? 0 : Math.max(0, lastSeq - tail));
    if (name === undefined && isTerminal(console) && !isSet(flags, 'json')) {
      return watchChosen(transport, flags, console, afterOf);
    }
    const session = await findSession(transport, name);
    return watchSession(transport, session, flags, console, { after: afterOf(session) });
  },
};

/** One after the other, until the person leaves. */
async function watchChosen(
  transport: HttpTransport,
  flags: ParsedFlags,
  console: Console,
  afterOf: (session: Session) => number,
): Promise<number> {
  for (;;) {
    const session = await chooseSession(transport, console);
    if (session === undefined) return 0;
    const end = await watchSession(transport, session, flags, console, {
      after: afterOf(session),
      canGoBack: true,
    });
    if (end !== 'back') return end;
  }
}

const lastEvents = 200;

/** Follows a session as the flags say; with `canGoBack`, Escape ends it with "back". */
export function watchSession(
  transport: HttpTransport,
  session: Session,
  flags: ParsedFlags,
  console: Console,
  how: { readonly after?: number; readonly canGoBack: true },
): Promise<number | 'back'>;
export function watchSession(
  transport: HttpTransport,
  session: Session,
  flags: ParsedFlags,
  console: Console,
  how: { readonly after?: number },
): Promise<number>;
export async function watchSession(
  transport: HttpTransport,
  session: Session,
  flags: ParsedFlags,
  console: Console,
  {
    after = Math.max(0, session.lastSeq - lastEvents),
    canGoBack = false,
  }: { after?: number; canGoBack?: boolean },
): Promise<number | 'back'> {
  const isTyped = isTerminal(console);
  const followAs = isSet(flags, 'json') ? followAsJson : followAsConversation;
  const history = isTyped ? await historyOf(flags, console) : undefined;
  const end = await followAs(transport, session, console, {
    after,
    canGoBack,
    isInteractive: isSet(flags, 'interactive') || isTyped,
    isOnce: isSet(flags, 'once'),
    whileBusy: await serverWhileBusy(transport),
    ...(history === undefined ? {} : { history }),
  });
  await history?.settled();
  return end;
}

/** What was said is kept beside the server's own files; of a server elsewhere, for as long as this program runs. */
const historyOf = async (flags: ParsedFlags, console: Console): Promise<History> =>
  isElsewhere(flags, console)
    ? historyInMemory()
    : historyInFile(join(dataDirectoryOf(flags, console), 'terminal-history'));

function tailOf(flags: ParsedFlags): number {
  const text = textFlag(flags, 'tail') ?? String(lastEvents);
  if (!/^\d+$/.test(text)) throw new UsageError(`--tail must be a number, not "${text}"`);
  return Number(text);
}
