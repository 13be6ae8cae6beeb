import { mkdir, stat } from 'node:fs/promises';
import { Failure } from './failure.ts';

/** Makes the directory for one person's eyes. One that is there already keeps its mode: it may be shared on purpose, and every secret in it is a file of mode 0600. */
export async function prepareDataDirectory(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Failure(`the data directory ${dir} cannot be made: ${(error as Error).message}`);
  }
  if (!(await stat(dir)).isDirectory()) throw new Failure(`the data directory ${dir} is no directory`);
}
