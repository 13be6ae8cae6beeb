import type { FoundEvent } from '../../client/transport.ts';
import { findWords, hasWords } from '../../model/find-session.ts';

export interface PaletteEntry {
  readonly key: string;
  readonly label: string;
  /** Further words by which it can be found. */
  readonly words?: string;
}

/** Entries that have all the words asked for, those whose label begins with them first. */
export function search<T extends PaletteEntry>(entries: readonly T[], query: string, most = 50): T[] {
  const words = findWords(query);
  const found = entries.filter(({ label, words: more = '' }) =>
    hasWords(`${label} ${more}`.toLowerCase(), words),
  );
  const [first] = words;
  if (first === undefined) return found.slice(0, most);
  const isEarly = (entry: T): boolean => entry.label.toLowerCase().startsWith(first);
  return [...found.filter(isEarly), ...found.filter((entry) => !isEarly(entry))].slice(0, most);
}

/** What was chosen lately goes first, the latest before the others; the rest keeps its order. */
export function recentFirst<T extends PaletteEntry>(entries: readonly T[], recent: readonly string[]): T[] {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const lately = recent.flatMap((key) => byKey.get(key) ?? []);
  const chosen = new Set<PaletteEntry>(lately);
  return [...lately, ...entries.filter((entry) => !chosen.has(entry))];
}

const mostRecent = 6;

export const withRecent = (recent: readonly string[], key: string): readonly string[] =>
  [key, ...recent.filter((each) => each !== key)].slice(0, mostRecent);

export interface FoundIn {
  readonly sessionId: string;
  readonly title: string;
  readonly hits: readonly FoundEvent[];
}

/** What was found, by session: in the order of the first hit, a few for each. */
export function bySession(hits: readonly FoundEvent[], mostEach = 4): readonly FoundIn[] {
  const sessions = new Map<string, { sessionId: string; title: string; hits: FoundEvent[] }>();
  for (const hit of hits) {
    const { sessionId, title } = hit;
    const found = sessions.get(sessionId) ?? { sessionId, title, hits: [] };
    sessions.set(sessionId, found);
    if (found.hits.length < mostEach) found.hits.push(hit);
  }
  return [...sessions.values()];
}

export interface Fragment {
  readonly text: string;
  readonly isHit: boolean;
}

/** An excerpt cut where the words asked for are, so that they can be marked. */
export function marked(excerpt: string, query: string): readonly Fragment[] {
  const words = query.split(/\s+/).filter(Boolean).map(escaped);
  if (words.length === 0) return [{ text: excerpt, isHit: false }];
  return excerpt
    .split(new RegExp(`(${words.join('|')})`, 'giu'))
    .map((text, at) => ({ text, isHit: at % 2 === 1 }))
    .filter(({ text }) => text !== '');
}

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
