import { startServer } from './hosts/beckon-server.ts';
import { milliseconds, type Part, times, wholeNumber } from './part.ts';
import { end, temporaryDirectory } from './running.ts';
import { spreadOf } from './spread.ts';
import { storeSessions } from './stored-sessions.ts';

const short = 1_000;

/** Whether opening a long conversation costs more than opening a short one: the newest page, as a client gets it. */
export const opening: Part = async ({ quick }) => {
  const { long, runs } = quick ? quickPlan : plan;
  const dataDir = temporaryDirectory();
  const [shortSession = '', longSession = ''] = await storeSessions(dataDir, [short, long]);
  const { client, process: server } = await startServer(dataDir);
  try {
    const taken: Record<string, number[]> = { [shortSession]: [], [longSession]: [] };
    for (let run = 0; run < runs; run += 1) {
      for (const session of [shortSession, longSession]) {
        const startedAt = performance.now();
        await client.get(`/api/sessions/${session}/events`);
        if (run >= warmUpRuns) taken[session]?.push(performance.now() - startedAt);
      }
    }
    const shortSpread = spreadOf(taken[shortSession] ?? []);
    const longSpread = spreadOf(taken[longSession] ?? []);
    const ratio = longSpread.p50 / shortSpread.p50;
    return {
      columns: [`of ${wholeNumber(short)}`, `of ${wholeNumber(long)}`, 'ratio'],
      rows: (['p50', 'p99'] as const).map((share) => ({
        what: `newest page over HTTP, ${share}`,
        values: [
          milliseconds(shortSpread[share]),
          milliseconds(longSpread[share]),
          times(longSpread[share] / shortSpread[share]),
        ],
      })),
      goals: [
        {
          rule: 'PERF4',
          goal: `first page of ${wholeNumber(long)} events within 2× the time of ${wholeNumber(short)}`,
          figure: times(ratio),
          holds: ratio <= 2,
        },
      ],
      figures: { short: shortSpread, long: longSpread },
    };
  } finally {
    client.close();
    await end(server);
  }
};

const plan = { long: 100_000, runs: 300 } as const;
const quickPlan = { long: 20_000, runs: 80 } as const;
const warmUpRuns = 20;
