import { hostname, userInfo } from 'node:os';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { BeckonError } from '../../client/beckon-error.ts';
import type { HttpTransport } from '../../client/http-transport.ts';
import type { Unlock } from '../../protocol/unlock.ts';
import type { Command, OtherCommands } from '../command.ts';
import type { Console } from '../console.ts';
import { Failure, UsageError } from '../failure.ts';
import type { ParsedFlags } from '../flags.ts';
import { dataDirectoryOf } from '../paths.ts';
import { counted } from '../render/measures.ts';
import { connect } from './client-command.ts';
import { completeCommandLine } from './complete-line.ts';
import { historyInMemory } from './history.ts';
import type { Completer } from './line-editor.ts';
import { isTerminal, readLine } from './screen.ts';

const pollMs = 500;

export const unlock: Command = {
  usage: 'unlock [MINUTES] [COMMAND…]',
  mostWords: Number.POSITIVE_INFINITY,
  help: `Lets this terminal decide, where only devices do. It shows a code; type that on a paired page. After that, commands are read
here, line by line without "beckon", until the time is over (15 minutes, at most 480), or you leave with Ctrl-D. With a COMMAND,
that one alone is run: "beckon unlock watch 4xxZ", or with flags "beckon unlock -- approve 4xxZ --scope session".

What lets this terminal decide is in the memory of this program, and nowhere else.

  --data-dir DIR    the server's data directory (BECKON_DATA_DIR; default ~/.beckon)`,
  flags: { 'data-dir': { type: 'string' } },
  async run(flags, console, others) {
    const { minutes, command } = wishOf(flags);
    const transport = await connect(flags, console);
    if ((await transport.unlocks()).decide === 'anyone') {
      throw new Failure('nothing is locked: whoever has the token decides here');
    }
    const name = `${userInfo().username}@${hostname()}`;
    const asked = await transport.askUnlock({ name, ...(minutes === undefined ? {} : { minutes }) });
    console.stdout.write(`Code ${asked.code}\nType it on a paired page to let this terminal decide.\n`);
    const opened = await allowed(transport, asked.unlock.id);
    const unlocked: Console = {
      ...console,
      env: { ...console.env, BECKON_DATA_DIR: dataDirectoryOf(flags, console) },
      unlockSecret: asked.secret,
    };
    try {
      return command.length > 0
        ? await others.run(command, unlocked)
        : await readCommands(opened, unlocked, {
            others,
            isOpen: () =>
              transport.unlock(opened.id).then(
                () => true,
                () => false,
              ),
          });
    } finally {
      await (await connect(flags, unlocked)).endUnlock(opened.id).catch(() => {});
    }
  },
};

function wishOf({ positionals }: ParsedFlags): { minutes: number | undefined; command: readonly string[] } {
  const [first = '', ...rest] = positionals;
  if (!/^\d+$/.test(first)) return { minutes: undefined, command: positionals };
  const minutes = Number(first);
  if (minutes < 1 || minutes > 480) throw new UsageError(`MINUTES must be from 1 to 480, not "${first}"`);
  return { minutes, command: rest };
}

/** Resolves when a device has let this terminal decide. */
async function allowed(transport: HttpTransport, id: string): Promise<Unlock> {
  for (;;) {
    const unlock = await transport.unlock(id).catch((error: unknown) => {
      if (error instanceof BeckonError && error.code === 'unlock_not_found')
        throw new Failure('nobody let this terminal decide');
      throw error;
    });
    if (unlock.status === 'open') return unlock;
    await delay(pollMs);
  }
}

/** Runs a command a line, until the input or the time ends. */
async function readCommands(
  unlock: Unlock,
  console: Console,
  { others, isOpen }: { readonly others: OtherCommands; readonly isOpen: () => Promise<boolean> },
): Promise<number> {
  const { stdin, stdout } = console;
  stdout.write(
    `Unlocked for ${counted(unlock.minutes, 'minute')}. "pending" lists what waits; Ctrl-D locks again.\n`,
  );
  const isTyped = isTerminal(console);
  const lines = isTyped
    ? typedLines(console, Date.parse(unlock.expiresAt), completeCommandLine(others.table, console))
    : createInterface({ input: stdin });
  try {
    for await (const line of lines) {
      const args = wordsOf(line);
      if (args[0] === 'exit' || args[0] === 'quit') break;
      if (!(await isOpen())) throw new Failure('this terminal is locked again');
      // What comes from a pipe is commands; on a terminal a command such as "watch" reads for itself.
      if (args.length > 0) await others.run(args, isTyped ? console : { ...console, stdin: nothingToRead() });
    }
    return 0;
  } finally {
    // A pipe that nobody closes must not keep this program.
    stdin.unref?.();
  }
}

/** Each with a place of its own to type, so that a command can have the terminal in between. */
async function* typedLines(console: Console, end: number, complete: Completer): AsyncGenerator<string> {
  const signal = AbortSignal.timeout(Math.max(1, end - Date.now()));
  const history = historyInMemory();
  for (;;) {
    const left = Math.ceil((end - Date.now()) / 60_000);
    const line = await readLine(console, { prompt: `beckon (${left} min) › `, signal, history, complete });
    if (line === undefined) return;
    history.add(line);
    yield line;
  }
}

/** As a shell would: words by spaces, or in quotes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );

const nothingToRead = (): NodeJS.ReadStream => Readable.from([]) as unknown as NodeJS.ReadStream;
