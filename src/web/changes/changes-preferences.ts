import { create } from 'zustand';
import type { ChangesSince } from '../../protocol/changes.ts';
import { readStored, writeStored } from '../data/stored.ts';
import { sinces } from './changes.logic.ts';

/** How this browser likes to see changes. */
interface ChangesPreferences {
  readonly since: ChangesSince;
  /** Files under their directories, or one under the other. */
  readonly isTree: boolean;
  readonly isListOpen: boolean;
  /** How wide they are beside a conversation, in parts of a hundred. */
  readonly width: number;
}

const name = 'changes';
const defaults: ChangesPreferences = { since: 'start', isTree: true, isListOpen: true, width: 55 };

/** The conversation beside it stays readable, and so does this. */
export const narrowest = 30;
export const widest = 75;

export const useChangesPreferences = create<ChangesPreferences>(() => stored());

export function setChangesPreferences(changes: Partial<ChangesPreferences>): void {
  useChangesPreferences.setState(changes);
  writeStored(name, JSON.stringify(useChangesPreferences.getState()));
}

/** What was kept, as far as it can still be: another version may have written it. */
function stored(): ChangesPreferences {
  let kept: Record<string, unknown> = {};
  try {
    kept = Object(JSON.parse(readStored(name) ?? '{}'));
  } catch {
    // As if nothing was kept.
  }
  const { since, isTree, isListOpen, width } = kept;
  return {
    since: sinces.find((each) => each === since) ?? defaults.since,
    isTree: typeof isTree === 'boolean' ? isTree : defaults.isTree,
    isListOpen: typeof isListOpen === 'boolean' ? isListOpen : defaults.isListOpen,
    width: typeof width === 'number' && width >= narrowest && width <= widest ? width : defaults.width,
  };
}
