import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '../../protocol/errors.ts';
import { writeJson } from './json-file.ts';

const mostKept = 1000;

/**
 * What changes files is done once, however often it is ordered under the same id, also after a kill: what became of it is kept on the
 * disk, and told again. Of a thousand later ones the oldest are forgotten.
 */
export class Orders {
  readonly #folder: string;
  readonly #underWay = new Map<string, Promise<Result<unknown>>>();
  #count: number | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** `ready` settles when what a kill has cut short is finished: its outcome may be known only then. */
  once<T>(id: string, ready: () => Promise<unknown>, work: () => Promise<Result<T>>): Promise<Result<T>> {
    const begun = this.#underWay.get(id) as Promise<Result<T>> | undefined;
    if (begun !== undefined) return begun;
    const outcome = this.#do(id, ready, work).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, outcome);
    return outcome;
  }

  /** What became of it; undefined where it was never done. */
  outcome<T>(id: string): Promise<Result<T> | undefined> {
    return (this.#underWay.get(id) as Promise<Result<T>> | undefined) ?? this.#kept(id);
  }

  async #kept<T>(id: string): Promise<Result<T> | undefined> {
    const text = await readFile(this.#pathOf(id), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as Result<T>);
  }

  /** On the disk before anyone is told. */
  async keep(id: string, outcome: Result<unknown>): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeJson(this.#pathOf(id), outcome);
    await this.#forgetOldest();
  }

  async #do<T>(
    id: string,
    ready: () => Promise<unknown>,
    work: () => Promise<Result<T>>,
  ): Promise<Result<T>> {
    await ready();
    const known = await this.#kept<T>(id);
    if (known !== undefined) return known;
    const outcome = await work();
    // It was not done, and may be done by the next server.
    const isOver = outcome.ok || outcome.refusal.code !== 'shutting_down';
    if (isOver && (await this.#kept(id)) === undefined) await this.keep(id, outcome);
    return outcome;
  }

  async #forgetOldest(): Promise<void> {
    this.#count = (this.#count ?? (await readdir(this.#folder)).length - 1) + 1;
    if (this.#count <= 2 * mostKept) return;
    const names = await readdir(this.#folder);
    const dated = await Promise.all(
      names.map(async (name) => ({ name, at: (await stat(join(this.#folder, name))).mtimeMs })),
    );
    const oldest = dated.sort((one, other) => one.at - other.at).slice(0, -mostKept);
    for (const { name } of oldest) await rm(join(this.#folder, name), { force: true });
    this.#count = names.length - oldest.length;
  }

  #pathOf(id: string): string {
    return join(this.#folder, `${createHash('sha256').update(id).digest('hex')}.json`);
  }
}
