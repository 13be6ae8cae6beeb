import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EventLog, Place, StreamId } from '../../src/engine/ports/event-log.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { findWords } from '../../src/model/find-session.ts';
import type { NewEvent } from '../../src/protocol/event.ts';
import type { Session } from '../../src/protocol/session.ts';
import { lastSeqOf } from '../support/last-seq.ts';
import { memoryLog } from '../support/memory-log.ts';
import {
  at,
  called,
  decided,
  overdue,
  queued,
  requested,
  said,
  session,
  summarized,
} from './sample-events.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();

type Step =
  | {
      do: 'append';
      parts: {
        stream: StreamId;
        events: NewEvent[];
        snapshot: boolean;
        blob: boolean;
        mark: Mark;
        summary: Summary;
      }[];
    }
  | { do: 'remove'; stream: StreamId }
  | { do: 'wait' }
  | { do: 'reopen' };

type Mark = number | null | undefined;
type Summary = { version: number; given: Partial<Session> } | null | undefined;

type Question = typeof question extends fc.Arbitrary<infer Q> ? Q : never;

const words = fc
  .array(fc.constantFrom('fox', 'Föx', 'foxes', 'dog', 'd-o-g', 'a', '!'), { maxLength: 4 })
  .map((all) => all.join(' '));
const id = fc.constantFrom('i1', 'i2', 'i3');
const stream: fc.Arbitrary<StreamId> = fc.constantFrom<StreamId[]>(session('one'), session('two'), 'global');
const event: fc.Arbitrary<NewEvent> = fc.oneof(
  words.map(said),
  words.map((command) => called({ command })),
  id.map(overdue),
  fc.tuple(id, fc.option(id)).map(([message, client]) => queued(message, client)),
  fc
    .tuple(id, fc.constantFrom('Bash', 'Write'), words)
    .map(([i, toolName, title]) => requested(i, { toolName, title, toolCallId: i })),
  fc.tuple(id, words).map(([i, message]) => decided(i, message)),
);
const part = fc.record({
  stream,
  events: fc.array(event, { maxLength: 4 }),
  snapshot: fc.boolean(),
  blob: fc.boolean(),
  mark: fc.constantFrom<Mark[]>(undefined, undefined, null, 1, 2),
  summary: fc.oneof(
    fc.constantFrom<Summary[]>(undefined, null),
    fc.record({
      version: fc.constantFrom(1, 2),
      given: fc.record({
        title: words,
        key: fc.constantFrom(null, 'k1', 'k2'),
        status: fc.constantFrom('asleep' as const, 'stopped' as const),
        since: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'),
      }),
    }),
  ),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), stream }) },
  { weight: 3, arbitrary: fc.constant<Step>({ do: 'wait' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'reopen' }) },
);
const position = fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined });
const question = fc.record({
  stream,
  after: position,
  before: position,
  limit: fc.integer({ min: 1, max: 5 }),
  id,
  words,
});

it('[STORE1] the log in memory and the log on SQLite give the same answers', async () => {
  const steps = fc.array(step, { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(steps, fc.array(question, { minLength: 1, maxLength: 6 }), async (script, questions) => {
      const path = join(directory(), 'beckon.db');
      const memory = memoryLog();
      let sqlite = openSqliteLog({ path });
      let waiting: Promise<unknown>[] = [];
      const compare = async () => {
        await Promise.all(waiting);
        waiting = [];
        for (const asked of questions) expect(answers(sqlite, asked)).toEqual(answers(memory, asked));
        expect(starts(sqlite)).toEqual(starts(memory));
      };
      for (const one of script) {
        if (one.do === 'wait') await compare();
        else if (one.do === 'reopen') {
          await sqlite.close();
          sqlite = openSqliteLog({ path });
        } else {
          const [ours, theirs] = [take(memory, one), take(sqlite, one)];
          waiting.push(ours.then(async (expected) => expect(await theirs).toEqual(expected)));
        }
      }
      await compare();
      await sqlite.close();
    }),
    { numRuns: 60 },
  );
});

async function take(log: EventLog, one: Extract<Step, { do: 'append' | 'remove' }>): Promise<unknown> {
  const own: unknown[] = [];
  const onStored = (place: Place) => own.push(place.own);
  if (one.do === 'remove') {
    await log.remove(one.stream, { key: null, onStored });
    return own;
  }
  const lastSeqs = await log.append({
    onStored,
    parts: one.parts.map(({ stream, events, snapshot, blob, mark, summary }) => ({
      stream,
      at,
      events,
      ...(mark === undefined
        ? {}
        : {
            checkpoint:
              mark === null ? null : { number: mark, mark: { processId: 'p', offset: mark, memory: [mark] } },
          }),
      ...(summary === undefined || stream === 'global'
        ? {}
        : { summary: summary && { version: summary.version, of: summarized(stream, summary.given) } }),
      ...(snapshot ? { snapshot: { version: 1, state: { after: events.length } } } : {}),
      ...(blob ? { blobs: [{ blobId: 'i1', mediaType: 'x/y', data: new Uint8Array([events.length]) }] } : {}),
    })),
  });
  return { lastSeqs, own };
}

function answers(log: EventLog, { stream, after, before, limit, id, words }: Question) {
  return {
    order: log.entries({ from: after ?? 1, to: before ?? Number.POSITIVE_INFINITY }, limit),
    page: log.page(stream, {
      limit,
      ...(after === undefined ? {} : { after }),
      ...(before === undefined ? {} : { before }),
    }),
    lastSeq: lastSeqOf(log, stream),
    references: [id, `ask:${id}`, `client:${id}`].map((reference) => log.findByReference(stream, reference)),
    asks: log.findAsks('Bash', limit),
    hits: log.search(words, limit),
    blob: log.blob(stream, id),
    start: log.start(stream)?.snapshot,
    summary: [log.summary(stream), log.summary(`${stream}-not`)],
    summaries: [1, 2].map((version) => log.summaries({ version, limit })),
    found: log.summaries({
      version: 1,
      words: findWords(words),
      status: ['asleep'],
      except: [session('one')],
    }),
    after: log.summaries({ version: 1, after: { since: '2026-02-01T00:00:00.000Z', id: session('one') } }),
    count: log.countSummaries({ version: 1, words: findWords(words), status: ['stopped'] }),
    unsummarized: Array.from(log.streams(1), (start) => start.stream),
  };
}

const starts = (log: EventLog) =>
  Array.from(log.streams(), ({ stream, checkpoint, snapshot, eventsAfter }) => ({
    stream,
    checkpoint,
    snapshot,
    tail: [...eventsAfter(snapshot?.seq ?? 0)],
  }));
