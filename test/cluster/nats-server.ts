import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';

/** Why the tests over NATS cannot be run here, if they cannot. */
export const noNats: string | undefined =
  spawnSync('nats-server', ['--version']).status === 0 ? undefined : 'there is no nats-server here';

/** Where it is run and listens, where that is not a free port on loopback. */
export interface NatsPlace {
  /** What stands before its command line. */
  readonly through: readonly string[];
  readonly address: string;
  readonly port: number;
}

/** A real nats-server, with a directory of its own. */
export class NatsServer {
  readonly #through: readonly string[];
  readonly #address: string;
  #dir: string | undefined;
  #config: string;
  #process: ChildProcess | undefined;
  #port: number;

  /** `config`: what it is told beside address and store. */
  constructor(config = '', place: NatsPlace = { through: [], address: '127.0.0.1', port: -1 }) {
    this.#config = config;
    this.#through = place.through;
    this.#address = place.address;
    this.#port = place.port;
  }

  get dir(): string {
    this.#dir ??= mkdtempSync(join(tmpdir(), 'beckon-nats-'));
    return this.#dir;
  }

  get #store(): string {
    return join(this.dir, 'store');
  }

  get url(): string {
    return `nats://${this.#address}:${this.#port}`;
  }

  /** Where it was before, if it was. */
  async start(): Promise<void> {
    const ports = mkdtempSync(join(this.dir, 'ports-'));
    writeFileSync(this.#file, this.#config);
    const address = ['-a', this.#address, '-p', String(this.#port), '--ports_file_dir', ports];
    const store = this.#config.includes('store_dir') ? [] : ['-js', '-sd', this.#store];
    const command = [...this.#through, 'nats-server', '-c', this.#file, ...address, ...store];
    this.#process = spawn(command[0] ?? '', command.slice(1), { stdio: 'ignore' });
    await eventually('it listens', () => readdirSync(ports).length > 0 && this.#readPort(ports));
  }

  async kill(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (process === undefined || process.exitCode !== null) return;
    const exited = once(process, 'exit');
    process.kill('SIGKILL');
    await exited;
  }

  /** As after the loss of its disk. */
  empty(): void {
    const [, named] = /store_dir: "([^"]+)"/.exec(this.#config) ?? [];
    rmSync(named ?? this.#store, { recursive: true, force: true });
  }

  /** For its next start. */
  configure(config: string): void {
    this.#config = config;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.dir, 'nats.conf');
  }

  #readPort(ports: string): boolean {
    const [file = ''] = readdirSync(ports);
    const { nats } = JSON.parse(readFileSync(join(ports, file), 'utf8') || '{}') as { nats?: string[] };
    const [address] = nats ?? [];
    if (address === undefined) return false;
    this.#port = Number(new URL(address).port);
    return true;
  }
}
