import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { answerPath } from './answer-path.ts';
import { changes } from './changes.ts';
import { closedLoop } from './closed-loop.ts';
import { counts } from './counts.ts';
import { logCost } from './log.ts';
import { machines } from './machines.ts';
import { manySessions } from './many-sessions.ts';
import { memory } from './memory.ts';
import { opening } from './opening.ts';
import type { Part, PartResult } from './part.ts';
import { resident } from './resident.ts';
import { endAll } from './running.ts';
import { show, showGoals } from './show.ts';
import { startTime } from './start.ts';
import { streaming } from './streaming.ts';

/** Measures Beckon beside relays in one run: `npm run bench -- [--only answer,stream] [--quick] [--profile]`. */
const parts: Readonly<Record<string, Part>> = {
  answer: answerPath,
  loop: closedLoop,
  counts,
  many: manySessions,
  machines,
  stream: streaming,
  memory,
  resident,
  start: startTime,
  opening,
  log: logCost,
  changes,
};
const results = join(import.meta.dirname, 'results');

const { values } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean' }, profile: { type: 'boolean' } },
});
const chosen = (values.only ?? Object.keys(parts).join(',')).split(',');
const unknown = chosen.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}\n`);
  process.exit(2);
}
for (const end of ['SIGINT', 'SIGTERM', 'uncaughtException'] as const) {
  process.once(end, (reason: unknown) => {
    process.stderr.write(`${reason instanceof Error ? reason.stack : reason}\n`);
    void endAll().finally(() => process.exit(1));
  });
}

const startedAt = new Date();
const machine = { node: process.version, processors: availableParallelism(), load: loadavg()[0] ?? 0 };
const profileDir = values.profile === true ? join(results, 'profiles') : undefined;
const measured: Record<string, PartResult> = {};
const failed: string[] = [];
process.stdout.write(
  `Node ${machine.node}, ${machine.processors} processors, load ${machine.load.toFixed(1)}\n`,
);
for (const name of chosen) {
  const part = parts[name];
  if (part === undefined) continue;
  try {
    const result = await part({ quick: values.quick === true, profileDir });
    measured[name] = result;
    show(name, result);
  } catch (error) {
    failed.push(name);
    process.stderr.write(`${name} could not be measured: ${error instanceof Error ? error.stack : error}\n`);
  } finally {
    await endAll();
  }
}
showGoals(Object.values(measured).flatMap(({ goals }) => goals));

mkdirSync(results, { recursive: true });
const file = join(results, `${startedAt.toISOString().replaceAll(':', '-')}.json`);
const seconds = (Date.now() - startedAt.getTime()) / 1_000;
writeFileSync(file, `${JSON.stringify({ startedAt, seconds, machine, failed, measured }, null, 2)}\n`);
process.stdout.write(`\n${seconds.toFixed(0)} s; all figures are in ${file}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
