import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import { procTable } from '../../src/drivers/process/proc-table.ts';
import { type ProcessTable, sharingScans } from '../../src/drivers/process/process-table.ts';
import { psTable } from '../../src/drivers/process/ps-table.ts';
import { tableTreeEnder } from '../../src/drivers/process/tree-ender.ts';
import type { ProcessSpec } from '../../src/engine/ports/process-host.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import { processHostContract } from '../contracts/process-host-contract.ts';
import { isRunning } from '../support/running.ts';

processHostContract('a host whose processes are children', (parts) => new LocalProcessHost(parts));

let dir: string;
let host: LocalProcessHost;
let nextId = 0;
let strays: number[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'beckon-host-'));
  host = new LocalProcessHost({ dataDir: dir });
  strays = [];
});

afterEach(async () => {
  await host.close();
  for (const pid of strays) {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  }
  rmSync(dir, { recursive: true, force: true });
});

function shell(script: string): ProcessSpec {
  return specOf('sh', ['-c', script]);
}

function specOf(command: string, args: string[]): ProcessSpec {
  nextId += 1;
  const env = { PATH: process.env.PATH ?? '' };
  return { id: `p${nextId}`, sessionId: SessionId.parse('s1'), command, args, cwd: dir, env };
}

/** Waits for a fact, for a bounded time. */
async function eventually<T>(what: string, read: () => T | undefined | false): Promise<T> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const value = read();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`Never came true: ${what}`);
    await delay(5);
  }
}

/** The pid that a script wrote into a file of the test's directory. */
async function pidIn(file: string): Promise<number> {
  const path = join(dir, file);
  const pid = await eventually(`${file} holds a pid`, () => {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return text.endsWith('\n') && Number(text);
  });
  strays.push(pid);
  return pid;
}

// Waits for a signal that never comes, in a session of its own, and is no child of its starter's starter.
const orphan = (file: string) => `(setsid sh -c 'echo $$ > ${file}; exec sleep 600' &)`;

test('[SES7] leftovers of a killed server are found by marker and ended; others are left alone', async () => {
  const server = join(dir, 'server.ts');
  const hostModule = new URL('../../src/drivers/process/local-process-host.ts', import.meta.url);
  writeFileSync(
    server,
    `import { LocalProcessHost } from ${JSON.stringify(hostModule.pathname)};
     const host = new LocalProcessHost({ dataDir: ${JSON.stringify(dir)} });
     const script = ${JSON.stringify(`${orphan('orphan')}; echo $$ > agent; trap '' TERM; while :; do sleep 1; done`)};
     host.start({ id: 'old', sessionId: 's', command: 'sh', args: ['-c', script], cwd: ${JSON.stringify(dir)}, env: { PATH: process.env.PATH } });
     setInterval(() => {}, 1000);`,
  );
  const killed = spawn(process.execPath, [server], { stdio: 'ignore' });
  const agentPid = await pidIn('agent');
  const orphanPid = await pidIn('orphan');
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect([agentPid, orphanPid].map(isRunning)).toEqual([true, true]);

  const elsewhere = join(dir, 'elsewhere');
  mkdirSync(elsewhere);
  const stranger = new LocalProcessHost({ dataDir: elsewhere, leftoverGraceMs: 50 });
  expect(await stranger.endLeftovers()).toEqual({ found: 0, killed: 0, remaining: 0 });

  const second = new LocalProcessHost({ dataDir: dir, leftoverGraceMs: 100 });
  const fresh = second.start(shell('echo $$ > fresh; exec sleep 600'));
  const freshPid = await pidIn('fresh');
  const report = await second.endLeftovers();
  expect(report.remaining).toBe(0);
  expect(report.found).toBeGreaterThanOrEqual(2);
  expect(report.killed).toBeGreaterThanOrEqual(1);
  expect([agentPid, orphanPid].map(isRunning)).toEqual([false, false]);
  expect(isRunning(freshPid)).toBe(true);
  await second.close();
  expect(isRunning(freshPid)).toBe(false);
  expect(await fresh.exited).toMatchObject({ kind: 'exited' });
});

function counting(table: ProcessTable): { table: ProcessTable; scans(): number } {
  let scans = 0;
  return {
    scans: () => scans,
    table: sharingScans({
      ...table,
      scan() {
        scans += 1;
        return table.scan();
      },
    }),
  };
}

test('[SES6] ending many at once shares its scans of the process table', async () => {
  const { table, scans } = counting(procTable());
  const many = new LocalProcessHost({ dataDir: dir, ender: tableTreeEnder(table) });
  const agents = Array.from({ length: 40 }, (_, index) =>
    many.start(shell(`echo $$ > many${index}; exec sleep 600`)),
  );
  for (const index of agents.keys()) await pidIn(`many${index}`);
  await Promise.all(agents.map((agent) => agent.end()));
  expect(scans()).toBeLessThanOrEqual(10);
  await many.close();
});

test('[SES6] a pid that another process got since is not signalled', async () => {
  const agent = host.start(shell('echo $$ > innocent; exec sleep 600'));
  const pid = await pidIn('innocent');
  const table = procTable();
  const entry = (await table.scan()).find((candidate) => candidate.pid === pid);
  if (!entry) throw new Error('The process is not in the table');
  await table.signal([{ ...entry, started: '1' }], 'SIGKILL');
  expect(await table.stillRunning([{ ...entry, started: '1' }])).toEqual([]);
  expect(await table.stillRunning([entry])).toEqual([entry]);
  await agent.end();
});

test('[SES6] without /proc the same is done with ps', async () => {
  const onPs = new LocalProcessHost({ dataDir: dir, ender: tableTreeEnder(sharingScans(psTable())) });
  const agent = onPs.start(shell(`${orphan('orphan')}; echo $$ > root; wait; sleep 600`));
  const pids = [await pidIn('orphan'), await pidIn('root')];
  await agent.end();
  expect(pids.map(isRunning)).toEqual([false, false]);
});

test('processes end with the server, so that nothing is kept for the next', async () => {
  const agent = host.start(shell('echo $$ > agent; exec sleep 600'));
  const pid = await pidIn('agent');
  expect(agent.outlivesServer).toBe(false);
  await host.detach();
  expect(isRunning(pid)).toBe(false);
  expect(await host.kept()).toEqual([]);
  expect(host.attach(agent.id, 0)).toBeUndefined();
});
