import type { Entry } from '../../conversation/entries.logic.ts';

/** How many things came after what was last seen; a rule between turns is none. */
export function countNew(entries: readonly Entry[], lastSeen: string | undefined): number {
  let count = 0;
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    if (entry === undefined || entry.key === lastSeen) return count;
    if (entry.kind !== 'row' || entry.row.item.kind !== 'turn-end') count += 1;
  }
  // It is no longer there: nothing can be said of what is new.
  return 0;
}
