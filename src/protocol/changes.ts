import { z } from 'zod';

/** Names the files of a work tree as they were at one moment. */
export const RecordingId = z.string().regex(/^[0-9a-f]{40}$/);

/** What files are compared with: a recording, or a commit of the repository. */
export const Point = z.string().regex(/^(?:commit:)?[0-9a-f]{40}$/);
export type Point = z.infer<typeof Point>;

export const UnrecordedFile = z.object({
  /** With a slash at its end it stands for all below it. */
  path: z.string(),
  /** `name`: git can have no file of this name. `kind`: it is no file and no link. */
  why: z.enum(['size', 'nested', 'kind', 'name', 'unreadable']),
});
export type UnrecordedFile = z.infer<typeof UnrecordedFile>;

/** What differs at one path between two recordings. A path that is no plain text is told in quotes and escaped, as git does. */
export const ChangedFile = z.object({
  path: z.string(),
  movedFrom: z.string().exactOptional(),
  kind: z.enum(['added', 'deleted', 'modified', 'moved', 'mode', 'type']),
  /** Lines; null where they cannot be counted: it is not text. */
  added: z.number().nullable(),
  removed: z.number().nullable(),
  isLink: z.boolean(),
  /** Names what the file holds now; null where it is gone. */
  content: z.string().nullable(),
  /** Of an image that a page can show. */
  mediaType: z.string().exactOptional(),
  /** Written by a program: lock files, bundles, what `.gitattributes` calls so. */
  isGenerated: z.literal(true).exactOptional(),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

export const Changes = z.object({
  /** What was compared; patches are asked for by these. */
  before: Point,
  after: Point,
  /** In the order of their paths. */
  files: z.array(ChangedFile),
  /** Whether these are all. */
  isAll: z.boolean(),
  /** Nothing is known of what happened to these. */
  unrecorded: z.array(UnrecordedFile),
});
export type Changes = z.infer<typeof Changes>;

export const Patch = z.object({
  /** Of one file: hunks as git writes them, from the first `@@` on; empty where only the name, the mode or nothing differs. */
  text: z.string(),
  /** It goes on; the rest is left out. */
  isCut: z.boolean(),
  isBinary: z.boolean(),
});
export type Patch = z.infer<typeof Patch>;

/** Something that stands against undoing a path. */
export const UndoObstacle = z.object({
  path: z.string(),
  /** `edited`: it was changed since. `in-the-way`: something that is not recorded lies there. */
  why: z.enum(['edited', 'in-the-way', 'unrecorded']),
  canOverwrite: z.boolean(),
});
export type UndoObstacle = z.infer<typeof UndoObstacle>;

/** Names the obstacles as they were told, with what lay there. */
export const UndoShown = z.string().regex(/^[0-9a-f]{64}$/);

export const UndoChoice = z.enum(['overwrite', 'leave']);
export type UndoChoice = z.infer<typeof UndoChoice>;

/** What a session's files are compared with: how they were at its beginning, before one turn, or in what is checked out. */
export const ChangesSince = z.enum(['start', 'turn', 'commit']);
export type ChangesSince = z.infer<typeof ChangesSince>;

/** A turn of a session of which something is recorded. */
export const RecordedTurn = z.object({
  turnId: z.string(),
  /** The first line of the message that began it. */
  title: z.string().exactOptional(),
  startedAt: z.string(),
  /** How many files changed in it, where that is known already. */
  files: z.number().exactOptional(),
  /** It was recorded later than it should have been: what happened in between may be missing, or be more than the turn's. */
  isLate: z.literal(true).exactOptional(),
});
export type RecordedTurn = z.infer<typeof RecordedTurn>;

export const SessionChanges = Changes.extend({
  since: ChangesSince,
  /** The turn that it is about, with `since=turn`. */
  turnId: z.string().nullable(),
  /** A turn of the session runs: there may be more in a moment. */
  isLive: z.boolean(),
  /** Paths among the files that changed only outside of this session's turns. */
  between: z.array(z.string()),
  /** Paths that changed in its turns and outside of them. */
  both: z.array(z.string()),
  /** Newest first, at most 50. */
  turns: z.array(RecordedTurn),
  /** The top of the work tree. */
  root: z.string(),
  branch: z.string().nullable(),
});
export type SessionChanges = z.infer<typeof SessionChanges>;

/** What a file held; null where it was not there. */
export const FileContent = z.object({ base64: z.base64().nullable() });
export type FileContent = z.infer<typeof FileContent>;

/** What was put back. Undone itself by undoing what leads from `before` to `after`. */
export const UndoneChanges = z.object({
  done: z.literal(true),
  before: RecordingId,
  after: RecordingId,
  paths: z.array(z.string()),
});
export type UndoneChanges = z.infer<typeof UndoneChanges>;
