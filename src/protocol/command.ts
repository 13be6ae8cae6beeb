import { z } from 'zod';
import { ChangesSince, Point, RecordingId, UndoChoice, UndoShown } from './changes.ts';
import { OpenedAt, OpenedName } from './editor.ts';
import { InteractionId } from './ids.ts';
import { Answer, ApprovalScope } from './interaction.ts';
import { CommitOrder, LandOrder, PushOrder } from './landing.ts';
import { PushAddress, PushDecision, PushWishes } from './push.ts';
import { Policy, ruleFields } from './rule.ts';
import { AskTimeout, Disposition, SessionStatus, WhileBusy } from './session.ts';
import { longestText } from './text-limit.ts';
import { GitName, WorktreeWish } from './worktree.ts';

export { AddComment, EditComment, MarkSeen, RemoveComment, SendComments } from './review.ts';

const text = z.string().max(longestText);
const shortText = z.string().max(10_000);
const inputRecord = z.record(z.string(), z.unknown());

/**
 * Bodies and queries of requests, as the table of operations names them. REST, WebSocket and in-process callers are all checked by
 * these. They are strict: a misspelt field would otherwise do silently what its absence does.
 */
export const CreateSession = z.strictObject({
  agent: z.string().optional(),
  /** Where it is to run; without it, where the server does. */
  machine: z.string().min(1).max(100).optional(),
  cwd: z.string().optional(),
  title: z.string().trim().min(1).max(500).optional(),
  description: text.optional(),
  prompt: text.optional(),
  key: z
    .string()
    .trim()
    .min(1)
    .max(200)
    // No address can name these: they mean a folder there.
    .regex(/^(?!\.{1,2}$)/, 'A key cannot be "." or "..".')
    .optional(),
  permissionMode: z.string().min(1).max(100).optional(),
  model: z.string().min(1).max(200).optional(),
  env: z.record(z.string(), z.string()).optional(),
  labels: z.array(z.string().min(1).max(200)).max(50).optional(),
  askTimeout: AskTimeout.strict().optional(),
  whileBusy: WhileBusy.optional(),
  ephemeral: z.boolean().optional(),
  closeAfterTurn: z.boolean().optional(),
  /** It gets one of its own, made from the repository of `cwd`. */
  worktree: WorktreeWish.optional(),
});
export type CreateSession = z.infer<typeof CreateSession>;

export const ForkSession = z.strictObject({
  /** The turn before which the fork begins; without it, with all that was said. */
  turnId: z.string().min(1).max(200).optional(),
  title: z.string().trim().min(1).max(500).optional(),
});
export type ForkSession = z.infer<typeof ForkSession>;

export const PatchSession = z.strictObject({
  title: z.string().trim().min(1).max(500).optional(),
  labels: z.array(z.string().min(1).max(200)).max(50).optional(),
  permissionMode: z.string().min(1).max(100).optional(),
  model: z.string().min(1).max(200).optional(),
  /** One of the agent's own options. */
  option: z.strictObject({ id: z.string().min(1).max(200), value: z.string().max(1000) }).optional(),
  /** Null for what the server is set to. */
  whileBusy: WhileBusy.nullable().optional(),
  archived: z.boolean().optional(),
  pinned: z.boolean().optional(),
  /** Until when nobody is told of it outside of the page; null for no longer. */
  mutedUntil: z
    .union([z.iso.datetime(), z.literal('forever')])
    .nullable()
    .optional(),
});
export type PatchSession = z.infer<typeof PatchSession>;

export const SendMessage = z.strictObject({
  message: text,
  disposition: Disposition.optional(),
  replace: z.boolean().optional(),
  clientMessageId: z.string().min(1).max(200).optional(),
  images: z
    .array(
      z.strictObject({
        mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
        data: z.base64().min(4),
      }),
    )
    .max(20)
    .optional(),
});
export type SendMessage = z.infer<typeof SendMessage>;

export const PatchQueued = z.strictObject({
  message: text.optional(),
  position: z.number().int().min(1).optional(),
});
export type PatchQueued = z.infer<typeof PatchQueued>;

/** An interaction is named by its own id or by the tool call it is about. */
const target = { requestId: z.string().min(1).optional(), toolCallId: z.string().min(1).optional() };

/** Names what the person who answers was shown, as `shownDigest` of `model/` does: an answer to anything else is refused. */
const shown = {
  shown: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'A digest is 64 digits of a SHA-256 in hex.')
    .optional(),
};

export const Approve = z.strictObject({
  ...target,
  ...shown,
  /** Without it, the call is allowed. */
  decision: z.enum(['allow', 'deny']).optional(),
  reason: shortText.optional(),
  scope: ApprovalScope.optional(),
  pattern: z.string().min(1).max(20_000).optional(),
  expiresAt: z.iso.datetime().optional(),
  /** With the scope `always`: only in sessions that work in the same directory. */
  onlyHere: z.boolean().optional(),
  updatedInput: inputRecord.optional(),
  interrupt: z.boolean().optional(),
  mode: z.string().min(1).max(100).optional(),
  /** One of the `ways` of the interaction, by its id. */
  way: z.string().min(1).max(200).optional(),
});
export type Approve = z.infer<typeof Approve>;

export const Deny = z.strictObject({
  ...target,
  ...shown,
  reason: shortText.optional(),
  interrupt: z.boolean().optional(),
});
export type Deny = z.infer<typeof Deny>;

const givenAnswer = Answer.partial({ selected: true }).strict();

/** Answers in any of the accepted encodings; `model/` turns them into the one that is stored. */
export const GivenAnswers = z.union([
  z.array(givenAnswer),
  z.record(z.string(), z.union([z.string(), z.array(z.string()), givenAnswer])),
]);
export type GivenAnswers = z.infer<typeof GivenAnswers>;

export const AnswerQuestion = z.strictObject({ ...target, ...shown, answers: GivenAnswers });
export type AnswerQuestion = z.infer<typeof AnswerQuestion>;

export const SubmitAnswers = z.strictObject({
  toolCallId: z.string().min(1),
  ...shown,
  answers: GivenAnswers,
});
export type SubmitAnswers = z.infer<typeof SubmitAnswers>;

export const Respond = z.strictObject({
  interactionId: z.string().min(1),
  ...shown,
  /** The call that the interaction is expected to belong to. */
  callId: z.string().optional(),
  action: z.enum(['approve', 'deny', 'submit', 'cancel']),
  approvalScope: ApprovalScope.optional(),
  input: z.unknown().optional(),
  reason: shortText.optional(),
});
export type Respond = z.infer<typeof Respond>;

export const PreviewGrant = z.strictObject({
  toolName: z.string().min(1),
  pattern: z.string().min(1).max(20_000),
  /** The session whose directory is meant, and what it asks: for what is there, and for patterns to offer. */
  sessionId: z.string().optional(),
  interactionId: z.string().optional(),
});
export type PreviewGrant = z.infer<typeof PreviewGrant>;

/** The longest time for which everything of a session can be allowed. */
export const mostTrustMinutes = 60;

export const GiveTrust = z.strictObject({ minutes: z.number().int().min(1).max(mostTrustMinutes) });
export type GiveTrust = z.infer<typeof GiveTrust>;

export const SuggestionsQuery = z.strictObject({
  /** Of one open ask, with the id of both. */
  sessionId: z.string().min(1).optional(),
  interactionId: InteractionId.optional(),
});
export type SuggestionsQuery = z.infer<typeof SuggestionsQuery>;
export const AddRule = z.strictObject({
  effect: z.enum(
    ['deny', 'ask'],
    'Say "deny" or "ask"; what is allowed is a grant, or a rule of the policy.',
  ),
  ...ruleFields,
  /** For this session alone; without it, for all. */
  sessionId: z.string().min(1).optional(),
});
export type AddRule = z.infer<typeof AddRule>;

const policyDigest = z.string().regex(/^[0-9a-f]{64}$/, 'A digest is 64 digits of a SHA-256 in hex.');

export const SetPolicy = z.strictObject({
  policy: Policy,
  /** Of the policy that it was made from, as `listRules` gave it: if another has been set meanwhile, it is refused. */
  replaces: policyDigest.optional(),
});
export type SetPolicy = z.infer<typeof SetPolicy>;

export const TryPolicy = z.strictObject({
  policy: Policy,
  /** 30 unless told. */
  days: z.number().int().min(1).max(366).optional(),
});
export type TryPolicy = z.infer<typeof TryPolicy>;

export const TrustPolicy = z.strictObject({
  /** Of the content that was shown; null accepts that the file is gone. */
  digest: policyDigest.nullable(),
});
export type TrustPolicy = z.infer<typeof TrustPolicy>;

export const SwitchInteraction = z.strictObject({ enabled: z.boolean() });
export type SwitchInteraction = z.infer<typeof SwitchInteraction>;

export const Pair = z.strictObject({ code: z.string().min(1).max(200) });

export const AskUnlock = z.strictObject({
  name: z.string().max(200).optional(),
  minutes: z.number().min(1).max(480).optional(),
});
export type AskUnlock = z.infer<typeof AskUnlock>;

export const AllowUnlock = z.strictObject({ code: z.string().min(1).max(50) });

export const SavePush = z.strictObject({ ...PushAddress.shape, ...PushWishes.shape });
export type SavePush = z.infer<typeof SavePush>;

export const AnswerPush = z.strictObject({ ticket: z.string().min(1).max(200), decision: PushDecision });

export const SaveTemplate = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(
      /^(?!\.{1,2}$)[^\p{C}\p{Zl}\p{Zp}]+$/u,
      'A name has no invisible characters, and is not "." or "..".',
    ),
  prompt: z.string().trim().min(1).max(100_000),
  machine: z.string().min(1).max(100).optional(),
  worktree: z.boolean().optional(),
});
export type SaveTemplate = z.infer<typeof SaveTemplate>;

export const RepositoryQuery = z.strictObject({
  cwd: z.string().optional(),
  machine: z.string().min(1).max(100).optional(),
  /** Another base than the project's. */
  base: GitName.optional(),
});
export type RepositoryQuery = z.infer<typeof RepositoryQuery>;

export const RemoveWorktree = z.strictObject({
  machine: z.string().min(1).max(100).optional(),
  /** What the list told with it. */
  shown: z.string().min(1).max(200),
  branch: z.enum(['keep', 'remove']),
});
export type RemoveWorktree = z.infer<typeof RemoveWorktree>;

export const RestoreWorktree = z.strictObject({ machine: z.string().min(1).max(100).optional() });
export type RestoreWorktree = z.infer<typeof RestoreWorktree>;

export const RevokeSetup = z.strictObject({
  machine: z.string().min(1).max(100).optional(),
  repository: z.string().min(1).max(4096),
  digest: z.string().min(1).max(100),
});
export type RevokeSetup = z.infer<typeof RevokeSetup>;

const count = z.coerce.number().int();
const canAnswer = z.enum(['enabled', 'disabled', 'none']).optional();

export const EventsQuery = z.strictObject({
  after: count.min(0).optional(),
  before: count.min(0).optional(),
  limit: count.min(1).max(1000).optional(),
  interaction: canAnswer.describe('On the stream: whether this client can answer this session, and wants to'),
});
export type EventsQuery = z.infer<typeof EventsQuery>;

export const SessionsQuery = z.strictObject({
  limit: count.min(1).max(1000).optional(),
  /** The `nextCursor` of the page before. */
  before: z.string().min(1).max(200).optional(),
  /** Words that are all to be found in title, key, labels, directory, agent or id. */
  q: z.string().max(500).optional(),
  /** One or several, with commas between. */
  status: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(SessionStatus))
    .optional(),
  /** Only those that are archived, or only the others; all without it. */
  archived: z.stringbool({ truthy: ['true'], falsy: ['false'] }).optional(),
  /** Only those on this machine; `local` is the server's own. */
  machine: z.string().min(1).max(100).optional(),
});
export type SessionsQuery = z.infer<typeof SessionsQuery>;

export const BranchesQuery = z.strictObject({
  /** Ids or keys, with commas between. */
  sessions: z
    .string()
    .max(20_000)
    .transform((text) => text.split(','))
    .pipe(z.array(z.string().min(1)).max(500)),
});
export type BranchesQuery = z.infer<typeof BranchesQuery>;

export const StreamQuery = z.strictObject({
  sessions: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('Ids or keys, separated by commas, whose events and deltas are added'),
  interaction: canAnswer.describe('Whether this client can answer, and wants to'),
});
export type StreamQuery = z.infer<typeof StreamQuery>;

export const InsightsQuery = z.strictObject({
  days: count.min(1).max(366).optional(),
  /** A directory of sessions; all without it. */
  project: z.string().min(1).max(5000).optional(),
  /** Whose hours and days are meant: `Europe/Berlin`; UTC without it. */
  timeZone: z.string().min(1).max(100).optional(),
});
export type InsightsQuery = z.infer<typeof InsightsQuery>;

export const UsageQuery = z.strictObject({ days: count.min(1).max(366).optional() });
export type UsageQuery = z.infer<typeof UsageQuery>;

export const AgentsQuery = z.strictObject({
  /** Without it, those of the server's own. */
  machine: z.string().min(1).max(100).optional(),
});
export type AgentsQuery = z.infer<typeof AgentsQuery>;

export const DirectoriesQuery = z.strictObject({
  ...AgentsQuery.shape,
  /** As far as it is typed; without it, where the server was started. */
  path: z.string().max(4096).optional(),
});
export type DirectoriesQuery = z.infer<typeof DirectoriesQuery>;

export const FilesQuery = z.strictObject({
  /** Letters of the file's path, in their order. */
  q: z.string().max(500).optional(),
  limit: count.min(1).max(200).optional(),
});
export type FilesQuery = z.infer<typeof FilesQuery>;

export const SearchQuery = z.strictObject({
  q: z.string().min(1).max(500),
  limit: count.min(1).max(200).optional(),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

export const ChangesQuery = z.strictObject({
  /** `start` unless told. */
  since: ChangesSince.optional(),
  /** With `since=turn`: which; the last without it. */
  turn: z.string().min(1).max(200).optional(),
});
export type ChangesQuery = z.infer<typeof ChangesQuery>;

/** A file that is opened in an editor on the machine where it is. */
export const OpenFile = z.strictObject({
  file: OpenedName,
  line: OpenedAt.optional(),
  column: OpenedAt.optional(),
  /** Beside how it was, as `GET …/changes` names what is compared. */
  diff: ChangesQuery.optional(),
});
export type OpenFile = z.infer<typeof OpenFile>;

export const PatchQuery = z.strictObject({
  before: Point,
  after: Point,
  /** Without it, that of all files, as `git apply` takes it. */
  path: z.string().min(1).max(20_000).optional(),
  /** Lines around each change. */
  context: count.min(0).max(1_000_000).optional(),
});
export type PatchQuery = z.infer<typeof PatchQuery>;

export const ContentQuery = z.strictObject({ at: Point, path: z.string().min(1).max(20_000) });
export type ContentQuery = z.infer<typeof ContentQuery>;

/** A turn, or what leads from one recording to another. */
export const UndoChanges = z.strictObject({
  turnId: z.string().min(1).max(200).optional(),
  before: RecordingId.optional(),
  after: RecordingId.optional(),
  /** What to do with paths that something stands against; `rest` holds for all others. */
  choices: z.record(z.string(), UndoChoice).optional(),
  rest: UndoChoice.optional(),
  /** As it came with the obstacles: where one is otherwise by now, nothing is overwritten, and they are told again. */
  shown: UndoShown.optional(),
});
export type UndoChanges = z.infer<typeof UndoChanges>;

export const WorktreeQuery = z.strictObject({
  /** The branch to land on; without it, the one that the work tree was made from. */
  base: z.string().min(1).max(250).optional(),
});
export type WorktreeQuery = z.infer<typeof WorktreeQuery>;

export const CommitFiles = CommitOrder.strict();
export const LandBranch = LandOrder.strict();
export const PushBranch = PushOrder.strict();
