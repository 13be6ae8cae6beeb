import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/**
 * What is checked out where a directory lies: a branch, or the beginning of a commit; null outside of a repository. It is read from the
 * files: git itself would run what the repository's settings name, in a directory that nobody has decided to trust.
 */
export async function gitBranch(directory: string): Promise<string | null> {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const head = await headOf(at);
    if (head !== undefined) return nameIn(head);
    if (at === dirname(at)) return null;
  }
}

function nameIn(head: string): string | null {
  const [, branch, commit] =
    /^(?:ref: refs\/heads\/([^\p{C}\p{Z}]{1,250})|([0-9a-f]{7})[0-9a-f]{33,57})\n?$/u.exec(head) ?? [];
  return branch ?? commit ?? null;
}

/** What its `.git` says is checked out there; undefined where it has none. */
export async function headOf(directory: string): Promise<string | undefined> {
  const git = join(directory, '.git');
  const head = await beginningOf(join(git, 'HEAD'));
  if (head !== undefined) return head;
  // Of a worktree or a submodule it is a file that says where the rest lies.
  const elsewhere = /^gitdir: (.+)$/m.exec((await beginningOf(git)) ?? '')?.[1];
  return elsewhere === undefined ? undefined : beginningOf(join(resolve(directory, elsewhere), 'HEAD'));
}

const longest = 4096;

/** Opened without waiting: a pipe of that name would never give anything. */
async function beginningOf(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  try {
    if (file === undefined || !(await file.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longest), 0, longest, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
