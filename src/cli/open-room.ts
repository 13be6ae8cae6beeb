import process from 'node:process';
import { StorageError } from '../engine/ports/event-log.ts';
import type { MachineSource } from '../engine/ports/machine.ts';
import type { DirectoryLock } from '../log/directory-lock.ts';
import type { Composed, OwnParts } from './compose.ts';
import type { Environment } from './console.ts';
import {
  readLastPort,
  removeServerFile,
  type ServerFile,
  writeLastPort,
  writeServerFile,
} from './data-directory.ts';
import { Failure } from './failure.ts';
import type { Logger } from './logger.ts';
import { keepToken, keepToolSecret } from './secret-files.ts';
import type { Settings } from './settings.ts';
import { version } from './version.ts';

export interface OpenRoom extends Omit<Composed, 'mount'> {
  /** Settles when other commands can find it, too. */
  mount(origin: string): Promise<Pick<ServerFile, 'url'>>;
  readonly token: string;
  /** Lets the next server have the data directory; when everything else is let go of. */
  release(): Promise<void>;
}

/** The control room on a data directory that was claimed; the claim is given up if it cannot be opened. */
export async function openRoom(
  settings: Settings,
  lock: DirectoryLock,
  parts: {
    readonly env: Environment;
    readonly logger: Logger;
    readonly isEmbedded: boolean;
    readonly own?: OwnParts;
    readonly machines?: MachineSource;
    /** The file that names them. */
    readonly cluster?: string | undefined;
    readonly path?: string;
  },
): Promise<OpenRoom> {
  const { dataDir } = settings;
  try {
    const address = new Address(dataDir, parts.logger);
    const token = await keepToken(dataDir);
    const toolSecret = await keepToolSecret(dataDir);
    // Most of the program; a command line that fails need not wait for it.
    const { compose } = await import('./compose.ts');
    const { env, logger, machines, own = { drivers: [], tools: [] }, path = '' } = parts;
    const composed = await compose(settings, {
      token,
      toolSecret,
      env,
      logger,
      own,
      machines,
      path,
      version: await version(),
      lastPort: await readLastPort(dataDir),
    });
    const publish = ({ url, port }: { readonly url: string; readonly port: number }): Promise<void> =>
      address.publish(port, {
        ...serverFile(url, settings, parts.isEmbedded),
        ...(parts.cluster !== undefined && { cluster: parts.cluster }),
        isolation: composed.isolation,
      });
    return {
      ...composed,
      token,
      async listen() {
        const listening = await composed.listen();
        await publish(listening);
        return listening;
      },
      async mount(origin) {
        const mounted = composed.mount(origin);
        await publish(mounted);
        return mounted;
      },
      async release() {
        await address.withdraw();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw isPlain(error) ? new Failure(error.message) : error;
  }
}

const retryMs = 1_000;

/** The files by which others find this server. A disk that has no room for them keeps it from nothing else: they follow when there is. */
class Address {
  readonly #dataDir: string;
  readonly #logger: Logger;
  #attempt: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #isWithdrawn = false;

  constructor(dataDir: string, logger: Logger) {
    this.#dataDir = dataDir;
    this.#logger = logger;
  }

  publish(port: number, content: ServerFile): Promise<void> {
    this.#attempt = this.#store(port, content).catch((error: NodeJS.ErrnoException) => {
      if (this.#retry === undefined)
        this.#logger.warn(
          { reason: error.message },
          'The address cannot be stored: other commands do not find it',
        );
      if (!this.#isWithdrawn)
        this.#retry = setTimeout(() => void this.publish(port, content), retryMs).unref();
    });
    return this.#attempt;
  }

  async withdraw(): Promise<void> {
    this.#isWithdrawn = true;
    clearTimeout(this.#retry);
    await this.#attempt;
    await removeServerFile(this.#dataDir);
  }

  async #store(port: number, content: ServerFile): Promise<void> {
    await Promise.all([writeLastPort(this.#dataDir, port), writeServerFile(this.#dataDir, content)]);
  }
}

/** Nothing that is wrong with this program. */
const isPlain = (error: unknown): error is Error => error instanceof StorageError;

const serverFile = (url: string, { host, decide, publicUrl }: Settings, isEmbedded: boolean): ServerFile => ({
  url,
  ...(publicUrl !== undefined && { publicUrl: publicUrl.url }),
  host,
  decide,
  pid: process.pid,
  ...(isEmbedded && { isEmbedded }),
  startedAt: new Date().toISOString(),
});
