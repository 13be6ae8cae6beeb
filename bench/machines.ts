import { type Round, round } from './answer-path.ts';
import { tinyAgent } from './hosts/agents.ts';
import { type BeckonHost, startBeckon } from './hosts/beckon-host.ts';
import { type BenchCluster, hasNats, startCluster } from './hosts/cluster.ts';
import type { Host } from './hosts/host.ts';
import { startRelay } from './hosts/relay-host.ts';
import { factsPerSecond } from './link-speed.ts';
import { residentBytes } from './many-sessions.ts';
import { type Goal, megabytes, milliseconds, type Part, times, wholeNumber } from './part.ts';
import { machineProcessorTime, ownProcessorTime, within } from './running.ts';
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
    columns: ['here or bare', 'over NATS', 'ratio'],
    rows: [
      {
        what: 'way of an answer, p50',
        values: [milliseconds(path.local), milliseconds(path.far), times(ratio)],
      },
      {
        what: `${what}: from an answer to the next ask, p50`,
        values: [milliseconds(many.bare.p50), milliseconds(many.p50), times(many.p50 / many.bare.p50)],
      },
      {
        what: '  p99 (bare: as many relays, no room and no NATS)',
        values: [milliseconds(many.bare.p99), milliseconds(many.p99), times(many.p99 / many.bare.p99)],
      },
      ...processorRows.map(([who, words]) => ({
        what: `  processor time per ask: ${words}`,
        values: ['', milliseconds(many.perAsk[who])],
      })),
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

const processorRows = [
  ['room', 'room'],
  ['runners', 'runners'],
  ['nats', 'NATS'],
  ['client', 'who asks and answers'],
  ['all', 'all of this computer, with the agents'],
] as const;

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

/** What the room does with all of its machines, beside what this computer does with as many bare relays and none of what lies between. */
async function manyMachines(plan: Plan) {
  const { machines, sessions } = plan;
  const relays: Host[] = [];
  for (let made = 0; made < machines; made += 1)
    relays.push(await startRelay(sessions / machines, { agent: tinyAgent }));
  const bare = await askAll(relays, plan, () => ({}));
  for (const relay of relays) await relay.close();
  const cluster = await startCluster(machines, tinyAgent);
  const host = await startBeckon(sessions, { agent: tinyAgent, cluster });
  try {
    const measured = await askAll([host], plan, () => processorTimes(host, cluster));
    return { ...measured, bare, resident: residentBytes(host.process.pid ?? 0) };
  } finally {
    await host.close();
  }
}

/** Asks come at an even pace, whatever becomes of those before. */
async function askAll<Processor extends Readonly<Record<string, number>>>(
  hosts: readonly Host[],
  { asksPerSecond, asks }: Plan,
  processorTimes: () => Processor,
) {
  const sessions = hosts.flatMap((host) => host.sessions.map((session) => ({ host, session })));
  const answering = new Map(
    await Promise.all(hosts.map(async (host) => [host, await host.answerAll()] as const)),
  );
  const ask = async (turn: number): Promise<void> => {
    const at = sessions[(turn * 7) % sessions.length];
    if (at === undefined) return;
    // The second ask comes right behind the answer to the first: what lies between them is the way of an answer.
    await at.host.say(at.session, '!chain 2');
    const end = answering.get(at.host)?.turnEnd(at.session) ?? Promise.resolve();
    await within(60_000, end, 'the turn of a session on another machine');
  };
  for (let turn = 0; turn < 20; turn += 1) await ask(turn);
  for (const host of hosts) host.asks.takeRoundTrips();
  const turns: Promise<void>[] = [];
  const before = processorTimes();
  const begun = performance.now();
  for (let turn = 0; turn < asks / 2; turn += 1) {
    turns.push(ask(turn));
    const next = begun + ((turn + 1) * 2_000) / asksPerSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
  }
  await Promise.all(turns);
  const after = processorTimes();
  for (const { close } of answering.values()) close();
  const { p50, p99 } = spreadOf(hosts.flatMap((host) => host.asks.takeRoundTrips()));
  const perAsk = Object.fromEntries(
    Object.entries(after).map(([who, time]) => [who, (time - (before[who] ?? 0)) / asks]),
  ) as Processor;
  return { p50, p99, perAsk };
}

/** Milliseconds of processor time so far; `all` is the computer's, with the agents and whatever else runs. */
function processorTimes(host: BeckonHost, { runners, nats }: BenchCluster) {
  const { user, system } = process.cpuUsage();
  return {
    room: ownProcessorTime(host.process),
    runners: runners.reduce((sum, runner) => sum + ownProcessorTime(runner), 0),
    nats: ownProcessorTime(nats),
    client: (user + system) / 1_000,
    all: machineProcessorTime(),
  };
}
