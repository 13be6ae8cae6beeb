import { readdirSync, readFileSync } from 'node:fs';

/** False also for a process that has ended and only waits to be reaped, which `kill(pid, 0)` takes for a running one. */
export function isRunning(pid: number): boolean {
  try {
    const isEnded = /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    // The first thread of one that was killed may be over while others still hold its files and its locks.
    return !isEnded || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** Sends a signal to a process that may just have ended by itself. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
