import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  /** A directory on a file system of its own. */
  readonly path: string;
  /** Takes every block that is free, but for so many bytes. */
  fill(leaving?: number): void;
  makeRoom(): void;
  remove(): void;
}

/** A real file system that can be full; undefined where none can be mounted, which takes root. */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'beckon-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', path]);
  if (mounted.status !== 0) {
    rmSync(path, { recursive: true });
    return undefined;
  }
  const ballast = join(path, 'ballast');
  return {
    path,
    fill(leaving = 0) {
      const file = openSync(ballast, 'a');
      try {
        for (let size = 1_048_576; size >= 1; size = size > 4_096 ? 4_096 : 0)
          writeAll(file, Buffer.alloc(size), () => leaving === 0 || freeOn(path) - leaving >= size);
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    remove() {
      spawnSync('umount', ['--lazy', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function freeOn(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

function writeAll(file: number, block: Buffer, goesOn: () => boolean): void {
  try {
    while (goesOn()) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
