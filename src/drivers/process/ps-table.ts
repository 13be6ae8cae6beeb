import { execFile } from 'node:child_process';
import { markerVariable, type ProcessEntry, type ProcessTable, sendSignal } from './process-table.ts';

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
