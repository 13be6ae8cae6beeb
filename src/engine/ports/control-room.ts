import type { Announcement, SessionNews, SessionSnapshot } from '../../protocol/announcement.ts';
import type { Result } from '../../protocol/errors.ts';
import type { Event } from '../../protocol/event.ts';
import type { ClientId, SessionId } from '../../protocol/ids.ts';
import type { Actor, Interaction } from '../../protocol/interaction.ts';
import type { MachineState } from '../../protocol/machine.ts';
import type { OperationName } from '../../protocol/operation.ts';
import type { QueuedMessage, Session, WhileBusy } from '../../protocol/session.ts';
import type { StorageState } from '../../protocol/storage.ts';

/** The whole product to its callers: the HTTP server, the WebSocket and programs in the same process. */
export interface ControlRoom {
  /**
   * The one dispatcher. `input` holds the path's parameters, the query and the body in one record; it is checked here.
   * Never rejects but for bugs: expected refusals are values.
   */
  dispatch(
    operation: OperationName,
    input: Readonly<Record<string, unknown>>,
    caller: Caller,
  ): Promise<Result<Reply>>;

  /** Calls the listener for everything that happens, from now on, in order. */
  listen(listener: (news: News) => void): () => void;
  /** All that is, right now; consistent with what listeners hear next. */
  overview(): Overview;
  /** Behind all that listeners have heard of sessions. */
  announcementCursor(): string;
  /**
   * What was announced behind a cursor, also of an earlier run of the server; from the last page on listeners hear what follows.
   * Undefined when that cannot be told any more: then all that is known behind the cursor is what is, right now.
   */
  announcementsAfter(cursor: string, limit: number): AnnouncementPage | undefined;
  snapshot(session: string): Result<SessionSnapshot>;
  /** A page of stored events after `seq`, for a reader that catches up. */
  eventsAfter(session: SessionId, seq: number, limit: number): readonly Event[];
  image(session: string, imageId: string): Result<{ readonly mediaType: string; readonly data: Uint8Array }>;
  rawLog(session: string): Result<AsyncIterable<Uint8Array>>;
  /** Whether what happens can be stored, and whether what happened is all there. */
  storage(): StorageState;
  /** What messages of people do while an agent works, in sessions that are not set for themselves. */
  readonly whileBusy: WhileBusy;
  readonly clients: Clients;
}

export interface Caller {
  readonly actor: Actor;
  /** False for one that may read and send, but not decide. */
  readonly mayDecide?: boolean;
}

export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export type News =
  | {
      readonly kind: 'announcement';
      readonly announcement: Announcement;
      /** Behind it; what is of no session has none, for it is not stored. */
      readonly cursor?: string;
    }
  | { readonly kind: 'session'; readonly sessionId: SessionId; readonly news: SessionNews };

export interface AnnouncementPage {
  readonly announcements: readonly { readonly announcement: Announcement; readonly cursor: string }[];
  /** Behind this page, also when nothing on it was to be announced. */
  readonly cursor: string;
  readonly isAll: boolean;
}

export interface Overview {
  /** All that are at work, and those that were used last. */
  readonly sessions: readonly Session[];
  /** How many there are in all. */
  readonly total: number;
  /** Of these, the archived. */
  readonly archived: number;
  /** Where a list of the others goes on; not there when there are none. */
  readonly nextCursor?: string;
  readonly pending: readonly Interaction[];
  readonly queues: Readonly<Record<string, readonly QueuedMessage[]>>;
  readonly storage: StorageState;
  readonly whileBusy: WhileBusy;
  /** Only where there is more than the server's own. */
  readonly machines?: readonly MachineState[];
}

export interface InteractionMode {
  readonly supported: boolean;
  readonly enabled: boolean;
}

/** Who is connected, and who of them can and wants to answer. */
export interface Clients {
  connect(client: {
    readonly label: string;
    readonly interaction: InteractionMode;
    /** The one session that it sees; without it, all. */
    readonly session?: SessionId;
  }): ConnectedClient;
  /** Switches a client by its id; false when there is none. */
  setEnabled(clientId: string, enabled: boolean): boolean;
  /** What a client has said of itself; undefined when none of this id is connected. */
  mode(clientId: string): InteractionMode | undefined;
  /** Clients that see this session and could answer, and those of them that want to. */
  count(sessionId: SessionId): { readonly supported: number; readonly enabled: number };
  /** What people look at. */
  readonly presence: Presence;
}

/** A session, or all of them: the inbox, the monitors, the lists. */
export type Gaze = SessionId | 'all';

/** What people look at, as far as their pages say: visible, in front, and with a sign of life not long ago. */
export interface Presence {
  isLookedAt(sessionId: SessionId): boolean;
  /** The last moment (of the clock's `elapsed`) at which a page said that somebody looks at it; minus infinite for never. */
  lastSeen(sessionId: SessionId): number;
  onChange(listener: () => void): () => void;
}

export interface ConnectedClient {
  readonly id: ClientId;
  setInteraction(mode: InteractionMode): void;
  readonly interaction: InteractionMode;
  /** A person looks at this on it, from now on and until another word, or too long a silence; null when at nothing. */
  look(at: Gaze | null): void;
  disconnect(): void;
}
