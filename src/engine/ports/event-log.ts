import type { Changed } from '../../model/find-session.ts';
import type { InteractionEvent } from '../../model/interaction-fold.ts';
import type { SessionSummary } from '../../model/summary.ts';
import type { Event, EventOf, NewEvent } from '../../protocol/event.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { SessionStatus, Usage } from '../../protocol/session.ts';
import type { StorageProblem, StorageState } from '../../protocol/storage.ts';
import type { Checkpoint } from './runner.ts';

/**
 * The truth: append-only streams of numbered events. A stream is a session's, or `global` for what belongs to none.
 * Reading is synchronous (an embedded database answers in microseconds); writing is gathered: all appends of one turn of the
 * event loop go into one transaction, and an append that holds a decision settles only when the disk itself has it.
 */
export interface EventLog {
  /**
   * Numbers the events and stores them, and gives for each part the number of its stream's last event. Rejects with `StorageError`
   * when the disk refused; then nothing of this append is kept.
   */
  append(batch: AppendBatch): Promise<readonly number[]>;

  /** A page in ascending order. Without `after` and `before`: the newest. */
  page(stream: StreamId, query: PageQuery): EventPage;
  /** All events that carry this reference (see `referencesOf`), ascending. Every event of an interaction names its id. */
  findByReference(stream: StreamId, reference: string): readonly Event[];
  /** Newest first: requested approvals for a tool, for the preview of a grant. */
  findAsks(toolName: string, limit: number): readonly { readonly stream: StreamId; readonly event: Event }[];
  /**
   * What was asked and decided at these positions, in whatever stream, ascending. `latest` is the last moment of all that was stored
   * there, whatever it was; undefined where there is nothing.
   */
  interactionEvents(range: PositionRange): {
    readonly events: readonly LoggedInteraction[];
    readonly latest: string | undefined;
  };
  /**
   * Approvals that were asked for from a moment on, in all sessions, and what was decided, newest first: a decision comes before its
   * ask. One call looks at some hundred events; the next goes on at `before`. Undefined there: that was all.
   */
  decisionsSince(from: string, before?: number): DecisionsPage;
  search(query: string, limit: number): readonly SearchHit[];

  /** What the turns of each stream took on each day, from this one on: `2026-01-31`, as the log's times are. */
  usage(from: string): readonly StreamUsage[];

  /** The streams there are, or those without a summary of this version, each with its newest snapshot and the events after it. */
  streams(withoutSummary?: number): Iterable<StreamStart>;
  /** One of them; undefined when there is none of that name. */
  start(stream: StreamId): StreamStart | undefined;

  /** A page of the summaries, in the order of `byLastChange`. */
  summaries(query: SummaryQuery): readonly SessionSummary[];
  countSummaries(query: SummaryFilter): number;
  /** Of the session with this id, or else with this key. */
  summary(idOrKey: string): SessionSummary | undefined;

  blob(
    stream: StreamId,
    blobId: string,
  ): { readonly mediaType: string; readonly data: Uint8Array } | undefined;

  /** Removes a stream with everything that belongs to it; that it was removed, and the key it had, can be read for a while. */
  remove(stream: StreamId, removal?: Removal): Promise<void>;

  /** Names what was stored since the log was opened: with it, a position is told from one that a power cut took, or of another log. */
  readonly run: string;
  /** Of the newest that is stored. */
  readonly lastPosition: number;
  /** Whether everything up to this position, as it was in that run, is still what this log has. */
  hasPosition(run: string, position: number): boolean;
  /** What was stored, in whatever stream, at these positions, ascending; also what is not yet acknowledged. */
  entries(range: PositionRange, limit: number): readonly LogEntry[];

  /** How things stand with the disk; the listener is called when that changes. */
  readonly storage: StorageState;
  onStorage(listener: (storage: StorageState) => void): () => void;
  close(): Promise<void>;
}

export type StreamId = SessionId | 'global';

/** Everything that is stored has a position of its own, growing over all streams and never given again. */
export interface PositionRange {
  readonly from: number;
  readonly to: number;
}

export interface Place {
  /** Of what was stored; empty when it held no events. */
  readonly own: PositionRange;
  /** The last that was acknowledged by then. */
  readonly newest: number;
  /** Of those before it, the ones that were still to be acknowledged, ascending. */
  readonly unacknowledged: readonly PositionRange[];
}

/**
 * Called in the very moment in which something is acknowledged, before anyone who waits for it goes on: what is announced then is
 * announced in the order of acknowledgements. It must not throw.
 */
export type OnStored = (place: Place) => void;

export interface Removal {
  readonly key: string | null;
  readonly onStored: OnStored;
}

export interface LoggedInteraction {
  readonly stream: StreamId;
  readonly event: InteractionEvent;
}

export type LogEntry =
  | { readonly position: number; readonly stream: StreamId; readonly event: Event }
  | { readonly position: number; readonly removed: StreamId; readonly key: string | null };

export interface AppendBatch {
  readonly parts: readonly AppendPart[];
  readonly onStored?: OnStored;
}

export interface AppendPart {
  readonly stream: StreamId;
  readonly at: string;
  readonly events: readonly NewEvent[];
  readonly blobs?: readonly Blob[];
  /** The folded state after these events: a cache that shortens the next start. */
  readonly snapshot?: Snapshot;
  /** How far what the agent said is worked into this stream, stored with the events themselves; null forgets it. */
  readonly checkpoint?: Checkpoint | null;
  /** What lists show of the session while nobody reads its log; null takes it away. */
  readonly summary?: { readonly version: number; readonly of: SessionSummary } | null;
}

export interface DecisionsPage {
  readonly events: readonly {
    readonly stream: StreamId;
    readonly event: EventOf<'interaction.requested' | 'interaction.decided'>;
  }[];
  readonly before: number | undefined;
}

export interface StreamUsage extends Usage {
  readonly day: string;
  readonly stream: StreamId;
}

export interface SummaryFilter {
  readonly version: number;
  /** All of these words, in what can be found of a session. */
  readonly words?: readonly string[];
  readonly status?: readonly SessionStatus[];
  readonly archived?: boolean | undefined;
  readonly pinned?: boolean | undefined;
  /** Null for those on the server's own machine. */
  readonly machine?: string | null | undefined;
  /** Grants, or rules. */
  readonly holdsGrants?: boolean;
  /** Sessions that the caller knows better. */
  readonly except?: readonly SessionId[];
}

export interface SummaryQuery extends SummaryFilter {
  /** All, if it is left out. */
  readonly limit?: number;
  /** The last session of the page before. */
  readonly after?: Changed;
}

export interface Blob {
  readonly blobId: string;
  readonly mediaType: string;
  readonly data: Uint8Array;
}

export interface Snapshot {
  /** The version of the fold that made it; another version ignores it. */
  readonly version: number;
  readonly state: unknown;
}

export interface PageQuery {
  readonly after?: number;
  readonly before?: number;
  readonly limit: number;
}

export interface EventPage {
  readonly events: readonly Event[];
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Whether there is more in the direction of reading. */
  readonly hasMore: boolean;
  readonly logLastSeq: number;
}

export interface SearchHit {
  readonly stream: StreamId;
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly excerpt: string;
}

export interface StreamStart {
  readonly stream: StreamId;
  readonly checkpoint: Checkpoint | undefined;
  readonly snapshot: { readonly seq: number; readonly version: number; readonly state: unknown } | undefined;
  /** The events after the snapshot, or all if there is none. `from(0)` reads all when the snapshot is of another version. */
  readonly eventsAfter: (seq: number) => Iterable<Event>;
}

/** The disk did not take it: full, read-only, gone. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  /** Where nothing at all can be stored now; undefined where it is only this that cannot. */
  readonly problem: StorageProblem | undefined;

  constructor(
    message: string,
    options: ErrorOptions & { readonly problem?: StorageProblem | undefined } = {},
  ) {
    super(message, options);
    this.problem = options.problem;
  }
}
