import { BeckonError } from '../../client/beckon-error.ts';
import type { MessageReceipt, SessionPage, Transport } from '../../client/transport.ts';
import type { SessionsQuery } from '../../protocol/command.ts';
import {
  type AgentOption,
  Disposition,
  type Session,
  SessionStatus,
  type WhileBusy,
} from '../../protocol/session.ts';
import type { Command } from '../command.ts';
import { Failure, UsageError } from '../failure.ts';
import { atMostOne, choiceFlag, isSet, type ParsedFlags, textFlag } from '../flags.ts';
import { sessionList } from '../render/listing.ts';
import { duration } from '../render/measures.ts';
import type { Paint } from '../render/paint.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientCommand, findSession, serverWhileBusy, type Told, textOf } from './client-command.ts';

const shownAtOnce = 100;
const mostAtOnce = 1_000;

export const ls = clientCommand({
  usage: 'ls [WORDS…] [--all | --archived] [--machine M] [--limit N]',
  mostWords: Number.POSITIVE_INFINITY,
  help: 'Lists the sessions that are neither stopped nor archived, those whose status changed last first: id, status and since when, agent, what is open or queued, title (key).',
  flags: {
    all: { type: 'boolean' },
    archived: { type: 'boolean' },
    machine: { type: 'string' },
    limit: { type: 'string' },
  },
  flagsHelp: `  WORDS             those that have all of them in title, key, labels, directory or agent
  --all             stopped and archived sessions, too
  --archived        only archived ones
  --machine M       only those on this machine; "local" is the server's own
  --limit N         so many, instead of ${shownAtOnce}; with --json all, unless it is given`,
  async run({ flags, paint, connect }) {
    atMostOne(flags, 'all', 'archived');
    const isJson = isSet(flags, 'json');
    const limit = limitOf(flags) ?? (isJson ? Number.POSITIVE_INFINITY : shownAtOnce);
    const transport = await connect();
    const q = flags.positionals.join(' ');
    const onlyArchived = isSet(flags, 'archived');
    const machine = textFlag(flags, 'machine');
    const isAll = isSet(flags, 'all') || (isJson && !onlyArchived);
    const status = isAll || onlyArchived ? undefined : SessionStatus.options.filter(isNotStopped);
    const archived = isAll ? undefined : onlyArchived;
    const { sessions, total } = await firstOf(transport, { q, status, archived, machine }, limit);
    const count = async (query: Pick<SessionsQuery, 'status' | 'archived'>): Promise<number> =>
      status === undefined ? 0 : (await transport.sessionPage({ q, machine, ...query, limit: 1 })).total;
    const stopped = await count({ status: ['stopped'], archived: false });
    const putAway = await count({ archived: true });
    const older = total - sessions.length;
    return [
      { sessions },
      [
        ...sessionList(sessions, Date.now(), paint),
        ...(older > 0
          ? [`(${older.toLocaleString('en')} more: "beckon ls --limit N", or "beckon ls WORDS")`]
          : []),
        ...(stopped > 0 ? [`(${stopped.toLocaleString('en')} stopped: "beckon ls --all")`] : []),
        ...(putAway > 0 ? [`(${putAway.toLocaleString('en')} archived: "beckon ls --archived")`] : []),
      ],
    ];
  },
});

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
  filter: Pick<SessionsQuery, 'q' | 'status' | 'archived' | 'machine'>,
  limit: number,
): Promise<Pick<SessionPage, 'sessions' | 'total'>> {
  const sessions = new Map<string, Session>();
  let page: SessionPage;
  let before: string | undefined;
  do {
    const asked = Math.min(limit - sessions.size, mostAtOnce);
    page = await transport.sessionPage({ ...filter, before, limit: asked });
    // One that changed meanwhile is at its new place, and was told of already.
    for (const session of page.sessions) sessions.set(session.id, session);
    before = page.nextCursor;
  } while (before !== undefined && sessions.size < limit);
  return { sessions: [...sessions.values()], total: page.total };
}

export const send = clientCommand({
  usage: 'send SESSION TEXT…',
  mostWords: Number.POSITIVE_INFINITY,
  help: `Says something to the agent. TEXT "-" reads it from the input. While the agent works, the message is queued, or interrupts
it where the session or the server is set so.`,
  flags: {
    disposition: { type: 'string' },
    queue: { type: 'boolean' },
    interrupt: { type: 'boolean' },
    steer: { type: 'boolean' },
    replace: { type: 'boolean' },
  },
  flagsHelp: `  --queue, --interrupt, --steer    what to do while the agent works (also --disposition NAME)
  --replace         in the place of what is queued`,
  async run({ flags, console, connect }) {
    const [name, ...words] = flags.positionals;
    if (words.length === 0) throw new UsageError('say what to send: beckon send SESSION TEXT');
    atMostOne(flags, 'queue', 'interrupt', 'steer', 'disposition');
    const said =
      (['queue', 'interrupt', 'steer'] as const).find((each) => isSet(flags, each)) ??
      choiceFlag(flags, 'disposition', Disposition.options);
    const transport = await connect();
    const session = await findSession(transport, name);
    const receipt = await transport.sendMessage(session.id, {
      message: await textOf(words, console),
      disposition: said ?? dispositionOf(session.whileBusy ?? (await serverWhileBusy(transport))),
      ...(isSet(flags, 'replace') ? { replace: true } : {}),
    });
    return [{ ...receipt }, [receiptLine(receipt)]];
  },
});

/** To queue is what the server does by itself, and then it says why. */
export const dispositionOf = (whileBusy: WhileBusy): Disposition =>
  whileBusy === 'interrupt' ? 'interrupt' : 'auto';

/** "sent", or "queued at place 2: the agent is working" */
export function receiptLine(receipt: MessageReceipt): string {
  const place = receipt.status === 'sent' ? '' : ` at place ${receipt.position}`;
  const how = receipt.applied === 'interrupt' || receipt.applied === 'steer' ? ` (${receipt.applied})` : '';
  return `${receipt.status}${place}${how}${receipt.reason === undefined ? '' : `: ${receipt.reason}`}`;
}

export const queue = clientCommand({
  usage: 'queue SESSION [--remove MESSAGE]',
  mostWords: 1,
  help: 'Lists what waits to be sent.',
  flags: { remove: { type: 'string' } },
  flagsHelp: '  --remove MESSAGE  take the message with this id, or at this place, out of the queue',
  async run({ flags, connect }) {
    const transport = await connect();
    const { id } = await findSession(transport, flags.positionals[0]);
    const remove = textFlag(flags, 'remove');
    let messages = await transport.queue(id);
    if (remove !== undefined) {
      const named = messages.find(
        ({ messageId, position }) => messageId === remove || String(position) === remove,
      );
      messages = await transport.removeQueued(id, named?.messageId ?? remove);
    }
    const lines = messages.map(
      ({ position, message, sending }) => `${position}. ${oneLine(message)}${sending ? ' (being sent)' : ''}`,
    );
    return [{ queue: messages }, lines.length === 0 ? ['Nothing is queued.'] : lines];
  },
});

export const interrupt = sessionsCommand({
  usage: 'interrupt SESSION…',
  help: 'Ends the running turn, not the session.',
  async act(transport, { id }) {
    await transport.interrupt(id);
    return [{ status: 'ok' }, ['interrupted']];
  },
});

export const stop = sessionsCommand({
  usage: 'stop SESSION…',
  help: 'Ends the session and its agent, and prints what was queued and not sent.',
  async act(transport, { id }) {
    const returned = await transport.stop(id);
    return [{ status: 'ok', returned }, ['stopped', ...returned.map((text) => `not sent: ${oneLine(text)}`)]];
  },
});

export const resume = sessionsCommand({
  usage: 'resume SESSION…',
  help: 'Starts the agent of a stopped or failed session again; what is queued is sent then.',
  act: async (transport, { id }) => [{ status: 'ok', session: await transport.resume(id) }, ['resumed']],
});

export const archive = sessionsCommand({
  usage: 'archive SESSION…',
  help: 'Puts a session away: lists leave it out until it is written to or asks. "beckon ls --archived" lists these.',
  act: async (transport, { id }) => [
    { status: 'ok', session: await transport.patch(id, { archived: true }) },
    ['archived'],
  ],
});

export const unarchive = sessionsCommand({
  usage: 'unarchive SESSION…',
  help: 'Brings an archived session back into the lists.',
  act: async (transport, { id }) => [
    { status: 'ok', session: await transport.patch(id, { archived: false }) },
    ['no longer archived'],
  ],
});

export const rm = sessionsCommand({
  usage: 'rm SESSION…',
  help: 'Removes a stopped session with its whole log: what was said, done and decided in it is gone for good.',
  async act(transport, { id }) {
    await transport.removeSession(id);
    return [{ status: 'ok' }, ['removed']];
  },
});

export const mute = clientCommand({
  usage: 'mute SESSION [--for 2h]',
  mostWords: 1,
  help: `Nobody is notified of a session any more, or not for some time: 30m, 2h, 3d. What it asks waits all the same, and is told when
the time is over.`,
  flags: { for: { type: 'string' } },
  flagsHelp: '  --for TIME        only for so long: 30m, 2h, 3d',
  async run({ flags, connect }) {
    const given = textFlag(flags, 'for');
    const span = given === undefined ? undefined : spanOf(given);
    const transport = await connect();
    const { id, title } = await findSession(transport, flags.positionals[0]);
    const mutedUntil = span === undefined ? 'forever' : new Date(Date.now() + span).toISOString();
    const session = await transport.patch(id, { mutedUntil });
    const until = span === undefined ? '' : ` for ${duration(span)}`;
    return [{ status: 'ok', session }, [`muted${until}: ${oneLine(title)}`]];
  },
});

function spanOf(text: string): number {
  const [, number, unit] = /^(\d{1,5})\s*([mhd])$/.exec(text.trim()) ?? [];
  const minutes = Number(number) * { m: 1, h: 60, d: 1_440 }[unit as 'm' | 'h' | 'd'];
  if (!(minutes > 0)) throw new UsageError(`--for must be a time like 30m, 2h or 3d, not "${text}"`);
  return minutes * 60_000;
}

export const unmute = sessionsCommand({
  usage: 'unmute SESSION…',
  help: 'Be notified of sessions again.',
  async act(transport, { id, title }) {
    const session = await transport.patch(id, { mutedUntil: null });
    return [{ status: 'ok', session }, [`no longer muted: ${oneLine(title)}`]];
  },
});

export const rename = clientCommand({
  usage: 'rename SESSION TITLE…',
  mostWords: Number.POSITIVE_INFINITY,
  help: 'Gives a session another title.',
  async run({ flags, connect }) {
    const [name, ...words] = flags.positionals;
    if (words.length === 0) throw new UsageError('say the title: beckon rename SESSION TITLE');
    const transport = await connect();
    const { id } = await findSession(transport, name);
    const session = await transport.patch(id, { title: words.join(' ') });
    return [{ status: 'ok', session }, [`renamed: ${oneLine(session.title)}`]];
  },
});

/**
 * A command that does the same to each session it names. All names are looked up before anything is done, so that a mistyped one does
 * not leave half of it done; a session that refuses does not keep the others from it.
 */
function sessionsCommand({
  usage,
  help,
  act,
}: {
  readonly usage: string;
  readonly help: string;
  act(transport: Transport, session: Session): Promise<Told>;
}): Command {
  return clientCommand({
    usage,
    help,
    mostWords: Number.POSITIVE_INFINITY,
    async run({ flags, connect, console }) {
      const transport = await connect();
      const names = flags.positionals.length === 0 ? [undefined] : flags.positionals;
      const sessions = await Promise.all(names.map((name) => findSession(transport, name)));
      const [only] = sessions;
      if (sessions.length === 1 && only !== undefined) return act(transport, only);
      const results: Readonly<Record<string, unknown>>[] = [];
      let refused: BeckonError | undefined;
      for (const session of sessions) {
        const name = oneLine(session.title);
        try {
          const [document, lines] = await act(transport, session);
          results.push({ sessionId: session.id, ...document });
          if (!isSet(flags, 'json'))
            console.stdout.write(`${lines.map((line) => `${name}: ${line}`).join('\n')}\n`);
        } catch (error) {
          if (!(error instanceof BeckonError)) throw error;
          refused = error;
          const { code, message, details } = error;
          results.push({ sessionId: session.id, error: { code, message, details } });
          if (!isSet(flags, 'json')) console.stderr.write(`${name}: ${oneLine(message)}\n`);
        }
      }
      if (isSet(flags, 'json')) return [{ results }, []];
      if (refused !== undefined) throw new Failure('not all of them', refused.code);
      return [{}, []];
    },
  });
}

export const options = clientCommand({
  usage: 'options SESSION [OPTION VALUE]',
  mostWords: 3,
  help: "Lists the agent's own options of a session, or sets one of them. What makes the agent ask less is set with --yes alone.",
  flags: { yes: { type: 'boolean' } },
  flagsHelp: '  --yes             also what makes the agent ask less, or not at all',
  async run({ flags, connect, paint }) {
    const [name, id, value] = flags.positionals;
    if (id !== undefined && value === undefined) throw new UsageError(`which value for "${id}"?`);
    const transport = await connect();
    let session = await findSession(transport, name);
    if (id !== undefined && value !== undefined) {
      const asksLess = session.options?.find((option) => option.id === id)?.asksLess ?? [];
      if (asksLess.includes(value) && !isSet(flags, 'yes'))
        throw new UsageError(`with ${id} ${value} the agent asks less, or not at all; say --yes to set it`);
      session = await transport.patch(session.id, { option: { id, value } });
    }
    const lines = (session.options ?? []).map((option) => optionLine(option, paint));
    return [{ options: session.options ?? [] }, lines.length === 0 ? ['The agent has no options.'] : lines];
  },
});

function optionLine({ id, label, value, choices, asksLess = [] }: AgentOption, paint: Paint): string {
  const others = choices.map((choice) => choice.value).filter((each) => each !== value);
  const warning = asksLess.includes(value) ? paint('yellow', '  it asks less with this') : '';
  return `${oneLine(id)}  ${oneLine(value)}${warning}  ${paint('dim', oneLine(`${label}; also ${others.join(', ')}`))}`;
}

export const search = clientCommand({
  usage: 'search WORDS…',
  mostWords: Number.POSITIVE_INFINITY,
  help: 'Searches messages, tool calls and decisions of all sessions.',
  async run({ flags, connect }) {
    if (flags.positionals.length === 0) throw new UsageError('say what to search for');
    const hits = await (await connect()).search({ q: flags.positionals.join(' ') });
    const lines = hits.map(({ title, seq, excerpt }) => `${oneLine(title)} #${seq}: ${oneLine(excerpt)}`);
    return [{ hits }, lines.length === 0 ? ['Nothing found.'] : lines];
  },
});
