import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { paced } from './answer-path.ts';
import { type BeckonHost, startBeckon } from './hosts/beckon-host.ts';
import type { Host } from './hosts/host.ts';
import { startRelay } from './hosts/relay-host.ts';
import type { Part, Row } from './part.ts';
import { start, temporaryDirectory, within } from './running.ts';

const agents = 12;
const asksEach = 25;

/** What one ask costs in things that can be counted, at 60 asks a second: it does not depend on how busy the machine is. */
export const counts: Part = async () => {
  const durable = await startRelay(agents, { name: 'durable' });
  const beckon = await startBeckon(agents);
  try {
    for (const host of [durable, beckon]) await paced(host, host.sessions, asksEach);
    const stored = await storedPerAsk(beckon);
    const calls = [await callsPerAsk(durable), await callsPerAsk(beckon)] as const;
    return {
      columns: ['durable relay', 'Beckon'],
      rows: [
        { what: 'commits per ask', values: ['', stored.commits.toFixed(2)] },
        { what: 'pages written to the write-ahead log per ask', values: ['', stored.pages.toFixed(2)] },
        ...callRows(...calls),
      ],
      goals: [],
      figures: { stored, calls },
    };
  } finally {
    await Promise.all([durable.close(), beckon.close()]);
  }
};

/** By the header that SQLite keeps in the memory it shares: it counts the transactions, and the frames since the log was begun anew. */
async function storedPerAsk(host: BeckonHost): Promise<{ commits: number; pages: number }> {
  const header = (): { commits: number; frames: number } => {
    const shared = readFileSync(`${host.database}-shm`);
    return { commits: shared.readUInt32LE(8), frames: shared.readUInt32LE(16) };
  };
  const first = header();
  let { frames } = first;
  let pages = 0;
  const look = (): void => {
    const now = header().frames;
    pages += now >= frames ? now - frames : now;
    frames = now;
  };
  const looking = setInterval(look, 10);
  await paced(host, host.sessions, asksEach);
  clearInterval(looking);
  look();
  const asks = agents * asksEach;
  return { commits: (header().commits - first.commits) / asks, pages: pages / asks };
}

type Calls = ReadonlyMap<string, number>;

/** By name; undefined where there is no strace, or it may not look. */
async function callsPerAsk(host: Host): Promise<Calls | undefined> {
  const file = join(temporaryDirectory(), 'calls');
  const tracer = start('strace', [
    '-f',
    '-c',
    '-U',
    'name,calls',
    '-o',
    file,
    '-p',
    String(host.process.pid),
  ]);
  const attached = new Promise<boolean>((resolve) => {
    tracer.stderr?.on('data', (said: Buffer) => {
      if (said.includes('attached')) resolve(true);
    });
    tracer.once('error', () => resolve(false));
    tracer.once('exit', () => resolve(false));
  });
  if (!(await attached)) return undefined;
  await paced(host, host.sessions, asksEach);
  const gone = new Promise((resolve) => tracer.once('exit', resolve));
  tracer.kill('SIGINT');
  await within(10_000, gone, 'strace to end');
  const table = readFileSync(file, 'utf8');
  rmSync(file);
  return new Map(
    Array.from(table.matchAll(/^(\w+) +(\d+)$/gm), ([, name = '', calls]) => [
      name,
      Number(calls) / (agents * asksEach),
    ]),
  );
}

function callRows(durable: Calls | undefined, beckon: Calls | undefined): Row[] {
  if (beckon === undefined)
    return [{ what: 'system calls are not counted: there is no strace, or it may not look', values: [] }];
  const shown = [...beckon].filter(([name, calls]) => name !== 'total' && calls >= 0.2);
  return shown
    .toSorted((a, b) => b[1] - a[1])
    .map(([name, calls]) => ({
      what: `${name} per ask`,
      values: [(durable?.get(name) ?? 0).toFixed(1), calls.toFixed(1)],
    }));
}
