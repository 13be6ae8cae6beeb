import type { SendCommand } from '../model/command.ts';
import { byLastChange, type Changed, findableText, findWords, hasWords } from '../model/find-session.ts';
import { fold } from '../model/fold.ts';
import { STATE_VERSION, type StoredState, stateFrom } from '../model/state.ts';
import { isAtRest, type SessionSummary, SUMMARY_VERSION, summaryOf } from '../model/summary.ts';
import { queueView, sessionView } from '../model/views.ts';
import { accept, type Result, refuse } from '../protocol/errors.ts';
import type { NewEventOf } from '../protocol/event.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { QueuedMessage, Session, SessionStatus } from '../protocol/session.ts';
import { LiveSession, type LiveSessionOptions } from './live-session.ts';
import type { StreamStart, SummaryFilter } from './ports/event-log.ts';
import type { Stored } from './session-writer.ts';

const MOST_AT_REST = 50;

export interface SessionFilter {
  /** Words that are all to be found in it. */
  readonly q?: string | undefined;
  readonly status?: readonly SessionStatus[] | undefined;
  /** Only those that are so, or that are not. */
  readonly archived?: boolean | undefined;
  readonly pinned?: boolean | undefined;
  /** Null for the server's own. */
  readonly machine?: string | null | undefined;
}

/**
 * All sessions there are, found by id or key. Those at work are in memory; one at rest is read from its log when it is first
 * touched, and let go when others have been used since. Lists take what is not in memory from the stored summaries.
 */
export class SessionRegistry {
  readonly #options: LiveSessionOptions;
  /** Whose log is all that is known of them. */
  readonly #atWork = new Map<SessionId, LiveSession>();
  /** The one used longest ago first. */
  readonly #atRest = new Map<SessionId, LiveSession>();
  /**
   * Every one that anybody still holds. A session that was let go while a caller is about to write to it is found here: with a
   * second one, the log would have two writers.
   */
  readonly #inMemory = new Map<SessionId, WeakRef<LiveSession>>();
  readonly #keys = new Map<string, SessionId>();
  readonly #unreadable = new Set<SessionId>();
  readonly #collected = new FinalizationRegistry<Names>((names) => this.#dropNames(names));
  readonly #mostAtRest: number;
  #isClosing = false;

  constructor(options: Omit<LiveSessionOptions, 'onCreated'>, mostAtRest = MOST_AT_REST) {
    this.#mostAtRest = mostAtRest;
    this.#options = {
      ...options,
      onCreated: (session) => this.#hold(session),
      onChange: (state) => {
        const session = this.#held(state.id);
        if (session !== undefined) this.#place(session);
        options.onChange(state);
      },
    };
  }

  /** Those in memory, newest first: all that are at work, and some at rest. */
  inMemory(): LiveSession[] {
    return [...this.#inMemory.keys()].flatMap((id) => this.#held(id) ?? []).reverse();
  }

  /** From now on a session that is touched refuses what would change it. */
  close(): void {
    this.#isClosing = true;
  }

  find(idOrKey: string): Result<LiveSession> {
    const session = this.get(idOrKey);
    return session === undefined
      ? refuse('session_not_found', `No session has the id or key "${idOrKey.slice(0, 200)}".`)
      : accept(session);
  }

  /** Reads it from its log if it is not in memory. */
  get(idOrKey: string): LiveSession | undefined {
    const known = this.#known(idOrKey);
    if (known !== undefined) {
      if (this.#atRest.delete(known.id)) this.#rest(known);
      return known;
    }
    const id = this.#options.log.summary(idOrKey)?.session.id;
    if (id === undefined || this.#unreadable.has(id)) return undefined;
    return this.#held(id) ?? this.#load(id);
  }

  /** How it is shown, without reading its log. */
  view(idOrKey: string): Session | undefined {
    const known = this.#known(idOrKey);
    return known === undefined ? this.#options.log.summary(idOrKey)?.session : sessionView(known.state);
  }

  /** What waits to be sent; nothing does in one that is not in memory. */
  queue(id: SessionId): readonly QueuedMessage[] {
    const known = this.#known(id);
    return known === undefined ? [] : queueView(known.state);
  }

  /** A page of all sessions, in the order of `byLastChange`, those after the given one. */
  page(
    filter: SessionFilter,
    limit: number,
    after?: Changed,
  ): { readonly sessions: readonly Session[]; readonly hasMore: boolean } {
    const known = this.#matching(filter).filter(
      (session) => after === undefined || byLastChange(after, session) < 0,
    );
    const stored = this.#options.log.summaries({
      ...this.#stored(filter),
      limit: limit + 1,
      ...(after !== undefined && { after }),
    });
    const all = [...known, ...stored.map(({ session }) => session)].sort(byLastChange);
    return { sessions: all.slice(0, limit), hasMore: all.length > limit };
  }

  /** All of them, newest first. */
  list(filter: SessionFilter = {}): readonly Session[] {
    const stored = this.#options.log.summaries(this.#stored(filter));
    // Sorting leaves those of one moment as they are: in memory they are in the order of their making.
    return [...this.#matching(filter), ...stored.map(({ session }) => session)].sort((a, b) =>
      a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0,
    );
  }

  count(filter: SessionFilter = {}): number {
    return this.#matching(filter).length + this.#options.log.countSummaries(this.#stored(filter));
  }

  /** The machines of the sessions at work, but the server's own. */
  *machines(): Iterable<string> {
    for (const { state } of this.inMemory()) if (state.machine !== null) yield state.machine;
  }

  /** Of the sessions that hold grants or rules for themselves. */
  grantHolders(): readonly SessionSummary[] {
    const known = this.inMemory().map(({ state }) => summaryOf(state));
    const stored = this.#options.log.summaries({ ...this.#stored({}), holdsGrants: true });
    return [...known.filter(({ grants, rules }) => grants.length > 0 || rules !== undefined), ...stored];
  }

  /** Stores a new session, together with its first message. Its key is taken before anything is written, so that of two at once one is refused. */
  async create(event: NewEventOf<'session.created'>, first?: SendCommand): Promise<Result<LiveSession>> {
    const { sessionId, key } = event;
    if (key !== null && (this.#keys.has(key) || this.view(key) !== undefined))
      return refuse('key_in_use', `The key "${key}" is in use.`);
    if (key !== null) this.#keys.set(key, sessionId);
    const session = new LiveSession(sessionId, null, this.#options);
    const stored = [session.writer.create(event)];
    if (first !== undefined) stored.push(session.writer.command(first));
    const refused = (await Promise.all(stored)).find((result) => !result.ok);
    if (refused === undefined) return accept(session);
    if (key !== null) this.#keys.delete(key);
    return refused;
  }

  /** Takes up a session of an earlier run, as its log has it; it stays in memory at least until it changes. */
  takeUp(stored: Stored): LiveSession {
    const session = new LiveSession(stored.state.id, stored, this.#options);
    this.#hold(session);
    this.#atRest.delete(session.id);
    this.#atWork.set(session.id, session);
    return session;
  }

  forget(session: LiveSession): void {
    this.#atWork.delete(session.id);
    this.#atRest.delete(session.id);
    this.#inMemory.delete(session.id);
    const { key } = session.state;
    if (key !== null) this.#keys.delete(key);
  }

  #known(idOrKey: string): LiveSession | undefined {
    const byId = this.#held(idOrKey as SessionId);
    if (byId !== undefined) return byId;
    const id = this.#keys.get(idOrKey);
    return id === undefined ? undefined : this.#held(id);
  }

  #held(id: SessionId): LiveSession | undefined {
    return this.#atWork.get(id) ?? this.#inMemory.get(id)?.deref();
  }

  #load(id: SessionId): LiveSession | undefined {
    const { log, logger } = this.#options;
    try {
      const start = log.start(id);
      const stored = start && storedSession(start);
      if (stored === undefined) return undefined;
      const session = new LiveSession(id, stored, this.#options);
      if (this.#isClosing) session.dispose();
      this.#hold(session);
      return session;
    } catch (error) {
      // One log that cannot be understood must not fail whatever lists or searches all of them.
      this.#unreadable.add(id);
      logger.error({ sessionId: id, reason: String(error) }, 'A session cannot be read');
      return undefined;
    }
  }

  #hold(session: LiveSession): void {
    const { id, state } = session;
    this.#inMemory.set(id, new WeakRef(session));
    this.#collected.register(session, { id, key: state.key });
    if (state.key !== null) this.#keys.set(state.key, id);
    this.#place(session);
  }

  #place(session: LiveSession): void {
    const { id, state } = session;
    if (!isAtRest(state)) {
      this.#atRest.delete(id);
      this.#atWork.set(id, session);
    } else if (this.#atWork.delete(id) || !this.#atRest.has(id)) this.#rest(session);
  }

  #rest(session: LiveSession): void {
    this.#atRest.set(session.id, session);
    for (const [id, oldest] of this.#atRest) {
      if (this.#atRest.size <= this.#mostAtRest) return;
      this.#atRest.delete(id);
      // Until its process is gone altogether, whoever resumes or removes the session must find the one that waits for that.
      void oldest.effects.closed.then(() => oldest);
    }
  }

  #dropNames({ id, key }: Names): void {
    if (this.#held(id) !== undefined) return;
    this.#inMemory.delete(id);
    if (key !== null && this.#keys.get(key) === id) this.#keys.delete(key);
  }

  #matching({ q = '', status, archived, pinned, machine }: SessionFilter): Session[] {
    const words = findWords(q);
    return this.inMemory()
      .map(({ state }) => sessionView(state))
      .filter(
        (session) =>
          (status === undefined || status.includes(session.status)) &&
          (archived === undefined || archived === (session.archived === true)) &&
          (pinned === undefined || pinned === (session.pinned === true)) &&
          (machine === undefined || machine === (session.machine ?? null)) &&
          (words.length === 0 || hasWords(findableText(session), words)),
      );
  }

  /** What is in memory is newer than its summary, or is about to be. */
  #stored({ q = '', status, archived, pinned, machine }: SessionFilter): SummaryFilter {
    return {
      version: SUMMARY_VERSION,
      words: findWords(q),
      ...(status !== undefined && { status }),
      archived,
      pinned,
      machine,
      except: [...this.inMemory().map(({ id }) => id), ...this.#unreadable],
    };
  }
}

interface Names {
  readonly id: SessionId;
  readonly key: string | null;
}

/** What a session's log comes to; undefined for one without a beginning. */
export function storedSession(start: StreamStart): Stored | undefined {
  const usable = start.snapshot?.version === STATE_VERSION ? start.snapshot : undefined;
  const snapshotSeq = usable?.seq ?? 0;
  let state = usable === undefined ? null : stateFrom(usable.state as StoredState);
  for (const event of start.eventsAfter(snapshotSeq)) state = fold(state, event);
  return state === null ? undefined : { state, snapshotSeq };
}
