import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { markerVariable, type ProcessEntry, type ProcessTable, sendSignal } from './process-table.ts';

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
