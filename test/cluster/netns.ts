import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = '/run/netns';
const uplink = 'uplink';
const doorProgram = join(import.meta.dirname, 'door.ts');

/** Why networks cannot be made here, if they cannot. */
export const noNetns: string | undefined = whyNot();

/** The room's address, which is the same from every machine. */
export const roomAddress = '10.77.0.1';

/**
 * Machines on one: each place has a network namespace of its own, and a link to that of the room. They are ended with the process that
 * made them; what a killed one has left is removed by the next.
 */
export class Network {
  readonly #id: string;
  readonly #places: string[] = [];
  readonly #programs: ChildProcess[] = [];

  constructor() {
    made += 1;
    this.#id = `beckon-${process.pid}-${made}`;
    removeLeft();
    this.#add('room');
    ip('-n', this.#name('room'), 'addr', 'add', `${roomAddress}/32`, 'dev', 'lo');
    networks.add(this);
  }

  /** A machine with an ordinary link. */
  link(place: string): void {
    this.#add(place);
    const [here, there] = [this.#name('room'), this.#name(place)];
    ip('link', 'add', `to-${place}`, 'netns', here, 'type', 'veth', 'peer', 'name', uplink, 'netns', there);
    this.#connect(place);
  }

  /** A machine far away: each packet takes its time, and some are lost. */
  async linkFar(place: string, { oneWayMs, lossPercent }: { oneWayMs: number; lossPercent: number }) {
    this.#add(place);
    const ends = [`bk${process.pid}a`, `bk${process.pid}b`];
    const program = join(import.meta.dirname, 'far-wire.pl');
    await this.#start(['perl', program, ...ends, String(oneWayMs), String(lossPercent)]);
    const [here = '', there = ''] = ends;
    ip('link', 'set', here, 'netns', this.#name('room'), 'name', `to-${place}`);
    ip('link', 'set', there, 'netns', this.#name(place), 'name', uplink);
    this.#connect(place);
  }

  cut(place: string): void {
    ip('-n', this.#name('room'), 'link', 'set', `to-${place}`, 'down');
  }

  mend(place: string): void {
    ip('-n', this.#name('room'), 'link', 'set', `to-${place}`, 'up');
  }

  /** What stands before a command that is to be run there. */
  inside(place: string): readonly string[] {
    return ['nsenter', `--net=${join(folder, this.#name(place))}`, '--'];
  }

  /** The addresses at which anything listens there. */
  listening(place: string): string[] {
    const [program = '', ...args] = [...this.inside(place), 'ss', '-Hltn'];
    const rows = execFileSync(program, args, { encoding: 'utf8' }).split('\n');
    return rows.flatMap((row) => row.trim().split(/\s+/)[3] ?? []);
  }

  /** How long it takes from there to the room and back, as its first packet does. */
  roundTripMs(place: string, port: number): number {
    const script = `const begun = performance.now(); require('node:net').connect(${port}, '${roomAddress}', () => {
      process.stdout.write(String(performance.now() - begun)); process.exit(); })`;
    const [program = '', ...args] = [...this.inside(place), process.execPath, '-e', script];
    return Number(execFileSync(program, args, { encoding: 'utf8' }));
  }

  /** What crosses the border of a place: from a socket file to a port on its loopback, or the other way. */
  async door(place: string, from: string, to: string): Promise<void> {
    await this.#start([...this.inside(place), process.execPath, doorProgram, from, to]);
  }

  /** A port on the loopback of a place that leads to one on ours. */
  async lend(place: string, port: number, ours: string, socket: string): Promise<void> {
    await this.#start([process.execPath, doorProgram, socket, ours]);
    await this.door(place, String(port), socket);
  }

  async close(): Promise<void> {
    const ended = this.#programs.map(async (child) => {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    this.end();
    await Promise.all(ended);
  }

  end(): void {
    networks.delete(this);
    for (const child of this.#programs) child.kill('SIGKILL');
    for (const place of this.#places.splice(0)) spawnSync('ip', ['netns', 'del', this.#name(place)]);
  }

  #name(place: string): string {
    return `${this.#id}-${place}`;
  }

  /** Until it says that it is at work. */
  async #start([program = '', ...args]: readonly string[]): Promise<void> {
    // It ends with its input: also when the test is killed.
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#programs.push(child);
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
    });
    await Promise.race([once(child.stdout, 'data'), failed]);
    failed.catch(() => {});
  }

  #add(place: string): void {
    ip('netns', 'add', this.#name(place));
    this.#places.push(place);
    ip('-n', this.#name(place), 'link', 'set', 'lo', 'up');
  }

  #connect(place: string): void {
    const [here, there, subnet] = [this.#name('room'), this.#name(place), `10.77.${this.#places.length}`];
    ip('-n', here, 'addr', 'add', `${subnet}.1/24`, 'dev', `to-${place}`);
    ip('-n', there, 'addr', 'add', `${subnet}.2/24`, 'dev', uplink);
    ip('-n', here, 'link', 'set', `to-${place}`, 'up');
    ip('-n', there, 'link', 'set', uplink, 'up');
    ip('-n', there, 'route', 'add', roomAddress, 'via', `${subnet}.1`);
  }
}

let made = 0;
const networks = new Set<Network>();
process.on('exit', () => {
  for (const network of networks) network.end();
});

/** Ends every network that was made here: behind the end of what runs in them, also where a test has failed. */
export async function endNetworks(): Promise<void> {
  for (const network of [...networks]) await network.close();
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

function removeLeft(): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, pid] = /^beckon-(\d+)-\d+-/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) spawnSync('ip', ['netns', 'del', name]);
  }
}

function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root makes network namespaces';
  const missing = [
    ['ip', '-V'],
    ['ss', '-V'],
    ['nsenter', '-V'],
  ].find(([program = '', ...args]) => spawnSync(program, args).status !== 0);
  if (missing) return `there is no ${missing[0]} here`;
  const name = `beckon-${process.pid}-0-trial`;
  if (spawnSync('ip', ['netns', 'add', name]).status !== 0) return 'this machine makes no network namespaces';
  spawnSync('ip', ['netns', 'del', name]);
  return undefined;
}

/** Why none of them can be far away, if they cannot. */
export const noFarLink: string | undefined =
  noNetns ??
  (existsSync('/dev/net/tun') && spawnSync('perl', ['-MTime::HiRes', '-e', '1']).status === 0
    ? undefined
    : 'there is no /dev/net/tun, or no perl, here');
