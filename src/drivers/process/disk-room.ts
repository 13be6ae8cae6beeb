import { statfs } from 'node:fs/promises';
import type { Room } from '../../protocol/storage.ts';

const megabyte = 1024 * 1024;
/** What some agents print in the time between two looks, at the speed of a disk; of a small disk, a fiftieth. */
const leastBytes = 512 * megabyte;
const leastShare = 0.02;
/** Below this part of it nothing may be printed: an agent whose own output fails ends, and what it said is lost. */
const lastPart = 1 / 8;
/** So much more must be free before agents go on, or they would be stopped again at once. */
const recovery = 1.5;

export interface Space {
  readonly free: number;
  readonly all: number;
}

/** How much room agents have. */
export function roomIn({ free, all }: Space, before: Room): Room {
  const least = Math.min(leastBytes, all * leastShare) * (before === 'enough' ? 1 : recovery);
  if (free >= least) return 'enough';
  return free >= least * lastPart ? 'low' : 'none';
}

/** Undefined where the system does not tell. */
export async function spaceOn(path: string): Promise<Space | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(path);
    return { free: bavail * bsize, all: blocks * bsize };
  } catch {
    return undefined;
  }
}
