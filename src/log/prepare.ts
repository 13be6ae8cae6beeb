import type { AppendBatch, AppendPart, Blob, StreamId } from '../engine/ports/event-log.ts';
import type { Checkpoint } from '../engine/ports/runner.ts';
import { findableText } from '../model/find-session.ts';
import {
  type Durability,
  type Event,
  eventDefinitions,
  type NewEvent,
  searchTextOf,
} from '../protocol/event.ts';

/** An append in the form it is stored in: plain data, which another thread can be handed. */
export interface PreparedBatch {
  readonly parts: readonly PreparedPart[];
  /** Whether it holds a decision, which must be on the disk itself when it is acknowledged. */
  readonly decision: boolean;
}

export interface PreparedPart {
  readonly stream: StreamId;
  readonly at: string;
  readonly events: readonly PreparedEvent[];
  readonly blobs: readonly Blob[];
  readonly snapshot: { readonly version: number; readonly state: string } | undefined;
  /** Undefined leaves the one there is. */
  readonly mark: PreparedMark | null | undefined;
  readonly summary: PreparedSummary | null | undefined;
}

export interface PreparedEvent {
  readonly body: string;
  /** The tool an approval was asked for. */
  readonly askedTool: string | null;
  readonly searchable: boolean;
}

export interface PreparedMark {
  readonly number: number;
  readonly processId: string;
  readonly offset: number;
  readonly memory: string;
}

/** The columns by which summaries are found, beside the summary itself. */
export interface PreparedSummary {
  readonly version: number;
  readonly id: string;
  readonly key: string | null;
  readonly status: string;
  readonly since: string;
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly holdsGrants: boolean;
  readonly words: string;
  readonly body: string;
}

/** Throws for what cannot be stored, before it can spoil the transaction of others. */
export function prepare(batch: AppendBatch): PreparedBatch {
  return {
    parts: batch.parts.map(preparePart),
    decision: batch.parts.flatMap(({ events }) => events.map(durabilityOf)).includes('decision'),
  };
}

/** Whether there is nothing to keep: such a part does not make a stream. */
export const holdsNothing = ({ events, blobs, snapshot, mark, summary }: PreparedPart): boolean =>
  events.length === 0 && blobs.length === 0 && snapshot === undefined && !mark && !summary;

function preparePart({ stream, at, events, blobs, snapshot, checkpoint, summary }: AppendPart): PreparedPart {
  return {
    stream,
    at,
    events: events.map(prepareEvent),
    blobs: blobs ?? [],
    snapshot: snapshot && { version: snapshot.version, state: jsonOf(snapshot.state) },
    mark: checkpoint && markOf(checkpoint),
    summary: summary && prepareSummary(summary),
  };
}

function prepareSummary({ version, of }: NonNullable<AppendPart['summary']>): PreparedSummary {
  const { id, key, status, since, archived = false, pinned = false } = of.session;
  return {
    version,
    id,
    key,
    status,
    since,
    archived,
    pinned,
    holdsGrants: of.grants.length > 0 || of.rules !== undefined,
    words: findableText(of.session),
    body: JSON.stringify(of),
  };
}

const markOf = ({ number, mark: { processId, offset, memory } }: Checkpoint): PreparedMark => ({
  number,
  processId,
  offset,
  memory: jsonOf(memory),
});

/** A checkpoint as it was before it was stored. */
export const checkpointOf = ({ number, memory, ...place }: PreparedMark): Checkpoint => ({
  number,
  mark: { ...place, memory: JSON.parse(memory) },
});

function prepareEvent(event: NewEvent): PreparedEvent {
  return {
    body: JSON.stringify(event),
    askedTool:
      event.type === 'interaction.requested' && event.ask.kind === 'approval' ? event.ask.toolName : null,
    searchable: searchTextOf(event) !== undefined,
  };
}

/** JSON has no undefined. */
const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null';

function durabilityOf(event: NewEvent): Durability {
  const definition: { durability: Durability } | undefined = eventDefinitions[event.type];
  if (definition === undefined) throw new TypeError(`"${event.type}" is no kind of event.`);
  return definition.durability;
}

/** What a log keeps of an event: its number and time beside its body as JSON. */
export interface StoredEvent {
  readonly seq: number;
  readonly at: string;
  readonly body: string;
}

/** An event of an earlier version as it would be stored today. */
export type Upcast = (event: Event) => Event;

/** The bodies were checked when they were appended; only this program writes the log. */
export const parseStored = ({ seq, at, body }: StoredEvent): Event =>
  numbered(JSON.parse(body) as NewEvent, seq, at);

const numbered = (event: NewEvent, seq: number, at: string): Event => ({ ...event, seq, at });

/** What a log is asked to write. */
export type WriteRequest =
  | ({ readonly do: 'append' } & PreparedBatch)
  | { readonly do: 'remove'; readonly stream: StreamId; readonly key: string | null };
