import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../engine/ports/event-log.ts';
import type { SessionEnv } from '../engine/ports/session-env.ts';
import type { SessionId } from '../protocol/ids.ts';
import { writeSecretFile } from './secret-file.ts';

/** Keeps the environment of each session in a file of mode 0600: it may hold keys, and the log is read by many. */
export function sessionEnvFiles(directory: string): SessionEnv {
  const pathOf = (sessionId: SessionId) => join(directory, `${encodeURIComponent(sessionId)}.json`);
  return {
    async save(sessionId, env) {
      if (Object.keys(env).length === 0) return;
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeSecretFile(pathOf(sessionId), JSON.stringify(env));
      } catch (error) {
        throw new StorageError(
          `The variables of the session cannot be stored: ${(error as Error).message}.`,
          {
            cause: error,
          },
        );
      }
    },
    load(sessionId) {
      try {
        return JSON.parse(readFileSync(pathOf(sessionId), 'utf8')) as Record<string, string>;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
        throw error;
      }
    },
    remove: (sessionId) => rm(pathOf(sessionId), { force: true }),
  };
}
