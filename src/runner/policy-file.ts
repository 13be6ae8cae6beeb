import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { PolicyFile } from '../engine/ports/runner.ts';
import type { WorkPlace } from '../engine/ports/workspace.ts';
import { messageOf } from '../protocol/errors.ts';
import { checkDirectory, isWithin } from './directory.ts';
import { isMissing, readText } from './text-file.ts';

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

async function contentOf(path: string): Promise<PolicyFile> {
  const read = await readText(path, mostBytes);
  if ('text' in read) return { content: read.text };
  switch (read.why) {
    case 'missing':
      return { content: null };
    case 'no-file':
      return unreadable('it is no file');
    case 'long':
      return unreadable('it is longer than 64 kB');
    case 'not-text':
      return unreadable('it is not UTF-8');
    case 'unreadable':
      return unreadable(messageOf(read.error));
  }
}

const unreadable = (why: string): PolicyFile => ({
  content: null,
  problem: `The file cannot be read: ${why}.`,
});
