import { builtProgram, checkoutProgram } from './built.ts';
import { serveArguments, startServer } from './hosts/beckon-server.ts';
import { type Goal, milliseconds, type Part, times, wholeNumber } from './part.ts';
import { end, lineOf, start, temporaryDirectory } from './running.ts';
import { medianOf } from './spread.ts';
import { storeSessions } from './stored-sessions.ts';

const few = 10;

/** From the call of the program to the line that says it can be used; and whether stored sessions slow it, or its lists, down. */
export const startTime: Part = async ({ quick }) => {
  const { runs, stored, events, lists } = quick ? quickPlan : plan;
  const built = builtProgram();
  const [fewDir, manyDir] = [temporaryDirectory(), temporaryDirectory()];
  await storeSessions(fewDir, lengthsOf(few, events));
  await storeSessions(manyDir, lengthsOf(stored, events));
  // The first start of a version fills the compile cache, and the first on a database its summaries; a user sees each once.
  for (const program of [built, checkoutProgram]) await timeToReady(program, temporaryDirectory());
  const firstMs = await timeToReady(built, manyDir);
  const taken: Record<'bare' | 'built' | 'checkout' | 'loaded', number[]> = {
    bare: [],
    built: [],
    checkout: [],
    loaded: [],
  };
  for (let run = 0; run < runs; run += 1) {
    taken.bare.push(await timeToEnd());
    taken.built.push(await timeToReady(built, temporaryDirectory()));
    taken.checkout.push(await timeToReady(checkoutProgram, temporaryDirectory()));
    taken.loaded.push(await timeToReady(built, manyDir));
  }
  const [fewLists, manyLists] = [await listTimes(fewDir, lists), await listTimes(manyDir, lists)];
  const bareMs = medianOf(taken.bare);
  const row = (what: string, ms: number) => ({
    what,
    values: [milliseconds(bareMs), milliseconds(ms), times(ms / bareMs)],
  });
  const goal = (what: string, ms: number, most: number): Goal => ({
    rule: 'PERF5',
    goal: `ready within ${most} ms: ${what}`,
    figure: milliseconds(ms),
    holds: ms <= most,
  });
  const many = `${wholeNumber(stored)} sessions stored`;
  const ratio = medianOf(manyLists.page) / medianOf(fewLists.page);
  return {
    columns: ['node -e 0', 'Beckon', 'ratio'],
    rows: [
      row('start to ready, built', medianOf(taken.built)),
      row('start to ready, checkout', medianOf(taken.checkout)),
      row(`start to ready, built, ${many}`, medianOf(taken.loaded)),
      row('the same, the first time on an old database', firstMs),
      ...(['page', 'found', 'snapshot'] as const).map((what) => ({
        what: `${listNames[what]}, with ${few} and with ${wholeNumber(stored)}`,
        values: [
          milliseconds(medianOf(fewLists[what])),
          milliseconds(medianOf(manyLists[what])),
          times(medianOf(manyLists[what]) / medianOf(fewLists[what])),
        ],
      })),
    ],
    goals: [
      goal('built', medianOf(taken.built), 300),
      goal('checkout', medianOf(taken.checkout), 500),
      goal(`built, ${many}`, medianOf(taken.loaded), 1_000),
      {
        rule: 'PERF5',
        goal: `a page of the list takes at most 2 ms more with ${many}`,
        figure: times(ratio),
        holds: medianOf(manyLists.page) - medianOf(fewLists.page) <= 2,
      },
    ],
    figures: { ...taken, firstMs, fewLists, manyLists },
  };
};

const plan = { runs: 10, stored: 10_000, events: 50, lists: 100 } as const;
const quickPlan = { runs: 3, stored: 2_000, events: 18, lists: 20 } as const;

const lengthsOf = (count: number, events: number): number[] => Array.from({ length: count }, () => events);

const listNames = {
  page: 'a page of 10',
  found: 'a page of 10 that have two words',
  snapshot: 'what a client is told first',
} as const;

async function listTimes(
  dataDir: string,
  runs: number,
): Promise<Record<keyof typeof listNames, readonly number[]>> {
  const { client, process: server } = await startServer(dataDir);
  try {
    const timed = async (work: () => Promise<unknown>): Promise<number[]> => {
      const all: number[] = [];
      for (let run = 0; run < runs + warmUpRuns; run += 1) {
        const startedAt = performance.now();
        await work();
        if (run >= warmUpRuns) all.push(performance.now() - startedAt);
      }
      return all;
    };
    return {
      page: await timed(() => client.get('/api/sessions?limit=10')),
      found: await timed(() => client.get('/api/sessions?limit=10&q=stored%20ses_bench_7')),
      snapshot: await timed(() => firstFrame((onFrame) => client.follow('/api/events', onFrame))),
    };
  } finally {
    client.close();
    await end(server);
  }
}

const warmUpRuns = 5;

async function firstFrame(follow: (onFrame: () => void) => Promise<() => void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = await follow(resolve);
  await promise;
  leave();
}

async function timeToReady(program: string, dataDir: string): Promise<number> {
  const startedAt = performance.now();
  const server = start(process.execPath, serveArguments(dataDir, program));
  await lineOf(server, 'stdout', 'Beckon is ready: ');
  const taken = performance.now() - startedAt;
  await end(server);
  return taken;
}

async function timeToEnd(): Promise<number> {
  const startedAt = performance.now();
  const node = start(process.execPath, ['-e', '0']);
  await new Promise((resolve) => node.once('exit', resolve));
  return performance.now() - startedAt;
}
