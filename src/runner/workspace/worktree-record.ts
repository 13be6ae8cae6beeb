import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SessionWorktree } from '../../protocol/worktree.ts';
import { writeJson } from './json-file.ts';
import { smallFile } from './repository.ts';

export const RemovedRecord = z.object({
  at: z.string(),
  /** What was checked out: a branch, or null for the commit alone. */
  branch: z.string().nullable(),
  commit: z.string(),
  /** Null where all was in commits. */
  recording: z.string().nullable(),
  files: z.number(),
  lost: z.array(z.string()),
});
export type RemovedRecord = z.infer<typeof RemovedRecord>;

/** What is kept of a worktree, beside it: written before anything is done to the repository, so that a kill leaves nothing unknown. */
export const WorktreeRecord = SessionWorktree.extend({
  /** `making`, `removing` and `restoring`: what was begun is finished, or taken back, at the next start. */
  state: z.enum(['making', 'made', 'removing', 'removed', 'restoring']),
  gitDir: z.string(),
  commonDir: z.string(),
  /** The folder in which the session works, from the top. */
  below: z.string(),
  createdAt: z.string(),
  /** While it is removed, or a restore is taken back: whether its branch goes, too, and where that has to be then. */
  dropsBranchAt: z.string().nullable().optional(),
  /** While it is removed: what lies in the folder that was moved away is what was shown, so it goes. */
  isChecked: z.boolean().optional(),
  /** What it takes to bring it back. */
  removed: RemovedRecord.optional(),
});
export type WorktreeRecord = z.infer<typeof WorktreeRecord>;

export class WorktreeRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async all(): Promise<readonly WorktreeRecord[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const read = names.filter((name) => name.endsWith('.json')).map((name) => this.#read(name));
    const records = (await Promise.all(read)).filter((record) => record !== undefined);
    return records.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  }

  find(id: string): Promise<WorktreeRecord | undefined> {
    return this.#read(`${id}.json`);
  }

  /** On the disk when it returns. */
  async write(record: WorktreeRecord): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeJson(join(this.#folder, `${record.id}.json`), record);
  }

  remove(id: string): Promise<void> {
    return rm(join(this.#folder, `${id}.json`), { force: true });
  }

  async #read(name: string): Promise<WorktreeRecord | undefined> {
    const text = (await smallFile(join(this.#folder, name)))?.toString();
    if (text === undefined) return undefined;
    try {
      return WorktreeRecord.parse(JSON.parse(text));
    } catch {
      return undefined;
    }
  }
}
