import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import {
  type ProcessTable,
  procTable,
  psTable,
  sharingScans,
} from '../../src/drivers/process/process-table.ts';
import { tableTreeEnder } from '../../src/drivers/process/tree-ender.ts';
import { processHostContract } from '../contracts/process-host-contract.ts';
import { orphan, ProcessRoom } from '../support/process-room.ts';
import { isRunning } from '../support/running.ts';

processHostContract('a host whose processes are children', (parts) => {
  const raw: Partial<Record<string, string>> = {};
  const host = new LocalProcessHost({
    ...parts,
    onRaw(_session, direction, chunk) {
      raw[direction] = (raw[direction] ?? '') + chunk.toString('latin1');
    },
  });
  return { host, raw: async () => raw };
});

let room: ProcessRoom;
let host: LocalProcessHost;

beforeEach(() => {
  room = new ProcessRoom();
  host = new LocalProcessHost({ dataDir: room.dir });
});

afterEach(async () => {
  await host.close();
  await room.end();
});

test('[SES7] leftovers of a killed server are found by marker and ended; others are left alone', async () => {
  const server = join(room.dir, 'server.ts');
  const hostModule = new URL('../../src/drivers/process/local-process-host.ts', import.meta.url);
  writeFileSync(
    server,
    `import { LocalProcessHost } from ${JSON.stringify(hostModule.pathname)};
     const host = new LocalProcessHost({ dataDir: ${JSON.stringify(room.dir)} });
     const script = ${JSON.stringify(`${orphan('orphan')}; echo $$ > agent; trap '' TERM; while :; do sleep 1; done`)};
     host.start({ id: 'old', sessionId: 's', command: 'sh', args: ['-c', script], cwd: ${JSON.stringify(room.dir)}, env: { PATH: process.env.PATH } });
     setInterval(() => {}, 1000);`,
  );
  const killed = spawn(process.execPath, [server], { stdio: 'ignore' });
  const agentPid = await room.pidIn('agent');
  const orphanPid = await room.pidIn('orphan');
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect([agentPid, orphanPid].map(isRunning)).toEqual([true, true]);

  const elsewhere = join(room.dir, 'elsewhere');
  mkdirSync(elsewhere);
  const stranger = new LocalProcessHost({ dataDir: elsewhere, leftoverGraceMs: 50 });
  expect(await stranger.endLeftovers()).toEqual({ found: 0, killed: 0, remaining: 0 });

  const second = new LocalProcessHost({ dataDir: room.dir, leftoverGraceMs: 100 });
  const fresh = second.start(room.shell('echo $$ > fresh; exec sleep 600'));
  const freshPid = await room.pidIn('fresh');
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

test('[SES7] leftovers are found by whatever path the data directory is reached', async () => {
  const link = join(room.dir, 'link');
  symlinkSync(room.dir, link);
  host.start(room.shell('echo $$ > agent; exec sleep 600'));
  const agent = await room.pidIn('agent');
  const next = new LocalProcessHost({ dataDir: link, leftoverGraceMs: 500 });
  expect(await next.endLeftovers()).toMatchObject({ found: 1, remaining: 0 });
  expect(isRunning(agent)).toBe(false);
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
  const many = new LocalProcessHost({ dataDir: room.dir, ender: tableTreeEnder(table) });
  const agents = Array.from({ length: 40 }, (_, index) =>
    many.start(room.shell(`echo $$ > many${index}; exec sleep 600`)),
  );
  for (const index of agents.keys()) await room.pidIn(`many${index}`);
  await Promise.all(agents.map((agent) => agent.end()));
  expect(scans()).toBeLessThanOrEqual(10);
  await many.close();
});

test('[SES6] a pid that another process got since is not signalled', async () => {
  const agent = host.start(room.shell('echo $$ > innocent; exec sleep 600'));
  const pid = await room.pidIn('innocent');
  const table = procTable();
  const entry = (await table.scan()).find((candidate) => candidate.pid === pid);
  if (!entry) throw new Error('The process is not in the table');
  await table.signal([{ ...entry, started: '1' }], 'SIGKILL');
  expect(await table.stillRunning([{ ...entry, started: '1' }])).toEqual([]);
  expect(await table.stillRunning([entry])).toEqual([entry]);
  await agent.end();
});

test('[SES6] without /proc the same is done with ps', async () => {
  const onPs = new LocalProcessHost({ dataDir: room.dir, ender: tableTreeEnder(sharingScans(psTable())) });
  const agent = onPs.start(room.shell(`${orphan('orphan')}; echo $$ > root; wait; sleep 600`));
  const pids = [await room.pidIn('orphan'), await room.pidIn('root')];
  await agent.end();
  expect(pids.map(isRunning)).toEqual([false, false]);
});

test('processes end with the server, so that nothing is kept for the next', async () => {
  const agent = host.start(room.shell('echo $$ > agent; exec sleep 600'));
  const pid = await room.pidIn('agent');
  expect(agent.outlivesServer).toBe(false);
  await host.detach();
  expect(isRunning(pid)).toBe(false);
  expect(await host.kept()).toEqual([]);
  expect(host.attach(agent.id, 0)).toBeUndefined();
});
