import type { RoomCalls } from '../../client/calls.ts';
import type { EventsPage, FollowedFrom } from '../../client/transport.ts';
import type { Delta, Event } from '../../protocol/event.ts';
import type { Session } from '../../protocol/session.ts';
import { Conversation } from '../conversation/conversation.logic.ts';
import type { Row } from '../conversation/row.ts';

/** `tail` keeps only the end, for a monitor; `whole` pages back to the beginning. */
export type Depth = 'tail' | 'whole';

const depths = {
  tail: { page: 40, most: 120 },
  whole: { page: 200, most: Number.POSITIVE_INFINITY },
} as const satisfies Record<Depth, { page: number; most: number }>;

const fillPage = 1000;
/** Further behind than this, it is quicker to begin anew at the end. */
const widestGap = 5000;
/** More than this is not kept while something is read: it is read as well. */
const mostWaiting = 2000;

/** Something that came, and the event that must be shown before it. */
type Told = { readonly behind: number } & (
  | { readonly is: 'event'; readonly event: Event }
  | { readonly is: 'delta'; readonly delta: Delta }
  | { readonly is: 'partials'; readonly blocks: readonly Delta[] }
);

/** One session's conversation in this page: what is stored, then what comes, without a gap and nothing twice. */
export class SessionFeed {
  readonly sessionId: string;
  readonly depth: Depth;
  readonly #transport: Pick<RoomCalls, 'events'>;
  readonly #owner: Pick<Session, 'id' | 'key'>;
  readonly #listeners = new Set<() => void>();
  #conversation: Conversation;
  #state: 'loading' | 'ready' | 'failed' = 'loading';
  #error: Error | null = null;
  #first = 0;
  /** The last event that is shown; undefined until the first page is there. */
  #last: number | undefined;
  /** The last event that is known to be stored: whatever is missing up to it is read. */
  #wanted = 0;
  /** The last event that the connection has promised to tell. */
  #promised = 0;
  #hasOlder = false;
  /** The reading that is under way. */
  #reading: symbol | undefined;
  #readingOlder: Promise<void> | undefined;
  /** What came while something before it was missing, in order. */
  #waiting: Told[] = [];
  #version = 0;
  #fileNews = 0;
  #recordings = 0;
  #closed = false;

  constructor(transport: Pick<RoomCalls, 'events'>, owner: Pick<Session, 'id' | 'key'>, depth: Depth) {
    this.#transport = transport;
    this.#owner = owner;
    this.sessionId = owner.id;
    this.depth = depth;
    this.#conversation = new Conversation(owner);
    this.reload();
  }

  get conversation(): Conversation {
    return this.#conversation;
  }
  get state(): 'loading' | 'ready' | 'failed' {
    return this.#state;
  }
  get error(): Error | null {
    return this.#error;
  }
  get hasOlder(): boolean {
    return this.#hasOlder;
  }
  get isReadingOlder(): boolean {
    return this.#readingOlder !== undefined;
  }
  get version(): number {
    return this.#version;
  }
  /** Grows with every event after which files may be otherwise than before. */
  get fileNews(): number {
    return this.#fileNews;
  }
  /** Grows with every recording of the files that is told of. */
  get recordings(): number {
    return this.#recordings;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  takeEvent(event: Event): void {
    this.#wanted = Math.max(this.#wanted, event.seq);
    this.#take({ is: 'event', event, behind: event.seq - 1 });
  }

  takeDelta(delta: Delta): void {
    this.#take({ is: 'delta', delta, behind: Math.max(this.#wanted, this.#promised) });
  }

  /** The session is followed anew: what is missing up to `after` is to be read, and the rest comes. */
  resume({ after, lastSeq, partial }: FollowedFrom): void {
    if (this.#state === 'failed') this.reload();
    else if (this.#state === 'loading') void this.#read();
    this.#wanted = Math.max(this.#wanted, after);
    this.#promised = Math.max(this.#promised, lastSeq);
    this.#take({ is: 'partials', blocks: partial, behind: lastSeq });
  }

  /** What is being read on a dead network may neither come nor fail; it is read anew when the session is followed again. */
  connectionLost(): void {
    this.#reading = undefined;
  }

  /** Begins anew at the end of the log. */
  reload(): void {
    this.#last = undefined;
    this.#state = 'loading';
    this.#error = null;
    void this.#read();
  }

  /** The row that shows an event, with all read that lies between it and what was known. */
  async rowAt(seq: number): Promise<Row | undefined> {
    const { events } = await this.#transport.events(this.sessionId, { after: seq - 1, limit: 1 });
    const event = events.find((found) => found.seq === seq);
    if (event === undefined) return undefined;
    while (this.#first > seq && this.#hasOlder && this.#state === 'ready') await this.loadOlder(fillPage);
    return this.#conversation.rowOf(event);
  }

  /** Reads the page before the first known event, if there is one. */
  loadOlder(limit: number = depths[this.depth].page): Promise<void> {
    if (!this.#hasOlder || this.#state !== 'ready' || this.depth === 'tail') return Promise.resolve();
    this.#readingOlder ??= this.#readOlder(limit).finally(() => {
      this.#readingOlder = undefined;
      this.#tell();
    });
    this.#tell();
    return this.#readingOlder;
  }

  close(): void {
    this.#closed = true;
    this.#listeners.clear();
  }

  /** Tells the listeners; whoever hands over many things at once calls this once, at the end. */
  flush(): void {
    this.#tell();
  }

  async #readOlder(limit: number): Promise<void> {
    const of = this.#conversation;
    const page = await this.#transport.events(this.sessionId, { before: this.#first, limit });
    // It began anew meanwhile: the page belongs to what is no longer shown.
    if (of !== this.#conversation) return;
    this.#conversation.prepend(page.events);
    this.#first = page.events.length === 0 ? this.#first : page.firstSeq;
    this.#hasOlder = page.hasMore;
  }

  #take(told: Told): void {
    // In front of what was said already and belongs behind it.
    const at = this.#waiting.findLastIndex(({ behind }) => behind <= told.behind);
    this.#waiting.splice(at + 1, 0, told);
    if (this.#waiting.length > mostWaiting) this.#waiting.shift();
    if (this.#state !== 'ready' || this.#reading !== undefined) return;
    this.#takeWaiting();
    if (this.#isBehind()) void this.#read();
  }

  /** Takes what came, up to the first that something is missing before. */
  #takeWaiting(): void {
    const waiting = this.#waiting;
    const hole = waiting.findIndex((told) => {
      if (told.behind > (this.#last ?? 0)) return true;
      this.#apply(told);
      return false;
    });
    this.#waiting = hole === -1 ? [] : waiting.slice(hole);
  }

  /** Reads until everything is there that is known to be stored. */
  async #read(): Promise<void> {
    if (this.#reading !== undefined || this.#closed) return;
    const reading = Symbol();
    const isCurrent = (): boolean => this.#reading === reading && !this.#closed;
    this.#reading = reading;
    this.#tell();
    try {
      while (this.#isBehind()) {
        const takePage = await this.#readOn();
        if (!isCurrent()) return;
        takePage();
        this.#takeWaiting();
      }
      this.#state = 'ready';
    } catch (error) {
      if (!isCurrent()) return;
      this.#state = 'failed';
      this.#error = error instanceof Error ? error : new Error(String(error));
    }
    this.#reading = undefined;
    this.#tell();
  }

  async #readOn(): Promise<() => void> {
    const { sessionId } = this;
    if (this.#last === undefined || this.#wanted - this.#last > widestGap) {
      const end = await this.#transport.events(sessionId, { limit: depths[this.depth].page });
      return () => this.#beginWith(end);
    }
    const after = this.#last;
    const page = await this.#transport.events(sessionId, { after, limit: fillPage });
    // Asking again would bring the same.
    if (page.events.length === 0) throw new Error(`Event ${after + 1} of this session could not be read.`);
    return () => this.#append(page);
  }

  #beginWith(page: EventsPage): void {
    this.#conversation = new Conversation(this.#owner);
    this.#first = page.firstSeq;
    this.#hasOlder = page.hasMore;
    this.#last = Math.max(page.firstSeq - 1, 0);
    this.#append(page);
  }

  #append(page: EventsPage): void {
    for (const event of page.events) this.#apply({ is: 'event', event, behind: event.seq - 1 });
    this.#wanted = Math.max(this.#wanted, page.logLastSeq);
  }

  #isBehind(): boolean {
    return this.#last === undefined || this.#last < this.#wanted;
  }

  #apply(told: Told): void {
    switch (told.is) {
      case 'event':
        if (told.event.seq !== (this.#last ?? 0) + 1) return;
        this.#last = told.event.seq;
        if (/^files\.re/.test(told.event.type)) this.#recordings += 1;
        if (/^files|result$/.test(told.event.type)) this.#fileNews += 1;
        this.#conversation.append(told.event);
        this.#conversation.trim(depths[this.depth].most);
        return;
      case 'delta':
        this.#conversation.addDelta(told.delta);
        return;
      case 'partials':
        this.#conversation.setPartials(told.blocks);
        return;
    }
  }

  #tell(): void {
    if (this.#closed) return;
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
