import { join } from 'node:path';
import { readSecretFile, writeSecretFile } from './secret-file.ts';

const pathOf = (dataDir: string): string => join(dataDir, 'port');

/** The port of the server before, which agents that live on and open pages know. */
export async function readLastPort(dataDir: string): Promise<number | undefined> {
  const port = Number(await readSecretFile(pathOf(dataDir)));
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
}

export const writeLastPort = (dataDir: string, port: number): Promise<void> =>
  writeSecretFile(pathOf(dataDir), `${port}\n`);
