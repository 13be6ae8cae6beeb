import { chmod, open, readFile, rename, rm } from 'node:fs/promises';

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

/** A file copied or restored with wider rights is closed again. */
export const closeToOthers = (path: string): Promise<void> => chmod(path, 0o600);
