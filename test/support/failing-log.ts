import { type AppendBatch, type EventLog, StorageError } from '../../src/engine/ports/event-log.ts';

export interface FailingLog extends EventLog {
  /** While true, the disk takes nothing. */
  full: boolean;
  /** Called with every batch before it is stored. */
  onAppend: (batch: AppendBatch) => void;
  /** Called for every batch that is not. */
  onRefusal: () => void;
  readonly refusals: number;
}

/** A log whose disk fails when told. */
export function failingLog(log: EventLog): FailingLog {
  let refusals = 0;
  const failing: FailingLog = {
    full: false,
    onAppend: () => {},
    onRefusal: () => {},
    get refusals() {
      return refusals;
    },
    async append(batch) {
      failing.onAppend(batch);
      if (failing.full) {
        refusals += 1;
        // As a real disk: not in the same breath.
        await new Promise<void>((resolve) => setImmediate(resolve));
        failing.onRefusal();
        throw new StorageError('The disk is full.');
      }
      return log.append(batch);
    },
    async remove(stream, removal) {
      if (failing.full) throw new StorageError('The disk is full.');
      return log.remove(stream, removal);
    },
    run: log.run,
    get lastPosition() {
      return log.lastPosition;
    },
    hasPosition: (run, position) => log.hasPosition(run, position),
    interactionEvents: (range) => log.interactionEvents(range),
    entries: (range, limit) => log.entries(range, limit),
    page: (stream, query) => log.page(stream, query),
    findByReference: (stream, reference) => log.findByReference(stream, reference),
    findAsks: (toolName, limit) => log.findAsks(toolName, limit),
    decisionsSince: (from, before) => log.decisionsSince(from, before),
    usage: (from) => log.usage(from),
    search: (query, limit) => log.search(query, limit),
    streams: (withoutSummary) => log.streams(withoutSummary),
    start: (stream) => log.start(stream),
    summaries: (query) => log.summaries(query),
    countSummaries: (filter) => log.countSummaries(filter),
    summary: (idOrKey) => log.summary(idOrKey),
    blob: (stream, blobId) => log.blob(stream, blobId),
    storage: log.storage,
    onStorage: (listener) => log.onStorage(listener),
    close: () => log.close(),
  };
  return failing;
}
