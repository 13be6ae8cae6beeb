import { join } from 'node:path';
import { HttpTransport, type HttpTransportOptions } from '../../client/http-transport.ts';
import type { WhileBusy } from '../../protocol/session.ts';
import type { Console } from '../console.ts';
import { Failure } from '../failure.ts';
import { type FlagDefinitions, isSet, type ParsedFlags } from '../flags.ts';
import { dataDirectoryOf } from '../paths.ts';
import { safeJson } from '../render/safe-text.ts';
import { runningServer } from '../running-server.ts';
import { readToken } from '../token-file.ts';

/** Flags of every command that talks to a server. */
export const clientFlags = {
  'data-dir': { type: 'string' },
  json: { type: 'boolean' },
} as const satisfies FlagDefinitions;

export const clientFlagsHelp = `  --data-dir DIR    the server's data directory (BECKON_DATA_DIR; default ~/.beckon)
  --json            print one JSON document for machines`;

/** Finds the running server of the data directory. */
export async function connect(
  flags: ParsedFlags,
  console: Console,
  options: Pick<HttpTransportOptions, 'timeoutMs'> = {},
): Promise<HttpTransport> {
  const dataDir = dataDirectoryOf(flags, console);
  const server = await runningServer(dataDir);
  if (server === undefined) {
    throw new Failure(`no server runs on ${dataDir}; start one with "beckon serve --data-dir ${dataDir}"`);
  }
  const token = await readToken(dataDir);
  if (token === undefined)
    throw new Failure(`${join(dataDir, 'token')} is missing; the server makes it when it starts`);
  return new HttpTransport({
    baseUrl: server.url,
    token: console.unlockSecret ?? token,
    clientId: 'terminal',
    ...options,
  });
}

/** What a message does while the agent works, in a session that is not set for itself. */
export const serverWhileBusy = async (flags: ParsedFlags, console: Console): Promise<WhileBusy> =>
  (await runningServer(dataDirectoryOf(flags, console)))?.whileBusy ?? 'queue';

/** Prints lines for people or, with --json, one document for machines. */
export function print(
  console: Console,
  flags: ParsedFlags,
  document: Readonly<Record<string, unknown>>,
  lines: readonly string[],
): void {
  const text = isSet(flags, 'json') ? safeJson(document) : lines.join('\n');
  if (text !== '') console.stdout.write(`${text}\n`);
}
