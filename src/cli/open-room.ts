import process from 'node:process';
import { StorageError } from '../engine/ports/event-log.ts';
import type { DirectoryLock } from '../log/directory-lock.ts';
import type { Composed } from './compose.ts';
import type { Environment } from './console.ts';
import { Failure } from './failure.ts';
import type { Logger } from './logger.ts';
import { readLastPort, writeLastPort } from './port-file.ts';
import { removeServerFile, type ServerFile, writeServerFile } from './server-file.ts';
import type { Settings } from './settings.ts';
import { keepToken } from './token-file.ts';
import { keepToolSecret } from './tool-secret.ts';
import { version } from './version.ts';

export interface OpenRoom extends Composed {
  readonly token: string;
  /** Lets the next server have the data directory; when everything else is let go of. */
  release(): Promise<void>;
}

/** The control room on a data directory that was claimed; the claim is given up if it cannot be opened. */
export async function openRoom(
  settings: Settings,
  lock: DirectoryLock,
  parts: { readonly env: Environment; readonly logger: Logger; readonly isEmbedded: boolean },
): Promise<OpenRoom> {
  const { dataDir } = settings;
  try {
    const token = await keepToken(dataDir);
    const toolSecret = await keepToolSecret(dataDir);
    // Most of the program; a command line that fails need not wait for it.
    const { compose } = await import('./compose.ts');
    const { env, logger } = parts;
    const composed = await compose(settings, {
      token,
      toolSecret,
      env,
      logger,
      version: await version(),
      lastPort: await readLastPort(dataDir),
    });
    return {
      ...composed,
      token,
      async listen() {
        const address = await composed.listen();
        await Promise.all([
          writeLastPort(dataDir, address.port),
          writeServerFile(dataDir, serverFile(address.url, settings, parts.isEmbedded)),
        ]);
        return address;
      },
      async release() {
        await removeServerFile(dataDir);
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw isPlain(error) ? new Failure(error.message) : error;
  }
}

/** Nothing that is wrong with this program. */
const isPlain = (error: unknown): error is Error => error instanceof StorageError;

const serverFile = (url: string, { host }: Settings, isEmbedded: boolean): ServerFile => ({
  url,
  host,
  pid: process.pid,
  ...(isEmbedded && { isEmbedded }),
  startedAt: new Date().toISOString(),
});
