import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { builtProgram } from './built.ts';
import { type BeckonServer, spawnServer, startSessions, whenReady } from './hosts/beckon-server.ts';
import { type Goal, megabytes, type Part, wholeNumber } from './part.ts';
import { end, temporaryDirectory, within } from './running.ts';
import { storeSessions } from './stored-sessions.ts';

/** What the built program takes of the machine's memory, with the shells that hold its agents, as it comes: nothing is collected first. */
export const resident: Part = async ({ quick }) => {
  const { stored, sessions, asks, restMs } = quick ? quickPlan : plan;
  const program = builtProgram();
  const idle = await measured(program, temporaryDirectory(), async () => {});
  const [fewDir, manyDir] = [temporaryDirectory(), temporaryDirectory()];
  await storeSessions(
    fewDir,
    Array.from({ length: 10 }, () => 50),
  );
  await storeSessions(
    manyDir,
    Array.from({ length: stored }, () => 50),
  );
  // The first start makes the summaries.
  for (const dataDir of [fewDir, manyDir]) await measured(program, dataDir, async () => {});
  const few = await measured(program, fewDir, touchLists);
  const many = await measured(program, manyDir, touchLists);
  const busyDir = temporaryDirectory();
  let withSessions = Number.NaN;
  const afterAsks = await measured(program, busyDir, async (server) => {
    const ids = await startSessions(server, busyDir, sessions);
    await pause(settleMs);
    withSessions = residentBytes(server.process);
    await answerMany(server, ids, Math.ceil(asks / ids.length));
    await pause(restMs);
  });
  const figures = { idle, few, many, withSessions, afterAsks };
  const goal = (what: string, bytes: number, mostMb: number): Goal => ({
    rule: 'PERF3',
    goal: `at most ${mostMb} MB resident: ${what}`,
    figure: megabytes(bytes),
    holds: bytes <= mostMb * 1_048_576,
  });
  return {
    columns: ['resident'],
    rows: [
      { what: 'idle', values: [megabytes(idle)] },
      { what: '10 sessions stored', values: [megabytes(few)] },
      { what: `${wholeNumber(stored)} sessions stored`, values: [megabytes(many)] },
      { what: `${sessions} sessions`, values: [megabytes(withSessions)] },
      {
        what: `the same, ${restMs / 1_000} s after ${wholeNumber(asks)} asks`,
        values: [megabytes(afterAsks)],
      },
    ],
    goals: [
      goal('idle', idle, 95),
      goal(`${sessions} sessions`, withSessions, 125),
      goal(`after ${wholeNumber(asks)} asks`, afterAsks, 180),
      {
        rule: 'PERF3',
        goal: `${wholeNumber(stored)} stored sessions take at most 10 MB more than 10`,
        figure: megabytes(many - few),
        holds: many - few <= 10 * 1_048_576,
      },
    ],
    figures,
  };
};

const plan = { stored: 10_000, sessions: 50, asks: 30_000, restMs: 60_000 } as const;
const quickPlan = { stored: 2_000, sessions: 20, asks: 2_000, restMs: 5_000 } as const;
const settleMs = 2_000;

async function measured(
  program: string,
  dataDir: string,
  use: (server: BeckonServer) => Promise<void>,
): Promise<number> {
  const server = await whenReady(spawnServer(dataDir, [], { program }), dataDir);
  try {
    await use(server);
    await pause(settleMs);
    return residentBytes(server.process);
  } finally {
    server.client.close();
    await end(server.process);
  }
}

/** What a page does: it connects, and looks at a page of the list. */
async function touchLists({ client }: BeckonServer): Promise<void> {
  const leave = await client.follow('/api/events', () => {});
  await client.get('/api/sessions?limit=50&q=stored');
  leave();
}

/** Every session asks as fast as it is answered. */
async function answerMany(
  { client }: BeckonServer,
  sessions: readonly string[],
  each: number,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const left = new Set(sessions);
  const leave = await client.follow('/api/events', ({ event, data }) => {
    const told = JSON.parse(data) as { sessionId: string; requestId: string; status: string };
    if (event === 'approval-requested') {
      const body = JSON.stringify({ requestId: told.requestId, decision: 'allow' });
      client.post(`/api/sessions/${told.sessionId}/approve`, body).catch(reject);
    } else if (event === 'session-updated' && told.status === 'idle') left.delete(told.sessionId);
    if (left.size === 0) resolve();
  });
  const say = JSON.stringify({ message: `!pace ${each} 20` });
  await Promise.all(sessions.map((id) => client.post(`/api/sessions/${id}/message`, say)));
  await within(600_000, promise, 'all asks to be answered');
  leave();
}

/** Of the server all that is resident; of the shells that hold its agents what is their own, for they share the rest. */
function residentBytes({ pid = 0 }: ChildProcess): number {
  const shells = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => shellOf(Number(name)))
    .filter(({ group }) => group === pid);
  return (
    kilobytesIn(`/proc/${pid}/status`, 'VmRSS') * 1_024 + shells.reduce((sum, { bytes }) => sum + bytes, 0)
  );
}

function shellOf(pid: number): { readonly group: number; readonly bytes: number }[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const parent = Number(stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[1]);
    return /^(sh|dash|bash|bwrap)$/.test(name)
      ? [{ group: parent, bytes: kilobytesIn(`/proc/${pid}/smaps_rollup`, 'Pss') * 1_024 }]
      : [];
  } catch {
    return [];
  }
}

const kilobytesIn = (file: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? Number.NaN);
