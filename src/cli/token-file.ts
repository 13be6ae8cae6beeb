import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Failure } from './failure.ts';
import { closeToOthers, readSecretFile, writeSecretFile } from './secret-file.ts';

const pathOf = (dataDir: string): string => join(dataDir, 'token');

/** The token of this data directory, made once; programs that know it need not learn it anew after a restart. */
export async function keepToken(dataDir: string): Promise<string> {
  const known = await readToken(dataDir);
  if (known !== undefined) {
    await closeToOthers(pathOf(dataDir));
    return known;
  }
  const token = randomBytes(32).toString('base64url');
  await writeSecretFile(pathOf(dataDir), `${token}\n`);
  return token;
}

export async function readToken(dataDir: string): Promise<string | undefined> {
  const token = (await readSecretFile(pathOf(dataDir)))?.trim();
  if (token === undefined || token === '') return undefined;
  if (token.length < 32 || !/^[\w-]+$/.test(token)) {
    throw new Failure(`${pathOf(dataDir)} holds no usable token; remove the file to get a new one`);
  }
  return token;
}
