import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readSecretFile, writeSecretFile } from './secret-file.ts';

/** How the terminal client finds the server of a data directory. */
export interface ServerFile {
  readonly url: string;
  readonly pid: number;
  readonly startedAt: string;
}

const pathOf = (dataDir: string): string => join(dataDir, 'server.json');

export function writeServerFile(dataDir: string, content: ServerFile): Promise<void> {
  return writeSecretFile(pathOf(dataDir), `${JSON.stringify(content, null, 2)}\n`);
}

export function removeServerFile(dataDir: string): Promise<void> {
  return rm(pathOf(dataDir), { force: true });
}

/** What the file says, if it is there and whole; whether that server still lives, only the lock can tell. */
export async function readServerFile(dataDir: string): Promise<ServerFile | undefined> {
  const text = await readSecretFile(pathOf(dataDir));
  if (text === undefined) return undefined;
  try {
    const { url, pid, startedAt } = JSON.parse(text) as Partial<ServerFile>;
    if (typeof url !== 'string' || typeof pid !== 'number') return undefined;
    return { url, pid, startedAt: startedAt ?? '' };
  } catch {
    return undefined;
  }
}
