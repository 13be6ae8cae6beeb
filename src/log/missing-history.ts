import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import { MissingHistory } from '../protocol/storage.ts';
import { checkWal, type WalDamage } from './wal-check.ts';

/** Beside the database while it is in use, and after a server that did not end in order: then a write-ahead log must be there. */
export const inUseFile = (path: string): string => `${path}-in-use`;

export interface FoundDamage extends WalDamage {
  readonly at: string;
  /** Undefined until it was tried; null where there was nothing to keep. */
  keptAs: string | null | undefined;
}

export function findDamage(path: string): FoundDamage | undefined {
  const damage = checkWal(path, existsSync(inUseFile(path)));
  return damage && { ...damage, at: new Date().toISOString(), keptAs: undefined };
}

/** Keeps a damaged write-ahead log, before it is written over. Throws if the disk has no room for it. */
export function keepAside(path: string, damage: FoundDamage): void {
  if (damage.keptAs !== undefined) return;
  const log = `${path}-wal`;
  const aside = `${log}.damaged-${damage.at.replaceAll(/[:.]/g, '-')}`;
  try {
    if (damage.isLogOutdated) renameSync(log, aside);
    else copyFileSync(log, aside);
    damage.keptAs = basename(aside);
  } catch (error) {
    rmSync(aside, { force: true });
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    damage.keptAs = null;
  }
}

/** What was found missing, until a person has read it and removed the file. */
const noteFile = (path: string): string => `${path}-missing.json`;

export function readMissing(path: string): readonly MissingHistory[] {
  try {
    return z.array(MissingHistory).parse(JSON.parse(readFileSync(noteFile(path), 'utf8')));
  } catch {
    return [];
  }
}

/** Where it cannot be stored, it is known for as long as this server runs. */
export function storeMissing(path: string, missing: readonly MissingHistory[]): void {
  try {
    writeFileSync(noteFile(path), `${JSON.stringify(missing, null, 2)}\n`, { mode: 0o600 });
  } catch {
    // the log of the server has it, too
  }
}
