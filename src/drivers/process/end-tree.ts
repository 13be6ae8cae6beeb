import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

const pollMs = 10;
const killPatienceMs = 5_000;

export interface EndTreeOptions {
  table: ProcessTable;
  /** Picks what is to be ended; descendants of what it picks are ended with it. */
  picks(entry: ProcessEntry, all: ReadonlyMap<number, ProcessEntry>): boolean;
  /** On the clock of `performance.now()`; may move closer while it runs. */
  killAt(): number;
}

export interface EndTreeReport {
  found: number;
  killed: number;
  remaining: number;
}

/**
 * Asks processes and all their descendants to end, then kills what is left. Commands of an
 * agent run in sessions of their own and outlive it, so signalling its group is not enough.
 */
export async function endTree({ table, picks, killAt }: EndTreeOptions): Promise<EndTreeReport> {
  // Kept from scan to scan: once a parent is gone its children have another one, and
  // nothing but our note tells that they are ours.
  const noted = new Map<string, ProcessEntry>();
  const asked = new Set<string>();
  const killed = new Set<string>();
  const report = (remaining: number) => ({ found: noted.size, killed: killed.size, remaining });

  for (;;) {
    const left = noteTree(await table.scan(), noted, picks);
    if (left.length === 0) return report(0);
    if (performance.now() < killAt()) {
      const unasked = left.filter((entry) => !asked.has(identity(entry)));
      for (const entry of unasked) asked.add(identity(entry));
      await table.signal(unasked, 'SIGTERM');
      await untilGone(table, left, killAt);
    } else {
      for (const entry of left) killed.add(identity(entry));
      await table.signal(left, 'SIGKILL');
      const giveUpAt = killAt() + killPatienceMs;
      await untilGone(table, left, () => Math.min(giveUpAt, performance.now() + pollMs));
      if (performance.now() > giveUpAt) return report((await table.stillRunning(left)).length);
    }
  }
}

function noteTree(
  entries: readonly ProcessEntry[],
  noted: Map<string, ProcessEntry>,
  picks: EndTreeOptions['picks'],
): ProcessEntry[] {
  const all = new Map(entries.map((entry) => [entry.pid, entry]));
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of entries) {
    const siblings = children.get(entry.ppid);
    if (siblings) siblings.push(entry);
    else children.set(entry.ppid, [entry]);
  }
  const found = new Set(entries.filter((entry) => noted.has(identity(entry)) || picks(entry, all)));
  for (const entry of found) {
    // A server that one of its own agents started must not end itself with it.
    for (const child of children.get(entry.pid) ?? []) if (child.pid !== process.pid) found.add(child);
  }
  for (const entry of found) noted.set(identity(entry), entry);
  return [...found];
}

async function untilGone(table: ProcessTable, entries: ProcessEntry[], until: () => number): Promise<void> {
  let left = await table.stillRunning(entries);
  while (left.length > 0 && performance.now() < until()) {
    await delay(pollMs);
    left = await table.stillRunning(left);
  }
}

function identity(entry: ProcessEntry): string {
  return `${entry.pid}:${entry.started}`;
}
