import { z } from 'zod';
import { NamedFile } from '../../protocol/asked-file.ts';
import {
  Changes,
  Patch,
  Point,
  RecordingId,
  UndoChoice,
  UndoObstacle,
  UndoShown,
  UnrecordedFile,
} from '../../protocol/changes.ts';
import { EditorCommands, OpenedAt, OpenedName } from '../../protocol/editor.ts';
import type { Result } from '../../protocol/errors.ts';
import { SessionId } from '../../protocol/ids.ts';
import {
  CommitOrder,
  Committed,
  Landed,
  LandOrder,
  Pushed,
  PushOrder,
  WorktreeState,
} from '../../protocol/landing.ts';
import {
  GitName,
  MadeWorktree,
  RemovedWorktree,
  RepositoryView,
  RestorableWorktree,
  RestoredFiles,
  SetupRun,
  Worktree,
} from '../../protocol/worktree.ts';

/** Where a session works. */
export const WorkPlace = z.object({
  cwd: z.string(),
  /** Where that led when the session was made; null when that is not known. It must still lead there. */
  realCwd: z.string().nullable(),
  /** The directories in which agents may work; empty for anywhere. */
  roots: z.array(z.string()).readonly(),
});
export type WorkPlace = Readonly<z.infer<typeof WorkPlace>>;

const place = { place: WorkPlace };
/** Whose the recordings are that are made for it: they go with it. */
const session = { session: z.string().max(200).exactOptional() };
/** What changes something is done once, however often it is asked for under the same id, also by another server. */
const order = { ...place, orderId: z.string().min(1).max(200) };

/** Of what was made under it. */
const worktreeId = z.string().regex(/^[\w-]{1,100}$/);

/** The top of the work tree. */
const root = { root: z.string() };

const Recorded = z.object({ recording: RecordingId, unrecorded: z.array(UnrecordedFile), ...root });
export type Recorded = z.infer<typeof Recorded>;

const Undone = z.discriminatedUnion('done', [
  /** Undone itself by undoing what leads from the one to the other. */
  z.object({ done: z.literal(true), before: RecordingId, after: RecordingId, paths: z.array(z.string()) }),
  /** Nothing was changed. */
  z.object({
    done: z.literal(false),
    obstacles: z.array(UndoObstacle),
    /** Names what lies in the way as it is now. */
    shown: UndoShown,
  }),
]);
export type Undone = z.infer<typeof Undone>;

/**
 * What can be asked about the files that agents work on, and done with them, on the machine where they are. One table: the runner, the
 * link to other machines and the engine follow from it. Replies are held against it, too: a machine may have been broken into.
 */
export const workspaceCalls = {
  record: { request: z.object({ ...place, ...session }), reply: Recorded },
  changes: {
    request: z.object({
      ...place,
      ...session,
      /** `commit`: what is checked out. */
      before: z.union([Point, z.literal('commit')]),
      /** `now`: the files are recorded first. */
      after: z.union([Point, z.literal('now')]),
    }),
    reply: Changes.extend(root),
  },
  /** The names alone of what changed between recordings, of many at once; null where one of them is no longer kept. */
  changedPaths: {
    request: z.object({
      ...place,
      spans: z.array(z.object({ before: Point, after: Point })).max(1000),
    }),
    reply: z.array(z.array(z.string()).nullable()),
  },
  patch: {
    request: z.object({
      ...place,
      before: Point,
      after: Point,
      /** Without it, that of all files, as `git apply` takes it. */
      path: z.string().exactOptional(),
      /** Lines around each change. */
      context: z.number().int().min(0).max(1_000_000).exactOptional(),
    }),
    reply: Patch,
  },
  /** What a file held; null where it was not there. */
  content: {
    request: z.object({ ...place, at: Point, path: z.string() }),
    reply: z.object({ base64: z.base64() }).nullable(),
  },
  /** A file of which an ask tells, as it is now: its text, or why that is not told. */
  file: { request: z.object({ ...place, path: z.string() }), reply: NamedFile },
  /** By which commands files are opened in an editor there. */
  editor: { request: z.object({}), reply: EditorCommands },
  /** Opens a file in the editor of that machine, or what changed in it. */
  open: {
    request: z.object({
      ...order,
      ...session,
      file: OpenedName,
      line: OpenedAt.exactOptional(),
      column: OpenedAt.exactOptional(),
      /** Beside how it was. */
      diff: z
        .object({
          before: z.union([Point, z.literal('commit')]),
          after: z.union([Point, z.literal('now')]),
        })
        .exactOptional(),
      /** What changed since one of these may be opened, too, where it is outside of the session's directory. */
      since: z.array(z.union([Point, z.literal('commit')])).max(10),
    }),
    reply: z.null(),
  },
  /** Puts what changed between two recordings back. */
  undo: {
    request: z.object({
      ...order,
      ...session,
      before: RecordingId,
      after: RecordingId,
      /** What to do with paths that something stands against; `rest` holds for all others. */
      choices: z.record(z.string(), UndoChoice).exactOptional(),
      rest: UndoChoice.exactOptional(),
      /** As it came with the obstacles: nothing is overwritten without it, nor what is otherwise by now. */
      shown: UndoShown.exactOptional(),
    }),
    reply: Undone,
  },
  /** Gives up the recordings that only this session has. */
  forget: { request: z.object({ ...place, session: z.string().max(200) }), reply: z.null() },
  /** How a work tree stands towards its repository; without a base, towards what the repository itself has checked out. */
  worktree: {
    request: z.object({ ...place, base: z.string().exactOptional() }),
    reply: WorktreeState,
  },
  commit: { request: z.object({ ...order, ...CommitOrder.shape }), reply: Committed },
  land: { request: z.object({ ...order, ...LandOrder.shape }), reply: Landed },
  push: { request: z.object({ ...order, ...PushOrder.shape }), reply: Pushed },
  /** What became of an undo that was ordered under this id; null where it was never done. */
  undone: { request: z.object({ ...place, order: z.string() }), reply: Undone.nullable() },
  /** What a worktree would be made from, for a person to look at. */
  repository: {
    request: z.object({ ...place, base: GitName.exactOptional() }),
    reply: RepositoryView,
  },
  /** The worktree gets the id of the order. */
  makeWorktree: {
    request: z.object({
      ...place,
      orderId: worktreeId,
      base: GitName.exactOptional(),
      /** Where the base has to be. */
      commit: z.string().exactOptional(),
      branch: GitName.exactOptional(),
      /** The branch is named after it where none is given. */
      title: z.string(),
    }),
    reply: MadeWorktree,
  },
  listWorktrees: {
    request: z.object({}),
    reply: z.object({
      worktrees: z.array(Worktree),
      /** Those that can be brought back; a machine of an earlier version knows of none. */
      removed: z.array(RestorableWorktree).default([]),
    }),
  },
  /** Refused when what lies in it is not what was shown. What is in no commit is recorded first. */
  removeWorktree: {
    request: z.object({
      worktreeId,
      shown: z.string(),
      branch: z.enum(['keep', 'remove']),
      /** It is not to be brought back: nobody ever worked there. */
      isForgotten: z.boolean().exactOptional(),
    }),
    reply: RemovedWorktree,
  },
  /** Makes a removed worktree again where it was, with the files that were in no commit. */
  restoreWorktree: { request: z.object({ worktreeId }), reply: RestoredFiles },
  /** No session has it any more: git's own commands may take it away. */
  releaseWorktree: {
    request: z.object({ worktreeId }),
    reply: z.object({ released: z.boolean() }),
  },
  /** Runs the setup of the project in a worktree, if it is still what a person agreed to. */
  runSetup: {
    request: z.object({ worktreeId, sessionId: SessionId, digest: z.string() }),
    reply: SetupRun,
  },
  endSetup: { request: z.object({ worktreeId }), reply: z.object({ ended: z.boolean() }) },
} as const satisfies Record<string, { readonly request: z.ZodType; readonly reply: z.ZodType }>;

export type WorkspaceCall = keyof typeof workspaceCalls;
export type WorkspaceRequest<C extends WorkspaceCall> = Readonly<
  z.infer<(typeof workspaceCalls)[C]['request']>
>;
export type WorkspaceReply<C extends WorkspaceCall> = Readonly<z.infer<(typeof workspaceCalls)[C]['reply']>>;

/** The files that agents work on, where they are. Never rejects for what the files or git are like: that is a refusal. */
export type Workspace = <C extends WorkspaceCall>(
  call: C,
  request: WorkspaceRequest<C>,
) => Promise<Result<WorkspaceReply<C>>>;
