import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file as it was, for an editor: nobody else can read it. */
export interface Sides<T> {
  readonly before: T;
  /** Not there where the file itself is what it is compared with. */
  readonly after?: T;
}

const longestKeptMs = 24 * 60 * 60_000;
const mostKept = 50;

/** Writes what a file held into files of their own, under its name, so that the editor knows what kind of file it is. */
export async function writeSides(
  folder: string,
  name: string,
  { before, after }: Sides<Buffer>,
): Promise<Sides<string>> {
  const own = await mkdtemp(join(folder, 'diff-'));
  const write = async (side: 'before' | 'after', content: Buffer): Promise<string> => {
    await mkdir(join(own, side), { mode: 0o700 });
    const path = join(own, side, name);
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return path;
  };
  return { before: await write('before', before), ...(after && { after: await write('after', after) }) };
}

/** Makes the folder for them. It must be one: a link that lies there leads elsewhere. Those that nobody looks at any more are removed. */
export async function prepareFolder(folder: string, now = Date.now()): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is no folder`);
  const found = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name);
      return { path, at: (await lstat(path).catch(() => undefined))?.mtimeMs ?? now };
    }),
  );
  const oldestFirst = found.sort((one, other) => one.at - other.at);
  const surplus = Math.max(0, oldestFirst.length - mostKept);
  const old = oldestFirst.filter(({ at }, index) => index < surplus || now - at > longestKeptMs);
  await Promise.all(old.map(({ path }) => rm(path, { recursive: true, force: true })));
}
