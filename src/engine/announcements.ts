import { interactionFromLog } from '../model/views.ts';
import { isByItself } from '../model/who.ts';
import type { SessionAnnouncement } from '../protocol/announcement.ts';
import type { Event } from '../protocol/event.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { QueuedMessage, Session } from '../protocol/session.ts';
import {
  announcementsOf,
  announcementsOfEvent,
  type Owner,
  ofSession,
  type Placed,
  type Sources,
  stateOf,
} from './announce.ts';
import {
  type AnnouncementCursor,
  cursorText,
  joined,
  minus,
  readCursor,
  type Untold,
  untoldAfter,
  untoldAt,
  within,
} from './announcement-cursor.ts';
import type { AnnouncementPage, News } from './ports/control-room.ts';
import type { EventLog, LogEntry, Place } from './ports/event-log.ts';
import type { Commit } from './session-writer.ts';

/** A listener that is further behind takes a snapshot: to tell it everything would take longer. */
const mostBehind = 10_000;

/**
 * What is announced of all sessions, each with a cursor behind it. Nothing of it is stored: for a listener that comes back it is made
 * again from the events behind its cursor, and as their positions are the log's, a cursor outlives the server.
 */
export class Announcements {
  readonly #log: EventLog;
  readonly #session: (id: SessionId) => SessionNow | undefined;
  #cursor: AnnouncementCursor;

  constructor(log: EventLog, session: (id: SessionId) => SessionNow | undefined) {
    this.#log = log;
    this.#session = session;
    this.#cursor = { run: log.run, untold: untoldAfter(log.lastPosition) };
  }

  /** Behind all that was announced. */
  get cursor(): string {
    return cursorText(this.#cursor);
  }

  /** To be called in the moment in which the commit is acknowledged: its place tells of those that were so before it. */
  ofCommit(commit: Commit): News[] {
    return this.#placed(announcementsOf(commit), commit.place);
  }

  ofRemoval(owner: Owner, place: Place): News[] {
    return this.#placed(
      [{ position: place.own.to, announcement: ofSession(owner, 'session-removed', {}) }],
      place,
    );
  }

  /**
   * What was announced behind a cursor, as it was then but for the state and the queue of a session, which are told as they are now.
   * Undefined when that cannot be told any more: too much has happened, or it is a cursor of another log, or of what was lost.
   */
  after(text: string, limit: number): AnnouncementPage | undefined {
    const given = readCursor(text);
    if (given === undefined || !this.#has(given, mostBehind)) return undefined;
    const { entries, isAll, leftAfter, cursor } = this.#behind(given, limit);
    const skip = new Map(given.untold.map(({ from, skip }) => [from, skip]));
    const told = this.#again(entries).filter(keepingAfter(skip));
    return {
      announcements: cursorsBehind(told, skip, leftAfter).map(({ announcement, untold }) => ({
        announcement,
        cursor: this.#text(untold),
      })),
      cursor,
      isAll,
    };
  }

  /** The stored events themselves, each with a cursor behind it, however many they are. Undefined for a cursor of another log. */
  entriesAfter(text: string, limit: number): EntryPage | undefined {
    const given = readCursor(text);
    if (given === undefined || !this.#has(given, Number.POSITIVE_INFINITY)) return undefined;
    const { entries, isAll, leftAfter, cursor } = this.#behind(given, limit);
    return { entries, isAll, cursor, cursorBehind: (entry) => this.#text(leftAfter(entry.position)) };
  }

  #behind(given: AnnouncementCursor, limit: number) {
    const now = this.#cursor.untold;
    const entries: LogEntry[] = [];
    for (const range of minus(given.untold, now)) {
      if (entries.length < limit) entries.push(...this.#log.entries(range, limit - entries.length));
    }
    const isAll = entries.length < limit;
    const leftAfter = (position: number): Untold[] =>
      joined([
        ...now.flatMap((range) => within(range, { from: 0, to: position })),
        ...given.untold.flatMap((range) =>
          within(range, { from: position + 1, to: Number.POSITIVE_INFINITY }),
        ),
      ]);
    const cursor = isAll ? this.cursor : this.#text(leftAfter(entries.at(-1)?.position ?? 0));
    return { entries, isAll, leftAfter, cursor };
  }

  #placed(told: readonly Placed[], place: Place): News[] {
    const { own } = place;
    const end = told.at(-1)?.position;
    const leftAfter = (position: number): Untold[] =>
      untoldAt(place, position === end ? [] : [{ from: position + 1, to: own.to }]);
    this.#cursor = { run: this.#log.run, untold: untoldAt(place) };
    return cursorsBehind(told, new Map(), leftAfter).map(({ announcement, untold }) => ({
      kind: 'announcement',
      announcement,
      cursor: this.#text(untold),
    }));
  }

  #has({ run, untold }: AnnouncementCursor, most: number): boolean {
    const first = untold[0]?.from ?? 0;
    const last = (untold.at(-1)?.from ?? 0) - 1;
    return this.#log.hasPosition(run, last) && this.#log.lastPosition - first < most;
  }

  /** How a session is comes behind the last of its events: whoever is cut off before that is told again. */
  #again(entries: readonly LogEntry[]): Placed[] {
    const lastOf = new Map(entries.map((entry) => ['stream' in entry ? entry.stream : entry.removed, entry]));
    const ended = new Set<string>();
    return entries.flatMap((entry) => {
      const told = this.#ofEntry(entry, ended);
      if ('stream' in entry && entry.stream !== 'global' && lastOf.get(entry.stream) === entry) {
        const now = this.#session(entry.stream)?.view;
        const hasEnded = ended.has(entry.stream) && (now?.status === 'stopped' || now?.status === 'failed');
        if (now !== undefined) told.push(stateOf(hasEnded ? 'session-ended' : 'session-updated', now));
      }
      return told.map((announcement) => ({ position: entry.position, announcement }));
    });
  }

  #ofEntry(entry: LogEntry, ended: Set<string>): SessionAnnouncement[] {
    if ('removed' in entry)
      return [ofSession({ id: entry.removed as SessionId, key: entry.key }, 'session-removed', {})];
    const { stream, event } = entry;
    if (stream === 'global') return [];
    if (event.type === 'session.stopped' || event.type === 'session.failed') ended.add(stream);
    const now = this.#session(stream);
    return now === undefined ? [] : announcementsOfEvent(event, this.#sourcesIn(stream, now));
  }

  #sourcesIn(stream: SessionId, { view, queue }: SessionNow): Sources {
    const upTo = (event: Event, reference: string): readonly Event[] =>
      this.#log.findByReference(stream, reference).filter(({ seq }) => seq <= event.seq);
    return {
      owner: view,
      session: () => view,
      queue: () => queue,
      interaction: (event) => interactionFromLog(view, upTo(event, event.interactionId)),
      isAskedOfNobody: ({ interactionId }) =>
        this.#log
          .findByReference(stream, interactionId)
          .some((event) => event.type === 'interaction.decided' && isByItself(event.by)),
      text: (event) =>
        upTo(event, event.messageId).reduce((text, each) => ('text' in each ? each.text : text), ''),
    };
  }

  #text(untold: readonly Untold[]): string {
    return cursorText({ run: this.#log.run, untold });
  }
}

export interface EntryPage {
  readonly entries: readonly LogEntry[];
  /** Behind the page. */
  readonly cursor: string;
  readonly isAll: boolean;
  readonly cursorBehind: (entry: LogEntry) => string;
}

export interface SessionNow {
  readonly view: Session;
  readonly queue: readonly QueuedMessage[];
}

/** Leaves out those of a position that were told already. */
function keepingAfter(skip: ReadonlyMap<number, number>): (placed: Placed) => boolean {
  const seen = new Map<number, number>();
  return ({ position }) => {
    const count = seen.get(position) ?? 0;
    seen.set(position, count + 1);
    return count >= (skip.get(position) ?? 0);
  };
}

/** Of several of one position, only the last is behind it; the others count how many of it were told. */
function cursorsBehind(
  told: readonly Placed[],
  skip: ReadonlyMap<number, number>,
  leftAfter: (position: number) => readonly Untold[],
): { readonly announcement: SessionAnnouncement; readonly untold: readonly Untold[] }[] {
  const counts = new Map(skip);
  return told.map(({ position, announcement }, index) => {
    const count = (counts.get(position) ?? 0) + 1;
    counts.set(position, count);
    const left = leftAfter(position);
    if (told[index + 1]?.position !== position) return { announcement, untold: left };
    const rest = { from: position, to: position, skip: count };
    const before = left.filter(({ from }) => from < position);
    return { announcement, untold: joined([...before, rest, ...left.slice(before.length)]) };
  });
}
