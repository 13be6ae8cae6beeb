import { z } from 'zod';
import { Actor } from './interaction.ts';

/** A worktree that a session was given, as it was when it was made. */
export const SessionWorktree = z.object({
  id: z.string(),
  /** Its top; the session may work in a folder below. */
  path: z.string(),
  /** The work tree that it was made from. */
  repository: z.string(),
  branch: z.string(),
  /** What it was made from, as a person calls it: a branch, a tag, a commit. */
  base: z.string(),
  baseCommit: z.string(),
});
export type SessionWorktree = z.infer<typeof SessionWorktree>;

/** How it stands with the setup of a session's worktree. */
export const SetupState = z.enum([
  /** Nobody has agreed to this content: it does not run. */
  'unagreed',
  /** It runs before the agent is started. */
  'waiting',
  'running',
  'done',
  'failed',
  /** It took too long, and was ended. */
  'late',
  /** It was no longer what was agreed to, and did not run. */
  'changed',
  /** It was ended from outside; it runs again when the agent is started the next time. */
  'ended',
]);
export type SetupState = z.infer<typeof SetupState>;

/** A branch, tag or commit as it is typed; nothing that git could take for an option, a range or a path. */
export const GitName = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^(?![-/.])(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)|\/\.))[^\s\p{C}~^:?*[\\]+(?<![/.])$/u,
    'Git can have no such name.',
  );

/** What is asked for when a session is to have a worktree of its own. */
export const WorktreeWish = z.strictObject({
  /** Without it, what the project says or what is checked out. */
  base: GitName.optional(),
  /** Without it, one is named after the session. */
  branch: GitName.optional(),
  /** Where the base was when it was shown: refused when it is elsewhere by now. */
  commit: z.string().max(100).optional(),
  /** The digest of the setup that was shown and is to run. */
  setup: z.string().max(100).optional(),
});
export type WorktreeWish = z.infer<typeof WorktreeWish>;

/** A program of the project that makes a fresh worktree ready. */
export const SetupProgram = z.object({
  path: z.string(),
  /** All of it; null where it is no text, or too long to be shown. */
  text: z.string().nullable(),
  digest: z.string(),
  /** Whether a person has agreed to this very content in this repository. */
  isAgreed: z.boolean(),
});
export type SetupProgram = z.infer<typeof SetupProgram>;

/** A repository, for whoever is about to make a worktree of it. */
export const RepositoryView = z.object({
  workTree: z.string(),
  /** What is checked out; null where HEAD names a commit. */
  branch: z.string().nullable(),
  /** What a worktree would be made from, and where that is now; null while there is no commit. */
  base: z.object({ name: z.string(), commit: z.string(), subject: z.string() }).nullable(),
  /** The local ones first, those with the newest commits first. */
  branches: z.array(z.string()),
  /** Whether the project wants a worktree for each session. */
  isDefault: z.boolean(),
  /** Patterns of ignored files that come along. */
  include: z.array(z.string()),
  setup: SetupProgram.nullable(),
});
export type RepositoryView = z.infer<typeof RepositoryView>;

/** Something that lies in a worktree and in no commit. A folder ends with a slash and stands for all below it. */
const Loose = z.object({ path: z.string(), files: z.number().exactOptional() });

/** What would be lost with a worktree. */
export const WorktreeWork = z.object({
  uncommitted: z.array(Loose),
  untracked: z.array(Loose),
  ignored: z.array(Loose),
  /** Commits that nothing but this worktree and its branch leads to, newest first. */
  unmerged: z.array(z.object({ commit: z.string(), subject: z.string() })),
  /** Whether each list is whole. */
  isAll: z.boolean(),
});
export type WorktreeWork = z.infer<typeof WorktreeWork>;

export const SetupRun = z.object({
  outcome: z.enum(['done', 'failed', 'late', 'changed', 'ended']),
  code: z.number().nullable(),
  /** The end of what it printed. */
  output: z.string(),
  durationMs: z.number(),
});
export type SetupRun = z.infer<typeof SetupRun>;

export const Worktree = SessionWorktree.extend({
  createdAt: z.string(),
  /** `missing`: its folder is gone. `unreadable`: it cannot be said what is in it. */
  state: z.enum(['there', 'missing', 'unreadable']),
  /** What is checked out in it now; null where that is a commit, or not known. */
  currentBranch: z.string().nullable(),
  head: z.string().nullable(),
  /** Commits since it left its base, and those that the base has got since; null where that is not known. */
  ahead: z.number().nullable(),
  behind: z.number().nullable(),
  work: WorktreeWork,
  /** Names all of this: a removal is refused when it is no longer so. */
  shown: z.string(),
});
export type Worktree = z.infer<typeof Worktree>;

/** A worktree with the sessions that are in it; none for one that was left over. */
export const WorktreeView = Worktree.extend({
  machine: z.string().exactOptional(),
  sessions: z.array(z.object({ id: z.string(), title: z.string(), status: z.string() })),
});
export type WorktreeView = z.infer<typeof WorktreeView>;

/** What is in a fresh worktree, and what is not as it would be after a checkout of git's own. */
export const WorktreeNotes = z.object({
  /** Ignored files that came along. */
  copied: z.number(),
  /** Ignored files that were to come along and did not: links, and what is over the bounds. */
  left: z.array(z.string()),
  /** Folders of repositories within, which are empty. */
  submodules: z.number(),
  /** Filters, like `lfs`, that did not run: the files are as they are stored. */
  filters: z.array(z.string()),
});
export type WorktreeNotes = z.infer<typeof WorktreeNotes>;

export const MadeWorktree = z.object({
  worktree: SessionWorktree,
  /** Where in it the session works. */
  cwd: z.string(),
  notes: WorktreeNotes,
  setup: SetupProgram.nullable(),
});
export type MadeWorktree = z.infer<typeof MadeWorktree>;

/** A session's worktree as its first event tells it. */
export const GivenWorktree = SessionWorktree.extend({
  notes: WorktreeNotes,
  setup: z.object({ digest: z.string(), isAgreed: z.boolean() }).optional(),
});
export type GivenWorktree = z.infer<typeof GivenWorktree>;

/** A session's worktree as callers see it; without `setup` where the project has none. */
export const WorktreeOfSession = SessionWorktree.extend({ setup: SetupState.optional() });
export type WorktreeOfSession = z.infer<typeof WorktreeOfSession>;

/** A worktree that was removed and can be brought back. */
export const RestorableWorktree = SessionWorktree.extend({
  removedAt: z.string(),
  /** What was checked out in it; null where that was a commit. */
  currentBranch: z.string().nullable(),
  head: z.string(),
  /** Files that were in no commit and are recorded. */
  files: z.number(),
  /** What was in it and is recorded nowhere; a folder ends with a slash. */
  lost: z.array(z.string()),
});
export type RestorableWorktree = z.infer<typeof RestorableWorktree>;

export const RestorableWorktreeView = RestorableWorktree.extend({
  machine: z.string().exactOptional(),
  sessions: WorktreeView.shape.sessions,
});
export type RestorableWorktreeView = z.infer<typeof RestorableWorktreeView>;

/** A worktree that was brought back. What was staged is there, and no longer staged. */
export const RestoredFiles = z.object({
  worktree: SessionWorktree,
  cwd: z.string(),
  notes: WorktreeNotes,
  /** Files that were put back. */
  files: z.number(),
  lost: z.array(z.string()),
  /** Whether its branch has got other commits since. */
  isMoved: z.boolean(),
  setup: SetupProgram.nullable(),
});
export type RestoredFiles = z.infer<typeof RestoredFiles>;

export const RestoredWorktree = RestoredFiles.omit({ setup: true }).extend({
  /** `noSession`: no session has it, so nothing runs there. */
  setup: z.enum(['none', 'waiting', 'unagreed', 'noSession']),
});
export type RestoredWorktree = z.infer<typeof RestoredWorktree>;

/** A content of a project's setup that a person lets run in worktrees of that repository. */
export const AgreedSetup = z.object({
  machine: z.string().exactOptional(),
  repository: z.string(),
  digest: z.string(),
  agreedAt: z.string(),
  by: Actor,
});
export type AgreedSetup = z.infer<typeof AgreedSetup>;

export const RemovedWorktree = z.object({
  /** The recording of what was in it; null where there was nothing to record. */
  recording: z.string().nullable(),
  /** The branch that its commits are still on; null where it was removed, too. */
  branch: z.string().nullable(),
});
export type RemovedWorktree = z.infer<typeof RemovedWorktree>;
