import type { AppendBatch, AppendPart, Blob, StreamId } from '../engine/ports/event-log.ts';
import {
  type Durability,
  eventDefinitions,
  type NewEvent,
  referencesOf,
  searchTextOf,
} from '../protocol/event.ts';

/** An append in the form it is stored in. */
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
}

export interface PreparedEvent {
  readonly event: NewEvent;
  readonly body: string;
  readonly references: ReadonlySet<string>;
  /** The tool an approval was asked for. */
  readonly askedTool: string | undefined;
  readonly searchable: boolean;
}

/** Throws for what cannot be stored, before it can spoil the transaction of others. */
export function prepare(batch: AppendBatch): PreparedBatch {
  return {
    parts: batch.parts.map(preparePart),
    decision: batch.parts.some((part) => part.events.some((event) => durabilityOf(event) === 'decision')),
  };
}

function preparePart({ stream, at, events, blobs, snapshot }: AppendPart): PreparedPart {
  return {
    stream,
    at,
    events: events.map(prepareEvent),
    blobs: blobs ?? [],
    snapshot: snapshot && { version: snapshot.version, state: JSON.stringify(snapshot.state) ?? 'null' },
  };
}

function prepareEvent(event: NewEvent): PreparedEvent {
  if (durabilityOf(event) === 'live') throw new TypeError(`"${event.type}" is passed on, never stored.`);
  return {
    event,
    body: JSON.stringify(event),
    references: new Set(referencesOf(event)),
    askedTool:
      event.type === 'interaction.requested' && event.ask.kind === 'approval'
        ? event.ask.toolName
        : undefined,
    searchable: searchTextOf(event) !== undefined,
  };
}

function durabilityOf(event: NewEvent): Durability {
  const definition: { durability: Durability } | undefined = eventDefinitions[event.type];
  if (definition === undefined) throw new TypeError(`"${event.type}" is no kind of event.`);
  return definition.durability;
}
