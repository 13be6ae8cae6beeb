import type { AppendBatch, StoredBatch } from '../engine/ports/event-log.ts';
import type { Event, NewEvent } from '../protocol/event.ts';

/** What a log keeps of an event: its number and time beside its body as JSON. */
export interface StoredEvent {
  readonly seq: number;
  readonly at: string;
  readonly body: string;
}

/** The bodies were checked when they were appended; only this program writes the log. */
export const parseStored = ({ seq, at, body }: StoredEvent): Event =>
  numbered(JSON.parse(body) as NewEvent, seq, at);

/** What an append has become, given the number of the last event of each part's stream after it. */
export const storedBatches = ({ parts }: AppendBatch, lastSeqs: readonly number[]): StoredBatch[] =>
  parts.map(({ stream, at, events }, index) => {
    const before = (lastSeqs[index] ?? 0) - events.length;
    return { stream, events: events.map((event, place) => numbered(event, before + 1 + place, at)) };
  });

const numbered = (event: NewEvent, seq: number, at: string): Event => ({ ...event, seq, at });
