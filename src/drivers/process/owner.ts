import { resolve } from 'node:path';

/**
 * Begins the marker of every process that belongs to this data directory, and of none that belongs to another. FNV-1a of the path:
 * nobody gains by making two directories alike, and `node:crypto` would take 3 MB of a keeper's memory.
 */
export function ownerOf(dataDir: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(resolve(dataDir))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, '0');
}
