import { type Round, round } from './answer-path.ts';
import { tinyAgent } from './hosts/agents.ts';
import { startBeckon } from './hosts/beckon-host.ts';
import { hasNats, startCluster } from './hosts/cluster.ts';
import { factsPerSecond } from './link-speed.ts';
import { residentBytes } from './many-sessions.ts';
import { type Goal, megabytes, milliseconds, type Part, times, wholeNumber } from './part.ts';
import { within } from './running.ts';
import { medianOf, spreadOf } from './spread.ts';

/** Agents on other machines, over a NATS on loopback: the way of an answer beside the one without, many machines, and facts alone. */
export const machines: Part = async ({ quick }) => {
  if (!hasNats) throw new Error('there is no nats-server here');
  const plan = quick ? quickPlan : wholePlan;
  const path = await answerPaths(plan);
  const many = await manyMachines(plan);
  const facts = await factsPerSecond(plan.facts);
  const ratio = path.far / path.local;
  const what = `${plan.machines} machines with ${plan.sessions / plan.machines} sessions each, ${plan.asksPerSecond} asks a second`;
  const goal = (words: string, figure: string, holds: boolean): Goal => ({
    rule: 'PERF1',
    goal: `machines: ${words}`,
    figure,
    holds,
  });
  return {
    columns: ['here', 'over NATS', 'ratio'],
    rows: [
      {
        what: 'way of an answer, p50',
        values: [milliseconds(path.local), milliseconds(path.far), times(ratio)],
      },
      { what: `${what}: from an answer to the next ask, p50`, values: ['', milliseconds(many.p50)] },
      { what: '  p99', values: ['', milliseconds(many.p99)] },
      { what: '  memory of the room', values: ['', megabytes(many.resident)] },
      { what: 'facts a second over the link', values: ['', wholeNumber(facts)] },
    ],
    goals: [
      goal('an answer over NATS takes at most 2.5× as long, p50', times(ratio), ratio <= 2.5),
      goal(`${what}: p99 at most 25 ms`, milliseconds(many.p99), many.p99 <= 25),
      goal(`${what}: room at most 300 MB`, megabytes(many.resident), many.resident <= 300 * 1_048_576),
      goal('at least 20,000 facts a second', wholeNumber(facts), facts >= 20_000),
    ],
    figures: { path, many, facts, plan },
  };
};

const wholePlan = {
  busy: 20,
  seconds: 3,
  rounds: 4,
  machines: 20,
  sessions: 1_000,
  asksPerSecond: 200,
  asks: 2_000,
  facts: 400_000,
} as const;
const quickPlan = {
  busy: 10,
  seconds: 2,
  rounds: 2,
  machines: 4,
  sessions: 40,
  asksPerSecond: 40,
  asks: 160,
  facts: 60_000,
} as const;
type Plan = typeof wholePlan | typeof quickPlan;

/** Here and there take turns, so that what else the machine does befalls both. */
async function answerPaths({ busy, seconds, rounds }: Plan) {
  const hosts = {
    local: await startBeckon(busy),
    far: await startBeckon(busy, { cluster: await startCluster(1) }),
  };
  try {
    const measured: Record<'local' | 'far', Round[]> = { local: [], far: [] };
    for (const host of Object.values(hosts)) await round(host, busy, 1);
    for (let turn = 0; turn < rounds; turn += 1) {
      for (const name of turn % 2 === 0 ? (['local', 'far'] as const) : (['far', 'local'] as const))
        measured[name].push(await round(hosts[name], busy, seconds));
    }
    const p50 = (name: 'local' | 'far'): number => medianOf(measured[name].map(({ answer }) => answer.p50));
    return { local: p50('local'), far: p50('far'), rounds: measured };
  } finally {
    for (const host of Object.values(hosts)) await host.close();
  }
}

async function manyMachines({ machines, sessions, asksPerSecond, asks }: Plan) {
  const cluster = await startCluster(machines, tinyAgent);
  const host = await startBeckon(sessions, { agent: tinyAgent, cluster });
  try {
    const answering = await host.answerAll();
    const ask = async (turn: number): Promise<void> => {
      const session = host.sessions[(turn * 7) % host.sessions.length] ?? '';
      // The second ask comes right behind the answer to the first: what lies between them is the way of an answer.
      await host.say(session, '!chain 2');
      await within(60_000, answering.turnEnd(session), 'the turn of a session on another machine');
    };
    for (let turn = 0; turn < 20; turn += 1) await ask(turn);
    host.asks.takeRoundTrips();
    const turns: Promise<void>[] = [];
    const begun = performance.now();
    for (let turn = 0; turn < asks / 2; turn += 1) {
      turns.push(ask(turn));
      const next = begun + ((turn + 1) * 2_000) / asksPerSecond;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
    }
    await Promise.all(turns);
    answering.close();
    const { p50, p99 } = spreadOf(host.asks.takeRoundTrips());
    return { p50, p99, resident: residentBytes(host.process.pid ?? 0) };
  } finally {
    await host.close();
  }
}
