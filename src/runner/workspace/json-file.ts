import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';

/** Whole and on the disk when it returns: no kill, and no loss of power, leaves a part of it, or forgets it. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(value));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  if (process.platform === 'win32') return;
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}
