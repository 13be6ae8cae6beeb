import type { Session } from '../protocol/session.ts';

type Named = Pick<Session, 'id' | 'key' | 'title' | 'cwd' | 'agent' | 'labels'>;

/** What of a session can be found by words, in small letters. */
export const findableText = ({ id, key, title, cwd, agent, labels }: Named): string =>
  [title, key ?? '', ...labels, cwd, agent, id].join('\n').toLowerCase();

/** The words asked for; a session is found if it has them all, each anywhere. */
export const findWords = (query: string): string[] => query.toLowerCase().split(/\s+/).filter(Boolean);

export const hasWords = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.includes(word));

/** A session's place in the order of last change. */
export interface Changed {
  readonly since: string;
  readonly id: string;
}

/** Those whose state changed last first; a list in pages has this order, for it can go on after any session. */
export const byLastChange = (a: Changed, b: Changed): number =>
  compare(b.since, a.since) || compare(b.id, a.id);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
