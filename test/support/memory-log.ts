import type {
  AppendBatch,
  Blob,
  DecisionsPage,
  EventLog,
  EventPage,
  LogEntry,
  PageQuery,
  Place,
  PositionRange,
  Removal,
  SearchHit,
  StreamId,
  StreamStart,
  StreamUsage,
  SummaryFilter,
  SummaryQuery,
} from '../../src/engine/ports/event-log.ts';
import { CommitQueue } from '../../src/log/commit-queue.ts';
import { pageOf, pageRange } from '../../src/log/page-range.ts';
import type { WriteRequest } from '../../src/log/prepare.ts';
import {
  checkpointOf,
  holdsNothing,
  type PreparedMark,
  type PreparedPart,
  type PreparedSummary,
  parseStored,
  prepare,
  type StoredEvent,
} from '../../src/log/prepare.ts';
import { excerptOf, matches, searchableStart, wordsOf } from '../../src/log/search.ts';
import { byLastChange, findableText, hasWords } from '../../src/model/find-session.ts';
import { isInteractionEvent } from '../../src/model/interaction-fold.ts';
import type { SessionSummary } from '../../src/model/summary.ts';
import { addUsage, noUsage, usageOfTurn } from '../../src/model/usage.ts';
import { type Event, type NewEvent, referencesOf, searchTextOf } from '../../src/protocol/event.ts';
import type { StorageState } from '../../src/protocol/storage.ts';

/** The log as the engine's tests need it: gone with the process, and as quick as can be. It keeps JSON, so that what is read is never what a caller still holds. */
export const memoryLog = (): EventLog => new MemoryLog();

class MemoryLog implements EventLog {
  readonly run = 'memory';
  readonly #queue = new CommitQueue<WriteRequest, Taken>((requests) =>
    requests.map((request) => this.#take(request)),
  );
  readonly #streams = new Map<StreamId, Stream>();
  /** Of all streams, in the order they were appended. */
  #all: Kept[] = [];
  readonly #removals: (LogEntry & { readonly removed: StreamId })[] = [];
  lastPosition = 0;

  async append(batch: AppendBatch): Promise<readonly number[]> {
    const { lastSeqs, place } = await this.#queue.add({ do: 'append', ...prepare(batch) });
    batch.onStored?.(place);
    return lastSeqs;
  }

  page(stream: StreamId, query: PageQuery): EventPage {
    const all = this.#eventsOf(stream);
    const range = pageRange(query, all.length);
    const events = all.slice(range.from - 1, Math.max(range.from - 1, range.to));
    return pageOf(events.map(parseStored), range, all.length);
  }

  findByReference(stream: StreamId, reference: string): readonly Event[] {
    return this.#eventsOf(stream)
      .filter(({ references }) => references.includes(reference))
      .map(parseStored);
  }

  findAsks(toolName: string, limit: number): readonly { stream: StreamId; event: Event }[] {
    return this.#newestFirst(limit, ({ askedTool }) => askedTool === toolName).map((kept) => ({
      stream: kept.stream,
      event: parseStored(kept),
    }));
  }

  decisionsSince(from: string): DecisionsPage {
    const events = this.#all.toReversed().flatMap((kept): DecisionsPage['events'][number][] => {
      const event = parseStored(kept);
      const isApproval = event.type === 'interaction.requested' && event.ask.kind === 'approval';
      const isMeant = isApproval || event.type === 'interaction.decided';
      return isMeant && event.at >= from ? [{ stream: kept.stream, event }] : [];
    });
    return { events, before: undefined };
  }

  usage(from: string): readonly StreamUsage[] {
    const days = new Map<string, StreamUsage>();
    for (const kept of this.#all) {
      const event = parseStored(kept);
      const day = event.at.slice(0, 10);
      if (event.type !== 'turn.ended' || day < from) continue;
      const key = `${day} ${kept.stream}`;
      days.set(key, { day, stream: kept.stream, ...addUsage(usageOfTurn(event), days.get(key) ?? noUsage) });
    }
    return [...days.values()];
  }

  search(query: string, limit: number): readonly SearchHit[] {
    const words = wordsOf(query);
    return this.#newestFirst(limit, ({ searchText }) => matches(searchText, words)).map((kept) => ({
      stream: kept.stream,
      seq: kept.seq,
      at: kept.at,
      type: parseStored(kept).type,
      excerpt: excerptOf(kept.searchText, words),
    }));
  }

  *streams(withoutSummary?: number): Iterable<StreamStart> {
    for (const [name, stream] of [...this.#streams]) {
      const isLeftOut = withoutSummary !== undefined && stream.summary?.version === withoutSummary;
      if (!isLeftOut) yield this.#startOf(name, stream);
    }
  }

  start(name: StreamId): StreamStart | undefined {
    const stream = this.#streams.get(name);
    return stream && this.#startOf(name, stream);
  }

  summaries(query: SummaryQuery): readonly SessionSummary[] {
    const { after, limit } = query;
    return this.#summaries(query)
      .filter(({ session }) => after === undefined || byLastChange(after, session) < 0)
      .slice(0, limit);
  }

  countSummaries(filter: SummaryFilter): number {
    return this.#summaries(filter).length;
  }

  summary(idOrKey: string): SessionSummary | undefined {
    const all = [...this.#streams.values()].flatMap(({ summary }) => summary ?? []);
    const found = all.find(({ id }) => id === idOrKey) ?? all.find(({ key }) => key === idOrKey);
    return found && (JSON.parse(found.body) as SessionSummary);
  }

  #summaries(filter: SummaryFilter) {
    const {
      version,
      words = [],
      status,
      archived,
      pinned,
      machine,
      holdsGrants = false,
      except = [],
    } = filter;
    return [...this.#streams.values()]
      .flatMap(({ summary }) => (summary?.version === version ? [summary] : []))
      .map(({ body }) => JSON.parse(body) as SessionSummary)
      .filter(
        ({ session, grants, rules }) =>
          !except.includes(session.id) &&
          (status === undefined || status.includes(session.status)) &&
          (archived === undefined || archived === (session.archived ?? false)) &&
          (pinned === undefined || pinned === (session.pinned ?? false)) &&
          (machine === undefined || machine === (session.machine ?? null)) &&
          (!holdsGrants || grants.length > 0 || rules !== undefined) &&
          hasWords(findableText(session), words),
      )
      .sort((a, b) => byLastChange(a.session, b.session));
  }

  #startOf(stream: StreamId, { snapshot, mark }: Stream): StreamStart {
    return {
      stream,
      checkpoint: mark && checkpointOf(mark),
      snapshot: snapshot && { ...snapshot, state: JSON.parse(snapshot.state) },
      eventsAfter: (seq) => this.#eventsOf(stream).slice(seq).map(parseStored),
    };
  }

  blob(stream: StreamId, blobId: string): { mediaType: string; data: Uint8Array } | undefined {
    const blob = this.#streams.get(stream)?.blobs.get(blobId);
    return blob && { mediaType: blob.mediaType, data: new Uint8Array(blob.data) };
  }

  async remove(stream: StreamId, { key, onStored }: Partial<Removal> = {}): Promise<void> {
    const { place } = await this.#queue.add({ do: 'remove', stream, key: key ?? null });
    onStored?.(place);
  }

  hasPosition(run: string, position: number): boolean {
    return run === this.run && position <= this.lastPosition;
  }

  interactionEvents({ from, to }: PositionRange): ReturnType<EventLog['interactionEvents']> {
    const there = this.#all.filter(({ position }) => position >= from && position <= to);
    return {
      events: there.flatMap((kept) => {
        const event = parseStored(kept);
        return isInteractionEvent(event) ? [{ stream: kept.stream, event }] : [];
      }),
      latest: there
        .map(({ at }) => at)
        .sort()
        .at(-1),
    };
  }

  entries({ from, to }: PositionRange, limit: number): readonly LogEntry[] {
    const events = this.#all.map((kept) => ({
      position: kept.position,
      stream: kept.stream,
      event: parseStored(kept),
    }));
    return [...events, ...this.#removals]
      .filter(({ position }) => from <= position && position <= to)
      .sort((a, b) => a.position - b.position)
      .slice(0, limit);
  }

  readonly storage: StorageState = { ok: true, missing: [] };

  onStorage(): () => void {
    return () => {};
  }

  async close(): Promise<void> {
    this.#queue.close();
  }

  #take(request: WriteRequest): Taken {
    const from = this.lastPosition + 1;
    const lastSeqs = request.do === 'append' ? request.parts.map((part) => this.#store(part)) : [];
    if (request.do === 'remove') this.#remove(request.stream, request.key);
    const newest = this.lastPosition;
    return { lastSeqs, place: { own: { from, to: newest }, newest, unacknowledged: [] } };
  }

  #remove(stream: StreamId, key: string | null): void {
    if (!this.#streams.delete(stream)) return;
    this.#all = this.#all.filter((kept) => kept.stream !== stream);
    this.lastPosition += 1;
    this.#removals.push({ position: this.lastPosition, removed: stream, key });
  }

  #store(part: PreparedPart): number {
    const { stream: name, at, events, blobs, snapshot, mark, summary } = part;
    const known = this.#streams.get(name);
    if (known === undefined && holdsNothing(part)) return 0;
    const stream = known ?? newStream();
    this.#streams.set(name, stream);
    for (const { body, askedTool } of events) {
      const seq = stream.events.length + 1;
      const event = JSON.parse(body) as NewEvent;
      const references = referencesOf(event);
      const searchText = searchableStart(searchTextOf(event) ?? '');
      this.lastPosition += 1;
      const kept: Kept = {
        position: this.lastPosition,
        stream: name,
        seq,
        at,
        body,
        references,
        askedTool,
        searchText,
      };
      stream.events.push(kept);
      this.#all.push(kept);
    }
    for (const blob of blobs) stream.blobs.set(blob.blobId, { ...blob, data: new Uint8Array(blob.data) });
    if (snapshot) stream.snapshot = { ...snapshot, seq: stream.events.length };
    if (mark !== undefined) stream.mark = mark ?? undefined;
    if (summary !== undefined) stream.summary = summary ?? undefined;
    return stream.events.length;
  }

  #eventsOf(stream: StreamId): readonly Kept[] {
    return this.#streams.get(stream)?.events ?? [];
  }

  #newestFirst(limit: number, wanted: (kept: Kept) => boolean): readonly Kept[] {
    const found: Kept[] = [];
    for (let index = this.#all.length - 1; index >= 0 && found.length < limit; index -= 1) {
      const kept = this.#all[index];
      if (kept !== undefined && wanted(kept)) found.push(kept);
    }
    return found;
  }
}

interface Taken {
  readonly lastSeqs: readonly number[];
  readonly place: Place;
}

interface Kept extends StoredEvent {
  readonly position: number;
  readonly stream: StreamId;
  readonly references: readonly string[];
  readonly askedTool: string | null;
  readonly searchText: string;
}

interface Stream {
  readonly events: Kept[];
  readonly blobs: Map<string, Blob>;
  snapshot: { readonly seq: number; readonly version: number; readonly state: string } | undefined;
  mark: PreparedMark | undefined;
  summary: PreparedSummary | undefined;
}

const newStream = (): Stream => ({
  events: [],
  blobs: new Map(),
  snapshot: undefined,
  mark: undefined,
  summary: undefined,
});
