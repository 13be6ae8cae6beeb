import { z } from 'zod';

/** Why nothing can be stored. */
export const StorageProblem = z.enum(['disk-full', 'read-only', 'disk-error']);
export type StorageProblem = z.infer<typeof StorageProblem>;

/** A part of the history that was acknowledged once and is no longer there, or may not be. */
export const MissingHistory = z.object({
  foundAt: z.string(),
  /** When the last event that is still there happened; null where none is. */
  after: z.string().nullable(),
  cause: z.enum(['log-missing', 'log-damaged', 'database-missing']),
  /** The name under which the damaged file was kept, in the data directory. */
  keptAs: z.string().nullable(),
  /** Whether the rest was found to be whole. */
  isRestWhole: z.boolean(),
});
export type MissingHistory = z.infer<typeof MissingHistory>;

/** What is left on the disk for agents: `low` stops those that print faster than they are read, `none` all of them. */
export const Room = z.enum(['enough', 'low', 'none']);
export type Room = z.infer<typeof Room>;

/** Whether what happens can be stored, and whether what happened is all there. It names no path: everyone may read it. */
export const StorageState = z.object({
  ok: z.boolean(),
  problem: StorageProblem.optional(),
  /** The problem as a sentence. */
  reason: z.string().optional(),
  since: z.string().optional(),
  missing: z.array(MissingHistory),
  /** Left out while there is enough. */
  room: Room.exclude(['enough']).optional(),
});
export type StorageState = z.infer<typeof StorageState>;

export const storageReasons: Readonly<Record<StorageProblem, string>> = {
  'disk-full': 'The disk is full.',
  'read-only': 'The disk or the database is read-only.',
  'disk-error': 'The disk reported an error.',
};

export const roomReasons: Readonly<Record<Exclude<Room, 'enough'>, string>> = {
  low: 'The disk is nearly full: agents that print much wait until there is room.',
  none: 'The disk is nearly full: all agents wait until there is room.',
};

export function missingInWords({ after, cause, keptAs, isRestWhole }: MissingHistory): string {
  const what = after === null ? 'Earlier events' : `Events after ${after}`;
  const file = {
    'log-missing': 'the write-ahead log was gone',
    'log-damaged': 'the write-ahead log was damaged',
    'database-missing': 'the database was gone',
  }[cause];
  const kept = keptAs === null ? '' : ` (kept as ${keptAs})`;
  return `${what} may be missing: ${file}${kept}.${isRestWhole ? '' : ' The database itself is damaged, too.'}`;
}
