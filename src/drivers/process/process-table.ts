import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

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

const sliceMs = 1;

/** Linux: read from /proc, in slices, so that a machine full of processes never stalls the server. */
export function procTable(): ProcessTable {
  // An environment is read once for each process: it is the costly part of a scan.
  let markers = new Map<string, string | undefined>();

  async function scan(): Promise<ProcessEntry[]> {
    const entries: ProcessEntry[] = [];
    const seen = new Map<string, string | undefined>();
    let sliceEnd = performance.now() + sliceMs;
    for (const name of readdirSync('/proc')) {
      const pid = Number(name);
      if (!Number.isInteger(pid)) continue;
      const stat = readStat(pid);
      if (stat) {
        const identity = `${pid}:${stat.started}`;
        const marker = markers.has(identity) ? markers.get(identity) : readMarker(pid);
        if (marker !== null) seen.set(identity, marker);
        entries.push({ ...stat, marker: marker ?? undefined });
      }
      if (performance.now() > sliceEnd) {
        await nextTurn();
        sliceEnd = performance.now() + sliceMs;
      }
    }
    markers = seen;
    return entries;
  }

  return {
    scan,
    async stillRunning(entries) {
      return entries.filter(isSame);
    },
    async signal(entries, signal) {
      for (const entry of entries) if (isSame(entry)) sendSignal(entry.pid, signal);
    },
  };
}

function isSame(entry: ProcessEntry): boolean {
  return readStat(entry.pid)?.started === entry.started;
}

/** Undefined for a process that is gone or only waits to be reaped. */
function readStat(pid: number): Omit<ProcessEntry, 'marker'> | undefined {
  const text = readProc(pid, 'stat')?.toString('latin1');
  if (!text) return undefined;
  // The second field is the command's name, which may hold spaces and parentheses.
  const [state, ppid, pgid, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const started = rest[16];
  if (state === 'Z' || state === 'X' || started === undefined) return undefined;
  return { pid, ppid: Number(ppid), pgid: Number(pgid), started };
}

/** Null when the environment says nothing for now: a process in the midst of exec has none. */
function readMarker(pid: number): string | undefined | null {
  const environ = readProc(pid, 'environ');
  if (!environ || environ.length === 0) return null;
  const prefix = `${markerVariable}=`;
  let at = environ.indexOf(prefix);
  while (at > 0 && environ[at - 1] !== 0) at = environ.indexOf(prefix, at + 1);
  if (at === -1) return undefined;
  const end = environ.indexOf(0, at);
  return environ.toString('utf8', at + prefix.length, end === -1 ? environ.length : end);
}

function readProc(pid: number, file: 'stat' | 'environ'): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`);
  } catch {
    return undefined;
  }
}

/** macOS and other systems without /proc: asks `ps`. */
export function psTable(): ProcessTable {
  async function stillRunning(entries: readonly ProcessEntry[]): Promise<ProcessEntry[]> {
    if (entries.length === 0) return [];
    const now = new Map((await listProcesses()).map((entry) => [entry.pid, entry.started]));
    return entries.filter((entry) => now.get(entry.pid) === entry.started);
  }

  return {
    async scan() {
      const [entries, markers] = await Promise.all([listProcesses(), listMarkers()]);
      return entries.map((entry) => ({ ...entry, marker: markers.get(entry.pid) }));
    },
    stillRunning,
    async signal(entries, signal) {
      for (const entry of await stillRunning(entries)) sendSignal(entry.pid, signal);
    },
  };
}

async function listProcesses(): Promise<ProcessEntry[]> {
  const lines = await ps(['-axo', 'pid=,ppid=,pgid=,stat=,lstart=']);
  return lines.flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
    if (!match) return [];
    const [, pid, ppid, pgid, state, started] = match;
    if (started === undefined || state?.startsWith('Z')) return [];
    return [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), started, marker: undefined }];
  });
}

async function listMarkers(): Promise<Map<number, string>> {
  const marker = new RegExp(`^\\s*(\\d+)\\s.*\\s${markerVariable}=(\\S+)`);
  const markers = new Map<number, string>();
  for (const line of await ps(['axeww', '-o', 'pid=,command='])) {
    const [, pid, value] = marker.exec(line) ?? [];
    if (value !== undefined) markers.set(Number(pid), value);
  }
  return markers;
}

function ps(args: string[]): Promise<string[]> {
  // The C locale: start times are compared as text, and must not change with the language.
  const options = { env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' }, maxBuffer: 256 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile('ps', args, options, (_error, stdout) => resolve(stdout.split('\n')));
  });
}
