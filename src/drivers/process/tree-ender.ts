import { execFile } from 'node:child_process';
import { type EndTreeReport, endTree } from './end-tree.ts';
import { holderSuffix } from './holder.ts';
import { procTable } from './proc-table.ts';
import { type ProcessEntry, type ProcessTable, sharingScans } from './process-table.ts';
import { psTable } from './ps-table.ts';
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
  end(root: TreeRoot, killAt: () => number): Promise<EndTreeReport>;
  /** Ends everything whose marker satisfies `picks`, save this process and its ancestors. */
  endMarked(picks: (marker: string) => boolean, killAt: () => number): Promise<EndTreeReport>;
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
