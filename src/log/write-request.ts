import type { StreamId } from '../engine/ports/event-log.ts';
import type { PreparedBatch } from './prepare.ts';

/** What a log is asked to write. */
export type WriteRequest =
  | ({ readonly do: 'append' } & PreparedBatch)
  | { readonly do: 'remove'; readonly stream: StreamId; readonly key: string | null };
