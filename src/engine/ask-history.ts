import type { IsPublicSuffix } from '../model/grant-advice.ts';
import { directoryIn, subjectOf, workplaceOf } from '../model/grants.ts';
import { matches } from '../model/pattern.ts';
import { allowedBefore, nearMisses, patternsFor, suggestionId } from '../model/suggestions.ts';
import type { EventOf } from '../protocol/event.ts';
import type { InteractionId } from '../protocol/ids.ts';
import type { Ask, Subject } from '../protocol/interaction.ts';
import type { Session } from '../protocol/session.ts';
import type { Suggestion } from '../protocol/suggestion.ts';
import type { EventLog, LoggedInteraction, StreamId } from './ports/event-log.ts';
import { publicSuffixes } from './public-suffix.ts';

export interface AskHistoryOptions {
  readonly log: Pick<EventLog, 'interactionEvents' | 'lastPosition'>;
  readonly session: (id: StreamId) => Pick<Session, 'cwd' | 'realCwd' | 'machine' | 'ephemeral'> | undefined;
}

/** So many positions of the log are looked through at once. */
const AT_ONCE = 1000;
const MOST_TALLIES = 20_000;
const MOST_DENIED = 5000;
const MOST_EXAMPLES = 5;
const MOST_VALUES = 50;
const MOST_SUGGESTED = 50;

/** What was allowed under one pattern, in one directory. */
interface Tally {
  readonly directory: string;
  readonly toolName: string;
  readonly subject: Subject;
  readonly pattern: string;
  allowed: number;
  lastAt: string;
  isDenied: boolean;
  readonly sessions: Set<StreamId>;
  /** What was allowed, the newest last. */
  readonly values: Set<string>;
}

/**
 * What people have allowed and denied, by directory, tool and pattern: made from the log in small steps after the start, and kept up
 * with it when somebody asks. So an ask costs nothing, and a question about one a look into a map.
 */
export class AskHistory {
  readonly #options: AskHistoryOptions;
  #tallies = new Map<string, Tally>();
  /** What was denied of each tool and kind of subject. */
  #denied = new Map<string, Set<string>>();
  /** What was last allowed of each tool and kind of subject in a directory, the newest last. */
  #values = new Map<string, Set<string>>();
  /** Asked and not yet decided. */
  #open = new Map<InteractionId, Ask>();
  /** Up to where the log is read. */
  #position = 0;
  #isPublicSuffix: IsPublicSuffix | undefined;
  #reading: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: AskHistoryOptions) {
    this.#options = options;
  }

  /** Reads the log on in steps, each of some milliseconds; resolves when all of it is read. */
  read(): Promise<void> {
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** A session was removed, and what was decided in it with it: everything is read anew. */
  forget(): void {
    this.#tallies = new Map();
    this.#denied = new Map();
    this.#values = new Map();
    this.#open = new Map();
    this.#position = 0;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** What could be allowed for good, what was allowed most first. */
  suggestions(isWanted: (suggestion: Suggestion) => boolean): Suggestion[] {
    const found: Suggestion[] = [];
    const often = [...this.#tallies.values()]
      .filter((tally) => this.#isSuggested(tally))
      .sort((a, b) => b.allowed - a.allowed || (a.lastAt < b.lastAt ? 1 : -1));
    for (const tally of often) {
      const suggestion = this.#suggestion(tally);
      if (isWanted(suggestion)) found.push(suggestion);
      if (found.length === MOST_SUGGESTED) break;
    }
    return found;
  }

  /** The narrowest for what is asked there. */
  suggestionFor(
    ask: Ask,
    place: Parameters<typeof workplaceOf>[0],
    isWanted: (suggestion: Suggestion) => boolean,
  ): Suggestion | undefined {
    for (const tally of this.#talliesFor(ask, place)) {
      if (tally === undefined || !this.#isSuggested(tally)) continue;
      const suggestion = this.#suggestion(tally);
      if (isWanted(suggestion)) return suggestion;
    }
    return undefined;
  }

  async #readOn(): Promise<void> {
    this.#isPublicSuffix ??= await publicSuffixes();
    while (!this.#isClosed && this.#position < this.#options.log.lastPosition) {
      const from = this.#position + 1;
      const to = Math.min(this.#position + AT_ONCE, this.#options.log.lastPosition);
      for (const entry of this.#options.log.interactionEvents({ from, to }).events) this.#note(entry);
      this.#position = to;
      if (to < this.#options.log.lastPosition) await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  #note({ stream, event }: LoggedInteraction): void {
    switch (event.type) {
      case 'interaction.requested':
        if (event.ask.kind === 'approval') this.#open.set(event.interactionId, event.ask);
        break;
      case 'interaction.decided': {
        const ask = this.#open.get(event.interactionId);
        this.#open.delete(event.interactionId);
        if (ask !== undefined && event.by.kind === 'person') this.#decided(stream, ask, event);
        break;
      }
      case 'interaction.resolved':
        this.#open.delete(event.interactionId);
        break;
      default:
    }
  }

  #decided(stream: StreamId, ask: Ask, { decision, at }: EventOf<'interaction.decided'>): void {
    const session = this.#options.session(stream);
    if (session === undefined || session.ephemeral) return;
    if (decision.type === 'deny') this.#deny(ask);
    // Something else was allowed than was asked.
    if (decision.type !== 'allow' || decision.updatedInput !== undefined) return;
    const directory = workplaceOf(session);
    const subject = subjectOf(ask);
    const patterns = this.#patternsFor(ask, directoryIn(session));
    if (patterns.length === 0) return;
    const group = keyOf(directory, ask.toolName, subject.kind);
    const values = this.#values.get(group) ?? new Set<string>();
    keepNewest(values, subject.value, MOST_VALUES);
    this.#values.set(group, values);
    for (const pattern of patterns) {
      const key = keyOf(directory, ask.toolName, subject.kind, pattern);
      const tally = this.#tallies.get(key) ?? this.#newTally(directory, ask.toolName, subject, pattern);
      tally.allowed += 1;
      tally.lastAt = at;
      tally.sessions.add(stream);
      keepNewest(tally.values, subject.value, MOST_VALUES);
      // The one that was used longest ago stands first.
      this.#tallies.delete(key);
      this.#tallies.set(key, tally);
    }
    if (this.#tallies.size > MOST_TALLIES) this.#tallies.delete(this.#tallies.keys().next().value ?? '');
  }

  #deny(ask: Ask): void {
    const subject = subjectOf(ask);
    const key = `${ask.toolName} ${subject.kind}`;
    const denied = this.#denied.get(key) ?? new Set<string>();
    denied.add(subject.value);
    this.#denied.set(key, denied);
    for (const tally of this.#tallies.values()) {
      if (tally.toolName === ask.toolName && tally.subject.kind === subject.kind)
        tally.isDenied ||= covers(tally.pattern, { ...tally.subject, value: subject.value });
    }
  }

  #newTally(directory: string, toolName: string, subject: Subject, pattern: string): Tally {
    const denied = this.#denied.get(`${toolName} ${subject.kind}`) ?? new Set<string>();
    const isDenied =
      denied.size > MOST_DENIED ||
      denied.has(pattern) ||
      (pattern.includes('*') && [...denied].some((value) => covers(pattern, { ...subject, value })));
    const none = { allowed: 0, lastAt: '', sessions: new Set<StreamId>(), values: new Set<string>() };
    return { directory, toolName, subject, pattern, isDenied, ...none };
  }

  #patternsFor(ask: Ask, directory: string): readonly string[] {
    return this.#isPublicSuffix === undefined ? [] : patternsFor(ask, directory, this.#isPublicSuffix);
  }

  #talliesFor(ask: Ask, place: Parameters<typeof workplaceOf>[0]): (Tally | undefined)[] {
    const { kind } = subjectOf(ask);
    return this.#patternsFor(ask, directoryIn(place)).map((pattern) =>
      this.#tallies.get(keyOf(workplaceOf(place), ask.toolName, kind, pattern)),
    );
  }

  /** A wildcard for what was always the same would let through more than anybody has asked for. */
  #isSuggested({ allowed, isDenied, pattern, values }: Tally): boolean {
    return !isDenied && allowed >= allowedBefore && (values.size >= allowedBefore || values.has(pattern));
  }

  #suggestion({ directory, toolName, subject, pattern, ...tally }: Tally): Suggestion {
    const grant = { directory, toolName, subjectKind: subject.kind, pattern };
    const asked = [...(this.#values.get(keyOf(directory, toolName, subject.kind)) ?? [])].reverse();
    return {
      id: suggestionId(grant),
      ...grant,
      literal: tally.values.has(pattern),
      allowed: tally.allowed,
      sessions: tally.sessions.size,
      lastAt: tally.lastAt,
      matched: [...tally.values].reverse().slice(0, MOST_EXAMPLES),
      not: nearMisses(pattern, subject, asked),
    };
  }
}

/** Adds it as the newest, and lets go of the oldest where there are too many. */
function keepNewest(values: Set<string>, value: string, most: number): void {
  values.delete(value);
  values.add(value);
  const [oldest] = values;
  if (values.size > most && oldest !== undefined) values.delete(oldest);
}

const covers = (pattern: string, subject: Subject): boolean => matches(pattern, subject);

const keyOf = (...parts: readonly string[]): string => parts.join('\0');
