import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { accept, messageOf, type Result, refuse } from '../../protocol/errors.ts';
import type { ProgramStart } from '../../runner/ports/program-start.ts';

/** Starts it without a shell, in a group of its own. */
export async function startProgram(start: ProgramStart): Promise<Result<null>> {
  // A file and no pipe: a pipe breaks with the server, and an editor that then prints something would be ended with unsaved work.
  const path = join(start.folder, `${randomUUID()}.out`);
  const output = await open(path, 'ax+', 0o600);
  try {
    const end = await endOf(start, output.fd);
    return end === undefined ? accept(null) : await failure(start.program, end, output);
  } finally {
    await output.close();
    await rm(path, { force: true });
  }
}

/** How it failed; undefined where it did not. */
async function endOf(
  { program, args, cwd, env, waitMs, signal }: ProgramStart,
  output: number,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const stopWaiting = (): void => resolve(undefined);
  const timer = setTimeout(stopWaiting, waitMs);
  signal.addEventListener('abort', stopWaiting);
  try {
    const child: ChildProcess = spawn(program, args, {
      cwd,
      env,
      stdio: ['ignore', output, output],
      detached: true,
    });
    child.unref();
    child.once('error', (error) => resolve(`cannot be started: ${messageOf(error)}`));
    child.once('exit', (code, ended) => {
      if (code === 0) resolve(undefined);
      else resolve(code === null ? `was ended by ${ended}` : `ended with ${code}`);
    });
    if (signal.aborted) resolve(undefined);
    return await promise;
  } catch (error) {
    return `cannot be started: ${messageOf(error)}`;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stopWaiting);
  }
}

/** So much of what it printed is told. */
const mostTold = 1_000;

async function failure(program: string, end: string, output: FileHandle): Promise<Result<never>> {
  const { buffer, bytesRead } = await output.read(Buffer.alloc(mostTold), 0, mostTold, 0);
  const printed = buffer.toString('utf8', 0, bytesRead).trim();
  const said = printed === '' ? 'It printed nothing.' : `It printed: ${printed}`;
  return refuse('editor_failed', `The editor "${basename(program)}" ${end}. ${said}`);
}
