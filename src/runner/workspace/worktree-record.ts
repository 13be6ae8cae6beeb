import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SessionWorktree } from '../../protocol/worktree.ts';
import { writeJson } from './json-file.ts';
import { smallFile } from './repository.ts';

/** What is kept of a worktree, beside it: written before anything is done to the repository, so that a kill leaves nothing unknown. */
export const WorktreeRecord = SessionWorktree.extend({
  /** `making` and `removing`: what was begun is finished, or taken back, at the next start. */
  state: z.enum(['making', 'made', 'removing']),
  gitDir: z.string(),
  commonDir: z.string(),
  /** The folder in which the session works, from the top. */
  below: z.string(),
  createdAt: z.string(),
  /** While it is removed: whether its branch goes, too, and where that has to be then. */
  dropsBranchAt: z.string().nullable().optional(),
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
