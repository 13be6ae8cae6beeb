import { BeckonError } from '../client/beckon-error.ts';
import { StorageError } from '../engine/ports/event-log.ts';
import { nearestName, notKnown } from '../protocol/nearest.ts';
import { type Command, commands, type OtherCommands } from './command.ts';
import type { Console } from './console.ts';
import { Failure, UsageError } from './failure.ts';
import { choiceFlag, clientFlags, colourWishes, isSet, type ParsedFlags, parseFlags } from './flags.ts';
import { safeJson, stripEscapes } from './render/safe-text.ts';
import { version } from './version.ts';

/** Runs one command line and resolves with its exit code: 0 clean, 1 failure, 2 usage. */
export async function run(args: readonly string[], console: Console): Promise<number> {
  endQuietlyWhenNobodyReads(console);
  try {
    return await dispatch(args, console);
  } catch (error) {
    return report(error, args, console);
  }
}

const others: OtherCommands = {
  table: commands,
  run: (args, console) => dispatch(args, console).catch((error: unknown) => report(error, args, console)),
};

async function dispatch(args: readonly string[], console: Console): Promise<number> {
  const [first] = args;
  if (first === '--help' || first === '-h' || first === 'help') {
    console.stdout.write(generalHelp());
    return 0;
  }
  if (first === '--version' || first === '-V' || first === '-v') {
    console.stdout.write(`${await version()}\n`);
    return 0;
  }
  // The shell's scripts call it: nobody types it.
  if (first === 'complete')
    return (await import('./terminal/completion.ts')).complete(args, commands, console);
  const { name, given } = nameAndArguments(args);
  const [, load] = (Object.hasOwn(commands, name) ? commands[name] : undefined) ?? [];
  if (load === undefined)
    throw new UsageError(notKnown(name, nearestName(name, Object.keys(commands)), 'is no command'));

  const command = await load();
  const flags = parseFlags(given, { ...command.flags, help: { type: 'boolean', short: 'h' } });
  if (isSet(flags, 'help')) {
    console.stdout.write(helpOf(command));
    return 0;
  }
  refuseSurplus(command, flags);
  const color = choiceFlag(flags, 'color', colourWishes) ?? console.color;
  return command.run(flags, color === undefined ? console : { ...console, color }, others);
}

/** The command may come after the flags that all of them take; without one, the server starts. */
function nameAndArguments(args: readonly string[]): { name: string; given: readonly string[] } {
  let at = 0;
  for (let word = args[at]; word?.startsWith('--'); word = args[at]) {
    const [flag = '', value] = word.slice(2).split('=', 2);
    if (!Object.hasOwn(clientFlags, flag)) break;
    const takesValue = clientFlags[flag as keyof typeof clientFlags].type === 'string';
    at += takesValue && value === undefined ? 2 : 1;
  }
  const name = args[at];
  if (name === undefined || name.startsWith('-')) return { name: 'serve', given: args };
  return { name, given: args.toSpliced(at, 1) };
}

/** A word that would be ignored was meant to do something. */
function refuseSurplus({ mostWords = 0, usage }: Command, { positionals }: ParsedFlags): void {
  const surplus = positionals[mostWords];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one word too many: beckon ${usage}`);
}

function generalHelp(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const list = Object.entries(commands).map(([name, [summary]]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Beckon: a control room for coding agents.

usage: beckon [command] [flags]

${list.join('\n')}

"beckon COMMAND --help" tells more of each. Without a command, the server starts.
`;
}

const helpOf = (command: Command): string => `usage: beckon ${command.usage}\n\n${command.help.trim()}\n`;

function report(error: unknown, args: readonly string[], console: Console): number {
  const message = stripEscapes(sentenceFor(error));
  if (args.includes('--json')) {
    const code = error instanceof BeckonError || error instanceof Failure ? error.code : 'failure';
    const details = error instanceof BeckonError ? error.details : {};
    console.stdout.write(`${safeJson({ error: { code, message, details } })}\n`);
  } else {
    console.stderr.write(`beckon: ${message}\n`);
    if (error instanceof UsageError) console.stderr.write(`"beckon --help" lists the commands.\n`);
  }
  return error instanceof Failure ? error.exitCode : 1;
}

function sentenceFor(error: unknown): string {
  if (error instanceof BeckonError) return error.message + hintFor(error);
  if (error instanceof Failure || error instanceof StorageError) return error.message;
  if (!(error instanceof Error)) return `this is a bug: ${error}`;
  // The system said no: a directory that cannot be written, a disk that is full.
  return 'syscall' in error ? error.message : `this is a bug: ${error.stack}`;
}

function hintFor(error: BeckonError): string {
  switch (error.code) {
    case 'unauthorized':
      return ' The token file is not the one the server started with; a restart of the server reads it anew.';
    case 'device_required':
      return ' "beckon unlock" asks a paired page to let this terminal decide.';
    case 'unreachable':
      return ' It may be about to start or to end.';
    default:
      return '';
  }
}

/** `beckon ls | head` closes our output early; without a listener that would be a crash. */
function endQuietlyWhenNobodyReads({ stdout, stderr }: Console): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  stderr.on('error', () => {});
}
