import { serveArguments } from './hosts/beckon-server.ts';
import { milliseconds, type Part, times } from './part.ts';
import { end, lineOf, start, temporaryDirectory } from './running.ts';
import { medianOf } from './spread.ts';
import { storeSessions } from './stored-sessions.ts';

/** From the call of the program to the line that says it can be used. */
export const startTime: Part = async ({ quick }) => {
  const { runs, stored, events } = quick ? quickPlan : plan;
  const full = temporaryDirectory();
  await storeSessions(
    full,
    Array.from({ length: stored }, () => events),
  );
  // The first start of a version fills the compile cache; a user sees it once.
  await timeToReady(temporaryDirectory());
  const bare: number[] = [];
  const empty: number[] = [];
  const loaded: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    bare.push(await timeToEnd());
    empty.push(await timeToReady(temporaryDirectory()));
    loaded.push(await timeToReady(full));
  }
  const [bareMs, emptyMs, loadedMs] = [bare, empty, loaded].map(medianOf) as [number, number, number];
  return {
    columns: ['node -e 0', 'Beckon', 'ratio'],
    rows: [
      {
        what: 'start to ready, empty',
        values: [milliseconds(bareMs), milliseconds(emptyMs), times(emptyMs / bareMs)],
      },
      {
        what: `start to ready, ${stored} sessions of ${events} events`,
        values: [milliseconds(bareMs), milliseconds(loadedMs), times(loadedMs / bareMs)],
      },
    ],
    goals: [
      {
        rule: 'PERF5',
        goal: 'ready within 1 s, empty',
        figure: milliseconds(emptyMs),
        holds: emptyMs <= 1_000,
      },
      {
        rule: 'PERF5',
        goal: `ready within 1 s, ${stored} sessions stored`,
        figure: milliseconds(loadedMs),
        holds: loadedMs <= 1_000,
      },
    ],
    figures: { bare, empty, loaded },
  };
};

const plan = { runs: 10, stored: 1_000, events: 50 } as const;
const quickPlan = { runs: 3, stored: 200, events: 50 } as const;

async function timeToReady(dataDir: string): Promise<number> {
  const startedAt = performance.now();
  const server = start(process.execPath, serveArguments(dataDir));
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
