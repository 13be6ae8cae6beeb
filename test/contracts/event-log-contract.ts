import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type EventLog,
  type Place,
  StorageError,
  type SummaryQuery,
} from '../../src/engine/ports/event-log.ts';
import type { Checkpoint } from '../../src/engine/ports/runner.ts';
import type { SessionSummary } from '../../src/model/summary.ts';
import type { NewEvent } from '../../src/protocol/event.ts';
import {
  append,
  at,
  called,
  decided,
  overdue,
  placeOf,
  queued,
  requested,
  said,
  seqsOf,
  session,
  summarized,
  upTo,
} from '../log/sample-events.ts';
import { lastSeqOf } from '../support/last-seq.ts';

/** What every event log does. `open` gives an empty one. */
export function eventLogContract(name: string, open: () => EventLog): void {
  describe(name, () => {
    let log: EventLog;
    beforeEach(() => {
      log = open();
    });
    afterEach(() => log.close());

    const one = session('one');
    const two = session('two');
    const hits = (query: string) => log.search(query, 10).map(({ stream, seq }) => `${stream}:${seq}`);

    describe('appending', () => {
      it('[STORE1] numbers the events of each stream from 1 without gaps, in the order they were appended', async () => {
        const stored = await Promise.all([
          append(log, one, overdue('a'), overdue('b')),
          append(log, two, overdue('c')),
          append(log, one, overdue('d')),
          append(log, 'global', overdue('e')),
        ]);
        stored.push(await append(log, one, overdue('f')));
        expect(stored.map(seqsOf)).toEqual([[1, 2], [1], [3], [1], [4]]);
        expect(log.page(one, { limit: 10 }).events).toEqual(
          ['a', 'b', 'd', 'f'].map((turnId, index) => ({ ...overdue(turnId), seq: index + 1, at })),
        );
      });

      it('stores parts of several streams together, and says how far each is now', async () => {
        const stored = await log.append({
          parts: [
            { stream: one, at, events: [overdue('a')] },
            { stream: two, at: '2026-02-02T00:00:00.000Z', events: [overdue('b')] },
            { stream: one, at, events: [overdue('c')] },
            { stream: two, at, events: [] },
          ],
        });
        expect(stored).toEqual([1, 1, 2, 1]);
        expect(log.page(one, { limit: 5 }).events).toEqual([
          { ...overdue('a'), seq: 1, at },
          { ...overdue('c'), seq: 2, at },
        ]);
        expect(log.page(two, { limit: 5 }).events).toEqual([
          { ...overdue('b'), seq: 1, at: '2026-02-02T00:00:00.000Z' },
        ]);
      });

      it('[STORE2] shows nothing that is not acknowledged', async () => {
        const acknowledged = append(log, one, said('hello'));
        expect(lastSeqOf(log, one)).toBe(0);
        expect(hits('hello')).toEqual([]);
        await acknowledged;
        expect(lastSeqOf(log, one)).toBe(1);
        expect(hits('hello')).toEqual(['one:1']);
      });

      it('gives back what was stored, whatever it is', async () => {
        await fc.assert(
          fc.asyncProperty(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), async (made) => {
            // JSON knows no -0, and neither does an agent's line.
            const input = JSON.parse(JSON.stringify(made));
            const [stored] = await append(log, one, called(input));
            const read = log.page(one, { limit: 1 }).events;
            expect(read).toEqual([stored]);
            expect(read).toEqual([{ ...called(input), seq: stored?.seq, at }]);
          }),
          { numRuns: 50 },
        );
      });

      it('keeps what was appended when the caller changes it afterwards', async () => {
        const event = { ...said('before') };
        const acknowledged = append(log, one, event);
        Object.assign(event, { text: 'after' });
        await acknowledged;
        expect(log.page(one, { limit: 1 }).events).toMatchObject([{ text: 'before' }]);
      });

      it('rejects only what cannot be stored, and leaves no gap for it', async () => {
        const circular: Record<string, unknown> = {};
        circular.itself = circular;
        const settled = await Promise.allSettled([
          append(log, one, overdue('a')),
          append(log, one, overdue('b'), called(circular)),
          append(log, one, { type: 'no.such', turnId: 'c' } as unknown as NewEvent),
          append(log, one, overdue('d')),
        ]);
        expect(settled.map(({ status }) => status)).toEqual([
          'fulfilled',
          'rejected',
          'rejected',
          'fulfilled',
        ]);
        expect(log.page(one, { limit: 10 }).events).toMatchObject([
          { seq: 1, turnId: 'a' },
          { seq: 2, turnId: 'd' },
        ]);
      });
    });

    describe('paging', () => {
      const page = (query: { after?: number; before?: number; limit: number }) => {
        const { events, ...rest } = log.page(one, query);
        return { seqs: seqsOf(events), ...rest };
      };

      it('reads the newest, backwards and forwards, and says whether there is more', async () => {
        await append(log, two, overdue('other'));
        await append(log, one, ...upTo(10).map((n) => overdue(`t${n}`)));
        const logLastSeq = 10;
        expect(page({ limit: 3 })).toEqual({
          seqs: [8, 9, 10],
          firstSeq: 8,
          lastSeq: 10,
          hasMore: true,
          logLastSeq,
        });
        expect(page({ limit: 10 })).toMatchObject({ seqs: upTo(10), hasMore: false });
        expect(page({ before: 4, limit: 2 })).toMatchObject({ seqs: [2, 3], hasMore: true, logLastSeq });
        expect(page({ before: 4, limit: 3 })).toMatchObject({ seqs: [1, 2, 3], hasMore: false });
        expect(page({ before: 99, limit: 1 })).toMatchObject({ seqs: [10], hasMore: true });
        expect(page({ after: 0, limit: 2 })).toMatchObject({ seqs: [1, 2], hasMore: true });
        expect(page({ after: 8, limit: 2 })).toMatchObject({ seqs: [9, 10], hasMore: false });
        expect(page({ after: 2, before: 6, limit: 2 })).toMatchObject({ seqs: [3, 4], hasMore: true });
        expect(page({ after: 2, before: 6, limit: 9 })).toMatchObject({ seqs: [3, 4, 5], hasMore: false });
      });

      it('gives an empty page where there is nothing', async () => {
        const nothing = { seqs: [], firstSeq: 0, lastSeq: 0, hasMore: false };
        expect(page({ limit: 5 })).toEqual({ ...nothing, logLastSeq: 0 });
        await append(log, one, overdue('a'), overdue('b'));
        expect(page({ after: 2, limit: 5 })).toEqual({ ...nothing, logLastSeq: 2 });
        expect(page({ after: 99, limit: 5 })).toEqual({ ...nothing, logLastSeq: 2 });
        expect(page({ before: 1, limit: 5 })).toEqual({ ...nothing, logLastSeq: 2 });
      });
    });

    describe('finding', () => {
      it('finds every event of an interaction or message, ascending, in its own stream', async () => {
        await append(
          log,
          one,
          requested('i1', { toolCallId: 'call' }),
          requested('i2'),
          queued('m1', 'mine'),
        );
        await append(log, two, requested('i1'));
        await append(log, one, decided('i1'), decided('i2'));
        expect(seqsOf(log.findByReference(one, 'i1'))).toEqual([1, 4]);
        expect(log.findByReference(one, 'i1')[1]).toEqual({ ...decided('i1'), seq: 4, at });
        expect(seqsOf(log.findByReference(one, 'ask:call'))).toEqual([1]);
        expect(seqsOf(log.findByReference(one, 'client:mine'))).toEqual([3]);
        expect(seqsOf(log.findByReference(one, 'm1'))).toEqual([3]);
        expect(log.findByReference(one, 'i3')).toEqual([]);
        expect(log.findByReference(session('none'), 'i1')).toEqual([]);
      });

      it('[GRANT2] finds the approvals asked for a tool, newest first over all sessions', async () => {
        await append(log, one, requested('i1'), requested('i2', { toolName: 'Write' }));
        await append(log, two, requested('i3'), requested('i4', { kind: 'question' }));
        await append(log, one, requested('i5'));
        const ids = (tool: string, limit: number) =>
          log.findAsks(tool, limit).map(({ stream, event }) => `${stream}:${event.seq}`);
        expect(ids('Bash', 10)).toEqual(['one:3', 'two:1', 'one:1']);
        expect(ids('Bash', 2)).toEqual(['one:3', 'two:1']);
        expect(ids('Write', 10)).toEqual(['one:2']);
        expect(ids('Read', 10)).toEqual([]);
        expect(log.findAsks('Write', 1)[0]?.event).toEqual({
          ...requested('i2', { toolName: 'Write' }),
          seq: 2,
          at,
        });
      });
    });

    describe('what was asked, with what was decided', () => {
      const since = (from: string): string[] => {
        const all: string[] = [];
        for (let before: number | undefined; ; ) {
          const page = log.decisionsSince(from, before);
          for (const { stream, event } of page.events)
            all.push(`${stream}:${event.interactionId}:${event.type.split('.')[1]}`);
          if (page.before === undefined) return all;
          before = page.before;
        }
      };

      it('[POL7] is found over all sessions, newest first, from a moment on', async () => {
        await append(log, one, requested('i1'), decided('i1'), requested('i2'));
        await append(log, two, requested('i1'), requested('i4', { kind: 'question' }));
        await append(log, one, ...Array.from({ length: 2500 }, () => said('word')));
        await log.append({
          parts: [{ stream: two, at: '2026-02-01T00:00:00.000Z', events: [requested('i5'), decided('i1')] }],
        });
        expect(since(at)).toEqual([
          'two:i1:decided',
          'two:i5:requested',
          'two:i1:requested',
          'one:i2:requested',
          'one:i1:decided',
          'one:i1:requested',
        ]);
        expect(since('2026-01-02T00:00:00.000Z')).toEqual(['two:i1:decided', 'two:i5:requested']);
        await log.remove(two);
        expect(since(at)).toEqual(['one:i2:requested', 'one:i1:decided', 'one:i1:requested']);
      });
    });

    describe('what turns took', () => {
      const ended = (costUsd: number): NewEvent => ({
        type: 'turn.ended',
        turnId: 't',
        outcome: 'completed',
        usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
        costUsd,
      });
      const on = (day: string, stream: typeof one, ...events: NewEvent[]) =>
        log.append({ parts: [{ stream, at: `${day}T10:00:00.000Z`, events }] });

      it('[UI27] is summed by day and session, from a day on, and goes with its session', async () => {
        await on('2026-03-01', one, ended(9));
        await on('2026-03-02', one, said('"turn.ended"'), ended(1), ended(2));
        await on('2026-03-02', two, { type: 'turn.ended', turnId: 't', outcome: 'failed' });
        // More than enough for the entries of the first to be made.
        await on('2026-03-03', two, ...Array.from({ length: 600 }, () => ended(0.5)));
        const told = () =>
          log
            .usage('2026-03-02')
            .map(({ day, stream, turns, outputTokens, costUsd }) => [
              day,
              stream,
              turns,
              outputTokens,
              costUsd,
            ])
            .sort();
        expect(told()).toEqual([
          ['2026-03-02', one, 2, 4, 3],
          ['2026-03-02', two, 1, 0, 0],
          ['2026-03-03', two, 600, 1_200, 300],
        ]);
        await log.remove(two);
        expect(told()).toEqual([['2026-03-02', one, 2, 4, 3]]);
      });
    });

    describe('searching', () => {
      it('[STORE5] finds messages, tool calls, asks and decisions by their words, newest first', async () => {
        await append(log, one, said('The quick brown fox'), called({ command: 'grep fox' }), overdue('fox'));
        await append(log, two, requested('i1', { title: 'Feed the fox' }), decided('i1', 'a fox is no pet'));
        await append(log, one, {
          type: 'message.taken',
          messageId: queued('m1', null).messageId,
          text: 'fox?',
          images: [],
        });
        expect(hits('fox')).toEqual(['one:4', 'two:2', 'two:1', 'one:2', 'one:1']);
        expect(log.search('fox', 2)).toHaveLength(2);
        expect(log.search('quick', 1)).toEqual([
          { stream: one, seq: 1, at, type: 'agent.text', excerpt: 'The quick brown fox' },
        ]);
      });

      it('wants every word, takes the last as the start of one, and heeds neither case nor accents', async () => {
        await append(log, one, said('Die Größe des Hauses'), said('the house at src/log/raw-log.ts'));
        expect(hits('größe haus')).toEqual(['one:1']);
        expect(hits('GROSSE haus')).toEqual([]);
        expect(hits('große haus')).toEqual(['one:1']);
        expect(hits('haus größe')).toEqual([]);
        expect(hits('house')).toEqual(['one:2']);
        expect(hits('h')).toEqual(['one:2', 'one:1']);
        expect(hits('src/log')).toEqual(['one:2']);
        expect(hits('log/src')).toEqual([]);
      });

      it('takes any input as words', async () => {
        await append(log, one, said('this AND that, NOT "those" (or these)'), said('near'));
        expect(hits('AND')).toEqual(['one:1']);
        expect(hits('NOT those')).toEqual(['one:1']);
        expect(hits('"those')).toEqual(['one:1']);
        expect(hits('(or these')).toEqual(['one:1']);
        expect(hits('NEAR(')).toEqual(['one:2']);
        expect(hits('text:near')).toEqual([]);
        expect(hits('* near')).toEqual(['one:2']);
        expect(hits('near *')).toEqual(['one:2']);
        for (const nothing of ['', ' ', '*', '"', '""', '()', '^', '-', '\0', '\0near "']) {
          expect(() => hits(nothing)).not.toThrow();
        }
        fc.assert(
          fc.property(fc.string({ unit: 'binary' }), fc.string(), (strange, plain) => {
            log.search(strange, 5);
            log.search(plain, 5);
          }),
        );
        expect(hits(`near ${'near '.repeat(5_000)}`)).toEqual(['one:2']);
      });

      it('shows a short line of plain text around what was found', async () => {
        await append(
          log,
          one,
          said(`${'before '.repeat(200)}\n\n\tthe <b>needle</b>\u001b[0m ${'after '.repeat(200)}`),
        );
        const [hit] = log.search('needle', 1);
        expect(hit?.excerpt).toMatch(/^…before .*before the <b>needle<\/b> \[0m after .*…$/u);
        expect(hit?.excerpt.length).toBeLessThanOrEqual(202);
      });
    });

    describe('starting', () => {
      it('[SES10] gives each stream with its newest snapshot and the events after it', async () => {
        await append(log, one, overdue('a'));
        await log.append({
          parts: [{ stream: one, at, events: [overdue('b')], snapshot: { version: 1, state: { n: 2 } } }],
        });
        await log.append({
          parts: [{ stream: one, at, events: [overdue('c')], snapshot: { version: 2, state: { n: 3 } } }],
        });
        await append(log, one, overdue('d'));
        await append(log, 'global', overdue('e'));

        const starts = [...log.streams()];
        expect(starts.map(({ stream, snapshot }) => ({ stream, snapshot }))).toEqual([
          { stream: one, snapshot: { seq: 3, version: 2, state: { n: 3 } } },
          { stream: 'global', snapshot: undefined },
        ]);
        expect(starts.map(({ eventsAfter }) => seqsOf([...eventsAfter(3)]))).toEqual([[4], []]);
        expect(starts.map(({ eventsAfter }) => seqsOf([...eventsAfter(0)]))).toEqual([upTo(4), [1]]);
      });

      it('can be written to while the streams are read', async () => {
        await append(log, one, ...upTo(1_200).map((n) => overdue(`t${n}`)));
        await append(log, two, overdue('a'));
        const seen: string[] = [];
        for (const { stream, eventsAfter } of log.streams()) {
          for (const { seq } of eventsAfter(0)) {
            if (seq === 1) await append(log, stream, overdue('late'));
            seen.push(`${stream}:${seq}`);
          }
        }
        expect(seen.slice(0, 1_200)).toEqual(upTo(1_200).map((n) => `one:${n}`));
        expect(lastSeqOf(log, one)).toBe(1_201);
        expect(lastSeqOf(log, two)).toBe(2);
      });
    });

    describe('summaries', () => {
      const keep = (of: SessionSummary, version = 1) =>
        log.append({ parts: [{ stream: of.session.id, at, events: [], summary: { version, of } }] });
      const later = '2026-03-01T00:00:00.000Z';

      it('[STORE8] are kept with what they came with, replaced, taken away by null, and removed with their stream', async () => {
        const of = summarized(one, { key: 'k' });
        await log.append({
          parts: [{ stream: one, at, events: [overdue('a')], summary: { version: 1, of } }],
        });
        await append(log, one, overdue('b'));
        expect([log.summary(one), log.summary('k')]).toEqual([of, of]);
        expect([...log.streams(1)]).toEqual([]);
        expect([...log.streams(2)].map(({ stream }) => stream)).toEqual([one]);
        await keep(summarized(one, { title: 'Other' }));
        expect([log.summary(one)?.session.title, log.summary('k')]).toEqual(['Other', undefined]);
        await log.append({ parts: [{ stream: one, at, events: [], summary: null }] });
        expect(log.summary(one)).toBeUndefined();
        expect([...log.streams(1)].map(({ stream }) => stream)).toEqual([one]);
        await keep(of);
        await log.remove(one);
        expect(log.summary(one)).toBeUndefined();
        expect(log.countSummaries({ version: 1 })).toBe(0);
      });

      it('[STORE8] come in pages, those that changed last first, and are found by words and status', async () => {
        const three = session('three');
        await keep(summarized(one, { title: 'The first', labels: ['Blue'] }));
        await keep(summarized(two, { since: later, status: 'stopped', title: 'The second' }));
        await keep(summarized(three, { title: 'The third', cwd: '/work/blue' }));
        await keep(summarized(session('old')), 0);
        const ids = (query: Omit<SummaryQuery, 'version'>) =>
          log.summaries({ version: 1, ...query }).map(({ session: { id } }) => id);
        expect(ids({})).toEqual([two, three, one]);
        expect(ids({ limit: 2 })).toEqual([two, three]);
        expect(ids({ limit: 2, after: { since: at, id: three } })).toEqual([one]);
        expect(ids({ words: ['blue', 'the'] })).toEqual([three, one]);
        expect(ids({ words: ['100%', '_'] })).toEqual([]);
        expect(ids({ status: ['stopped', 'failed'] })).toEqual([two]);
        expect(ids({ except: [two, one] })).toEqual([three]);
        expect(ids({ holdsGrants: true })).toEqual([]);
        expect(log.countSummaries({ version: 1, words: ['blue'] })).toBe(2);
        await keep(summarized(one, { archived: true, pinned: true }));
        expect([ids({ archived: true }), ids({ pinned: true })]).toEqual([[one], [one]]);
        expect(ids({ archived: false })).toEqual([two, three]);
        expect(log.countSummaries({ version: 1, archived: false })).toBe(2);
      });
    });

    describe('marking how far an agent was read', () => {
      const mark = (offset: number, memory: unknown = { open: ['a'] }): Checkpoint => ({
        number: offset + 1,
        mark: { processId: 'p1', offset, memory },
      });
      const marks = () =>
        Object.fromEntries(Array.from(log.streams(), (start) => [start.stream, start.checkpoint]));

      it('[STORE2] keeps the newest with the events it came with, for each stream', async () => {
        await log.append({ parts: [{ stream: one, at, events: [overdue('a')], checkpoint: mark(10) }] });
        await append(log, two, overdue('b'));
        expect(marks()).toEqual({ one: mark(10), two: undefined });
        const second = { number: 7, mark: { processId: 'p2', offset: 0, memory: null } };
        await log.append({
          parts: [
            {
              stream: one,
              at,
              events: [overdue('c')],
              checkpoint: mark(2 ** 40, { nested: { text: 'ü"\n' } }),
            },
            { stream: two, at, events: [], checkpoint: second },
          ],
        });
        expect(marks()).toEqual({
          one: mark(2 ** 40, { nested: { text: 'ü"\n' } }),
          two: second,
        });
      });

      it('leaves it when an append says nothing of it, and forgets it for null', async () => {
        await log.append({ parts: [{ stream: one, at, events: [overdue('a')], checkpoint: mark(10) }] });
        await append(log, one, overdue('b'));
        expect(marks()).toEqual({ one: mark(10) });
        await log.append({ parts: [{ stream: one, at, events: [overdue('c')], checkpoint: null }] });
        expect(marks()).toEqual({ one: undefined });
        await log.append({ parts: [{ stream: one, at, events: [], checkpoint: mark(3) }] });
        expect(marks()).toEqual({ one: mark(3) });
        expect(lastSeqOf(log, one)).toBe(3);
      });

      it('makes no stream for forgetting one that was never there', async () => {
        expect(await log.append({ parts: [{ stream: one, at, events: [], checkpoint: null }] })).toEqual([0]);
        expect(marks()).toEqual({});
      });

      it('keeps what was marked when the caller changes it afterwards', async () => {
        const memory = { open: ['a'] };
        const stored = log.append({ parts: [{ stream: one, at, events: [], checkpoint: mark(1, memory) }] });
        memory.open.push('b');
        await stored;
        expect(marks()).toEqual({ one: mark(1) });
      });

      it('keeps neither when one of them cannot be stored', async () => {
        await log.append({ parts: [{ stream: one, at, events: [overdue('a')], checkpoint: mark(1) }] });
        const circular: Record<string, unknown> = {};
        circular.itself = circular;
        const refused = (part: { events: NewEvent[]; checkpoint: Checkpoint }) =>
          expect(log.append({ parts: [{ stream: one, at, ...part }] })).rejects.toThrow();
        await refused({ events: [called(circular)], checkpoint: mark(2) });
        await refused({ events: [overdue('b')], checkpoint: mark(3, circular) });
        expect(marks()).toEqual({ one: mark(1) });
        expect(lastSeqOf(log, one)).toBe(1);
      });

      it('[SES14] is removed with its stream', async () => {
        await log.append({ parts: [{ stream: one, at, events: [overdue('a')], checkpoint: mark(1) }] });
        await log.remove(one);
        await append(log, one, overdue('b'));
        expect(marks()).toEqual({ one: undefined });
      });
    });

    it('keeps blobs with their stream', async () => {
      const data = new Uint8Array([0, 1, 254, 255]);
      await log.append({
        parts: [{ stream: one, at, events: [], blobs: [{ blobId: 'b', mediaType: 'image/png', data }] }],
      });
      expect(log.blob(one, 'b')).toEqual({ mediaType: 'image/png', data });
      expect(log.blob(one, 'c')).toBeUndefined();
      expect(log.blob(two, 'b')).toBeUndefined();
    });

    it('[STORE13] finds what was asked and decided at some positions, in whatever session, and how late that was', async () => {
      await append(log, one, said('"interaction.decided"'), requested('i1'), decided('i1', 'no'));
      await append(log, two, requested('i2', { kind: 'question' }));
      const found = (from: number, to: number) =>
        log
          .interactionEvents({ from, to })
          .events.map(({ stream, event }) => `${stream} ${event.type} ${event.interactionId}`);
      expect(found(1, 100)).toEqual([
        'one interaction.requested i1',
        'one interaction.decided i1',
        'two interaction.requested i2',
      ]);
      expect(found(3, 3)).toEqual(['one interaction.decided i1']);
      const later = '2026-05-05T00:00:00.000Z';
      await log.append({ parts: [{ stream: two, at: later, events: [overdue('x')] }] });
      expect(log.interactionEvents({ from: 1, to: 5 })).toMatchObject({ latest: later });
      expect(log.interactionEvents({ from: 6, to: 9 })).toEqual({ events: [], latest: undefined });
      await log.remove(one);
      expect(found(1, 100)).toEqual(['two interaction.requested i2']);
    });

    describe('the order over all streams', () => {
      const everything = { from: 1, to: Number.POSITIVE_INFINITY };
      const read = (range = everything, limit = 100) =>
        log
          .entries(range, limit)
          .map((entry) => [
            entry.position,
            'removed' in entry ? `-${entry.removed} ${entry.key}` : `${entry.stream}:${entry.event.seq}`,
          ]);

      it('[STORE13] gives everything that is stored a position, in which it is read again', async () => {
        const [first, second] = await Promise.all([
          placeOf(log, one, overdue('a'), overdue('b')),
          placeOf(log, two, overdue('c')),
        ]);
        expect([first.own, second.own]).toEqual([
          { from: 1, to: 2 },
          { from: 3, to: 3 },
        ]);
        await append(log, 'global', overdue('d'));
        const all = ['one:1', 'one:2', 'two:1', 'global:1'].map((name, index) => [index + 1, name]);
        expect(read()).toEqual(all);
        expect(read({ from: 2, to: 3 })).toEqual(all.slice(1, 3));
        expect(read(everything, 2)).toEqual(all.slice(0, 2));
        expect(log.lastPosition).toBe(4);
      });

      it('[STORE13] a removed stream leaves its place, and no position is given twice', async () => {
        await append(log, one, overdue('a'), overdue('b'));
        await append(log, two, overdue('c'));
        const places: Place[] = [];
        await log.remove(two, { key: 'its key', onStored: (place) => places.push(place) });
        expect(places).toMatchObject([{ own: { from: 4, to: 4 } }]);
        await append(log, one, overdue('d'));
        expect(read()).toEqual([
          [1, 'one:1'],
          [2, 'one:2'],
          [4, '-two its key'],
          [5, 'one:3'],
        ]);
      });

      it('[STORE13] knows its own positions, and none of the future or of another log', async () => {
        await append(log, one, overdue('a'), overdue('b'));
        expect(log.hasPosition(log.run, 2)).toBe(true);
        expect(log.hasPosition(log.run, 3)).toBe(false);
        expect(log.hasPosition('another', 1)).toBe(false);
      });
    });

    describe('removing', () => {
      it('[SES14] leaves nothing of the stream, and everything of the others', async () => {
        for (const stream of [one, two]) {
          await log.append({
            parts: [
              {
                stream,
                at,
                events: [requested('i1', { title: 'fox' }), said('fox')],
                blobs: [{ blobId: 'b', mediaType: 'text/plain', data: new Uint8Array([1]) }],
                snapshot: { version: 1, state: {} },
              },
            ],
          });
        }
        expect(hits('fox')).toHaveLength(4);
        await log.remove(one);

        expect([...log.streams()].map(({ stream }) => stream)).toEqual([two]);
        expect(log.page(one, { limit: 5 })).toMatchObject({ events: [], logLastSeq: 0 });
        expect(log.findByReference(one, 'i1')).toEqual([]);
        expect(log.blob(one, 'b')).toBeUndefined();
        expect(log.findAsks('Bash', 5).map(({ stream }) => stream)).toEqual([two]);
        expect(hits('fox')).toEqual(['two:2', 'two:1']);
        expect(log.blob(two, 'b')).toBeDefined();
      });

      it('keeps its place among the appends around it, and numbers anew from 1', async () => {
        await append(log, one, said('old'));
        const [, , after] = await Promise.all([
          append(log, one, said('old too')),
          log.remove(one),
          append(log, one, said('new')),
        ]);
        expect(seqsOf(after)).toEqual([1]);
        expect(log.page(one, { limit: 5 }).events).toEqual([{ ...said('new'), seq: 1, at }]);
        expect(hits('old')).toEqual([]);
        expect(hits('new')).toEqual(['one:1']);
        expect([...log.streams()][0]?.snapshot).toBeUndefined();
      });

      it('does not mind a stream that is not there', async () => {
        const before = log.lastPosition;
        await log.remove(session('none'));
        expect(log.lastPosition).toBe(before);
      });
    });

    it('settles what waits when it is closed, and takes no more', async () => {
      const waiting = append(log, one, overdue('a'));
      await Promise.all([log.close(), log.close()]);
      expect(seqsOf(await waiting)).toEqual([1]);
      await expect(append(log, one, overdue('b'))).rejects.toThrow(StorageError);
      await expect(log.remove(one)).rejects.toThrow(StorageError);
    });
  });
}
