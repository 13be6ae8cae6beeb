import { startBeckon } from './hosts/beckon-host.ts';
import type { Host } from './hosts/host.ts';
import { startRelay } from './hosts/relay-host.ts';
import {
  besideRelay,
  type Goal,
  milliseconds,
  type Part,
  type PartResult,
  profiling,
  type Row,
  times,
} from './part.ts';
import { processorTime, within } from './running.ts';
import { medianOf, type Spread, spreadOf } from './spread.ts';

const everyMs = 200;
const warmUpAsks = 5;

/**
 * The way of an answer: an ask leaves the agent, a client sees it and answers at once, the agent reads the answer.
 * The agent measures it by its own clock, so that both hosts are measured from the same place in the same program.
 */
export const answerPath: Part = async (extent) => {
  const { levels, seconds, order } = extent.quick ? quickPlan : plan;
  const most = Math.max(...levels);
  const relay = await startRelay(most);
  const beckon = await startBeckon(most, profiling(extent, 'answer'));
  try {
    for (const host of [relay, beckon]) await round(host, most, 2);
    const compared: Comparison[] = [];
    for (const busy of levels) {
      const rounds: Round[] = [];
      for (const name of order) rounds.push(await round(name === 'relay' ? relay : beckon, busy, seconds));
      compared.push({ busy, rounds, relay: typical(rounds, 'relay'), beckon: typical(rounds, 'beckon') });
    }
    return told(compared);
  } finally {
    await Promise.all([relay.close(), beckon.close()]);
  }
};

/** The hosts take turns, so that what else the machine does befalls both. */
const plan = {
  levels: [1, 50, 100],
  seconds: 3,
  order: ['relay', 'beckon', 'beckon', 'relay', 'relay', 'beckon'],
} as const;
const quickPlan = { levels: [50], seconds: 2, order: ['relay', 'beckon', 'beckon', 'relay'] } as const;

interface Measured extends Spread {
  readonly processorMsPerAsk: number;
}

interface Round extends Measured {
  readonly host: Host['name'];
}

interface Comparison {
  readonly busy: number;
  readonly rounds: readonly Round[];
  readonly relay: Measured;
  readonly beckon: Measured;
}

async function round(host: Host, busy: number, seconds: number): Promise<Round> {
  const sessions = host.sessions.slice(0, busy);
  const asksEach = (seconds * 1_000) / everyMs + warmUpAsks;
  const answering = await host.answerAll();
  const before = processorTime(host.process);
  const turns = sessions.map(async (session, index) => {
    // Spread over the beat: a hundred agents that ask in the same millisecond are no office.
    await new Promise((resolve) => setTimeout(resolve, (index * everyMs) / busy));
    await host.say(session, `!pace ${asksEach} ${everyMs}`);
    await answering.turnEnd(session);
  });
  await within(seconds * 1_000 + 30_000, Promise.all(turns), `the turns of ${busy} sessions of ${host.name}`);
  const processorMs = processorTime(host.process) - before;
  answering.close();

  const taken: number[] = [];
  for (const session of sessions) {
    const own = await host.pingTimes(session);
    if (own.length !== asksEach) throw new Error(`${host.name}: ${own.length} of ${asksEach} asks came back`);
    taken.push(...own.slice(warmUpAsks));
  }
  return { host: host.name, ...spreadOf(taken), processorMsPerAsk: processorMs / (busy * asksEach) };
}

/** The median of the rounds: one that something else on the machine got in the way of does not count. */
function typical(rounds: readonly Round[], host: Host['name']): Measured {
  const own = rounds.filter((one) => one.host === host);
  const median = (figure: keyof Measured): number => medianOf(own.map((one) => one[figure]));
  return {
    count: own.reduce((sum, one) => sum + one.count, 0),
    p50: median('p50'),
    p90: median('p90'),
    p99: median('p99'),
    max: median('max'),
    processorMsPerAsk: median('processorMsPerAsk'),
  };
}

function told(compared: readonly Comparison[]): PartResult {
  return {
    columns: besideRelay,
    rows: compared.flatMap(rowsOf),
    goals: compared.flatMap(goalsOf),
    figures: compared,
  };
}

const rowsOf = ({ busy, relay, beckon }: Comparison): Row[] => [
  ...(['p50', 'p90', 'p99', 'max'] as const).map((share) => ({
    what: `${busy} busy: ${share}`,
    values: compare(relay[share], beckon[share]),
  })),
  {
    what: `${busy} busy: processor per ask`,
    values: compare(relay.processorMsPerAsk, beckon.processorMsPerAsk),
  },
];

const compare = (relay: number, beckon: number): string[] => [
  milliseconds(relay),
  milliseconds(beckon),
  times(beckon / relay),
];

function goalsOf({ busy, relay, beckon }: Comparison): Goal[] {
  if (busy === 1) return [];
  return [
    {
      rule: 'PERF1',
      goal: `${busy} busy: p50 at most 2.5× the relay's`,
      figure: times(beckon.p50 / relay.p50),
      holds: beckon.p50 <= 2.5 * relay.p50,
    },
    {
      rule: 'PERF1',
      goal: `${busy} busy: p99 at most 4 ms more than the relay's`,
      figure: `${milliseconds(beckon.p99 - relay.p99)} more`,
      holds: beckon.p99 <= relay.p99 + 4,
    },
  ];
}
