import { BeckonError } from '../../client/beckon-error.ts';
import type { ChangedFile, SessionChanges, UndoChoice, UndoObstacle } from '../../protocol/changes.ts';
import type { EventOf } from '../../protocol/event.ts';

/** What is to be undone: what a turn changed, or another undo. */
export type Undoing =
  | { readonly is: 'turn'; readonly turnId: string; readonly changes: SessionChanges }
  | { readonly is: 'restored'; readonly event: EventOf<'files.restored'> };

export const linesOf = (
  files: readonly ChangedFile[],
): { readonly added: number; readonly removed: number } => ({
  added: files.reduce((sum, { added }) => sum + (added ?? 0), 0),
  removed: files.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
});

/** What stands against it, as the server told it, with the name of that very telling. */
export interface Obstacles {
  readonly list: readonly UndoObstacle[];
  readonly shown: string;
}

/** Undefined for any other refusal. */
export function obstaclesIn(error: unknown): Obstacles | undefined {
  if (!(error instanceof BeckonError) || error.code !== 'undo_obstacles') return undefined;
  const { obstacles, shown } = error.details;
  return Array.isArray(obstacles) && typeof shown === 'string'
    ? { list: obstacles as readonly UndoObstacle[], shown }
    : undefined;
}

/** The session whose turn runs in the same work tree. */
export function runningIn(error: unknown): { readonly id: string; readonly title: string } | undefined {
  if (!(error instanceof BeckonError) || error.code !== 'turn_running') return undefined;
  const { sessionId: id, title } = error.details;
  return typeof id === 'string' ? { id, title: typeof title === 'string' ? title : id } : undefined;
}

export type Choices = Readonly<Record<string, UndoChoice>>;

/** What was chosen stays chosen as long as the obstacle is the same one; what cannot be overwritten is left. */
export const choicesFor = ({ list }: Obstacles, before: Choices): Choices =>
  Object.fromEntries(
    list.flatMap(({ path, canOverwrite }) => {
      const chosen = before[path] ?? (canOverwrite ? undefined : 'leave');
      return chosen === undefined ? [] : [[path, chosen] as const];
    }),
  );

export const isAllChosen = ({ list }: Obstacles, choices: Choices): boolean =>
  list.every(({ path }) => choices[path] !== undefined);

/** The later turns of a session, of those that are told: newest first. */
export function laterTurns({ turns }: SessionChanges, turnId: string): SessionChanges['turns'] {
  const at = turns.findIndex((turn) => turn.turnId === turnId);
  return at === -1 ? turns : turns.slice(0, at);
}
