import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { PolicyFile } from '../engine/ports/runner.ts';
import type { WorkPlace } from '../engine/ports/workspace.ts';
import { messageOf } from '../protocol/errors.ts';
import { checkDirectory, isWithin } from './directory.ts';

const name = join('.beckon', 'policy.json');
const mostBytes = 64 * 1024;

/** What the directory's own policy says. A link that leads out of the directory is not followed: what lies there is not the repository's. */
export async function policyFile(place: WorkPlace): Promise<PolicyFile> {
  const directory = checkDirectory(place);
  // No agent can be started there either.
  if (!directory.ok) return { content: null };
  try {
    const path = await realpath(join(directory.value.real, name));
    return isWithin(path, directory.value.real)
      ? await contentOf(path)
      : unreadable('it is a link that leads out of the directory');
  } catch (error) {
    return isMissing(error) ? { content: null } : unreadable(messageOf(error));
  }
}

/** Opened without waiting: a pipe of that name would never give anything. */
async function contentOf(path: string): Promise<PolicyFile> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    if (!(await file.stat()).isFile()) return unreadable('it is no file');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes + 1), 0, mostBytes + 1, 0);
    if (bytesRead > mostBytes) return unreadable('it is longer than 64 kB');
    return { content: new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, bytesRead)) };
  } catch (error) {
    return error instanceof TypeError ? unreadable('it is not UTF-8') : unreadable(messageOf(error));
  } finally {
    await file.close();
  }
}

const unreadable = (why: string): PolicyFile => ({
  content: null,
  problem: `The file cannot be read: ${why}.`,
});

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
