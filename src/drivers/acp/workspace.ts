import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

const mostBytes = 10 * 1024 * 1024;

/** What an agent may not do with a file, in words for it and for the person. */
export class WorkspaceRefusal extends Error {
  override readonly name = 'WorkspaceRefusal';
  readonly isOutside: boolean;

  constructor(message: string, isOutside = false) {
    super(message);
    this.isOutside = isOutside;
  }
}

/** The session's directory, as far as an agent may reach through us: links that lead out of it are not followed. */
export class Workspace {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** The place a path leads to, with links resolved; refused when that is outside. */
  async placeOf(path: string): Promise<string> {
    const root = await realpath(this.#root);
    const place = await realPlace(resolve(root, path));
    const below = relative(root, place);
    if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) {
      throw new WorkspaceRefusal(`${path} is outside the session's directory ${this.#root}`, true);
    }
    return place;
  }

  /** `line` counts from 1. */
  async read(path: string, line = 1, limit = Number.POSITIVE_INFINITY): Promise<string> {
    const text = await contentOf(await this.placeOf(path), path);
    if (text === undefined) throw new WorkspaceRefusal(`${path} does not exist`);
    if (line <= 1 && limit === Number.POSITIVE_INFINITY) return text;
    const from = Math.max(0, line - 1);
    return text
      .split('\n')
      .slice(from, from + limit)
      .join('\n');
  }

  /** Returns what the file held before; null for a new one. */
  async write(
    path: string,
    content: string,
  ): Promise<{ readonly place: string; readonly before: string | null }> {
    const place = await this.placeOf(path);
    if (Buffer.byteLength(content) > mostBytes) throw new WorkspaceRefusal(`${path} would be too large`);
    const before = (await contentOf(place, path)) ?? null;
    await mkdir(dirname(place), { recursive: true });
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
    const file = await open(place, O_WRONLY | O_CREAT | O_TRUNC | (O_NOFOLLOW ?? 0));
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
    return { place, before };
  }
}

/** Of a path that is not there yet, the part that is decides where it leads. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) {
      throw new WorkspaceRefusal(`${path} cannot be reached: ${(error as Error).message}`);
    }
  }
  const itself = await lstat(path).catch(() => undefined);
  // Writing to a link that leads nowhere yet would create the file it names, wherever that is.
  if (itself) throw new WorkspaceRefusal(`${path} is a link that leads nowhere`);
  return join(await realPlace(dirname(path)), basename(path));
}

async function contentOf(place: string, path: string): Promise<string | undefined> {
  const stats = await lstat(place).catch(() => undefined);
  if (!stats) return undefined;
  // A pipe or a device would keep us reading for ever.
  if (!stats.isFile()) throw new WorkspaceRefusal(`${path} is no file`);
  if (stats.size > mostBytes) throw new WorkspaceRefusal(`${path} is too large: ${stats.size} bytes`);
  const file = await open(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
