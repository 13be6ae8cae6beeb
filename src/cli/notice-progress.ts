import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProgressStore, readProgress } from '../reach/progress.ts';
import { readSecretFile, writeSecretFile } from './secret-files.ts';

/** One file a channel: it may hold what was asked. */
export function progressFiles(directory: string): ProgressStore {
  const fileOf = (channel: string): string => `${encodeURIComponent(channel)}.json`;
  return {
    async load(channel) {
      const text = await readSecretFile(join(directory, fileOf(channel)));
      return text === undefined ? undefined : readProgress(text);
    },
    async save(channel, progress) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeSecretFile(join(directory, fileOf(channel)), JSON.stringify(progress));
    },
    async keepOnly(channels) {
      const kept = new Set(channels.map(fileOf));
      const files = await readdir(directory).catch(() => []);
      const old = files.filter((file) => !kept.has(file));
      // One that cannot be removed now is removed at the next start.
      await Promise.allSettled(old.map((file) => rm(join(directory, file), { force: true })));
    },
  };
}
