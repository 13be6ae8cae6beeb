import { keeperStatus, stopKeeper } from '../../../src/drivers/keeper/keeper-admin.ts';
import {
  KeeperProcessHost,
  type KeeperProcessHostOptions,
} from '../../../src/drivers/keeper/keeper-process-host.ts';
import type { KeeperTuning } from '../../../src/drivers/keeper/launch.ts';
import { ProcessRoom } from '../../support/process-room.ts';
import { Server } from './server.ts';

/** A data directory with keepers, hosts and servers on it, all of which end with the test. */
export class KeeperRoom extends ProcessRoom {
  readonly #servers: Server[] = [];

  host(options: Partial<KeeperProcessHostOptions> = {}): KeeperProcessHost {
    return new KeeperProcessHost({
      dataDir: this.dir,
      version: 'test',
      environment: process.env,
      ...options,
    });
  }

  server(tuning?: KeeperTuning): Server {
    const server = new Server({ dataDir: this.dir, ...(tuning && { tuning }) });
    this.#servers.push(server);
    return server;
  }

  async keeperPid(): Promise<number> {
    const pid = (await keeperStatus(this.dir))?.pid;
    if (pid === undefined) throw new Error('There is no keeper');
    this.strays.push(pid);
    return pid;
  }

  override async end(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.kill()));
    await stopKeeper(this.dir);
    await super.end();
  }
}
