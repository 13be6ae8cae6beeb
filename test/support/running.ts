import { readFileSync } from 'node:fs';

/** False also for a process that has ended and only waits to be reaped, which `kill(pid, 0)` takes for a running one. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
