import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { EventLog } from '../../src/engine/ports/event-log.ts';
import { migrate, migrations } from '../../src/log/migrations.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import type { NewEvent } from '../../src/protocol/event.ts';
import { lastSeqOf } from '../support/last-seq.ts';
import { memoryLog } from '../support/memory-log.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';
import { append, at, decided, overdue, requested, said, session } from './sample-events.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();
const names = ['one', 'two', 'three'] as const;

/** Everything that can be found, by every way of finding it. */
function found(log: EventLog) {
  const references = Array.from({ length: 8 }, (_, n) => `i${n}`);
  return {
    streams: names.map((name) => ({
      last: lastSeqOf(log, session(name)),
      newest: log.page(session(name), { limit: 20 }),
      middle: log.page(session(name), { after: 3, limit: 400 }),
      byReference: references.map((reference) => log.findByReference(session(name), reference)),
    })),
    asks: log.findAsks('Bash', 1_000),
    hits: log.search('word', 1_000),
  };
}

/** Settles when all events have their entries. */
async function entriesMade(path: string): Promise<void> {
  const reader = new DatabaseSync(path, { readOnly: true });
  const behind = reader.prepare(
    'SELECT count(*) AS n FROM event WHERE id > (SELECT placed FROM place_progress)',
  );
  await expect.poll(() => behind.get()?.n, { interval: 10 }).toBe(0);
  reader.close();
}

const seed = testSeed();
const random = seededRandom(seed);
const oneOf = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;

function someEvent(): NewEvent {
  const interaction = `i${Math.floor(random() * 8)}`;
  return oneOf([
    () => said(`word ${interaction}`),
    () => requested(interaction),
    () => decided(interaction, 'word'),
    () => overdue('t'),
  ])();
}

async function appendSome(logs: readonly EventLog[], count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const stream = session(oneOf(names));
    const events = Array.from({ length: 1 + Math.floor(random() * 3) }, someEvent);
    await Promise.all(logs.map((log) => append(log, stream, ...events)));
  }
}

describe('what events are found by', () => {
  it(`[STORE1] gives the same answers before there are entries, when some have one, and when all do (seed ${seed})`, async () => {
    const path = join(directory(), 'beckon.db');
    const crashed = join(directory(), 'beckon.db');
    const log = openSqliteLog({ path });
    const known = memoryLog();
    await appendSome([log, known], 40);
    expect(found(log)).toEqual(found(known));
    await entriesMade(path);
    expect(found(log)).toEqual(found(known));
    await appendSome([log, known], 30);
    expect(found(log)).toEqual(found(known));

    for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${crashed}${end}`);
    const again = openSqliteLog({ path: crashed });
    expect(found(again), 'after a crash').toEqual(found(known));
    await entriesMade(crashed);
    expect(found(again)).toEqual(found(known));
    await again.close();

    await Promise.all([log, known].map((each) => each.remove(session('two'))));
    expect(found(log), 'one removed').toEqual(found(known));
    await appendSome([log, known], 200);
    expect(found(log)).toEqual(found(known));
    await entriesMade(path);
    expect(found(log)).toEqual(found(known));
    await log.close();
    await known.close();
  });

  it('[STORE4] is made for what a database of an earlier version holds', async () => {
    const path = join(directory(), 'beckon.db');
    const db = new DatabaseSync(path);
    db.exec('PRAGMA journal_mode = WAL');
    migrate(db, migrations.slice(0, 2));
    db.prepare('INSERT INTO stream (name) VALUES (?)').run(session('one'));
    const event = { ...requested('i1'), seq: 1, at };
    db.prepare(
      `INSERT INTO event (stream, seq, at, asked_tool, searchable, body) VALUES (1, 1, ?, 'Bash', 1, ?)`,
    ).run(at, JSON.stringify(event));
    db.prepare(`INSERT INTO reference VALUES (1, 'i1', 1)`).run();
    db.close();

    const log = openSqliteLog({ path });
    await append(log, session('one'), decided('i1'));
    expect(log.page(session('one'), { limit: 5 }).events).toEqual([event, { ...decided('i1'), seq: 2, at }]);
    expect(log.findByReference(session('one'), 'i1')).toHaveLength(2);
    expect(log.findAsks('Bash', 5)).toEqual([{ stream: session('one'), event }]);
    await log.close();
  });
});

it('[STORE4] [PERF5] what a server left without entries has them before the next one reads anything', async () => {
  const path = join(directory(), 'log.db');
  const first = openSqliteLog({ path });
  // At once, and closed at once: more than one step makes.
  await append(first, session('one'), ...Array.from({ length: 30_000 }, () => overdue('t')));
  await first.close();
  const second = openSqliteLog({ path });
  const reader = new DatabaseSync(path, { readOnly: true });
  const behind = reader.prepare('SELECT max(id) - (SELECT placed FROM place_progress) AS n FROM event').get();
  expect(behind?.n).toBe(0);
  reader.close();
  await second.close();
});
