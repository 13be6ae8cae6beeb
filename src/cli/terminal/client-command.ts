import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BeckonError } from '../../client/beckon-error.ts';
import { HttpTransport, type HttpTransportOptions } from '../../client/http-transport.ts';
import type { Transport } from '../../client/transport.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Session, WhileBusy } from '../../protocol/session.ts';
import type { Command } from '../command.ts';
import type { Console } from '../console.ts';
import { runningServer } from '../data-directory.ts';
import { Failure, UsageError } from '../failure.ts';
import {
  atMostOne,
  clientFlags,
  type FlagDefinitions,
  isSet,
  onlyWith,
  type ParsedFlags,
  textFlag,
} from '../flags.ts';
import { dataDirectoryOf } from '../paths.ts';
import { shortened } from '../render/measures.ts';
import { type Paint, paintFor } from '../render/paint.ts';
import { oneLine, safeJson } from '../render/safe-text.ts';
import { shortIds } from '../render/short-ids.ts';
import { readToken } from '../secret-files.ts';

export const serverFlagsHelp = `  --data-dir DIR    the server's data directory (BECKON_DATA_DIR; default ~/.beckon)
  --url URL         a server elsewhere (BECKON_URL), with --token TOKEN (BECKON_TOKEN)
  --color WHEN      always, never or auto: where a person looks and NO_COLOR is not set`;

export const clientFlagsHelp = `${serverFlagsHelp}
  --json            print one JSON document for machines`;

export interface Call {
  readonly flags: ParsedFlags;
  readonly console: Console;
  readonly paint: Paint;
  /** Not before the command line is known to be right: what is wrong with it is told whether a server runs or not. */
  connect(): Promise<HttpTransport>;
}

/** What machines are told, and what people are. */
export type Told = readonly [document: Readonly<Record<string, unknown>>, lines: readonly string[]];

/** A command that tells something of the server of its data directory: lines for people or, with --json, one document for machines. */
export function clientCommand(command: {
  readonly usage: string;
  readonly help: string;
  readonly flags?: FlagDefinitions;
  readonly flagsHelp?: string;
  readonly mostWords?: number;
  run(call: Call): Promise<Told>;
}): Command {
  const { usage, help, flags, flagsHelp, mostWords = 0, run } = command;
  return {
    usage,
    mostWords,
    help: [help, '', ...(flagsHelp === undefined ? [] : [flagsHelp]), clientFlagsHelp].join('\n'),
    flags: { ...clientFlags, ...flags },
    async run(given, console) {
      const paint = paintFor(console);
      const told = await run({ flags: given, console, paint, connect: () => connect(given, console) });
      print(console, given, ...told);
      return 0;
    },
  };
}

/** The server that the command line names, or else the running one of the data directory. */
export async function connect(
  flags: ParsedFlags,
  console: Console,
  options: Pick<HttpTransportOptions, 'timeoutMs'> = {},
): Promise<HttpTransport> {
  const { url: baseUrl, token } = elsewhere(flags, console) ?? (await here(flags, console));
  return new HttpTransport({
    baseUrl,
    token: console.unlockSecret ?? token,
    clientId: 'terminal',
    ...options,
  });
}

interface ServerAddress {
  readonly url: string;
  readonly token: string;
}

/** A data directory that is named outweighs an address in the environment: it is nearer to what is wanted now. */
function elsewhere(flags: ParsedFlags, { env }: Console): ServerAddress | undefined {
  atMostOne(flags, 'url', 'data-dir');
  const url =
    textFlag(flags, 'url') ?? (textFlag(flags, 'data-dir') ? undefined : env.BECKON_URL || undefined);
  if (url === undefined) {
    onlyWith(flags, 'url', 'token');
    return undefined;
  }
  const token = textFlag(flags, 'token') ?? (env.BECKON_TOKEN || undefined);
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`--url wants an address such as http://127.0.0.1:4590, not "${url}"`);
  if (token === undefined)
    throw new UsageError(
      `a server elsewhere wants its token: --token, or BECKON_TOKEN (its file "token" has it)`,
    );
  return { url: url.replace(/\/+$/, ''), token };
}

/** Whether the server is not the one of the data directory. */
export const isElsewhere = (flags: ParsedFlags, console: Console): boolean =>
  elsewhere(flags, console) !== undefined;

async function here(flags: ParsedFlags, console: Console): Promise<ServerAddress> {
  const dataDir = dataDirectoryOf(flags, console);
  const server = await runningServer(dataDir);
  if (server === undefined) {
    throw new Failure(
      `no server runs on ${dataDir}; start one with "beckon serve --data-dir ${dataDir}"`,
      'no_server',
    );
  }
  const token = await readToken(dataDir);
  if (token === undefined)
    throw new Failure(`${join(dataDir, 'token')} is missing; the server makes it when it starts`, 'no_token');
  return { url: server.url, token };
}

/** What a message does while the agent works, in a session that is not set for itself. */
export const serverWhileBusy = async (transport: HttpTransport): Promise<WhileBusy> =>
  // An older server does not tell.
  (await transport.health()).whileBusy ?? 'queue';

export function print(console: Console, flags: ParsedFlags, ...[document, lines]: Told): void {
  const said = isSet(flags, 'json') ? safeJson(document) : lines.join('\n');
  if (said !== '') console.stdout.write(`${said}\n`);
}

/** The words of a command line as one text; a single "-" stands for the input. */
export const textOf = async (words: readonly string[], { stdin }: Console): Promise<string> =>
  words.length === 1 && words[0] === '-' ? text(stdin) : words.join(' ');

const mostLikely = 1_000;

/** The session with this id or key, either of which may be shortened as long as it is the only one. */
export async function findSession(transport: Transport, name: string | undefined): Promise<Session> {
  if (name === undefined)
    throw new UsageError('which session? Its id or key is missing ("beckon ls" lists them)');
  const exact = await transport.session(name).catch((error: unknown) => {
    if (error instanceof BeckonError && error.code === 'session_not_found') return undefined;
    throw error;
  });
  if (exact !== undefined) return exact;
  const { sessions } = await transport.sessionPage({ q: name, limit: mostLikely });
  const like = sessions.filter(({ id, key }) => isShortFor(id, name) || key?.startsWith(name));
  return theOnly(like, {
    kind: 'session',
    none: `no session has the id or key "${name}" ("beckon ls" lists them)`,
    several: `"${name}" could be several sessions`,
    idOf: ({ id }) => id,
    wordsOf: ({ title }) => title,
  });
}

/** The open interaction with this id, which may be shortened, or left out when only one is open. */
export async function findInteraction(transport: Transport, id: string | undefined): Promise<Interaction> {
  const pending = await transport.pending();
  const exact = pending.find(({ interactionId }) => interactionId === id);
  if (exact !== undefined) return exact;
  const like =
    id === undefined ? pending : pending.filter(({ interactionId }) => isShortFor(interactionId, id));
  return theOnly(like, {
    kind: 'interaction',
    none:
      id === undefined
        ? 'nothing waits for you'
        : `no open interaction has the id "${id}"; it may have been answered already ("beckon pending" lists the open ones)`,
    several:
      id === undefined ? 'several interactions are open; name one' : `"${id}" could be several interactions`,
    idOf: ({ interactionId }) => interactionId,
    wordsOf: ({ toolName, title }) => `${toolName}: ${title}`,
  });
}

/** An id may be shortened to its beginning, with its tag ("int_") or without. */
export const isShortFor = (id: string, text: string): boolean =>
  id.startsWith(text) || id.slice(id.indexOf('_') + 1).startsWith(text);

interface Words<T> {
  readonly kind: 'session' | 'interaction';
  readonly none: string;
  readonly several: string;
  readonly idOf: (item: T) => string;
  readonly wordsOf: (item: T) => string;
}

function theOnly<T>(items: readonly T[], words: Words<T>): T {
  const [first, ...others] = items;
  if (first === undefined) throw new Failure(words.none, `${words.kind}_not_found`);
  if (others.length === 0) return first;
  const ids = shortIds(items.map(words.idOf));
  const list = items
    .slice(0, 10)
    .map((item, index) => `  ${ids[index]}  ${shortened(oneLine(words.wordsOf(item)), 80)}`);
  throw new Failure(`${words.several}:\n${list.join('\n')}`, `${words.kind}_ambiguous`);
}
