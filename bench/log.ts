import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { EventLog, StreamId } from '../src/engine/ports/event-log.ts';
import { openSqliteLog } from '../src/log/sqlite-log.ts';
import type { NewEvent } from '../src/protocol/event.ts';
import { InteractionId, SessionId } from '../src/protocol/ids.ts';
import { openRawLog } from '../src/runner/raw-log.ts';
import { type Part, type Row, wholeNumber } from './part.ts';
import { temporaryDirectory } from './running.ts';
import { spreadOf } from './spread.ts';

const at = '2026-01-01T00:00:00.000Z';

/** What the log costs by itself. */
export const logCost: Part = async ({ quick }) => {
  const share = quick ? 0.1 : 1;
  const rows: Row[] = [];
  for (const gathered of [1, 10, 50, 500]) rows.push(...(await appendGathered(gathered, share)));
  rows.push(await appendAlone('a fact', text, share));
  rows.push(await appendAlone('a decision', decision, share));
  rows.push(...(await readPages(share)));
  rows.push(await writeRaw(share));
  return { columns: ['p50', 'p99', 'max'], rows, goals: [], figures: rows };
};

async function appendGathered(gathered: number, share: number): Promise<Row[]> {
  const total = (gathered === 1 ? 20_000 : 60_000) * share;
  const { log, path } = fresh();
  const started = performance.now();
  for (let done = 0; done < total; done += gathered) {
    await Promise.all(
      Array.from({ length: gathered }, (_, n) => append(log, session(n % 50), text(done + n))),
    );
  }
  const seconds = (performance.now() - started) / 1_000;
  await log.close();
  return [
    { what: `single-event appends, ${gathered} a turn`, values: [`${wholeNumber(total / seconds)} /s`] },
    { what: '  bytes on disk per event', values: [wholeNumber(statSync(path).size / total)] },
  ];
}

async function appendAlone(what: string, make: (n: number) => NewEvent, share: number): Promise<Row> {
  const { log } = fresh();
  const times: number[] = [];
  for (let n = 0; n < 5_000 * share; n += 1) {
    const started = performance.now();
    await append(log, session(n % 50), make(n));
    times.push(performance.now() - started);
  }
  await log.close();
  return { what: `a lone append of ${what}`, values: spread(times) };
}

async function readPages(share: number): Promise<Row[]> {
  const { log } = fresh();
  const length = 100_000 * share;
  for (let n = 0; n < length; n += 500) {
    const events = Array.from({ length: 500 }, (_, k) => text(n + k));
    await log.append({ parts: [{ stream: session(1), at, events }] });
    if (n < 1_000) await log.append({ parts: [{ stream: session(2), at, events }] });
  }
  const row = (what: string, runs: number, work: () => unknown): Row => ({
    what,
    values: spread(repeat(runs, work)),
  });
  const rows = [
    row('newest 200 of 1,000 events', 300, () => log.page(session(2), { limit: 200 })),
    row(`newest 200 of ${wholeNumber(length)} events`, 300, () => log.page(session(1), { limit: 200 })),
    row('200 from the middle', 300, () => log.page(session(1), { before: length / 2, limit: 200 })),
    row('a search that must take in all first', 1, () => log.search('nothing', 1)),
    row('a search that matches all', 50, () => log.search('words', 50)),
    row('a search for one', 50, () => log.search('number 4711', 50)),
  ];
  const started = performance.now();
  await log.remove(session(1));
  rows.push({
    what: `removing ${wholeNumber(length)} events`,
    values: spread([performance.now() - started]),
  });
  await log.close();
  return rows;
}

async function writeRaw(share: number): Promise<Row> {
  const raw = openRawLog({ directory: join(temporaryDirectory(), 'raw') });
  const chunk = Buffer.alloc(4_096, 'x');
  const times = repeat(50_000 * share, (n) => raw.append(session(n % 50), 'out', chunk));
  await raw.close();
  return { what: 'a raw chunk of 4 kB handed over', values: spread(times) };
}

function session(n: number): SessionId {
  return SessionId.parse(`ses_${String(n).padStart(20, '0')}`);
}

function append(log: EventLog, stream: StreamId, event: NewEvent): Promise<unknown> {
  return log.append({ parts: [{ stream, at, events: [event] }] });
}

function text(n: number): NewEvent {
  return {
    type: 'agent.text',
    agentMessageId: `msg_${n}`,
    block: 0,
    text: `number ${n} and some words ${'that are said '.repeat(14)}`,
  };
}

function decision(n: number): NewEvent {
  return {
    type: 'interaction.decided',
    interactionId: InteractionId.parse(`int_${n}`),
    outcome: 'denied',
    decision: { type: 'deny', message: 'not in this folder', interrupt: false },
    by: { kind: 'person' },
  };
}

function fresh(): { log: EventLog; path: string } {
  const path = join(temporaryDirectory(), 'beckon.db');
  return { log: openSqliteLog({ path }), path };
}

function repeat(times: number, work: (n: number) => unknown): number[] {
  return Array.from({ length: times }, (_, n) => {
    const started = performance.now();
    work(n);
    return performance.now() - started;
  });
}

function spread(times: readonly number[]): string[] {
  const { p50, p99, max } = spreadOf(times);
  return [p50, p99, max].map((value) => `${value.toFixed(3)} ms`);
}
