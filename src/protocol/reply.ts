import { z } from 'zod';
import { NamedFile } from './asked-file.ts';
import { ChannelState } from './channel.ts';
import { type Event, eventDefinitions } from './event.ts';
import { Grant, GrantWarning } from './grant.ts';
import { Interaction } from './interaction.ts';
import { Machine } from './machine.ts';
import { DirectoryPolicy, PolicyInForce, StandingRule } from './policy.ts';
import { PushFailure, PushFault, PushWishes } from './push.ts';
import {
  Agent,
  AgentCommand,
  Applied,
  Disposition,
  QueuedMessage,
  Session,
  Usage,
  WhileBusy,
} from './session.ts';
import { StorageState } from './storage.ts';
import { Suggestion } from './suggestion.ts';
import { Template } from './template.ts';
import { Unlock } from './unlock.ts';
import { AgreedSetup, RepositoryView, RestorableWorktreeView, WorktreeView } from './worktree.ts';

/** The bodies of replies, as the table of operations names them. */
export { FileContent, Patch, SessionChanges, UndoneChanges } from './changes.ts';
export { DirectoryCompletion, FoundFiles } from './directory.ts';
export { EditorCommands } from './editor.ts';
export { GrantPreview } from './grant.ts';
export { Insights } from './insights.ts';
export { Committed, Landed, Pushed, WorktreeState } from './landing.ts';
export { PolicyTrial } from './policy.ts';
export { OneComment, Review } from './review.ts';
export { ToolCatalogue } from './tool.ts';
export { RemovedWorktree, RestoredWorktree } from './worktree.ts';

export const ChannelList = z.object({ channels: z.array(ChannelState) });

export const Done = z.object({ status: z.literal('ok') });

export const OneRepository = z.object({
  /** Null where no worktree can be made from that. */
  repository: RepositoryView.nullable(),
  /** Why it is null. */
  problem: z.object({ code: z.string(), message: z.string() }).optional(),
});
export const WorktreeList = z.object({
  worktrees: z.array(WorktreeView),
  /** Those that were removed and can be brought back, the last one first. */
  removed: z.array(RestorableWorktreeView),
  /** Machines that could not be asked. */
  silent: z.array(z.string()),
});
/** The one that was agreed to last comes first. */
export const SetupList = z.object({ setups: z.array(AgreedSetup) });
export const AgentList = z.object({ agents: z.array(Agent) });
export const MachineList = z.object({ machines: z.array(Machine) });
/** How many sessions have ended with it, and how many asks in them. */
export const GivenUp = Done.extend({ sessions: z.number(), asks: z.number() });
export const OneSession = z.object({ session: Session });
export const SessionWithCommands = OneSession.extend({ commands: z.array(AgentCommand) });
export const SessionList = z.object({
  sessions: z.array(Session),
  /** How many there are in all, with these words and of this status. */
  total: z.number(),
  /** Not there on the last page. */
  nextCursor: z.string().optional(),
});
/** By id; null outside of a repository. A session that is not there is left out. */
export const Branches = z.object({ branches: z.record(z.string(), z.string().nullable()) });
export const Stopped = Done.extend({
  returned: z.array(z.string()),
  /** The machine that cannot be reached: the agent there is ended when it is back. */
  unreachable: z.string().optional(),
});
export const Resumed = Done.extend({ session: Session });

export const MessageSent = z.object({
  status: z.literal('sent'),
  messageId: z.string(),
  requested: Disposition,
  applied: Applied,
  /** Why what was applied is not what was asked. */
  reason: z.string().optional(),
});
export const MessageQueued = MessageSent.extend({ status: z.literal('queued'), position: z.number() });
export const Queue = z.object({ queue: z.array(QueuedMessage) });

export const PendingList = z.object({ pending: z.array(Interaction) });
export const OneInteraction = z.object({ interaction: Interaction });
export const AskedFiles = z.object({ files: z.array(NamedFile) });
export const Resolved = Done.extend({ interaction: Interaction });
export const Approved = Resolved.extend({ warnings: z.array(GrantWarning).optional() });
export const TemplateList = z.object({ templates: z.array(Template) });
export const SuggestionList = z.object({ suggestions: z.array(Suggestion) });
export const GrantUses = z.object({ uses: z.array(Interaction) });
/** Those that stand alone, the policy for all sessions, and those that directories bring along. */
export const RuleList = z.object({
  rules: z.array(StandingRule),
  policy: PolicyInForce,
  directories: z.array(DirectoryPolicy),
});
export const OneRule = z.object({ rule: StandingRule });
export const OnePolicy = z.object({ policy: PolicyInForce });
export const OneDirectoryPolicy = z.object({ policy: DirectoryPolicy });
export const SessionPolicy = z.object({ policy: DirectoryPolicy.nullable() });
export const GrantList = z.object({ grants: z.array(Grant) });

/** Of an event, what they all have: `eventDefinitions` says the rest of each. */
export const StoredEvent = z
  .object({
    seq: z.number(),
    at: z.string(),
    type: z.enum(Object.keys(eventDefinitions) as [string, ...string[]]),
  })
  .loose() as unknown as z.ZodType<Event>;
export const EventsPage = z.object({
  events: z.array(StoredEvent),
  firstSeq: z.number(),
  lastSeq: z.number(),
  hasMore: z.boolean(),
  logLastSeq: z.number(),
});
export const FoundEvent = z.object({
  sessionId: z.string(),
  seq: z.number(),
  at: z.string(),
  type: z.string(),
  excerpt: z.string(),
  title: z.string(),
});
/** What turns took on a day (in UTC), of one kind of agent in one directory. */
export const DayUsage = Usage.extend({ day: z.string(), agent: z.string(), project: z.string() });
export type DayUsage = z.infer<typeof DayUsage>;
export const UsageReport = z.object({ usage: z.array(DayUsage) });

export const SearchHits = z.object({ hits: z.array(FoundEvent) });

/** A browser that was paired. */
export const Device = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  lastSeenAt: z.string(),
});
export type Device = z.infer<typeof Device>;

export const Health = Done.extend({
  version: z.string(),
  storage: StorageState,
  /** What messages of people do while an agent works, in sessions that are not set for themselves. */
  whileBusy: WhileBusy.optional(),
});
export const Paired = Done.extend({ device: Device, key: z.string(), stored: z.boolean().optional() });
/** With a public address, `url` leads there, and `localUrl` to the server itself. */
export const PairingCode = z.object({
  code: z.string(),
  expiresAt: z.string(),
  url: z.string(),
  localUrl: z.string().optional(),
});
/** `current` is the one that asks. */
export const DeviceList = z.object({ devices: z.array(Device.extend({ current: z.boolean() })) });
export const UnlockList = z.object({ decide: z.enum(['anyone', 'devices']), unlocks: z.array(Unlock) });
export const OneUnlock = z.object({ unlock: Unlock });
export const UnlockAsked = OneUnlock.extend({ code: z.string(), secret: z.string() });
/** `subscription` is that of the device that asks, null where it has none; its endpoint is told to nobody else. */
export const PushState = z.object({
  publicKey: z.string(),
  subscription: PushWishes.extend({ endpoint: z.string(), failure: PushFailure.nullable() }).nullable(),
});
/** `waiting` is what is left, in all sessions. */
export const PushAnswered = Resolved.extend({ waiting: z.number() });
export const PushTried = PushFault.partial().extend({ taken: z.boolean() });
export const OpenApi = z.record(z.string(), z.unknown());
