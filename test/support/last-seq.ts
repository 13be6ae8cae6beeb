import type { EventLog, StreamId } from '../../src/engine/ports/event-log.ts';

/** The number of the last event of a stream. */
export const lastSeqOf = (log: EventLog, stream: StreamId): number =>
  log.page(stream, { limit: 1 }).logLastSeq;
