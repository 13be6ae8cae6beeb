import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Failure } from './failure.ts';
import { closeToOthers, readSecretFile, writeSecretFile } from './secret-file.ts';

/** What the keys of all sessions are made from. It stays the same, so that an agent that outlives a server is known to the next. */
export async function keepToolSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'tool-secret');
  const known = (await readSecretFile(path))?.trim();
  if (known !== undefined && known !== '') {
    if (known.length < 32)
      throw new Failure(`${path} holds no usable secret; remove the file to get a new one`);
    await closeToOthers(path);
    return known;
  }
  const secret = randomBytes(32).toString('base64url');
  await writeSecretFile(path, `${secret}\n`);
  return secret;
}
