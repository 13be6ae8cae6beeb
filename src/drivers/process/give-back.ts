import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputPath, type RunDirectory } from './run-directory.ts';

/**
 * Gives the space of the first `bytes` of a run's output back to the disk. Offsets stay as they are: the file gets a hole. Only
 * Linux has a program for it; elsewhere the file grows until the run is over.
 */
export function giveBack(run: RunDirectory, bytes: number): void {
  const hole = ['--punch-hole', '--offset', '0', '--length', String(bytes), outputPath(run)];
  const puncher = spawn('fallocate', hole, { stdio: 'ignore' });
  puncher.once('error', () => {});
  puncher.once('exit', (code) => {
    if (code === 0) note(run, bytes);
  });
}

/** How much of the beginning of the output is no longer on the disk. */
export function givenBack({ path }: Pick<RunDirectory, 'path'>): number {
  try {
    return Number(readFileSync(join(path, 'given-back'), 'utf8')) || 0;
  } catch {
    return 0;
  }
}

function note({ path }: RunDirectory, bytes: number): void {
  try {
    writeFileSync(join(path, 'given-back'), String(bytes), { mode: 0o600 });
  } catch {
    // The run is over and its directory elsewhere, or the disk is full: then zeroes are read where the hole is.
  }
}
