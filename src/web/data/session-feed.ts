import type { EventsPage, Transport } from '../../client/transport.ts';
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

type Held =
  | { readonly is: 'event'; readonly event: Event }
  | { readonly is: 'delta'; readonly delta: Delta }
  | { readonly is: 'partials'; readonly blocks: readonly Delta[] };

/** One session's conversation in this page: what is stored, then what comes, without a gap and nothing twice. */
export class SessionFeed {
  readonly sessionId: string;
  readonly depth: Depth;
  readonly #transport: Pick<Transport, 'events'>;
  readonly #owner: Pick<Session, 'id' | 'key'>;
  readonly #listeners = new Set<() => void>();
  #conversation: Conversation;
  #state: 'loading' | 'ready' | 'failed' = 'loading';
  #error: Error | null = null;
  #first = 0;
  #last: number | undefined;
  #hasOlder = false;
  #reading: Promise<void> | undefined;
  #readingOlder: Promise<void> | undefined;
  #held: Held[] = [];
  #version = 0;
  #closed = false;

  constructor(transport: Pick<Transport, 'events'>, owner: Pick<Session, 'id' | 'key'>, depth: Depth) {
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

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  takeEvent(event: Event): void {
    if (this.#last !== undefined && event.seq > this.#last + 1) this.#fill();
    this.#take({ is: 'event', event });
  }

  takeDelta(delta: Delta): void {
    this.#take({ is: 'delta', delta });
  }

  /** A stream has begun anew: `lastSeq` is the session's, and `partials` what is being said. */
  resume(lastSeq: number, partials: readonly Delta[]): void {
    if (this.#state === 'failed') this.reload();
    else if (this.#last !== undefined && lastSeq > this.#last) this.#fill();
    this.#take({ is: 'partials', blocks: partials });
  }

  /** Begins anew at the end of the log. */
  reload(): void {
    if (this.#closed) return;
    this.#last = undefined;
    this.#state = 'loading';
    this.#error = null;
    this.#read(async () => {
      const page = await this.#transport.events(this.sessionId, { limit: depths[this.depth].page });
      this.#conversation = new Conversation(this.#owner);
      this.#first = page.firstSeq;
      this.#hasOlder = page.hasMore;
      this.#append(page);
    });
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

  #fill(): void {
    this.#read(async () => {
      for (;;) {
        const page = await this.#transport.events(this.sessionId, {
          after: this.#last ?? 0,
          limit: fillPage,
        });
        if (page.logLastSeq - (this.#last ?? 0) > widestGap) {
          queueMicrotask(() => this.reload());
          return;
        }
        this.#append(page);
        if (!page.hasMore) return;
      }
    });
  }

  #read(work: () => Promise<void>): void {
    if (this.#reading !== undefined) return;
    this.#reading = work()
      .then(
        () => {
          this.#state = 'ready';
        },
        (error: unknown) => {
          this.#state = 'failed';
          this.#error = error instanceof Error ? error : new Error(String(error));
        },
      )
      .finally(() => {
        this.#reading = undefined;
        if (this.#state === 'ready') this.#takeHeld();
        this.#tell();
      });
    this.#tell();
  }

  #append(page: EventsPage): void {
    for (const event of page.events) this.#apply({ is: 'event', event });
    this.#last = Math.max(this.#last ?? 0, page.lastSeq);
  }

  #take(held: Held): void {
    if (this.#reading !== undefined || this.#state !== 'ready') this.#held.push(held);
    else this.#apply(held);
  }

  #takeHeld(): void {
    const held = this.#held;
    this.#held = [];
    for (const each of held) this.#apply(each);
  }

  #apply(held: Held): void {
    switch (held.is) {
      case 'event':
        if (this.#last !== undefined && held.event.seq <= this.#last) return;
        this.#last = held.event.seq;
        this.#conversation.append(held.event);
        this.#conversation.trim(depths[this.depth].most);
        return;
      case 'delta':
        this.#conversation.addDelta(held.delta);
        return;
      case 'partials':
        this.#conversation.setPartials(held.blocks);
        return;
    }
  }

  #tell(): void {
    if (this.#closed) return;
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
