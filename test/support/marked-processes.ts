import { readdirSync, readFileSync } from 'node:fs';
import { holderSuffix } from '../../src/drivers/process/holder.ts';
import { ownerOf } from '../../src/drivers/process/owner.ts';

/** The living processes that were started for agents of this data directory, whoever their parent is now. Linux only. */
export const agentProcesses = (dataDir: string): Marked[] =>
  markedProcesses(dataDir).filter(({ marker }) => !marker.endsWith(holderSuffix));

interface Marked {
  readonly pid: number;
  readonly marker: string;
}

/** These, and the shells that hold the agents. */
export function markedProcesses(dataDir: string): Marked[] {
  const isOurs = (marker: string): boolean => marker.startsWith(`${ownerOf(dataDir)}/`);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const marker = markerOf(name);
      return marker !== undefined && isOurs(marker) ? [{ pid: Number(name), marker }] : [];
    });
}

function markerOf(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // A zombie has ended; it only waits for its parent to take note.
    if (stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')) return undefined;
    const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return entries.find((entry) => entry.startsWith('BECKON_PROCESS='))?.slice('BECKON_PROCESS='.length);
  } catch {
    return undefined;
  }
}
