import type { SendCommand } from '../model/command.ts';
import { fold } from '../model/fold.ts';
import { type StoredState, stateFrom } from '../model/snapshot.ts';
import { STATE_VERSION } from '../model/state.ts';
import { accept, type Result, refuse } from '../protocol/errors.ts';
import type { NewEventOf } from '../protocol/event.ts';
import { SessionId } from '../protocol/ids.ts';
import { LiveSession, type LiveSessionOptions } from './live-session.ts';
import type { StreamStart } from './ports/event-log.ts';

/** All sessions there are, found by id or key. */
export class SessionRegistry {
  readonly #options: LiveSessionOptions;
  readonly #sessions = new Map<SessionId, LiveSession>();
  readonly #keys = new Map<string, SessionId>();

  constructor(options: Omit<LiveSessionOptions, 'onCreated'>) {
    this.#options = { ...options, onCreated: (session) => this.#sessions.set(session.id, session) };
  }

  /** Newest first. */
  all(): LiveSession[] {
    return [...this.#sessions.values()].reverse();
  }

  find(idOrKey: string): Result<LiveSession> {
    const session = this.get(idOrKey);
    return session === undefined
      ? refuse('session_not_found', `No session has the id or key "${idOrKey.slice(0, 200)}".`)
      : accept(session);
  }

  get(idOrKey: string): LiveSession | undefined {
    const byId = this.#sessions.get(idOrKey as SessionId);
    if (byId !== undefined) return byId;
    const id = this.#keys.get(idOrKey);
    return id === undefined ? undefined : this.#sessions.get(id);
  }

  /** Stores a new session, together with its first message. Its key is taken before anything is written, so that of two at once one is refused. */
  async create(event: NewEventOf<'session.created'>, first?: SendCommand): Promise<Result<LiveSession>> {
    const { sessionId, key } = event;
    if (key !== null && (this.#keys.has(key) || this.get(key) !== undefined))
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

  /** Takes up a session of an earlier run from its log. */
  restore(start: StreamStart): LiveSession | undefined {
    const usable = start.snapshot?.version === STATE_VERSION ? start.snapshot : undefined;
    const snapshotSeq = usable?.seq ?? 0;
    let state = usable === undefined ? null : stateFrom(usable.state as StoredState);
    for (const event of start.eventsAfter(snapshotSeq)) state = fold(state, event);
    if (state === null) return undefined;
    const session = new LiveSession(SessionId.parse(start.stream), { state, snapshotSeq }, this.#options);
    this.#sessions.set(session.id, session);
    if (state.key !== null) this.#keys.set(state.key, session.id);
    return session;
  }

  forget(session: LiveSession): void {
    this.#sessions.delete(session.id);
    const { key } = session.state;
    if (key !== null) this.#keys.delete(key);
  }
}
