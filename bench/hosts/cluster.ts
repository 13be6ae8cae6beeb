import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { addMachine, makeCluster, natsConfigOf } from '../../src/cluster/cluster.ts';
import { stopAgents } from '../../src/drivers/process/run-admin.ts';
import { checkoutProgram } from '../built.ts';
import type { HttpClient } from '../http-client.ts';
import { lineOf, start, temporaryDirectory, within } from '../running.ts';
import { type AgentProgram, pacedAgent } from './agents.ts';

/** NATS on loopback with runners that go to it, all on this machine. */
export interface BenchCluster {
  readonly roomFile: string;
  readonly machines: readonly string[];
  readonly runners: readonly ChildProcess[];
  readonly nats: ChildProcess;
  /** Ends the agents, which outlive their runners. */
  close(): Promise<void>;
  /** Resolves when the server has all of its machines. */
  reached(client: HttpClient): Promise<void>;
}

export const hasNats = spawnSync('nats-server', ['--version']).status === 0;

export async function startCluster(count: number, agent: AgentProgram = pacedAgent): Promise<BenchCluster> {
  const machines = Array.from({ length: count }, (_, at) => `machine-${at + 1}`);
  const { roomFile, fileOf, nats } = await startNats(machines);
  const runners: ChildProcess[] = [];
  const dataDirs = machines.map(() => temporaryDirectory());
  for (const [at, name] of machines.entries()) {
    const args = [`--cluster=${fileOf(name)}`, `--data-dir=${dataDirs[at]}`];
    const runner = start(process.execPath, [checkoutProgram, 'runner', ...args], {
      env: { ...process.env, BECKON_LOG: 'error', BECKON_CLAUDE: agent() },
    });
    runner.stderr?.on('data', (said: Buffer) => process.stderr.write(said));
    await lineOf(runner, 'stdout', 'Beckon runs agents here');
    runners.push(runner);
  }
  return {
    roomFile,
    machines,
    runners,
    nats,
    async close() {
      for (const dataDir of dataDirs) await stopAgents(dataDir);
    },
    async reached(client) {
      const isThere = async (): Promise<boolean> => {
        const { machines: known } = await client.get<{ machines: { state: string }[] }>('/api/machines');
        return known.filter(({ state }) => state === 'reachable').length > count;
      };
      await within(60_000, until(isThere), 'all machines to be reached');
    },
  };
}

/** With the files of a cluster that has these machines. */
export async function startNats(machines: readonly string[]) {
  const dir = temporaryDirectory();
  const address = `127.0.0.1:${await freePort()}`;
  let cluster = makeCluster({ address, listen: address, store: join(dir, 'jetstream') });
  const fileOf = (name: string): string => join(dir, `${name}.json`);
  for (const name of machines) {
    const more = addMachine(cluster, name);
    writeFileSync(fileOf(name), JSON.stringify(more.file), { mode: 0o600 });
    cluster = more.cluster;
  }
  const roomFile = join(dir, 'room.json');
  writeFileSync(roomFile, JSON.stringify(cluster.room), { mode: 0o600 });
  writeFileSync(join(dir, 'nats.conf'), natsConfigOf(cluster), { mode: 0o600 });
  const nats = start('nats-server', ['-c', join(dir, 'nats.conf')], { stdio: 'ignore' });
  await within(30_000, listens(address), 'NATS to listen');
  return { roomFile, fileOf, nats };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function listens(address: string): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  return until(async () => {
    const socket = connect(Number(port), hostname);
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return isOpen;
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}
