import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { WorkPlace } from '../engine/ports/workspace.ts';
import { isSensitive } from '../model/sensitive-files.ts';
import type { NamedFile } from '../protocol/asked-file.ts';
import { accept, type Result } from '../protocol/errors.ts';
import { checkDirectory, fromHome, isWithin } from './directory.ts';

const longestFile = 1024 * 1024;

type Unread = 'no-file' | 'long' | 'not-text' | 'missing' | 'unreadable';

/** The text of a file, whole or not at all. Opened without waiting: a pipe of that name would never give anything. */
export async function readText(
  path: string,
  mostBytes: number,
): Promise<{ readonly text: string } | { readonly why: Unread; readonly error?: unknown }> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  try {
    await using file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const found = await file.stat();
    if (!found.isFile()) return { why: 'no-file' };
    if (found.size > mostBytes) return { why: 'long' };
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes + 1), 0, mostBytes + 1, 0);
    if (bytesRead > mostBytes) return { why: 'long' };
    return {
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer.subarray(0, bytesRead)),
    };
  } catch (error) {
    if (error instanceof TypeError) return { why: 'not-text' };
    return isMissing(error) ? { why: 'missing' } : { why: 'unreadable', error };
  }
}

/**
 * A file that a call names, if it lies where the session works: in its directory, or in one of the roots. All links are followed
 * first, so that none leads out.
 */
export async function namedFile(place: WorkPlace, path: string): Promise<Result<NamedFile>> {
  const directory = checkDirectory(place);
  if (!directory.ok) return directory;
  const not = (why: NonNullable<NamedFile['why']>): Result<NamedFile> => accept({ path, text: null, why });
  try {
    const real = await realpath(resolve(directory.value.path, fromHome(path)));
    const home = directory.value.real;
    const roots = await Promise.all(place.roots.map((root) => realpath(root).catch(() => undefined)));
    if (![home, ...roots].some((root) => isWithin(real, root))) return not('elsewhere');
    // Where the session works was chosen by a person; what lies there is judged by its name there.
    if (isSensitive(isWithin(real, home) ? relative(home, real) : real, true)) return not('secret');
    const read = await readText(real, longestFile);
    if ('text' in read) return read.text.includes('\0') ? not('not-text') : accept({ path, text: read.text });
    return not(read.why === 'no-file' ? 'not-text' : read.why);
  } catch (error) {
    return not(isMissing(error) ? 'missing' : 'unreadable');
  }
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
