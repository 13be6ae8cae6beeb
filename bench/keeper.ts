import { keeperStatus } from '../src/drivers/keeper/keeper-admin.ts';
import { KeeperProcessHost } from '../src/drivers/keeper/keeper-process-host.ts';
import { LocalProcessHost } from '../src/drivers/process/local-process-host.ts';
import type { AgentProcess, ProcessHost } from '../src/engine/ports/process-host.ts';
import { SessionId } from '../src/protocol/ids.ts';
import { megabytes, milliseconds, type Part, type Row } from './part.ts';
import { temporaryDirectory, within } from './running.ts';
import { type Spread, spreadOf } from './spread.ts';

/** What it costs that agents are run by another program: the way of a line, a flood beside it, and memory. */
export const keeper: Part = async ({ quick }) => {
  const { lines, agents } = quick ? quickPlan : plan;
  const dataDir = temporaryDirectory();
  const local = new LocalProcessHost({ dataDir: temporaryDirectory() });
  const kept = new KeeperProcessHost({ dataDir, version: 'bench', environment: process.env });
  try {
    await Promise.all([warmUp(local), warmUp(kept)]);
    // In turns, so that whatever else the machine does meets both.
    const alone = { local: [] as number[], kept: [] as number[] };
    const flooded = { local: [] as number[], kept: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      alone.local.push(...(await lineDelays(local, lines / rounds)));
      alone.kept.push(...(await lineDelays(kept, lines / rounds)));
      flooded.local.push(...(await besideFlood(local, lines / rounds)));
      flooded.kept.push(...(await besideFlood(kept, lines / rounds)));
    }
    const afterFlood = await memoryOf(dataDir);
    const withAgents = await memoryWithAgents(kept, dataDir, agents);
    const spreads = {
      alone: { local: spreadOf(alone.local), kept: spreadOf(alone.kept) },
      flooded: { local: spreadOf(flooded.local), kept: spreadOf(flooded.kept) },
    };
    const added = spreads.alone.kept.p99 - spreads.alone.local.p99;
    const addedToMost = spreads.flooded.kept.max - spreads.alone.kept.p50;
    return {
      columns: ['local', 'keeper', 'added'],
      rows: [
        ...rowsOf('a line on its way', spreads.alone),
        ...rowsOf(`the same beside ${floodMegabytes} MB/s`, spreads.flooded),
        { what: 'resident memory after the flood', values: ['', megabytes(afterFlood), ''] },
        { what: `resident memory with ${agents} agents`, values: ['', megabytes(withAgents), ''] },
      ],
      goals: [
        {
          rule: 'SES10',
          goal: 'adds less than 1 ms (p99) to a line',
          figure: milliseconds(added),
          holds: added < 1,
        },
        {
          rule: 'SES10',
          goal: `${floodMegabytes} MB/s of one agent delays another's line by at most 50 ms (max)`,
          figure: milliseconds(addedToMost),
          holds: addedToMost <= 50,
        },
        {
          rule: 'SES10',
          goal: `less than 60 MB with ${agents} agents`,
          figure: megabytes(withAgents),
          holds: withAgents < 60 * 1_048_576,
        },
      ],
      figures: { spreads, afterFlood, withAgents },
    };
  } finally {
    await Promise.all([local.close(), kept.close()]);
  }
};

const plan = { lines: 4_000, agents: 50 } as const;
const quickPlan = { lines: 800, agents: 50 } as const;
const rounds = 4;
const floodMegabytes = 20;

// The clock is the machine's own, and the same for all its processes.
const printsTime = (lines: number) => `
  let n = 0;
  const timer = setInterval(() => {
    process.stdout.write(process.hrtime.bigint() + '\\n');
    if (++n === ${lines}) clearInterval(timer);
  }, 2);`;

const floods = `
  const part = Buffer.alloc(${floodMegabytes * 1_000_000} / 100, 'x'.repeat(199) + '\\n');
  setInterval(() => process.stdout.writableLength < 10 * part.length && process.stdout.write(part), 10);`;

async function lineDelays(host: ProcessHost, lines: number): Promise<number[]> {
  const agent = start(host, 'node', printsTime(lines));
  const delays: number[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let rest = '';
  agent.readOutput({
    chunk(chunk, offset) {
      const now = process.hrtime.bigint();
      const parts = (rest + chunk.toString()).split('\n');
      rest = parts.pop() ?? '';
      for (const stamp of parts) delays.push(Number(now - BigInt(stamp)) / 1e6);
      agent.stored(offset + chunk.length);
    },
    end: resolve,
  });
  await within(60_000, ended, 'the lines of an agent');
  await agent.end();
  return delays;
}

async function besideFlood(host: ProcessHost, lines: number): Promise<number[]> {
  const flood = start(host, 'node', floods);
  const { promise: flooding, resolve } = Promise.withResolvers<void>();
  flood.readOutput({
    chunk(chunk, offset) {
      if (offset > 1_000_000) resolve();
      flood.stored(offset + chunk.length);
    },
    end() {},
  });
  await within(10_000, flooding, 'the flood');
  try {
    return await lineDelays(host, lines);
  } finally {
    await flood.end();
  }
}

/** Each has said something, is spoken to, and waits. */
async function memoryWithAgents(host: ProcessHost, dataDir: string, count: number): Promise<number> {
  const agents = Array.from({ length: count }, () =>
    start(host, 'sh', 'yes 0123456789 | head -c 50000; exec cat'),
  );
  await Promise.all(agents.map((agent) => hasPrinted(agent, 50_000)));
  await Promise.all(agents.map((agent) => agent.write('a line of some length\n')));
  const memory = await memoryOf(dataDir);
  await Promise.all(agents.map((agent) => agent.end()));
  return memory;
}

async function hasPrinted(agent: AgentProcess, bytes: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  agent.readOutput({
    chunk: (chunk, offset) => {
      agent.stored(offset + chunk.length);
      if (offset + chunk.length >= bytes) resolve();
    },
    end: resolve,
  });
  await within(20_000, promise, 'the output of an agent');
}

async function memoryOf(dataDir: string): Promise<number> {
  return (await keeperStatus(dataDir))?.memory ?? Number.NaN;
}

async function warmUp(host: ProcessHost): Promise<void> {
  await lineDelays(host, 50);
}

let started = 0;

function start(host: ProcessHost, shell: 'node' | 'sh', script: string): AgentProcess {
  started += 1;
  return host.start({
    id: `bench${started}`,
    sessionId: SessionId.parse(`s${started}`),
    command: shell === 'node' ? process.execPath : 'sh',
    args: [shell === 'node' ? '-e' : '-c', script],
    cwd: temporaryDirectory(),
    env: { PATH: process.env.PATH ?? '' },
  });
}

function rowsOf(what: string, { local, kept }: { local: Spread; kept: Spread }): Row[] {
  return (['p50', 'p99', 'max'] as const).map((share) => ({
    what: `${what}, ${share}`,
    values: [local[share], kept[share], kept[share] - local[share]].map(milliseconds),
  }));
}
