import { writeSync } from 'node:fs';
import type { EventLog } from '../../src/engine/ports/event-log.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { at, decided, said, session } from './sample-events.ts';

/** Appends for ever to the database named in its arguments, each event with a mark that names it, and prints `stream seq text` for each that was acknowledged. */
const [path = '', run = ''] = process.argv.slice(2);
const log = openSqliteLog({ path });
for (let round = 0; ; round += 1) {
  await Promise.all(['a', 'b', 'c'].slice(0, 1 + (round % 3)).map((name) => appendOne(log, name, round)));
  if (round % 7 === 0) log.search('event', 1);
}

async function appendOne(log: EventLog, name: string, round: number): Promise<void> {
  const text = `event-${run}-${name}-${round}`;
  const event = round % 5 === 0 ? decided(`i${round}`, text) : said(text);
  const checkpoint = { number: round, mark: { processId: text, offset: round, memory: {} } };
  const [seq] = await log.append({
    parts: [{ stream: session(name), at, events: [event], checkpoint }],
  });
  writeSync(1, `${name} ${seq} ${text}\n`);
}
