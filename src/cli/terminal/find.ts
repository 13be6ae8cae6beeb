import { BeckonError } from '../../client/beckon-error.ts';
import type { Transport } from '../../client/transport.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';
import { Failure, UsageError } from '../failure.ts';
import { shortened } from '../render/measures.ts';
import { oneLine } from '../render/safe-text.ts';
import { shortIds } from '../render/short-ids.ts';

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
  readonly none: string;
  readonly several: string;
  readonly idOf: (item: T) => string;
  readonly wordsOf: (item: T) => string;
}

function theOnly<T>(items: readonly T[], words: Words<T>): T {
  const [first, ...others] = items;
  if (first === undefined) throw new Failure(words.none);
  if (others.length === 0) return first;
  const ids = shortIds(items.map(words.idOf));
  const list = items
    .slice(0, 10)
    .map((item, index) => `  ${ids[index]}  ${shortened(oneLine(words.wordsOf(item)), 80)}`);
  throw new Failure(`${words.several}:\n${list.join('\n')}`);
}
