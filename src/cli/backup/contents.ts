import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The first file of a backup. */
export const Manifest = z.object({
  beckonBackup: z.literal(1),
  /** Of the program that made it. */
  version: z.string(),
  /** Of the database's form. */
  database: z.number(),
  createdAt: z.string(),
});
export type Manifest = z.infer<typeof Manifest>;

export const manifestName = 'beckon-backup.json';
/** The last file of a backup, as `sha256sum` writes and checks it: with it the archive is whole. */
export const sumsName = 'sha256sums';
export const databaseName = 'beckon.db';

/**
 * What is not in a backup: what holds for one machine and one run of the server. The database is copied by its own means.
 * All else is, so that a file which a later version keeps is not forgotten here.
 */
const ofThisRun: readonly RegExp[] = [
  /^server\.(json|lock)$/,
  /^port$/,
  /^(run|mcp|editor)\//,
  /^beckon\.db(-wal|-shm|-journal|-in-use|-wal\.damaged-.*)?$/,
  // They are nothing without their repositories, which are elsewhere; and their links lead anywhere.
  /^worktrees\//,
  // A file that is being written, under the name it has until it is whole.
  /\.\d+\.new$/,
];

const rawFiles = /^raw\//;

/** The files of a data directory that belong into a backup, beside the database: relative, with slashes, in order. */
export async function filesToKeep(dataDir: string, withRaw: boolean): Promise<readonly string[]> {
  const files = await filesBelow(dataDir, '', new Set());
  return files
    .filter((path) => !ofThisRun.some((pattern) => pattern.test(path)) && (withRaw || !rawFiles.test(path)))
    .sort();
}

/** Links are followed, once: a configuration may lie among a person's other dotfiles, and raw output on another disk. */
async function filesBelow(root: string, folder: string, seen: Set<string>): Promise<string[]> {
  const place = join(root, folder);
  const real = await realpath(place);
  if (seen.has(real)) return [];
  seen.add(real);
  const found: string[] = [];
  for (const name of await readdir(place)) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (ofThisRun.some((pattern) => pattern.test(`${path}/`))) continue;
    // It may be gone by now.
    const facts = await stat(join(root, path)).catch(() => undefined);
    if (facts?.isDirectory()) found.push(...(await filesBelow(root, path, seen)));
    else if (facts?.isFile()) found.push(path);
  }
  return found;
}

/** Whether an archive's path stays below the directory it is written to, on every system. */
export const isSafePath = (path: string): boolean =>
  path !== '' &&
  !/[\\:\0]/.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
