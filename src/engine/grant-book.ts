import { expiredGrant, findKeyGrant, isInForce, isSameGrant, keyGrant } from '../model/grants.ts';
import { timeLeft } from '../model/limits.ts';
import { accept, messageOf, type Result, refuse } from '../protocol/errors.ts';
import type { Event, NewEvent } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import type { GrantId } from '../protocol/ids.ts';
import type { Actor } from '../protocol/interaction.ts';
import type { Clock } from './ports/clock.ts';
import {
  type AppendBatch,
  type AppendPart,
  type EventLog,
  type OnStored,
  StorageError,
} from './ports/event-log.ts';
import type { Logger } from './ports/logger.ts';
import { Timers } from './timers.ts';

export interface GrantBookOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
}

const RETRY_MS = 5000;

/**
 * The grants that hold in all sessions, and the only writer of their log. One change after the other, each decided on what the one
 * before it has stored: otherwise of two at once both would be recorded, and a grant end twice or be given twice.
 */
export class GrantBook {
  readonly #options: GrantBookOptions;
  /** Those without an end on record. */
  #stored: readonly Grant[] = [];
  /** Those of them whose time is up. */
  readonly #expired = new Set<GrantId>();
  readonly #declined = new Set<string>();
  readonly #timers: Timers;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: GrantBookOptions) {
    this.#options = options;
    this.#timers = new Timers(options.clock);
  }

  /** Those in force. One whose time is seen to be up is over for good, whatever the clock says later. */
  get grants(): readonly Grant[] {
    const now = this.#options.clock.now();
    for (const grant of this.#stored) if (!isInForce(grant, now)) this.#expire(grant);
    return this.#stored.filter(({ id }) => !this.#expired.has(id));
  }

  /** What a start found on record. */
  load(events: Iterable<Event>): void {
    for (const event of events) this.#fold(event);
  }

  /** Stores what a session has to store, and with it the grants that its answers give: they stand or fall together. */
  append(parts: readonly AppendPart[], given: readonly Grant[], onStored: OnStored): Promise<unknown> {
    if (given.length === 0) return this.#options.log.append({ parts, onStored });
    return this.#write(() => this.#newAmong(given).map(created), { parts, onStored });
  }

  /** Stores what else belongs to no session, decided when its turn has come; `fold` is called before the next is decided. */
  record(
    decide: (at: string) => readonly NewEvent[],
    fold: (event: NewEvent, at: string) => void,
  ): Promise<readonly NewEvent[]> {
    return this.#write(decide, { parts: [] }, fold);
  }

  /** Keeps what a person approved under a tool's own key. */
  async keep(approval: Parameters<typeof keyGrant>[0]): Promise<Result<undefined>> {
    try {
      await this.#write((at) =>
        findKeyGrant(this.grants, approval, at) === undefined
          ? [created({ ...keyGrant(approval, at), scope: 'always' })]
          : [],
      );
      return accept(undefined);
    } catch (error) {
      if (error instanceof StorageError) return refuse('storage_unavailable', error.message);
      throw error;
    }
  }

  /** Gives what was suggested, for good. */
  async give(grant: Omit<Grant, 'scope' | 'createdAt'>): Promise<void> {
    await this.#write((at) => this.#newAmong([{ ...grant, scope: 'always', createdAt: at }]).map(created));
  }

  /** It is not to be suggested again. */
  async decline(suggestionId: string, by: Actor): Promise<void> {
    await this.#write(() =>
      this.#declined.has(suggestionId) ? [] : [{ type: 'suggestion.declined', suggestionId, by }],
    );
  }

  /** The suggestions that nobody wants to hear of again. */
  get declined(): ReadonlySet<string> {
    return this.#declined;
  }

  /** False when there is none of this id. */
  async revoke(grantId: GrantId, by: Actor): Promise<boolean> {
    const ended = await this.#write(() =>
      this.grants.some(({ id }) => id === grantId)
        ? [{ type: 'grant.ended', grantId, cause: 'revoked', by }]
        : [],
    );
    return ended.length > 0;
  }

  close(): void {
    this.#isClosed = true;
    this.#timers.clearAll();
  }

  /** Stores what is to be recorded when its turn has come, together with the parts of a session. */
  #write(
    decide: (at: string) => readonly NewEvent[],
    { parts, ...how }: AppendBatch = { parts: [] },
    fold: (event: NewEvent, at: string) => void = (event) => this.#fold(event),
  ): Promise<readonly NewEvent[]> {
    const writing = this.#lastWrite.then(async () => {
      const at = this.#options.clock.now();
      const events = decide(at);
      const own: AppendPart[] = events.length === 0 ? [] : [{ stream: 'global', at, events }];
      const all = [...parts, ...own];
      if (all.length > 0) await this.#options.log.append({ parts: all, ...how });
      for (const event of events) fold(event, at);
      return events;
    });
    this.#lastWrite = writing.catch(() => undefined);
    return writing;
  }

  /** Given twice, also by two answers that are stored together, a grant is one. */
  #newAmong(given: readonly Grant[]): readonly Grant[] {
    const known = this.grants;
    return given.filter(
      (grant, index) => ![...known, ...given.slice(0, index)].some((other) => isSameGrant(other, grant)),
    );
  }

  #fold(event: Event | NewEvent): void {
    if (event.type === 'grant.created') {
      this.#stored = [...this.#stored, event.grant];
      this.#watch(event.grant);
    }
    if (event.type === 'suggestion.declined') this.#declined.add(event.suggestionId);
    if (event.type === 'grant.ended') {
      this.#stored = this.#stored.filter(({ id }) => id !== event.grantId);
      this.#expired.delete(event.grantId);
      this.#timers.clear(event.grantId);
    }
  }

  #watch(grant: Grant): void {
    if (grant.expiresAt === undefined) return;
    const { clock } = this.#options;
    const left = timeLeft(grant.createdAt, grant.expiresAt, clock.now());
    this.#timers.arm(grant.id, left, () => this.#expire(grant));
  }

  #expire(grant: Grant): void {
    if (this.#expired.has(grant.id)) return;
    this.#expired.add(grant.id);
    this.#timers.clear(grant.id);
    void this.#recordExpiry(grant);
  }

  /** For this server it is over already, for the next it is so once it is on record. */
  async #recordExpiry(grant: Grant): Promise<void> {
    try {
      await this.#write(() => (this.#stored.includes(grant) ? [expiredGrant(grant)] : []));
    } catch (error) {
      const { logger } = this.#options;
      logger.error({ grantId: grant.id, reason: messageOf(error) }, 'The end of a grant was not stored');
      if (!this.#isClosed) this.#timers.arm(grant.id, RETRY_MS, () => void this.#recordExpiry(grant));
    }
  }
}

const created = (grant: Grant): NewEvent => ({ type: 'grant.created', grant });
