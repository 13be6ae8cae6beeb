import type { SessionPage, Transport } from '../../client/transport.ts';
import type { SessionsQuery } from '../../protocol/command.ts';
import { type Session, SessionStatus } from '../../protocol/session.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../failure.ts';
import { isSet, type ParsedFlags } from '../flags.ts';
import { sessionList } from '../render/listing.ts';
import { paintFor } from '../render/paint.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';

const shownAtOnce = 100;
const mostAtOnce = 1_000;

export const ls: Command = {
  usage: 'ls [WORDS…] [--all] [--limit N]',
  help: `Lists the sessions that are not stopped, those whose status changed last first: id, status and since when, agent, what is open or queued, title (key).

  WORDS             those that have all of them in title, key, labels, directory or agent
  --all             stopped sessions, too
  --limit N         so many, instead of ${shownAtOnce}; with --json all, unless it is given
${clientFlagsHelp}`,
  flags: { ...clientFlags, all: { type: 'boolean' }, limit: { type: 'string' } },
  async run(flags, console) {
    const transport = await connect(flags, console);
    const isJson = isSet(flags, 'json');
    const limit = limitOf(flags) ?? (isJson ? Number.POSITIVE_INFINITY : shownAtOnce);
    const q = flags.positionals.join(' ');
    const status = isSet(flags, 'all') || isJson ? undefined : SessionStatus.options.filter(isNotStopped);
    const { sessions, total } = await firstOf(transport, { q, status }, limit);
    const stopped =
      status === undefined ? 0 : (await transport.sessionPage({ q, status: ['stopped'], limit: 1 })).total;
    const older = total - sessions.length;
    print(console, flags, { sessions }, [
      ...sessionList(sessions, Date.now(), paintFor(console.stdout)),
      ...(older > 0
        ? [`(${older.toLocaleString('en')} more: "beckon ls --limit N", or "beckon ls WORDS")`]
        : []),
      ...(stopped > 0 ? [`(${stopped.toLocaleString('en')} stopped: "beckon ls --all")`] : []),
    ]);
    return 0;
  },
};

const isNotStopped = (status: SessionStatus): boolean => status !== 'stopped';

function limitOf({ values }: ParsedFlags): number | undefined {
  if (values.limit === undefined) return undefined;
  const limit = Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit takes a number from 1');
  return limit;
}

/** Page by page, for a server gives no more at once. */
async function firstOf(
  transport: Transport,
  filter: Pick<SessionsQuery, 'q' | 'status'>,
  limit: number,
): Promise<Pick<SessionPage, 'sessions' | 'total'>> {
  const sessions = new Map<string, Session>();
  let page: SessionPage;
  let before: string | undefined;
  do {
    page = await transport.sessionPage({
      ...filter,
      before,
      limit: Math.min(limit - sessions.size, mostAtOnce),
    });
    // One that changed meanwhile is at its new place, and was told of already.
    for (const session of page.sessions) sessions.set(session.id, session);
    before = page.nextCursor;
  } while (before !== undefined && sessions.size < limit);
  return { sessions: [...sessions.values()], total: page.total };
}
