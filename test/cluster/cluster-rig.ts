import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { Interaction } from '../../src/protocol/interaction.ts';
import type { Machine } from '../../src/protocol/machine.ts';
import {
  type Beckon,
  endBeckons,
  runBeckon,
  type Spawned,
  spawnBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { NatsServer } from './nats-server.ts';
import { endNetworks, type Network, roomAddress } from './netns.ts';

const apiPort = 4040;

export interface ClusterOptions {
  readonly machines: readonly string[];
  /** Room and NATS are in its place `room`, each machine in that of its own name; without it, all on loopback. */
  readonly network?: Network;
  /** For `beckon cluster init`. */
  readonly init?: readonly string[];
  /** The name by which the machines know NATS. */
  readonly host?: string;
}

/** Room, NATS and runners as real processes, made as a person would make them. */
export class ClusterRig {
  readonly dir: string;
  readonly server: NatsServer;
  readonly #network: Network | undefined;
  readonly #door: string;
  #hasDoor = false;

  static async make({ machines, network, init = [], host }: ClusterOptions): Promise<ClusterRig> {
    const dir = join(await temporaryDirectory(), 'cluster');
    const server = network
      ? new NatsServer('', { through: network.inside('room'), address: '0.0.0.0', port: 4222 })
      : new NatsServer();
    servers.push(server);
    const rig = new ClusterRig(dir, server, network);
    // Where there is one network for all, the first start finds the port.
    if (!network) await server.start();
    const { port } = new URL(server.url);
    const listen = `${network ? '0.0.0.0' : '127.0.0.1'}:${port}`;
    const address = `${host ?? (network ? roomAddress : '127.0.0.1')}:${port}`;
    const flags = ['--dir', dir, '--address', address, '--listen', listen, ...init];
    expect(await runBeckon(['cluster', 'init', ...flags])).toMatchObject({ code: 0 });
    for (const machine of machines) {
      const added = await runBeckon(['cluster', 'add', machine, '--dir', dir]);
      expect(added).toMatchObject({ code: 0 });
      writeFileSync(rig.file(machine), added.stdout, { mode: 0o600 });
    }
    await server.kill();
    server.configure(readFileSync(join(dir, 'nats.conf'), 'utf8'));
    await server.start();
    return rig;
  }

  private constructor(dir: string, server: NatsServer, network: Network | undefined) {
    this.dir = dir;
    this.server = server;
    this.#network = network;
    this.#door = join(server.dir, 'door');
  }

  /** What a machine is given. */
  file(machine: string): string {
    return join(this.dir, `${machine}.json`);
  }

  dataDir(machine: string): string {
    return join(this.dir, `data of ${machine}`);
  }

  async startRoom(options: { readonly dataDir?: string } = {}): Promise<Beckon> {
    const args = ['--cluster', join(this.dir, 'room.json')];
    const network = this.#network;
    if (!network) return startBeckon({ ...options, args });
    const through = network.inside('room');
    const beckon = await startBeckon({ ...options, args: [...args, '--port', String(apiPort)], through });
    if (!this.#hasDoor) await network.door('room', this.#door, String(apiPort));
    this.#hasDoor = true;
    const api: Beckon['api'] = (...call) => callThrough(this.#door, beckon, call);
    return { ...beckon, api, run: (words, options) => beckon.run(words, { ...options, through }) };
  }

  /** `env`: what the runner has beside the test's own environment. */
  async startRunner(
    machine: string,
    {
      env,
      args = ['--data-dir', this.dataDir(machine)],
    }: { env?: Record<string, string>; args?: string[] } = {},
  ): Promise<Spawned> {
    const through = this.#network?.inside(machine);
    const options = { ...(env && { env }), ...(through && { through }) };
    const runner = spawnBeckon(['runner', '--cluster', this.file(machine), ...args], options);
    expect(await runner.firstLine).toBe(`Beckon runs agents here as ${machine}`);
    return runner;
  }
}

/** Ends all that was made here, processes and networks: belongs into `afterEach`. */
export async function endClusters(): Promise<void> {
  await endBeckons();
  for (const server of servers.splice(0)) await server.remove();
  await endNetworks();
}

const servers: NatsServer[] = [];

export const kill = async ({ child, exited }: Spawned): Promise<void> => {
  child.kill('SIGKILL');
  await exited;
};

export const machineIs = (beckon: Beckon, name: string, state: Machine['state']): Promise<Machine> =>
  eventually(`${name} is ${state}`, async () => {
    const { body } = await beckon.api('GET', '/api/machines');
    return (body.machines as Machine[]).find((each) => each.name === name && each.state === state);
  });

/** A session on a machine, in a directory of its own. */
export async function sessionOn(beckon: Beckon, machine: string, prompt: string, agent = 'demo') {
  const cwd = join(await temporaryDirectory(), 'work');
  mkdirSync(cwd);
  const created = await beckon.api('POST', '/api/sessions', { agent, machine, cwd, prompt });
  expect(created).toMatchObject({ status: 201, body: { session: { machine } } });
  const id: string = created.body.session.id;
  return { id, cwd };
}

export const askOf = (beckon: Beckon, id: string): Promise<Interaction> =>
  eventually(
    `${id} asks`,
    async () => (await beckon.api('GET', `/api/sessions/${id}/pending`)).body.pending[0],
  );

export const interactionOf = async (beckon: Beckon, id: string, { requestId }: Interaction) =>
  (await beckon.api('GET', `/api/sessions/${id}/interactions/${requestId}`)).body.interaction as Interaction;

export const answered = (beckon: Beckon, id: string, { requestId }: Interaction) =>
  beckon.api('POST', `/api/sessions/${id}/approve`, { requestId, decision: 'allow' });

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type
export async function eventsOf(beckon: Beckon, id: string): Promise<readonly any[]> {
  return (await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`)).body.events;
}

export const idle = (beckon: Beckon, id: string): Promise<boolean> =>
  eventually(
    `${id} is idle`,
    async () => (await beckon.api('GET', `/api/sessions/${id}`)).body.session.status === 'idle',
  );

async function callThrough(
  socketPath: string,
  { url, token }: Beckon,
  [method, path, body]: Parameters<Beckon['api']>,
): ReturnType<Beckon['api']> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Beckon['api']>>>();
  const headers = {
    host: new URL(url).host,
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const sent = request({ socketPath, method, path, headers, agent: false }, async (reply) =>
    resolve({ status: reply.statusCode ?? 0, body: JSON.parse(await text(reply)) }),
  );
  sent.on('error', reject);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}
