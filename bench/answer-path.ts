import { startBeckon } from './hosts/beckon-host.ts';
import type { Host } from './hosts/host.ts';
import { startRelay } from './hosts/relay-host.ts';
import {
  besideRelays,
  milliseconds,
  type Part,
  type PartResult,
  profiling,
  type Row,
  times,
} from './part.ts';
import { processorTime, within } from './running.ts';
import { medianOf, type Spread, spreadOf } from './spread.ts';
import { DiskTimes } from './sync-times.ts';

const everyMs = 200;
const warmUpAsks = 5;

/**
 * The way of an answer: an ask leaves the agent, a client sees it and answers at once, the agent reads the answer. The agent measures
 * it by its own clock, so that all hosts are measured from the same place in the same program. The floor for what Beckon promises is
 * a relay that waits for the disk before it passes an answer on; on the way down nothing waits for the disk, and the floor is the bare one.
 */
export const answerPath: Part = async (extent) => {
  const { levels, seconds, rounds: turns } = extent.quick ? quickPlan : plan;
  const most = Math.max(...levels);
  const disk = new DiskTimes();
  const hosts = [
    await startRelay(most),
    await startRelay(most, { name: 'durable' }),
    await startBeckon(most, { nodeArgs: profiling(extent, 'answer') }),
  ];
  try {
    for (const host of hosts) await round(host, most, 2);
    const compared: Comparison[] = [];
    for (const busy of levels) {
      const rounds: Round[] = [];
      for (let turn = 0; turn < turns; turn += 1) {
        for (const host of orders[turn % orders.length]?.map((place) => hosts[place]) ?? []) {
          if (host !== undefined) rounds.push(await round(host, busy, seconds));
          await disk.measure();
        }
      }
      compared.push({ busy, rounds, ...byHost((name) => typical(rounds, name)) });
    }
    return told(compared, disk.spread);
  } finally {
    await Promise.all(hosts.map((host) => host.close()));
    disk.close();
  }
};

const plan = { levels: [1, 50, 100], seconds: 3, rounds: 4 } as const;
const quickPlan = { levels: [50], seconds: 2, rounds: 2 } as const;
/** The hosts take turns, so that what else the machine does befalls all. */
const orders = [
  [0, 1, 2],
  [2, 1, 0],
  [1, 2, 0],
  [0, 2, 1],
] as const;

interface Measured {
  readonly answer: Spread;
  /** From the agent to the client. */
  readonly down: Spread;
  readonly processorMsPerAsk: number;
}

export interface Round extends Measured {
  readonly host: Host['name'];
}

type ByHost<T> = Readonly<Record<Host['name'], T>>;

interface Comparison extends ByHost<Measured> {
  readonly busy: number;
  readonly rounds: readonly Round[];
}

const byHost = <T>(of: (name: Host['name']) => T): ByHost<T> => ({
  relay: of('relay'),
  durable: of('durable'),
  beckon: of('beckon'),
});

export async function round(host: Host, busy: number, seconds: number): Promise<Round> {
  const sessions = host.sessions.slice(0, busy);
  const asksEach = (seconds * 1_000) / everyMs + warmUpAsks;
  const processorMs = await paced(host, sessions, asksEach);
  const answers: number[] = [];
  const down: number[] = [];
  for (const session of sessions) {
    const pings = (await host.pings(session)).slice(warmUpAsks);
    const seen = host.asks.seenAt(session).slice(warmUpAsks);
    if (pings.length !== asksEach - warmUpAsks || seen.length !== pings.length)
      throw new Error(`${host.name}: ${pings.length} of ${asksEach - warmUpAsks} asks came back`);
    for (const [index, { askedAt, milliseconds }] of pings.entries()) {
      answers.push(milliseconds);
      down.push((seen[index] ?? Number.NaN) - askedAt);
    }
  }
  return {
    host: host.name,
    answer: spreadOf(answers),
    down: spreadOf(down),
    processorMsPerAsk: processorMs / (busy * asksEach),
  };
}

/** Has the sessions ask at a steady pace; gives what processor time that took. */
export async function paced(host: Host, sessions: readonly string[], asksEach: number): Promise<number> {
  const answering = await host.answerAll();
  const before = processorTime(host.process);
  const turns = sessions.map(async (session, index) => {
    // Spread over the beat: a hundred agents that ask in the same millisecond are no office.
    await new Promise((resolve) => setTimeout(resolve, (index * everyMs) / sessions.length));
    await host.say(session, `!pace ${asksEach} ${everyMs}`);
    await answering.turnEnd(session);
  });
  const limitMs = asksEach * everyMs + 30_000;
  await within(limitMs, Promise.all(turns), `the turns of ${sessions.length} sessions of ${host.name}`);
  const used = processorTime(host.process) - before;
  answering.close();
  return used;
}

/** The median of the rounds: one that something else on the machine got in the way of does not count. */
function typical(rounds: readonly Round[], host: Host['name']): Measured {
  const own = rounds.filter((one) => one.host === host);
  const median = (of: 'answer' | 'down'): Spread => ({
    count: own.reduce((sum, one) => sum + one[of].count, 0),
    p50: medianOf(own.map((one) => one[of].p50)),
    p90: medianOf(own.map((one) => one[of].p90)),
    p99: medianOf(own.map((one) => one[of].p99)),
    max: medianOf(own.map((one) => one[of].max)),
  });
  return {
    answer: median('answer'),
    down: median('down'),
    processorMsPerAsk: medianOf(own.map((one) => one.processorMsPerAsk)),
  };
}

function told(compared: readonly Comparison[], disk: Spread): PartResult {
  return {
    columns: besideRelays,
    rows: [...compared.flatMap(rowsOf), ...diskRows(disk)],
    goals: compared.flatMap(goalsOf),
    figures: { compared, disk },
  };
}

const shares = ['p50', 'p90', 'p99', 'max'] as const;

const rowsOf = ({ busy, relay, durable, beckon }: Comparison): Row[] => [
  ...shares.map((share) => ({
    what: `${busy} busy: ${share}`,
    values: compare(relay.answer[share], durable.answer[share], beckon.answer[share]),
  })),
  ...(['p50', 'p99'] as const).map((share) => ({
    what: `${busy} busy: the way down, ${share}`,
    values: compare(relay.down[share], durable.down[share], beckon.down[share]),
  })),
  {
    what: `${busy} busy: processor per ask`,
    values: compare(relay.processorMsPerAsk, durable.processorMsPerAsk, beckon.processorMsPerAsk),
  },
];

const compare = (relay: number, durable: number, beckon: number): string[] => [
  milliseconds(relay),
  milliseconds(durable),
  milliseconds(beckon),
  times(beckon / relay),
  times(beckon / durable),
];

const diskRows = (disk: Spread): Row[] =>
  (['p50', 'p99', 'max'] as const).map((share) => ({
    what: `a bare write and fdatasync: ${share}`,
    values: [milliseconds(disk[share])],
  }));

/** How close to the durable relay: at so many busy sessions the median by a factor, the slowest hundredth by a difference. */
const answerGoals = new Map([
  [50, { factor: 1.4, moreMs: 3 }],
  [100, { factor: 1.6, moreMs: 5 }],
]);

function goalsOf({ busy, relay, durable, beckon }: Comparison): PartResult['goals'] {
  const goal = answerGoals.get(busy);
  if (goal === undefined) return [];
  const { factor, moreMs } = goal;
  const median = beckon.answer.p50 / durable.answer.p50;
  const more = beckon.answer.p99 - durable.answer.p99;
  const down = beckon.down.p50 / relay.down.p50;
  const processor = beckon.processorMsPerAsk / relay.processorMsPerAsk;
  return [
    {
      rule: 'PERF1',
      goal: `${busy} busy: p50 at most ${factor}× the durable relay's`,
      figure: times(median),
      holds: median <= factor,
    },
    {
      rule: 'PERF1',
      goal: `${busy} busy: p99 at most ${moreMs} ms more than the durable relay's`,
      figure: `${milliseconds(more)} more`,
      holds: more <= moreMs,
    },
    {
      rule: 'PERF1',
      goal: `${busy} busy: the way down at most 1.8× the bare relay's`,
      figure: times(down),
      holds: down <= 1.8,
    },
    {
      rule: 'PERF1',
      goal: `${busy} busy: processor per ask at most 2× the bare relay's`,
      figure: times(processor),
      holds: processor <= 2,
    },
  ];
}
