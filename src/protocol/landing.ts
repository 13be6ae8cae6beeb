import { z } from 'zod';
import { ChangedFile, RecordingId } from './changes.ts';

/** Names a commit of the repository. */
const CommitId = z.string().regex(/^[0-9a-f]{40}$/);

const branch = z.string().min(1).max(250);
const message = z.string().max(100_000).regex(/\S/);

/** What a person saw before they pressed Commit. Anything else is refused. */
export const CommitShown = z.object({
  recording: RecordingId,
  /** Null before the first commit. */
  head: CommitId.nullable(),
  branch,
  /** As git writes it: `Name <address>`. */
  author: z.string(),
});
export type CommitShown = z.infer<typeof CommitShown>;

export const UncommittedFile = z.object({
  ...ChangedFile.pick({ path: true, kind: true, added: true, removed: true }).shape,
  /** Why it cannot be committed here: a program would have to change it first, or nothing is recorded of it. */
  blocked: z.enum(['filter', 'unrecorded']).exactOptional(),
});
export type UncommittedFile = z.infer<typeof UncommittedFile>;

/** What differs between the last commit and the files, and what a commit of it would be. */
export const Uncommitted = z.object({
  recording: RecordingId,
  head: CommitId.nullable(),
  /** Null where none is checked out. */
  branch: branch.nullable(),
  /** From the settings of git; null where they name nobody. */
  author: z.string().nullable(),
  /** Something of git that was begun and is not ended. */
  underWay: z.enum(['merge', 'rebase', 'cherry-pick', 'revert']).nullable(),
  files: z.array(UncommittedFile),
  isAll: z.boolean(),
});
export type Uncommitted = z.infer<typeof Uncommitted>;

export const CommitOrder = z.object({
  message,
  /** As they are told in `files`. */
  paths: z.array(z.string()).min(1).max(20_000),
  shown: CommitShown,
});

export const Committed = z.object({ commit: CommitId, branch });
export type Committed = z.infer<typeof Committed>;

export const LandingCommit = z.object({
  id: CommitId,
  author: z.string(),
  at: z.string(),
  subject: z.string(),
});
export type LandingCommit = z.infer<typeof LandingCommit>;

/** A file that both sides changed, so that git cannot say what it should be. */
export const Conflict = z.object({
  path: z.string(),
  /** `content`: both changed the same lines. `deleted`: one deleted what the other changed. `kind`: it is no text, or no plain file. */
  why: z.enum(['content', 'deleted', 'kind']),
  hunks: z.array(
    z.object({
      /** Where it stands in the base. */
      line: z.number().int(),
      base: z.string(),
      branch: z.string(),
    }),
  ),
  /** Hunks were left out. */
  isCut: z.boolean(),
});
export type Conflict = z.infer<typeof Conflict>;

/** What would come of landing in one of the ways. */
export const LandingWay = z.discriminatedUnion('can', [
  z.object({
    can: z.literal(true),
    /** What changes on the base. */
    files: z.number().int(),
    added: z.number().int(),
    removed: z.number().int(),
    /** How many commits the base gets. */
    commits: z.number().int(),
  }),
  z.object({
    can: z.literal(false),
    /**
     * `merges`: the branch has merges in it, which no line of commits can hold. `many`: more commits than are laid anew here.
     * `unrelated`: no commit is part of both. `old-git`: git there is older than 2.38. `filter`: files would have to go through a program.
     */
    why: z.enum(['conflicts', 'merges', 'many', 'unrelated', 'old-git', 'filter']),
    conflicts: z.array(Conflict),
    /** The commit that conflicts, where they are laid one by one. */
    at: z.string().exactOptional(),
  }),
]);
export type LandingWay = z.infer<typeof LandingWay>;

export const LandingHow = z.enum(['merge', 'squash', 'rebase']);
export type LandingHow = z.infer<typeof LandingHow>;

export const LandingShown = z.object({ branch, head: CommitId, base: branch, baseCommit: CommitId });
export type LandingShown = z.infer<typeof LandingShown>;

/** What landing a branch on its base would be. */
export const Landing = z.object({
  ...LandingShown.shape,
  /** Commits of the branch that the base has not, and the other way round. */
  ahead: z.number().int(),
  behind: z.number().int(),
  /** The newest of the branch. */
  commits: z.array(LandingCommit),
  /** The work tree in which the base is checked out, and what there keeps its files from being moved along. */
  checkedOut: z
    .object({
      path: z.string(),
      /** Whether it lies where agents may work. */
      isAllowed: z.boolean(),
      inTheWay: z.array(z.string()),
      underWay: Uncommitted.shape.underWay,
    })
    .nullable(),
  /** Of merge and squash. */
  merged: LandingWay,
  rebased: LandingWay,
});
export type Landing = z.infer<typeof Landing>;

/** Where a branch can be pushed. */
export const PushShown = z.object({
  branch,
  commit: CommitId,
  remote: z.string().max(250),
  /** Where it really leads, after the person's own rewriting; without a password. */
  url: z.string(),
});
export type PushShown = z.infer<typeof PushShown>;

export const PushTarget = z.object({
  ...PushShown.shape,
  /** Why it is not pushed there: only ssh, https, http, git and files are. */
  problem: z.enum(['url']).nullable(),
});
export type PushTarget = z.infer<typeof PushTarget>;

/** How a work tree stands towards its repository. */
export const WorktreeState = z.object({
  uncommitted: Uncommitted,
  /** Null where there is nothing to land: no branch, no base, or they are the same. */
  landing: Landing.nullable(),
  /** Of the branch, then of its base. */
  pushes: z.array(PushTarget),
});
export type WorktreeState = z.infer<typeof WorktreeState>;

export const LandOrder = z.object({
  how: LandingHow,
  /** Of the merge, or of the one commit. A rebase keeps those that are there. */
  message: message.exactOptional(),
  shown: LandingShown,
});

export const Landed = z.object({
  base: branch,
  commit: CommitId,
  /** The work tree whose files went along. */
  moved: z.string().nullable(),
});
export type Landed = z.infer<typeof Landed>;

export const PushOrder = z.object({ shown: PushShown });

export const Pushed = z.object({
  /** Whether the other side took it. */
  done: z.boolean(),
  /** What git said. */
  output: z.string(),
});
export type Pushed = z.infer<typeof Pushed>;
