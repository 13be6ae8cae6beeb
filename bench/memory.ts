import {
  type BeckonServer,
  type SessionView,
  spawnServer,
  startSessions,
  whenReady,
} from './hosts/beckon-server.ts';
import { Inspector, type Memory } from './inspector.ts';
import { megabytes, type Part, type PartResult, wholeNumber } from './part.ts';
import { end, temporaryDirectory, within } from './running.ts';

/** What idle sessions cost the server, and whether a session's length does. */
export const memory: Part = async ({ quick }) => {
  const { sessions, events } = quick ? quickPlan : plan;
  const dataDir = temporaryDirectory();
  const child = spawnServer(dataDir, ['--inspect=0']);
  const [server, inspector] = await Promise.all([whenReady(child, dataDir), Inspector.connect(child)]);
  try {
    await startSessions(server, dataDir, warmUpSessions);
    const idle: Idle[] = [{ sessions: 0, memory: await inspector.memory() }];
    for (const step of sessions) {
      await startSessions(server, dataDir, step);
      idle.push({ sessions: (idle.at(-1)?.sessions ?? 0) + step, memory: await inspector.memory() });
    }

    const [long = ''] = await startSessions(server, dataDir, 1);
    await speak(server, long, events / 10);
    const lengths: Length[] = [{ events: await lastSeq(server, long), memory: await inspector.memory() }];
    for (let half = 0; half < 2; half += 1) {
      await speak(server, long, events / 2);
      lengths.push({ events: await lastSeq(server, long), memory: await inspector.memory() });
    }
    return told(idle, lengths);
  } finally {
    inspector.close();
    server.client.close();
    await end(server.process);
  }
};

/** The first sessions bring in code and buffers that all share. */
const warmUpSessions = 5;

const plan = { sessions: [100, 100], events: 20_000 } as const;
const quickPlan = { sessions: [30], events: 4_000 } as const;

interface Idle {
  readonly sessions: number;
  readonly memory: Memory;
}

interface Length {
  readonly events: number;
  readonly memory: Memory;
}

/** Says so many sentences, each of them a stored event. */
async function speak({ client }: BeckonServer, session: string, sentences: number): Promise<void> {
  const turnsOf = async (): Promise<number> =>
    (await client.get<{ session: SessionView }>(`/api/sessions/${session}`)).session.usage.turns;
  const before = await turnsOf();
  await client.post(
    `/api/sessions/${session}/message`,
    JSON.stringify({ message: `!numbered ${Math.round(sentences)}` }),
  );
  const ended = async (): Promise<void> => {
    while ((await turnsOf()) === before) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await within(60_000, ended(), 'the end of a long turn');
}

const lastSeq = async ({ client }: BeckonServer, session: string): Promise<number> =>
  (await client.get<{ session: SessionView }>(`/api/sessions/${session}`)).session.lastSeq;

function told(idle: readonly Idle[], lengths: readonly Length[]): PartResult {
  const perSession = (of: keyof Memory): number => slope(idle.map((one) => [one.sessions, one.memory[of]]));
  const growth = slope(lengths.slice(1).map((one) => [one.events, one.memory.heapUsed])) * 10_000;
  const worst = Math.max(perSession('rss'), perSession('heapUsed') + perSession('external'));
  return {
    columns: ['heap', 'resident'],
    rows: [
      ...idle.map((one) => ({
        what: `${one.sessions} more idle sessions`,
        values: [megabytes(one.memory.heapUsed), megabytes(one.memory.rss)],
      })),
      {
        what: 'per idle session',
        values: [megabytes(perSession('heapUsed')), megabytes(perSession('rss'))],
      },
      ...lengths.map((one) => ({
        what: `one session of ${wholeNumber(one.events)} events`,
        values: [megabytes(one.memory.heapUsed), megabytes(one.memory.rss)],
      })),
    ],
    goals: [
      {
        rule: 'PERF3',
        goal: 'at most 0.5 MB per idle session',
        figure: megabytes(worst),
        holds: worst <= 0.5 * 1_048_576,
      },
      {
        rule: 'PERF3',
        goal: "flat over a session's length: at most 1 MB of heap per 10,000 events",
        figure: megabytes(growth),
        holds: growth <= 1_048_576,
      },
    ],
    figures: { idle, lengths },
  };
}

const slope = (points: readonly (readonly [number, number])[]): number => {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first[0] === last[0]) return Number.NaN;
  return (last[1] - first[1]) / (last[0] - first[0]);
};
