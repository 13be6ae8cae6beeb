import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { announcementsOf } from '../../src/engine/announce.ts';
import { fold } from '../../src/model/fold.ts';
import { isInteractionEvent } from '../../src/model/interaction-fold.ts';
import { valuesOf } from '../../src/model/ordered-map.ts';
import type { SessionState } from '../../src/model/state.ts';
import { interactionFromLog, pendingView } from '../../src/model/views.ts';
import type { Announcement } from '../../src/protocol/announcement.ts';
import { type Event, referencesOf } from '../../src/protocol/event.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import { Conversation } from '../../src/web/conversation/conversation.logic.ts';
import {
  afterNews,
  afterTime,
  type InteractionNews,
  type Interactions,
  keptMs,
  nextChange,
  noInteractions,
  withPress,
} from '../../src/web/data/interactions.ts';
import { afterAnnouncement, emptyRoom, type Room } from '../../src/web/data/room.logic.ts';
import { cardOf, isAnswerable } from '../../src/web/interaction/interaction-card.logic.ts';
import { commitOf, playStory, story } from '../support/interaction-stories.ts';
import { times } from '../support/seeded-random.ts';
import { PlayedSession } from '../support/session-states.ts';
import { anInteraction, interactionsOf } from './support/samples.ts';

/** No card stays longer than this after its end was heard of: as it was sent, and then with how it ended. */
const longestMs = 2500 + keptMs;

/** What happens next: the server stores an event, something that is under way arrives, or time passes. Fitted to what there is. */
const schedule = fc.array(
  fc.tuple(
    fc.constantFrom(
      ...['store', 'store', 'connection', 'connection', 'log', 'reply', 'time', 'time', 'reconnect'],
    ),
    fc.nat(4000),
  ),
  { maxLength: 150 },
);

/**
 * A server that goes through a story, and a page that hears of it by three ways which are not in step: the connection, in order, with
 * a snapshot when it begins anew; the log of the session, in order; and the replies to what the page has answered.
 */
class Told {
  room: Room = emptyRoom;
  now = 0;
  readonly #log: readonly Event[];
  #stored = 0;
  #state: SessionState | null = null;
  readonly #conversation: Conversation;
  #connection: ((room: Room) => Room)[] = [];
  readonly #events: Event[] = [];
  readonly #replies: Extract<InteractionNews, { by: 'reply' | 'refusal' }>[] = [];
  /** When the page first heard of the end of each, or that it is no longer open. */
  readonly #ends = new Map<string, number>();
  readonly #revisions = new Map<string, number>();

  constructor(log: readonly Event[], owner: SessionState) {
    this.#log = log;
    this.#conversation = new Conversation(owner);
    this.#connection.push((room) => this.#hear(room, { by: 'snapshot', pending: [] }));
  }

  next(what: string, chance: number): void {
    switch (what) {
      case 'store':
        this.#store(chance);
        break;
      case 'connection':
        this.room = this.#connection.shift()?.(this.room) ?? this.room;
        break;
      case 'log':
        this.#readLog();
        break;
      case 'reply': {
        const [news] = this.#replies.splice(chance % Math.max(1, this.#replies.length), 1);
        if (news !== undefined) this.#takeReply(news);
        break;
      }
      case 'reconnect':
        // What was under way is lost; how all stands is told instead.
        this.#connection = [this.#snapshot()];
        break;
      case 'time':
        this.#pass(chance);
    }
    this.#settle();
  }

  /** As the page's clock does: it wakes whenever something is to leave. */
  #pass(milliseconds: number): void {
    const until = this.now + milliseconds;
    for (let due = nextChange(this.room, this.now); due !== undefined && due <= until; ) {
      expect(due).toBeGreaterThan(this.now);
      this.now = due;
      this.#settle();
      due = nextChange(this.room, this.now);
    }
    this.now = until;
  }

  #settle(): void {
    // Whether the agent waits on for the call that asked changes at any time.
    const isCalling = (): boolean => this.#stored % 3 === 0;
    this.room = afterTime(this.room, this.now, { isCalling, isDrawn: () => false });
    this.#expectTruth();
  }

  /** Everything arrives, and time passes until nothing is about to leave. */
  end(): void {
    while (this.#stored < this.#log.length) this.next('store', 3);
    while (this.#connection.length > 0) this.next('connection', 0);
    while (this.#events.length > 0) this.next('log', 0);
    while (this.#replies.length > 0) this.next('reply', 0);
    this.next('time', longestMs);
    const open = this.#state === null ? [] : pendingView(this.#state);
    expect(new Set(this.room.pending)).toEqual(new Set(open));
    expect(this.room.pending.map(({ createdAt }) => createdAt)).toEqual(
      open.map(({ createdAt }) => createdAt).sort(),
    );
    // Nothing is kept of what is over. What is decided and not yet with the agent is not over for the server either.
    const live = this.#state === null ? [] : valuesOf(this.#state.interactions);
    const alive = live.map(({ requested }): string => requested.interactionId);
    expect(Object.keys(this.room.known).filter((id) => !alive.includes(id))).toEqual([]);
    expect(this.room).toMatchObject({ leaving: [], presses: {} });
  }

  /** Up to the next that is about an interaction. */
  #store(chance: number): void {
    const event = this.#log[this.#stored];
    if (event === undefined) return;
    if (event.type === 'interaction.decided' && event.by.kind === 'person') this.#answer(event, chance);
    this.#stored += 1;
    const before = this.#state;
    const after = fold(before, event);
    this.#state = after;
    if (before !== null) {
      for (const { announcement } of announcementsOf(commitOf(before, event, after)))
        if (announcement.type.startsWith('approval-') || announcement.type.endsWith('-requested'))
          this.#connection.push((room) => this.#hearAnnouncement(room, announcement));
    }
    this.#events.push(event);
    if (!isInteractionEvent(event)) this.#store(chance);
  }

  #hearAnnouncement(room: Room, announcement: Announcement): Room {
    const { data } = announcement as Extract<Announcement, { type: `approval-${string}` }>;
    const told = 'interaction' in data ? data.interaction : data;
    // Also one that is raised anew, or parked, may have been decided before.
    if (told.status === 'resolved') this.#noteEnd(told.interactionId);
    const once = afterAnnouncement(room, announcement, this.now);
    expect(afterAnnouncement(once, announcement, this.now)).toBe(once);
    return once;
  }

  /** Somebody answers: it may be this page, or this page was too late. */
  #answer({ interactionId, seq }: Extract<Event, { type: 'interaction.decided' }>, chance: number): void {
    if (chance % 3 === 0) return;
    while (this.#connection.length > 0) this.next('connection', 0);
    const asked = this.room.pending.find((each) => each.interactionId === interactionId);
    const { known, presses } = this.room;
    if (asked === undefined) return;
    if (!isAnswerable(cardOf(asked, known[interactionId], presses[interactionId]))) return;
    this.room = withPress(this.room, interactionId, { is: 'submitting', action: 'submit' });
    const events = this.#log.filter((each) => each.seq <= seq && referencesOf(each).includes(interactionId));
    const interaction = interactionFromLog({ id: asked.sessionId, key: asked.sessionKey }, events);
    this.#replies.push({
      by: chance % 3 === 1 ? 'reply' : 'refusal',
      interaction: interaction ?? expect.fail(),
    });
  }

  #snapshot(): (room: Room) => Room {
    const pending = this.#state === null ? [] : pendingView(this.#state);
    return (room) => {
      const told = new Set<string>(pending.map(({ interactionId }) => interactionId));
      for (const { interactionId } of room.pending)
        if (!told.has(interactionId)) this.#noteEnd(interactionId);
      return this.#hear(room, { by: 'snapshot', pending });
    };
  }

  #readLog(): void {
    const event = this.#events.shift();
    if (event === undefined) return;
    this.#conversation.append(event);
    if (!isInteractionEvent(event)) {
      this.#readLog();
      return;
    }
    const interaction = this.#conversation.interaction(event.interactionId);
    if (interaction === undefined) return;
    if (interaction.status === 'resolved' && event.interactionId in this.room.known)
      this.#noteEnd(event.interactionId);
    this.room = this.#hear(this.room, { by: 'event', interaction });
  }

  #takeReply(news: Extract<InteractionNews, { by: 'reply' | 'refusal' }>): void {
    const { interactionId } = news.interaction;
    this.#noteEnd(interactionId);
    this.room = this.#hear(this.room, news);
    expect(this.room.known[interactionId]?.end?.by).toBe(news.by === 'reply' ? 'us' : 'another');
    expect(this.room.presses[interactionId]).toBeUndefined();
  }

  #hear(room: Room, news: InteractionNews): Room {
    const once = afterNews(room, news, this.now);
    // The same again is no news, whatever it is.
    expect(afterNews(once, news, this.now)).toBe(once);
    return once;
  }

  #noteEnd(interactionId: string): void {
    if (!this.#ends.has(interactionId)) this.#ends.set(interactionId, this.now);
  }

  #expectTruth(): void {
    const { pending, leaving, known, presses } = this.room;
    for (const [id, { interaction }] of Object.entries(known)) {
      const { revision = 0 } = interaction;
      expect(revision, `${id} is older than before`).toBeGreaterThanOrEqual(this.#revisions.get(id) ?? 0);
      this.#revisions.set(id, revision);
    }
    for (const asked of pending) {
      expect(asked.status).toBe('open');
      expect(this.#ends.has(asked.interactionId), `${asked.interactionId} is shown as open`).toBe(false);
    }
    for (const { interactionId, status } of leaving) {
      expect(status).toBe('resolved');
      const since =
        this.#ends.get(interactionId) ?? expect.fail(`${interactionId} leaves, and has not ended`);
      expect(this.now - since).toBeLessThan(longestMs);
      const asked = anInteraction({ id: interactionId });
      expect(isAnswerable(cardOf(asked, known[interactionId], presses[interactionId]))).toBe(false);
    }
  }
}

const later = (room: Interactions): Interactions =>
  afterTime(room, 60_000, { isCalling: () => false, isDrawn: () => false });

describe('what a page knows of interactions', () => {
  it('[UI28] [ASK16] is what the server has, and nothing that ended is open again, in whatever order it hears of it', () => {
    fc.assert(
      fc.property(story, schedule, (steps, happenings) => {
        const { log, state } = playStory(steps, new PlayedSession().up());
        const told = new Told(log, state);
        for (const [what, chance] of happenings) told.next(what, chance);
        told.end();
      }),
      { numRuns: times(400) },
    );
  });

  it('[UI28] keeps the end of what it answered until the connection has told it, too', () => {
    const asked = anInteraction({ revision: 1 });
    const ended: Interaction = { ...asked, status: 'resolved', outcome: 'allowed', revision: 2 };
    const answered = later(afterNews(interactionsOf(asked), { by: 'reply', interaction: ended }, 0));
    expect(answered).toMatchObject({ pending: [], leaving: [] });
    // A snapshot that was made before the answer was taken, and comes after the reply to it.
    const stale = afterNews(answered, { by: 'snapshot', pending: [asked] }, 60_000);
    expect(stale.pending).toEqual([]);
    expect(later(afterNews(stale, { by: 'announcement', interaction: ended }, 60_000))).toEqual(
      noInteractions,
    );
    expect(later(afterNews(stale, { by: 'snapshot', pending: [] }, 60_000))).toEqual(noInteractions);
  });

  it('[UI28] shows how it ended once, for a moment: also when the connection begins anew, or the reply comes long after', () => {
    const asked = anInteraction({ revision: 1 });
    const ended: Interaction = { ...asked, status: 'resolved', outcome: 'allowed', revision: 2 };
    const pressed = withPress(interactionsOf(asked), asked.interactionId, {
      is: 'submitting',
      action: 'allow',
    });
    const told = afterNews(pressed, { by: 'announcement', interaction: ended }, 0);
    const again = afterNews(told, { by: 'snapshot', pending: [] }, 1);
    expect(again.leaving).toEqual([ended]);
    const late = afterNews(later(again), { by: 'reply', interaction: ended }, 60_000);
    expect(late.leaving).toEqual([]);
    expect(later(late)).toEqual(noInteractions);
  });

  it('[UI28] keeps the end of what is drawn: a card may have been handed it as it was when it was open', () => {
    const asked = anInteraction({ id: 'a' });
    const over = interactionsOf({ ...asked, status: 'resolved', outcome: 'denied' });
    const isDrawn = (id: string) => id === 'a';
    const kept = afterTime(over, keptMs, { isCalling: () => false, isDrawn });
    expect(kept.leaving).toEqual([]);
    expect(cardOf(asked, kept.known.a, undefined)).toMatchObject({ is: 'submitted' });
  });

  it('[UI28] forgets a session that was removed, with all that it asked and that was pressed', () => {
    const [mine, other] = [anInteraction({ id: 'a' }), anInteraction({ id: 'b', session: 's2' })];
    const failed = { is: 'failed', action: 'allow', error: new Error('no') } as const;
    const room = withPress(interactionsOf(mine, other), 'a', failed);
    const after = afterNews(room, { by: 'removal', sessionId: mine.sessionId }, 0);
    expect(after).toMatchObject({ pending: [other], presses: {} });
  });
});
