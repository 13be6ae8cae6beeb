import type { UndoChoice as Choice, UndoObstacle } from '../../protocol/changes.ts';
import type { PathBytes } from './path-bytes.ts';
import type { Entry, Step } from './store.ts';
import { inTurns } from './turns.ts';

/** A path that is to be put back: from what is expected there to what was there before. */
export interface Wanted {
  readonly path: PathBytes;
  readonly expected: Entry | undefined;
  readonly wanted: Entry | undefined;
}

/** What stands against it. Nothing is done before somebody has said what to do with each. */
export type Obstacle = Omit<UndoObstacle, 'path'> & { readonly path: PathBytes };

export interface PlanInput {
  readonly wanted: readonly Wanted[];
  readonly now: ReadonlyMap<PathBytes, Entry>;
  /** Whether the recording of now, or one of those before, knows nothing of a path. */
  isUnknown(path: PathBytes): boolean;
  /** What lies at a path on the disk, and is not in the recording of now. */
  lies(path: PathBytes): 'nothing' | 'file' | 'folder' | 'other';
  /** Paths below a folder on the disk that no recording has; the first found is enough. */
  hasUnrecordedBelow(folder: PathBytes): boolean;
}

export interface Plan {
  readonly steps: readonly Step[];
  /** Those without a choice, or with one that cannot be followed. */
  readonly obstacles: readonly Obstacle[];
  /** To be recorded before they are overwritten. */
  readonly recordFirst: readonly PathBytes[];
}

/** What is to be done so that the wanted paths are as they were, and what keeps it from being done. */
export async function planRestore(
  input: PlanInput,
  choiceOf: (path: PathBytes) => Choice | undefined,
): Promise<Plan> {
  const obstacles: Obstacle[] = [];
  const recordFirst: PathBytes[] = [];
  const steps = new Map<PathBytes, Step>();
  const against = (obstacle: Obstacle): boolean => {
    const choice = choiceOf(obstacle.path);
    if (choice === 'overwrite' && obstacle.canOverwrite) return true;
    if (choice !== 'leave') obstacles.push(obstacle);
    return false;
  };

  await inTurns(function* () {
    for (const { path, expected, wanted } of input.wanted) {
      yield;
      const now = input.now.get(path);
      if (input.isUnknown(path)) {
        against({ path, why: 'unrecorded', canOverwrite: false });
        continue;
      }
      if (isSameEntry(now, wanted)) continue;
      const lies = now === undefined ? input.lies(path) : 'nothing';
      if (lies === 'file' || lies === 'other') {
        const canOverwrite = lies === 'file';
        if (!against({ path, why: 'in-the-way', canOverwrite })) continue;
        recordFirst.push(path);
      } else if (!isSameEntry(now, expected) && !against({ path, why: 'edited', canOverwrite: true }))
        continue;
      steps.set(path, { path, to: wanted });
    }
  });

  for (const path of await misplaced(input, steps)) {
    steps.delete(path);
    against({ path, why: 'in-the-way', canOverwrite: false });
  }
  return { steps: [...steps.values()], obstacles, recordFirst };
}

export const isSameEntry = (one: Entry | undefined, other: Entry | undefined): boolean =>
  one?.mode === other?.mode && one?.blob === other?.blob;

/** Files that would have to lie where a folder is, or below a file or a link that stays. */
async function misplaced(input: PlanInput, steps: ReadonlyMap<PathBytes, Step>): Promise<PathBytes[]> {
  const stays = (path: PathBytes): boolean => {
    const step = steps.get(path);
    return step === undefined ? input.now.has(path) : step.to !== undefined;
  };
  const folders = new Set<string>();
  const found: PathBytes[] = [];
  const placed = [...steps.values()].filter(({ to }) => to !== undefined);
  await inTurns(function* () {
    let isFolderInTheWay = false;
    for (const { path } of placed) {
      for (const folder of foldersOf(path)) folders.add(folder);
      isFolderInTheWay ||= input.lies(path) === 'folder';
      yield;
    }
    // Where no folder lies there is nothing below; so all files are looked at only for one that is to give way to a file.
    for (const path of isFolderInTheWay ? input.now.keys() : []) {
      if (stays(path)) for (const folder of foldersOf(path)) folders.add(folder);
      yield;
    }
    for (const { path } of placed) {
      const isBelow = foldersOf(path).some((folder) => stays(folder) || isBlocked(input, folder));
      const isAbove = input.lies(path) === 'folder' && input.hasUnrecordedBelow(path);
      if (folders.has(path) || isAbove || isBelow) found.push(path);
      yield;
    }
  });
  return found;
}

/** What is recorded there goes by a step of its own, or stays and was seen before. */
function isBlocked({ now, lies }: PlanInput, folder: PathBytes): boolean {
  if (now.has(folder)) return false;
  const found = lies(folder);
  return found === 'file' || found === 'other';
}

/** `a/b/c` lies in `a` and in `a/b`. */
function foldersOf(path: PathBytes): PathBytes[] {
  const folders: PathBytes[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
    folders.push(path.slice(0, at) as PathBytes);
  return folders;
}
