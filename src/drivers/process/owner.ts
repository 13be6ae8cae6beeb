import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Begins the marker of every process that belongs to this data directory, by whatever path it is reached, and of none that belongs
 * to another. FNV-1a of the path: nobody gains by making two directories alike, and nothing is kept secret by it.
 */
export function ownerOf(dataDir: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(realPath(resolve(dataDir)))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, '0');
}

/** Also of a directory that is not there yet: as it will be called then. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
