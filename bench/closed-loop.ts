import { tinyAgent } from './hosts/agents.ts';
import { startBeckon } from './hosts/beckon-host.ts';
import type { Host } from './hosts/host.ts';
import { startRelay } from './hosts/relay-host.ts';
import { besideRelays, milliseconds, type Part, profiling, times, wholeNumber } from './part.ts';
import { processorTime, within } from './running.ts';
import { medianOf, spreadOf } from './spread.ts';

const agents = 50;

/** Fifty agents that ask again as soon as they are answered: how many asks a second get through. */
export const closedLoop: Part = async (extent) => {
  const { asksEach, turns } = extent.quick ? quickPlan : plan;
  const agent = tinyAgent;
  const hosts = [
    await startRelay(agents, { agent }),
    await startRelay(agents, { name: 'durable', agent }),
    await startBeckon(agents, { agent, nodeArgs: profiling(extent, 'loop') }),
  ];
  try {
    for (const host of hosts) await chain(host, 20);
    const chains: Chain[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      for (const host of turn % 2 === 0 ? hosts : hosts.toReversed())
        chains.push(await chain(host, asksEach));
    }
    const typical = (name: Host['name'], of: 'perSecond' | 'p50' | 'p99' | 'processorMsPerAsk'): number =>
      medianOf(chains.filter((one) => one.host === name).map((one) => one[of]));
    const row = (of: Parameters<typeof typical>[1], show: (value: number) => string): string[] => {
      const [relay, durable, beckon] = [typical('relay', of), typical('durable', of), typical('beckon', of)];
      return [show(relay), show(durable), show(beckon), times(beckon / relay), times(beckon / durable)];
    };
    const share = typical('beckon', 'perSecond') / typical('durable', 'perSecond');
    return {
      columns: besideRelays,
      rows: [
        { what: `asks a second, ${agents} sessions`, values: row('perSecond', wholeNumber) },
        { what: '  from an answer to the next ask, p50', values: row('p50', milliseconds) },
        { what: '  from an answer to the next ask, p99', values: row('p99', milliseconds) },
        { what: '  processor per ask', values: row('processorMsPerAsk', milliseconds) },
      ],
      goals: [
        {
          rule: 'PERF1',
          goal: "closed loop: at least 0.7× the durable relay's asks a second",
          figure: times(share),
          holds: share >= 0.7,
        },
      ],
      figures: chains,
    };
  } finally {
    await Promise.all(hosts.map((host) => host.close()));
  }
};

const plan = { asksEach: 200, turns: 4 } as const;
const quickPlan = { asksEach: 60, turns: 2 } as const;

interface Chain {
  readonly host: Host['name'];
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly processorMsPerAsk: number;
}

async function chain(host: Host, asksEach: number): Promise<Chain> {
  const answering = await host.answerAll();
  host.asks.takeRoundTrips();
  const before = processorTime(host.process);
  const started = performance.now();
  const turns = host.sessions.map(async (session) => {
    await host.say(session, `!chain ${asksEach}`);
    await answering.turnEnd(session);
  });
  await within(120_000, Promise.all(turns), `the chains of ${host.name}`);
  const seconds = (performance.now() - started) / 1_000;
  const processorMs = processorTime(host.process) - before;
  answering.close();
  const asked = host.sessions.length * asksEach;
  const { p50, p99 } = spreadOf(host.asks.takeRoundTrips());
  return { host: host.name, perSecond: asked / seconds, p50, p99, processorMsPerAsk: processorMs / asked };
}
