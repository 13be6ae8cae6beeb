import { setTimeout as delay } from 'node:timers/promises';

/** What runs on this machine, as far as we may see it. */
export interface ProcessTable {
  scan(): Promise<ProcessEntry[]>;
  /** Those of `entries` that still run and are still the same process. */
  stillRunning(entries: readonly ProcessEntry[]): Promise<ProcessEntry[]>;
  /** Signals those of `entries` that are still the same process, and nothing else. */
  signal(entries: readonly ProcessEntry[], signal: TreeSignal): Promise<void>;
}

export type TreeSignal = 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT';

export interface ProcessEntry {
  pid: number;
  ppid: number;
  pgid: number;
  /** With `pid` this is the process's identity: a pid alone may have been given to another. */
  started: string;
  /** The value of the marker variable in its environment, where that can be read. */
  marker: string | undefined;
}

export const markerVariable = 'BECKON_PROCESS';

/** All who ask within `gapMs` get the same scan, and it starts after the last of them asked. */
export function sharingScans(table: ProcessTable, gapMs = 10): ProcessTable {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<ProcessEntry[]> | undefined;

  async function runNext(): Promise<ProcessEntry[]> {
    await Promise.allSettled([running, delay(gapMs)]);
    const scan = table.scan();
    running = scan;
    next = undefined;
    return scan;
  }

  return {
    scan() {
      next ??= runNext();
      return next;
    },
    stillRunning: (entries) => table.stillRunning(entries),
    signal: (entries, signal) => table.signal(entries, signal),
  };
}

/** False when the process is gone or is not ours to signal; 0 only asks. One that has ended and was not reaped yet counts as there. */
export function sendSignal(pid: number, signal: TreeSignal | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
