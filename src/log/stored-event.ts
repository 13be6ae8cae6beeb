import type { Event, NewEvent } from '../protocol/event.ts';

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
