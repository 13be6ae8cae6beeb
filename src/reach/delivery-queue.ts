import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { NoticeFeed } from '../engine/ports/notice-feed.ts';
import { joinWaiting, type Notice, type WaitsNotice } from '../model/notice.ts';
import type { ChannelState } from '../protocol/channel.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { Channel, Delivery } from './channel.ts';
import type { DeliveryProgress, ProgressStore } from './progress.ts';
import type { Restraint } from './restraint.ts';

export interface DeliveryQueueOptions {
  readonly channel: Channel;
  readonly feed: NoticeFeed;
  readonly store: ProgressStore;
  readonly restraint: Restraint;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 to 1: receivers that were down together must not be called together. */
  readonly random: () => number;
}

interface Entry {
  readonly notice: Notice;
  /** Behind it, in the log. */
  readonly cursor: string;
  readonly readAt: number;
  /** When it was tried first. */
  triedAt: number;
  attempts: number;
  notBefore: number;
  isDone: boolean;
}

const eventsAtOnce = 200;
const mostSending = 4;
/** What is read ahead of the oldest that is not delivered; the log keeps the rest. */
const mostRead = { programs: 100, people: 1_000 } as const;
const backOffMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000] as const;
/** When a receiver works again for one session, the others need not wait out their hour. */
const afterSuccessMs = 60_000;
const longestTryMs = { programs: 3 * 86_400_000, people: 86_400_000 } as const;

/**
 * Tells one channel everything it should hear, from the log, in the order of each session, until it has taken it. What it has taken is
 * stored, so that the next server goes on there. Sessions do not wait for each other: a notice that is never taken holds up its own.
 */
export class DeliveryQueue {
  readonly #options: DeliveryQueueOptions;
  readonly #ended = new AbortController();
  readonly #sending = new Map<SessionId, Promise<void>>();
  /** What people can see of us now: to be taken back when it is over. */
  readonly #told = new Map<SessionId, WaitsNotice>();
  #entries: Entry[] = [];
  /** Behind all that was read. */
  #cursor: string;
  /** Behind all that is delivered. */
  #done: string;
  /** Of those behind that, what an earlier server delivered and this one has not read yet. */
  readonly #delivered: Set<string>;
  #isAllRead = false;
  #isWoken = false;
  #isUnsaved = false;
  #saving: Promise<void> | undefined;
  #cancelTimer: () => void = () => undefined;
  #stopListening: () => void;
  #lastSuccess: string | null = null;
  #lastError: ChannelState['lastError'] = null;
  #dropped = 0;
  #isGone = false;

  static async open(options: DeliveryQueueOptions): Promise<DeliveryQueue> {
    const { channel, feed, store, logger } = options;
    const about = { channel: channel.name };
    const stored = await store.load(channel.name).catch((error: unknown) => {
      logger.error({ ...about, reason: String(error) }, 'What was told to a channel cannot be read');
      return undefined;
    });
    if (stored !== undefined && feed.after(stored.cursor, 1) !== undefined)
      return new DeliveryQueue(options, stored);
    if (stored !== undefined)
      logger.warn(about, 'What was told to a channel is not known any more: it goes on from now');
    const queue = new DeliveryQueue(options, { cursor: feed.cursor(), delivered: [], told: [] });
    // Before anything happens: a server that is killed after that must find where to go on.
    queue.#save();
    await queue.#saving;
    return queue;
  }

  private constructor(options: DeliveryQueueOptions, { cursor, delivered, told }: DeliveryProgress) {
    this.#options = options;
    this.#cursor = cursor;
    this.#done = cursor;
    this.#delivered = new Set(delivered);
    for (const notice of told) this.#told.set(notice.session.id, notice);
    const stopFeed = options.feed.onMore(() => {
      this.#isAllRead = false;
      this.#wake();
    });
    const stopRestraint = options.restraint.onChange(() => this.#wake());
    this.#stopListening = () => {
      stopFeed();
      stopRestraint();
    };
    this.#wake();
  }

  get state(): ChannelState {
    const { name, label, audience } = this.#options.channel;
    return {
      name,
      label,
      audience,
      lastSuccess: this.#lastSuccess,
      lastError: this.#lastError,
      waiting: this.#entries.filter(({ isDone }) => !isDone).length,
      dropped: this.#dropped,
      disabled: this.#isGone,
    };
  }

  /** What is under way is given up; the next server tries it again. */
  async close(): Promise<void> {
    this.#ended.abort();
    this.#stopListening();
    this.#cancelTimer();
    await Promise.all(this.#sending.values());
    this.#save();
    await this.#saving;
  }

  /** Not within the call that tells of an event: whoever stored it must not wait for us. */
  #wake(): void {
    if (this.#isWoken || this.#ended.signal.aborted) return;
    this.#isWoken = true;
    setImmediate(() => {
      this.#isWoken = false;
      if (!this.#ended.signal.aborted) this.#work();
    });
  }

  #work(): void {
    if (this.#isGone) return;
    this.#read();
    this.#takeBack();
    const now = this.#options.clock.elapsed();
    let next = Number.POSITIVE_INFINITY;
    for (const [sessionId, entries] of this.#bySession()) {
      if (this.#sending.has(sessionId)) continue;
      const due = entries.map((entry) => this.#dueAt(entry, entries));
      const at = due.findIndex((time) => time <= now);
      const [first] = at === -1 ? [] : entries.slice(at);
      if (first === undefined) next = Math.min(next, ...due);
      else if (this.#sending.size < mostSending) this.#send(sessionId, first, entries);
    }
    this.#trim();
    this.#cancelTimer();
    if (next < Number.POSITIVE_INFINITY)
      this.#cancelTimer = this.#options.clock.after(next - now, () => this.#wake());
  }

  /** One page at a time: a channel that was away for long must not stop everything else. */
  #read(): void {
    const { channel, feed, clock, logger } = this.#options;
    if (this.#isAllRead || this.#entries.length >= mostRead[channel.audience]) return;
    const page = feed.after(this.#cursor, eventsAtOnce);
    if (page === undefined) {
      logger.error({ channel: channel.name }, 'The log has lost what was to be told to a channel');
      this.#cursor = feed.cursor();
      return;
    }
    for (const { notice, cursor } of page.notices) {
      if (!channel.kinds.has(notice.kind)) continue;
      this.#entries.push({
        notice,
        cursor,
        readAt: clock.elapsed(),
        triedAt: Number.POSITIVE_INFINITY,
        attempts: 0,
        notBefore: 0,
        // Kept among the others until all before it is delivered: it must not be forgotten before the cursor has passed it.
        isDone: this.#delivered.delete(notice.id),
      });
    }
    this.#cursor = page.cursor;
    this.#isAllRead = page.isAll;
    if (page.isAll) this.#delivered.clear();
    if (!page.isAll) this.#wake();
  }

  #bySession(): Map<SessionId, Entry[]> {
    const lanes = new Map<SessionId, Entry[]>();
    for (const entry of this.#entries) {
      if (entry.isDone || this.#isOver(entry)) continue;
      const { id } = entry.notice.session;
      lanes.set(id, [...(lanes.get(id) ?? []), entry]);
    }
    return lanes;
  }

  /** What need not be told any more is done. */
  #isOver(entry: Entry): boolean {
    const { channel, restraint, clock } = this.#options;
    const isGivenUp = clock.elapsed() - entry.triedAt > longestTryMs[channel.audience];
    if (isGivenUp) this.#dropped += 1;
    entry.isDone =
      isGivenUp || (channel.audience === 'people' && restraint.isNeedless(entry.notice, entry.readAt));
    if (entry.isDone) this.#isUnsaved = true;
    return entry.isDone;
  }

  /** Programs hear one after the other; of people each thing waits for its own moment, and asks for the first of them. */
  #dueAt(entry: Entry, lane: readonly Entry[]): number {
    const { channel, restraint } = this.#options;
    if (channel.audience === 'programs')
      return entry === lane[0] ? entry.notBefore : Number.POSITIVE_INFINITY;
    const { kind } = entry.notice;
    const first = kind === 'waits' ? (lane.find(({ notice }) => notice.kind === kind) ?? entry) : entry;
    return Math.max(entry.notBefore, restraint.dueAt(entry.notice, first.readAt, channel.graceMs));
  }

  #send(sessionId: SessionId, first: Entry, lane: readonly Entry[]): void {
    const { channel, feed } = this.#options;
    let entries: readonly Entry[] = [first];
    let { notice } = first;
    if (channel.audience === 'people' && notice.kind === 'waits') {
      entries = lane.filter((entry) => entry.notice.kind === 'waits');
      const waiting = entries.flatMap((entry) => (entry.notice.kind === 'waits' ? entry.notice : []));
      const seen = this.#told.get(sessionId)?.asks ?? [];
      const isNew = new Set(waiting.flatMap(({ asks }) => asks.map((ask) => ask.interactionId)));
      const stillOpen = seen.filter(
        (ask) => !isNew.has(ask.interactionId) && feed.isOpen(sessionId, ask.interactionId),
      );
      const whole = joinWaiting(waiting);
      if (whole !== undefined) notice = { ...whole, asks: [...stillOpen, ...whole.asks] };
    }
    const sending = channel
      .send(notice, this.#ended.signal)
      .catch((error: unknown): Delivery => ({ is: 'later', reason: String(error) }))
      .then((delivery) => this.#settled(notice, entries, delivery))
      .finally(() => {
        this.#sending.delete(sessionId);
        this.#wake();
      });
    this.#sending.set(sessionId, sending);
  }

  #settled(notice: Notice, entries: readonly Entry[], delivery: Delivery): void {
    const { channel, clock, logger, random } = this.#options;
    if (this.#ended.signal.aborted && delivery.is !== 'taken') return;
    const now = clock.elapsed();
    if (delivery.is === 'taken') {
      this.#lastSuccess = clock.now();
      this.#lastError = null;
      for (const entry of entries) entry.isDone = true;
      for (const entry of this.#entries) entry.notBefore = Math.min(entry.notBefore, now + afterSuccessMs);
      if (notice.kind === 'waits' && channel.audience === 'people') this.#told.set(notice.session.id, notice);
      this.#isUnsaved = true;
      this.#trim();
      return;
    }
    this.#lastError = { at: clock.now(), reason: delivery.reason };
    if (delivery.is === 'gone') {
      this.#isGone = true;
      logger.warn(
        { channel: channel.name, reason: delivery.reason },
        'A channel is left alone until the next start',
      );
      return;
    }
    for (const entry of entries) {
      const wait = backOffMs[Math.min(entry.attempts, backOffMs.length - 1)] ?? 0;
      entry.attempts += 1;
      entry.triedAt = Math.min(entry.triedAt, now);
      entry.notBefore = now + Math.max(wait * (0.8 + 0.4 * random()), delivery.afterMs ?? 0);
    }
    if (entries[0]?.attempts === 1)
      logger.warn(
        { channel: channel.name, reason: delivery.reason },
        'A channel was not reached, and is tried again',
      );
  }

  /** What people were told and is over, on whatever way. */
  #takeBack(): void {
    const { channel, feed, logger } = this.#options;
    for (const [sessionId, notice] of this.#told) {
      const isOpen = notice.asks.some(({ interactionId }) => feed.isOpen(sessionId, interactionId));
      if (isOpen || this.#sending.has(sessionId)) continue;
      this.#told.delete(sessionId);
      this.#isUnsaved = true;
      const withdrawing = (channel.withdraw?.(notice, this.#ended.signal) ?? Promise.resolve())
        .catch((error: unknown) =>
          logger.warn({ channel: channel.name, reason: String(error) }, 'A notice was not taken back'),
        )
        .finally(() => {
          this.#sending.delete(sessionId);
          this.#wake();
        });
      this.#sending.set(sessionId, withdrawing);
    }
  }

  #trim(): void {
    while (this.#entries[0]?.isDone === true) {
      const [first] = this.#entries.splice(0, 1);
      if (first !== undefined) this.#done = first.cursor;
      // There is room again for what is not read yet.
      if (!this.#isAllRead) this.#wake();
    }
    if (this.#entries.length === 0) this.#done = this.#cursor;
    if (this.#isUnsaved) this.#save();
  }

  #save(): void {
    this.#isUnsaved = false;
    const read = this.#entries.filter(({ isDone }) => isDone).map(({ notice }) => notice.id);
    const delivered = [...read, ...this.#delivered];
    const progress = { cursor: this.#done, delivered, told: [...this.#told.values()] };
    const before = this.#saving ?? Promise.resolve();
    const { channel, store, logger } = this.#options;
    this.#saving = before
      .then(() => store.save(channel.name, progress))
      .catch((error: unknown) =>
        logger.error(
          { channel: channel.name, reason: String(error) },
          'What was told to a channel cannot be stored',
        ),
      );
  }
}
