import { readFileSync } from 'node:fs';
import { tinyAgent } from './hosts/agents.ts';
import { startBeckon } from './hosts/beckon-host.ts';
import { megabytes, milliseconds, type Part, wholeNumber } from './part.ts';
import { ownProcesses, processorTime, within } from './running.ts';
import { spreadOf } from './spread.ts';

/** A thousand live agents, of which now and then one asks: five asks a second in all. */
export const manySessions: Part = async ({ quick }) => {
  const { sessions, asks } = quick ? quickPlan : plan;
  const host = await startBeckon(sessions, { agent: tinyAgent });
  try {
    const answering = await host.answerAll();
    const ask = async (turn: number): Promise<void> => {
      const session = host.sessions[(turn * 7) % host.sessions.length] ?? '';
      // The second ask comes right behind the answer to the first: what lies between them is the way of an answer.
      await host.say(session, '!chain 2');
      await within(30_000, answering.turnEnd(session), 'the turn of one of many sessions');
    };
    for (let turn = 0; turn < 20; turn += 1) await ask(turn);
    host.asks.takeRoundTrips();
    const before = processorTime(host.process);
    const turns: Promise<void>[] = [];
    for (let turn = 0; turn < asks; turn += 1) {
      turns.push(ask(turn));
      await new Promise((resolve) => setTimeout(resolve, 2 * betweenMs));
    }
    await Promise.all(turns);
    const processor = (processorTime(host.process) - before) / (asks * 2 * betweenMs);
    answering.close();
    const { p50, p99, max } = spreadOf(host.asks.takeRoundTrips());
    const resident = residentBytes(host.process.pid ?? 0);
    const holders = ownProcesses(host.process)
      .slice(1)
      .reduce((sum, pid) => sum + residentBytes(pid), 0);
    return {
      columns: ['p50', 'p99', 'max'],
      rows: [
        {
          what: `${wholeNumber(sessions)} live sessions: from an answer to the next ask`,
          values: [p50, p99, max].map(milliseconds),
        },
        { what: '  share of a processor', values: [`${(processor * 100).toFixed(1)} %`] },
        { what: '  memory of the server', values: [megabytes(resident)] },
        { what: '  memory of the shells that hold the agents', values: [megabytes(holders)] },
      ],
      goals: [
        {
          rule: 'PERF3',
          goal: `${wholeNumber(sessions)} live sessions: p99 at most 10 ms`,
          figure: milliseconds(p99),
          holds: p99 <= 10,
        },
        {
          rule: 'PERF3',
          goal: `${wholeNumber(sessions)} live sessions: server at most 250 MB`,
          figure: megabytes(resident),
          holds: resident <= 250 * 1_048_576,
        },
      ],
      figures: { sessions, p50, p99, max, processor, resident, holders },
    };
  } finally {
    await host.close();
  }
};

const plan = { sessions: 1_000, asks: 100 } as const;
const quickPlan = { sessions: 200, asks: 30 } as const;
const betweenMs = 200;

/** What it does not share with others, and its part of what it shares. */
export function residentBytes(pid: number): number {
  try {
    const [, kilobytes = '0'] = /^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kilobytes) * 1_024;
  } catch {
    return Number.NaN;
  }
}
