import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { LeftoverReport } from '../../runner/ports/process-host.ts';
import { holderSuffix } from './holder.ts';
import { type ProcessEntry, type ProcessTable, procTable, psTable, sharingScans } from './process-table.ts';
import { wallSuffix } from './walls.ts';

/** The process that leads a tree. */
export interface TreeRoot {
  /** Undefined until it is known. */
  pid(): number | undefined;
  /** The leader of its process group, where that is known to be ours. */
  group: number | undefined;
  marker: string;
  /** Until its exit was seen, the system gives its pid to no other process. */
  hasExited(): boolean;
}

/** Knows how this system ends whole trees of processes. */
export interface TreeEnder {
  end(root: TreeRoot, killAt: () => number): Promise<LeftoverReport>;
  /** Ends everything whose marker satisfies `picks`, save this process and its ancestors. */
  endMarked(picks: (marker: string) => boolean, killAt: () => number): Promise<LeftoverReport>;
  /** The processes of each marker, lowest number first. */
  markers(): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Stops a tree, or lets it go on. */
  signal(root: TreeRoot, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
}

export function treeEnder(platform: NodeJS.Platform = process.platform): TreeEnder {
  if (platform === 'win32') return windowsTreeEnder;
  return tableTreeEnder(sharingScans(platform === 'linux' ? procTable() : psTable()));
}

export function tableTreeEnder(table: ProcessTable): TreeEnder {
  return {
    end: (root, killAt) => endTree({ table, killAt, picks: (entry, all) => isOf(root, entry, all) }),
    endMarked: (picks, killAt) =>
      endTree({
        table,
        killAt,
        picks: (entry, all) =>
          entry.marker !== undefined && picks(entry.marker) && !ownAncestry(all).has(entry.pid),
      }),
    async markers() {
      const markers = new Map<string, number[]>();
      for (const { marker, pid } of (await table.scan()).sort((a, b) => a.pid - b.pid)) {
        if (marker !== undefined) markers.set(marker, [...(markers.get(marker) ?? []), pid]);
      }
      return markers;
    },
    async signal(root, signal) {
      const entries = await table.scan();
      const all = new Map(entries.map((entry) => [entry.pid, entry]));
      await table.signal(
        entries.filter((entry) => isOf(root, entry, all)),
        signal,
      );
    },
  };
}

function isOf(root: TreeRoot, entry: ProcessEntry, all: ReadonlyMap<number, ProcessEntry>): boolean {
  if (entry.marker === root.marker) return true;
  // The shell that holds the agent ends by itself, after it has written down how the agent ended.
  if (entry.marker === `${root.marker}${holderSuffix}`) return false;
  // So does the program that keeps it behind walls, and all that is left behind them with it.
  if (entry.marker === `${root.marker}${wallSuffix}`) return root.hasExited();
  // A group keeps its number until its last member is gone, but once the leader is gone and
  // the number is a process's again, that is a stranger's group.
  if (root.group !== undefined && entry.pgid === root.group) return !root.hasExited() || !all.has(root.group);
  return !root.hasExited() && entry.pid === root.pid();
}

/** A server that one of its own agents started must not end itself as a leftover. */
function ownAncestry(all: ReadonlyMap<number, ProcessEntry>): Set<number> {
  const ancestry = new Set<number>();
  let pid: number | undefined = process.pid;
  while (pid !== undefined && pid > 0 && !ancestry.has(pid)) {
    ancestry.add(pid);
    pid = all.get(pid)?.ppid;
  }
  return ancestry;
}

// Windows keeps no list of orphans' ancestors and shows no environments: the tree can be
// ended only while its root lives.
const windowsTreeEnder: TreeEnder = {
  async end(root) {
    const pid = root.pid();
    if (root.hasExited() || pid === undefined) return { found: 0, killed: 0, remaining: 0 };
    const ended = await taskkill(pid);
    return { found: 1, killed: ended ? 1 : 0, remaining: ended ? 0 : 1 };
  },
  async markers() {
    return new Map();
  },
  async signal() {},
  async endMarked() {
    return { found: 0, killed: 0, remaining: 0 };
  },
};

function taskkill(pid: number): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('taskkill', ['/PID', String(pid), '/T', '/F'], (error) => resolve(error === null));
  });
}

const pollMs = 10;
const killPatienceMs = 5_000;

interface EndTreeOptions {
  table: ProcessTable;
  /** Picks what is to be ended; descendants of what it picks are ended with it. */
  picks(entry: ProcessEntry, all: ReadonlyMap<number, ProcessEntry>): boolean;
  /** On the clock of `performance.now()`; may move closer while it runs. */
  killAt(): number;
}

/**
 * Asks processes and all their descendants to end, then kills what is left. Commands of an
 * agent run in sessions of their own and outlive it, so signalling its group is not enough.
 */
async function endTree({ table, picks, killAt }: EndTreeOptions): Promise<LeftoverReport> {
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
