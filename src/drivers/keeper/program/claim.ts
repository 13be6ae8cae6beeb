import { chmodSync, linkSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { dial, SilentKeeper } from '../dial.ts';
import {
  keeperNumbers,
  type Places,
  removeName,
  socketPath,
  withShortPath,
  writeKeeperPid,
} from '../places.ts';

/**
 * Makes the server reachable under a number of its own, unless another keeper of our version is: of several that start in the same
 * moment one gets a number, and the others get undefined.
 */
export async function claimNumber(server: Server, places: Places): Promise<number | undefined> {
  if (process.platform === 'win32') return claimPipe(server, places);
  // It listens before it has the name that servers look for, so that a name which refuses is always a dead keeper's.
  const unnamed = join(places.folder, `${process.pid}-${Date.now()}.new`);
  try {
    await listenPrivately(server, unnamed);
    for (;;) {
      const numbers = keeperNumbers(places);
      const others = await Promise.all(numbers.map((number) => look(places, number)));
      if (others.includes('rival')) return undefined;
      const number = (numbers[0] ?? 0) + 1;
      if (!link(unnamed, socketPath(places, number))) continue;
      writeKeeperPid(places, number);
      removeDead(places, numbers, others);
      return (await isSecond(places, number)) ? undefined : number;
    }
  } finally {
    rmSync(unnamed, { force: true });
  }
}

type Other = 'rival' | 'of-another-version' | 'dead';

async function look(places: Places, number: number): Promise<Other> {
  try {
    const link = await dial(places, number, { as: 'visitor', version: 'keeper' });
    link?.destroy();
    if (!link) return 'dead';
    return link.fits ? 'rival' : 'of-another-version';
  } catch (error) {
    if (error instanceof SilentKeeper) return 'rival';
    throw error;
  }
}

/** Names that were removed in between can be given out twice in disorder; then the lower one stays. */
async function isSecond(places: Places, own: number): Promise<boolean> {
  const lower = keeperNumbers(places).filter((number) => number < own);
  const others = await Promise.all(lower.map((number) => look(places, number)));
  if (!others.includes('rival')) return false;
  removeName(places, own);
  return true;
}

function removeDead(places: Places, numbers: readonly number[], others: readonly Other[]): void {
  for (const [index, number] of numbers.entries()) {
    if (others[index] === 'dead') removeName(places, number);
  }
}

/** False when the name is taken. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function listenPrivately(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o177);
  try {
    await withShortPath(path, (short) => listen(server, short));
  } finally {
    // Agents inherit it, and are to have the person's own.
    process.umask(mask);
  }
  chmodSync(path, 0o600);
}

/** The system gives a pipe's name to one process at a time, and takes it back when that ends. */
async function claimPipe(server: Server, places: Places): Promise<number | undefined> {
  for (const number of keeperNumbers(places).toReversed()) {
    if ((await look(places, number)) === 'rival') return undefined;
    const isTaken = await listen(server, socketPath(places, number)).then(
      () => false,
      () => true,
    );
    if (isTaken) continue;
    writeKeeperPid(places, number);
    return number;
  }
  return undefined;
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
