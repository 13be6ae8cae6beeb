import { createHash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { UndoChoice as Choice, UndoObstacle } from '../../protocol/changes.ts';
import { accept, type Result } from '../../protocol/errors.ts';
import { blobOf, entriesBetween, entriesOf } from './entries.ts';
import { writeJson } from './json-file.ts';
import { type PathBytes, toldPath } from './path-bytes.ts';
import { looker, placeOf } from './recording.ts';
import { isSameEntry, type Obstacle, type PlanInput, planRestore, type Wanted } from './restore-plan.ts';
import {
  coversPath,
  type Entry,
  findRecording,
  journalPath,
  keepTree,
  type Recording,
  readJournal,
  type Step,
  type Store,
  treeWith,
} from './store.ts';

export interface RestoreOrder {
  /** The recordings at the beginning and at the end of what is to be undone. */
  readonly before: Recording;
  readonly after: Recording;
  /** What to do with paths that something stands against, by their told names; `rest` holds for all others. */
  readonly choices?: { readonly [path: string]: Choice };
  readonly rest?: Choice;
  /** As it came with the obstacles; without it, or where one of them has changed since, nothing is overwritten. */
  readonly shown?: string;
  /** Under which it is done once. */
  readonly orderId?: string;
}

/** Undone by the same means: what leads from `before` to `after` is what was done here. */
export type Restored =
  | {
      readonly done: true;
      readonly before: Recording;
      readonly after: Recording;
      readonly paths: readonly string[];
    }
  /** Nothing was changed. */
  | {
      readonly done: false;
      readonly obstacles: readonly UndoObstacle[];
      /** Names them with what lies there now. */
      readonly shown: string;
    };

/** Records all files as they are now, also these that are ignored. */
export type RecordNow = (also?: readonly PathBytes[]) => Promise<Result<Recording>>;

/** Keeps what became of a restore, before it is forgotten that it was begun. */
export type KeepOutcome = (journal: Journal) => Promise<void>;

/** Puts the paths that changed between two recordings back to how they were before. All other files are left alone. */
export async function restore(
  store: Store,
  order: RestoreOrder,
  { recordNow, keepOutcome }: { readonly recordNow: RecordNow; readonly keepOutcome: KeepOutcome },
): Promise<Result<Restored>> {
  const { before, after, choices = {}, rest } = order;
  const changed = await entriesBetween(store, before, after);
  if (!changed.ok) return changed;
  const wanted = changed.value.map(
    (change): Wanted => ({ path: change.path, expected: change.after, wanted: change.before }),
  );

  let now = await recordNow();
  if (!now.ok) return now;
  let planning = await planningFor(store, now.value, wanted);
  if (!planning.ok) return planning;
  const { obstacles: all } = await planRestore(planning.value, () => undefined);
  const shown = digestOf(store, all, planning.value);
  const choice = (path: PathBytes): Choice | undefined => {
    const chosen = Object.hasOwn(choices, toldPath(path)) ? choices[toldPath(path)] : rest;
    return chosen === 'overwrite' && order.shown !== shown ? undefined : chosen;
  };
  let plan = await planRestore(planning.value, choice);
  if (plan.obstacles.length === 0 && plan.recordFirst.length > 0) {
    now = await recordNow(plan.recordFirst);
    if (!now.ok) return now;
    planning = await planningFor(store, now.value, wanted);
    if (!planning.ok) return planning;
    plan = await planRestore(planning.value, choice);
  }
  const { steps, obstacles } = plan;
  if (obstacles.length > 0) {
    const told = obstacles.map((one) => ({ ...one, path: toldPath(one.path) }));
    return accept({ done: false, obstacles: told, shown });
  }

  const target = await recordingWith(store, now.value, steps);
  if (!target.ok) return target;
  const paths = steps.map(({ path }) => toldPath(path));
  const { orderId } = order;
  const journal = { now: now.value.id, target: target.value.id, paths, ...(orderId && { orderId }) };
  await writeJournal(store.gitDir, journal);
  const moved = await moveTo(store, now.value, target.value);
  if (!moved.ok) {
    // Git looks at everything before it changes anything; what it changed all the same, as when the disk was full, is put back.
    const back = await settle(store, { from: target.value, to: now.value }, recordNow);
    if (back.ok) await removeJournal(store.gitDir);
    return moved;
  }
  await keepOutcome(journal);
  await removeJournal(store.gitDir);
  return accept({ done: true, before: now.value, after: target.value, paths });
}

/** Goes on with a restore that was cut short by a kill. */
export async function finishRestore(
  store: Store,
  { recordNow, keepOutcome }: { readonly recordNow: RecordNow; readonly keepOutcome: KeepOutcome },
): Promise<Result<void>> {
  const journal = (await readJournal(store.gitDir)) as Journal | undefined;
  if (journal === undefined) return accept(undefined);
  const [from, to] = [await findRecording(store, journal.now), await findRecording(store, journal.target)];
  if (!from.ok) return from;
  if (!to.ok) return to;
  const settled = await settle(store, { from: from.value, to: to.value }, recordNow);
  if (!settled.ok) return settled;
  await keepOutcome(journal);
  await removeJournal(store.gitDir);
  return settled;
}

/** Brings what was left between two recordings to the second. What is like neither of them was edited by somebody since, and stays. */
async function settle(
  store: Store,
  { from, to }: { readonly from: Recording; readonly to: Recording },
  recordNow: RecordNow,
): Promise<Result<void>> {
  const changed = await entriesBetween(store, from, to);
  if (!changed.ok) return changed;
  const now = await recordNow();
  if (!now.ok) return now;
  const entries = await entriesOf(store, now.value);
  if (!entries.ok) return entries;
  const wanted: Wanted[] = [];
  for (const { path, before, after } of changed.value) {
    const found = entries.value.get(path);
    const isCut = !isSameEntry(found, before) && (await isCutShort(store, found, before, after));
    wanted.push({ path, expected: isCut ? found : before, wanted: after });
  }
  const planning = await planningFor(store, now.value, wanted);
  if (!planning.ok) return planning;
  const { steps } = await planRestore(planning.value, () => 'leave');
  const target = await recordingWith(store, now.value, steps);
  return target.ok ? moveTo(store, now.value, target.value) : target;
}

/** Git removes a file before it writes the new one: it may have been killed with none of it written, or a part. */
async function isCutShort(
  store: Store,
  found: Entry | undefined,
  before: Entry | undefined,
  after: Entry | undefined,
): Promise<boolean> {
  if (after === undefined) return false;
  if (found === undefined) return before !== undefined;
  if (found.mode !== after.mode) return false;
  const [part, whole] = [await blobOf(store, found), await blobOf(store, after)];
  if (!part.ok || !whole.ok) return false;
  return (
    part.value.length < whole.value.length && whole.value.subarray(0, part.value.length).equals(part.value)
  );
}

/** What lies in the way, by its content where it is recorded, and otherwise by what the disk says of it. */
function digestOf(store: Store, obstacles: readonly Obstacle[], { now }: PlanInput): string {
  const lying = (path: PathBytes): string => {
    const entry = now.get(path);
    if (entry !== undefined) return `${entry.mode} ${entry.blob}`;
    const place = placeOf(store.repository.workTree, path);
    try {
      const { ino, size, mtimeNs, ctimeNs } = lstatSync(place, { bigint: true });
      return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    } catch {
      // A file may lie where a folder on the way to it was.
      const above = path.lastIndexOf('/');
      return above > 0 ? lying(path.slice(0, above) as PathBytes) : '';
    }
  };
  const told = obstacles.map(({ path, why }) => [path, why, lying(path)]);
  return createHash('sha256').update(JSON.stringify(told)).digest('hex');
}

async function planningFor(
  store: Store,
  now: Recording,
  wanted: readonly Wanted[],
): Promise<Result<PlanInput>> {
  const entries = await entriesOf(store, now);
  if (!entries.ok) return entries;
  const { workTree } = store.repository;
  const look = looker(workTree);
  const seen = new Map<PathBytes, ReturnType<PlanInput['lies']>>();
  const kindOf = (path: PathBytes): ReturnType<PlanInput['lies']> => {
    const found = look(path);
    if (found === undefined) return 'nothing';
    if (found.isDirectory()) return 'folder';
    return found.isFile() || found.isSymbolicLink() ? 'file' : 'other';
  };
  // Each path is looked at once, so that a plan is about one moment.
  const lies = (path: PathBytes): ReturnType<PlanInput['lies']> => {
    const kind = seen.get(path) ?? kindOf(path);
    seen.set(path, kind);
    return kind;
  };
  const hasUnrecordedBelow = (folder: PathBytes): boolean =>
    readdirSync(placeOf(workTree, folder), { encoding: 'latin1', withFileTypes: true }).some((entry) => {
      const path = `${folder}/${entry.name}` as PathBytes;
      return entry.isDirectory() ? hasUnrecordedBelow(path) : !entries.value.has(path);
    });
  const isUnknown = coversPath(now.unrecorded);
  return accept({ wanted, now: entries.value, isUnknown, lies, hasUnrecordedBelow });
}

async function recordingWith(
  store: Store,
  now: Recording,
  steps: readonly Step[],
): Promise<Result<Recording>> {
  const tree = await treeWith(store, now.tree, steps);
  return tree.ok ? keepTree(store, tree.value, now.unrecorded) : tree;
}

/** Git checks first that each file it changes is as it was recorded, and then writes these files alone; links are not followed. */
async function moveTo(store: Store, now: Recording, target: Recording): Promise<Result<void>> {
  if (now.tree === target.tree) return accept(undefined);
  const moved = await store.run(['read-tree', '-m', '-u', now.tree, target.tree], { longestMs: 10 * 60_000 });
  return moved.ok ? accept(undefined) : moved;
}

export interface Journal {
  readonly now: string;
  readonly target: string;
  /** Not there in what an earlier version left. */
  readonly paths?: readonly string[];
  readonly orderId?: string;
}

/** On the disk before the first file is touched. */
const writeJournal = (gitDir: string, journal: Journal): Promise<void> =>
  writeJson(journalPath(gitDir), journal);

async function removeJournal(gitDir: string): Promise<void> {
  await rm(journalPath(gitDir), { force: true });
}
