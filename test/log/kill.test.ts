import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { lastSeqOf } from '../support/last-seq.ts';
import { times } from '../support/seeded-random.ts';
import { append, overdue, seqsOf, session, upTo } from './sample-events.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();
const program = fileURLToPath(new URL('append-until-killed.ts', import.meta.url));

let child: ChildProcess | undefined;
afterEach(() => child?.kill('SIGKILL'));

it('[STORE2] kill -9 at any moment loses nothing acknowledged and leaves a log that opens', {
  timeout: times(180_000),
}, async () => {
  const path = join(directory(), 'beckon.db');
  const acknowledged = new Map<string, string>();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 2_000 }), async (lines) => {
      run += 1;
      for (const line of await killedAfter(lines, path, String(run))) {
        const [stream, seq, text = ''] = line.split(' ');
        acknowledged.set(`${stream} ${seq}`, text);
      }
      await check(path, acknowledged);
    }),
    { numRuns: times(8), endOnFailure: true },
  );
});

/** The whole lines the program printed before it died. */
async function killedAfter(lines: number, path: string, run: string): Promise<string[]> {
  const process_ = spawn(process.execPath, [program, path, run], { stdio: ['ignore', 'pipe', 'inherit'] });
  child = process_;
  const ended = once(process_, 'close');
  const seen: string[] = [];
  for await (const line of createInterface({ input: process_.stdout })) {
    if (seen.push(line) === lines) process_.kill('SIGKILL');
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(seen.length).toBeGreaterThanOrEqual(lines);
  // the last line may have been cut short by the kill
  return seen.filter((line) => /^\w \d+ event-\d+-\w-\d+$/u.test(line)).slice(0, -1);
}

async function check(path: string, acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const log = openSqliteLog({ path });
  try {
    expect(log.storage).toEqual({ ok: true, missing: [] });
    const stored = new Map<string, string>();
    for (const { stream, checkpoint, eventsAfter } of log.streams()) {
      const events = [...eventsAfter(0)];
      // the checkpoint is of the very transaction that stored the last event
      expect(JSON.stringify(events.at(-1))).toContain(
        stream === 'after' ? 'turn.overdue' : `"${checkpoint?.mark.processId}"`,
      );
      expect(seqsOf(events)).toEqual(upTo(events.length));
      for (const event of events) stored.set(`${stream} ${event.seq}`, JSON.stringify(event));
    }
    const missing = [...acknowledged].filter(
      ([key, text]) => stored.get(key)?.includes(`"${text}"`) !== true,
    );
    expect(missing).toEqual([]);

    const newest = [...acknowledged.values()].at(-1) ?? '';
    expect(log.search(newest, 5)).not.toEqual([]);
    expect(seqsOf(await append(log, session('after'), overdue('t')))).toEqual([
      lastSeqOf(log, session('after')),
    ]);
  } finally {
    await log.close();
  }
}
