import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLog, StreamId } from '../src/engine/ports/event-log.ts';
import { openRawLog } from '../src/log/raw-log.ts';
import { openSqliteLog } from '../src/log/sqlite-log.ts';
import type { NewEvent } from '../src/protocol/event.ts';
import { InteractionId, SessionId } from '../src/protocol/ids.ts';

/** What the log costs: run with `node bench/log.ts`. */
const at = '2026-01-01T00:00:00.000Z';
const directory = mkdtempSync(join(tmpdir(), 'beckon-bench-log-'));
try {
  for (const gathered of [1, 10, 50, 500]) await appendGathered(gathered);
  await appendAlone('a fact', text);
  await appendAlone('a decision', decision);
  await readPages();
  await writeRaw();
} finally {
  rmSync(directory, { recursive: true });
}

async function appendGathered(gathered: number): Promise<void> {
  const total = gathered === 1 ? 20_000 : 60_000;
  const { log, path } = fresh();
  const started = performance.now();
  for (let done = 0; done < total; done += gathered) {
    await Promise.all(
      Array.from({ length: gathered }, (_, n) => append(log, session(n % 50), text(done + n))),
    );
  }
  const seconds = (performance.now() - started) / 1_000;
  await log.close();
  report(`single-event appends, ${gathered} a turn`, `${Math.round(total / seconds)} a second`);
  report('  bytes on disk per event', String(Math.round(statSync(path).size / total)));
}

async function appendAlone(what: string, make: (n: number) => NewEvent): Promise<void> {
  const { log } = fresh();
  const times: number[] = [];
  for (let n = 0; n < 5_000; n += 1) {
    const started = performance.now();
    await append(log, session(n % 50), make(n));
    times.push(performance.now() - started);
  }
  await log.close();
  report(`a lone append of ${what}`, spread(times));
}

async function readPages(): Promise<void> {
  const { log } = fresh();
  for (let n = 0; n < 100_000; n += 500) {
    const events = Array.from({ length: 500 }, (_, k) => text(n + k));
    await log.append({ parts: [{ stream: session(1), at, events }] });
    if (n % 50_000 === 0) await log.append({ parts: [{ stream: session(2), at, events }] });
  }
  for (const [name, stream] of [
    ['1,000', session(2)],
    ['100,000', session(1)],
  ] as const) {
    report(`newest 200 of ${name} events`, spread(repeat(300, () => log.page(stream, { limit: 200 }))));
  }
  report(
    '200 from the middle of 100,000',
    spread(repeat(300, () => log.page(session(1), { before: 50_000, limit: 200 }))),
  );
  report('taking 100,000 events into the search index', spread(repeat(1, () => log.search('nothing', 1))));
  report('a search that matches all', spread(repeat(50, () => log.search('words', 50))));
  report('a search for one', spread(repeat(50, () => log.search('number 4711', 50))));
  const started = performance.now();
  await log.remove(session(1));
  report('removing 100,000 events', `${(performance.now() - started).toFixed(0)} ms`);
  await log.close();
}

async function writeRaw(): Promise<void> {
  const raw = openRawLog({ directory: join(directory, 'raw') });
  const chunk = Buffer.alloc(4_096, 'x');
  const times = repeat(50_000, (n) => raw.append(session(n % 50), 'out', chunk));
  await raw.close();
  report('a raw chunk of 4 kB handed over', spread(times));
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
  const path = join(mkdtempSync(join(directory, 'log-')), 'beckon.db');
  return { log: openSqliteLog({ path }), path };
}

function repeat(times: number, work: (n: number) => unknown): number[] {
  return Array.from({ length: times }, (_, n) => {
    const started = performance.now();
    work(n);
    return performance.now() - started;
  });
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const part = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(3);
  return `p50 ${part(0.5)} ms, p99 ${part(0.99)} ms, most ${part(1)} ms`;
}

function report(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(48)} ${figure}\n`);
}
