import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../engine/ports/event-log.ts';
import type { SessionEnv } from '../engine/ports/session-env.ts';
import { messageOf } from '../protocol/errors.ts';
import type { SessionId } from '../protocol/ids.ts';
import { makeVapidKey } from '../reach/push/vapid.ts';
import { Failure } from './failure.ts';

/** The token of this data directory; programs that know it need not learn it anew after a restart. */
export const keepToken = (dataDir: string): Promise<string> => keepSecret(dataDir, 'token');

/** What the keys of all sessions are made from. It stays the same, so that an agent that outlives a server is known to the next. */
export const keepToolSecret = (dataDir: string): Promise<string> => keepSecret(dataDir, 'tool-secret');

export const readToolSecret = (dataDir: string): Promise<string | undefined> =>
  readSecret(join(dataDir, 'tool-secret'));

/** Makes every key that was made from the old one worthless; a server that runs keeps to the old one until it is restarted. */
export const renewToolSecret = (dataDir: string): Promise<void> =>
  writeSecretFile(join(dataDir, 'tool-secret'), `${newSecret()}\n`);

/** What push services know this server by. With another one, every device would have to switch its notifications on again. */
export const keepPushKey = (dataDir: string): Promise<string> =>
  keepSecret(dataDir, 'push-key', makeVapidKey);

export const readToken = (dataDir: string): Promise<string | undefined> => readSecret(join(dataDir, 'token'));

/** Made once. A file that was copied or restored with wider rights is closed again. */
async function keepSecret(dataDir: string, name: string, make = newSecret): Promise<string> {
  const path = join(dataDir, name);
  const known = await readSecret(path);
  if (known !== undefined) {
    await chmod(path, 0o600);
    return known;
  }
  const secret = make();
  await writeSecretFile(path, `${secret}\n`);
  return secret;
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

async function readSecret(path: string): Promise<string | undefined> {
  const secret = (await readSecretFile(path))?.trim();
  if (secret === undefined || secret === '') return undefined;
  if (secret.length < 32 || !/^[\w-]+$/.test(secret))
    throw new Failure(`${path} holds no usable token; remove the file to get a new one`);
  return secret;
}

/** Keeps the environment of each session in a file of mode 0600: it may hold keys, and the log is read by many. */
export function sessionEnvFiles(directory: string): SessionEnv {
  const pathOf = (sessionId: SessionId) => join(directory, `${encodeURIComponent(sessionId)}.json`);
  return {
    async save(sessionId, env) {
      if (Object.keys(env).length === 0) return;
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeSecretFile(pathOf(sessionId), JSON.stringify(env));
      } catch (cause) {
        const why = `The variables of the session cannot be stored: ${messageOf(cause)}.`;
        throw new StorageError(why, { cause });
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

/** Writes a file that only its owner can read; readers see the old content or the new, never a part. */
export async function writeSecretFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  try {
    await writeWhole(temporary, content);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeWhole(path: string, content: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function readSecretFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
