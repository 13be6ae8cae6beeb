import type { z } from 'zod';
import type * as bodies from './command.ts';
import type { ErrorCode } from './errors.ts';
import type * as replies from './reply.ts';

/**
 * Everything a caller can do, once. Routes, the WebSocket's requests, the methods of a `Transport`, what handlers are given and the
 * OpenAPI description are all made from this table. Schemas are named, not imported: a page that only calls does not load them.
 */
export interface OperationDefinition {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `:session` is a session's id or key. */
  readonly path: string;
  readonly summary: string;
  /** The schema in `command.ts` that the query must fit. */
  readonly query?: keyof Bodies;
  /** The schema in `command.ts` that the body must fit. */
  readonly body?: keyof Bodies;
  /** The schema in `reply.ts` of each status. */
  readonly replies: Readonly<Record<number, keyof Replies>>;
  /** What it replies with instead of JSON, or where it is asked for it. */
  readonly streams?: string;
  /** Its own reasons to refuse; `commonRefusals` may come from any. */
  readonly refusals?: readonly ErrorCode[];
  /**
   * It decides for a person, or changes what one said: always, or when one of these fields (`a.b` within another) is given. Where only devices decide, a
   * program with the token may not. What makes agents do less (stop, interrupt, revoke) is not among it.
   */
  readonly decides?: true | readonly string[];
  /** The type of the WebSocket frame that asks for it. */
  readonly frame?: string;
  /** The methods of a `Transport` that ask for it, each with the field of the reply that it gives: `*` all of it, null nothing. */
  readonly calls?: Readonly<Record<string, string | null>>;
}

/** Why an answer may be refused. */
export const answering = [
  'interaction_not_found',
  'interaction_already_resolved',
  'interaction_gone',
  'interaction_changed',
  'interaction_disabled',
] as const;

/** Why nothing can be told of files. */
const changing = [
  'no_repository',
  'directory_too_wide',
  'directory_not_found',
  'directory_not_allowed',
  'recording_not_found',
  'git_not_available',
  'machine_unreachable',
] as const;

const landing = [...changing, 'commit_refused'] as const;

export const operations = {
  listAgents: {
    method: 'GET',
    path: '/api/agents',
    summary: 'The agents that can be run, and what each can do',
    query: 'AgentsQuery',
    replies: { 200: 'AgentList' },
    refusals: ['machine_not_found', 'machine_unreachable'],
    calls: { agents: 'agents' },
  },
  listMachines: {
    method: 'GET',
    path: '/api/machines',
    summary: 'The machines that agents run on, what was found on them, and whether they can be reached',
    replies: { 200: 'MachineList' },
    calls: { machines: 'machines' },
  },
  giveUpMachine: {
    method: 'POST',
    path: '/api/machines/:machine/give-up',
    summary: 'End all sessions of a machine that cannot be reached; what they asked is lost',
    replies: { 200: 'GivenUp' },
    refusals: ['machine_not_found', 'machine_reachable'],
    decides: true,
    calls: { giveUpMachine: '*' },
  },
  takeRun: {
    method: 'POST',
    path: '/api/machines/:machine/runs/:runId/take',
    summary:
      'Go on with an agent whose machine was given up and is back: what it waits for is asked again; of a session that is not known, a new one goes on with the conversation',
    replies: { 200: 'Done' },
    refusals: [
      'machine_not_found',
      'machine_unreachable',
      'run_not_found',
      'agent_not_available',
      'directory_not_found',
    ],
    decides: true,
    calls: { takeRun: null },
  },
  endRun: {
    method: 'POST',
    path: '/api/machines/:machine/runs/:runId/end',
    summary: 'End an agent that no session has',
    replies: { 200: 'Done' },
    refusals: ['machine_not_found', 'machine_unreachable', 'run_not_found'],
    calls: { endRun: null },
  },
  listTools: {
    method: 'GET',
    path: '/api/tools',
    summary: 'The interactive tools that agents can call, and why some are missing',
    replies: { 200: 'ToolCatalogue' },
    calls: { tools: '*' },
  },
  listChannels: {
    method: 'GET',
    path: '/api/channels',
    summary: 'The ways to reach people and programs outside of the page, and how things stand with each',
    replies: { 200: 'ChannelList' },
    calls: { channels: 'channels' },
  },
  completeDirectory: {
    method: 'GET',
    path: '/api/directories',
    summary: 'The directories that may be meant by the beginning of a path',
    query: 'DirectoriesQuery',
    replies: { 200: 'DirectoryCompletion' },
    refusals: ['directory_not_found', 'directory_not_allowed', 'machine_not_found', 'machine_unreachable'],
    calls: { directories: '*' },
  },
  createSession: {
    method: 'POST',
    path: '/api/sessions',
    summary: 'Start a session',
    body: 'CreateSession',
    replies: { 201: 'OneSession' },
    refusals: [
      'key_in_use',
      'machine_not_found',
      'machine_unreachable',
      'agent_unknown',
      'agent_not_available',
      'directory_not_found',
      'directory_not_allowed',
      'blank_message',
      'no_repository',
      'directory_too_wide',
      'base_not_found',
      'branch_in_use',
      'worktree_changed',
      'git_not_available',
    ],
    // A mode may ask for nothing, and an environment may make the agent run anything.
    // So does a project's setup.
    decides: ['permissionMode', 'env', 'worktree.setup'],
    calls: { createSession: 'session' },
  },
  repository: {
    method: 'GET',
    path: '/api/repository',
    summary:
      'What a worktree of a directory would be made from: branches, base, setup, ignored files that come along',
    query: 'RepositoryQuery',
    replies: { 200: 'OneRepository' },
    refusals: ['machine_not_found', 'machine_unreachable'],
    calls: { repository: '*' },
  },
  listWorktrees: {
    method: 'GET',
    path: '/api/worktrees',
    summary: 'The worktrees that were made for sessions, with what would be lost with each',
    replies: { 200: 'WorktreeList' },
    calls: { worktrees: '*' },
  },
  removeWorktree: {
    method: 'POST',
    path: '/api/worktrees/:worktreeId/remove',
    summary:
      'Remove a worktree as it was shown; what is in no commit is recorded first, and its branch stays unless that goes, too',
    body: 'RemoveWorktree',
    replies: { 200: 'RemovedWorktree' },
    refusals: [
      'worktree_not_found',
      'worktree_changed',
      'worktree_in_use',
      'git_not_available',
      'directory_too_wide',
      'machine_not_found',
      'machine_unreachable',
    ],
    decides: true,
    calls: { removeWorktree: '*' },
  },
  restoreWorktree: {
    method: 'POST',
    path: '/api/worktrees/:worktreeId/restore',
    summary:
      'Bring a removed worktree back where it was, on its branch and with the files that were in no commit; its setup runs again where it is agreed to',
    body: 'RestoreWorktree',
    replies: { 200: 'RestoredWorktree' },
    refusals: [
      'worktree_not_found',
      'worktree_not_restorable',
      'branch_in_use',
      'no_repository',
      'git_not_available',
      'directory_too_wide',
      'machine_not_found',
      'machine_unreachable',
    ],
    decides: true,
    calls: { restoreWorktree: '*' },
  },
  listSetups: {
    method: 'GET',
    path: '/api/setups',
    summary: 'Setups of projects that somebody lets run in worktrees of their repositories',
    replies: { 200: 'SetupList' },
    calls: { setups: 'setups' },
  },
  revokeSetup: {
    method: 'POST',
    path: '/api/setups/revoke',
    summary: 'Let a setup of a project run no longer',
    body: 'RevokeSetup',
    replies: { 200: 'Done' },
    refusals: ['setup_not_found'],
    calls: { revokeSetup: null },
  },
  listSessions: {
    method: 'GET',
    path: '/api/sessions',
    summary: 'All sessions, newest first; with a limit, a page of them, those whose state changed last first',
    query: 'SessionsQuery',
    replies: { 200: 'SessionList' },
    refusals: ['machine_not_found'],
    calls: { sessions: 'sessions', sessionPage: '*' },
  },
  listBranches: {
    method: 'GET',
    path: '/api/branches',
    summary: 'What is checked out where sessions work, as git wrote it down',
    query: 'BranchesQuery',
    replies: { 200: 'Branches' },
    calls: { branches: 'branches' },
  },
  getSession: {
    method: 'GET',
    path: '/api/sessions/:session',
    summary: 'One session, and the commands of its agent',
    replies: { 200: 'SessionWithCommands' },
    calls: { session: 'session', agentCommands: 'commands' },
  },
  patchSession: {
    method: 'PATCH',
    path: '/api/sessions/:session',
    summary:
      'Change title, labels, permission mode, model, an option of the agent, what messages do while the agent works; archive it, pin it, mute it',
    body: 'PatchSession',
    replies: { 200: 'OneSession' },
    refusals: [
      'agent_refused',
      'agent_not_running',
      'too_many_asks',
      'session_waiting',
      'machine_unreachable',
    ],
    // An agent that could mute its session would ask without being heard.
    decides: ['permissionMode', 'option', 'mutedUntil'],
    calls: { patch: 'session' },
  },
  deleteSession: {
    method: 'DELETE',
    path: '/api/sessions/:session',
    summary: 'Remove a stopped session and its log',
    replies: { 200: 'Done' },
    refusals: ['session_not_stopped', 'machine_unreachable'],
    // The record of what was decided goes with it.
    decides: true,
    calls: { removeSession: null },
  },
  findFiles: {
    method: 'GET',
    path: '/api/sessions/:session/files',
    summary: "Files of the session's directory, by letters of their path",
    query: 'FilesQuery',
    replies: { 200: 'FoundFiles' },
    refusals: ['directory_not_found', 'directory_not_allowed', 'machine_unreachable'],
    calls: { files: '*' },
  },
  sessionChanges: {
    method: 'GET',
    path: '/api/sessions/:session/changes',
    summary: 'What changed in the files: since the session began, in one turn, or since what is checked out',
    query: 'ChangesQuery',
    replies: { 200: 'SessionChanges' },
    refusals: changing,
    calls: { changes: '*' },
  },
  changePatch: {
    method: 'GET',
    path: '/api/sessions/:session/changes/patch',
    summary: 'The lines that changed in a file, or in all, between two recordings',
    query: 'PatchQuery',
    replies: { 200: 'Patch' },
    refusals: changing,
    calls: { changePatch: '*' },
  },
  changeContent: {
    method: 'GET',
    path: '/api/sessions/:session/changes/content',
    summary: 'What a file held when it was recorded',
    query: 'ContentQuery',
    replies: { 200: 'FileContent' },
    refusals: changing,
    calls: { fileAt: '*' },
  },
  readEditor: {
    method: 'GET',
    path: '/api/editor',
    summary: 'The commands by which files and changes are opened in an editor on a machine',
    query: 'AgentsQuery',
    replies: { 200: 'EditorCommands' },
    refusals: ['machine_not_found', 'machine_unreachable', 'editor_not_available'],
    calls: { editor: '*' },
  },
  openFile: {
    method: 'POST',
    path: '/api/sessions/:session/open',
    summary: 'Open a file, or what changed in it, in the editor of the machine where it is',
    body: 'OpenFile',
    replies: { 200: 'Done' },
    refusals: [...changing, 'file_not_found', 'file_not_allowed', 'editor_not_available', 'editor_failed'],
    // A program is started with it.
    decides: true,
    calls: { openFile: null },
  },
  undo: {
    method: 'POST',
    path: '/api/sessions/:session/undo',
    summary: 'Put the files back to how they were before a turn, or before another undo',
    body: 'UndoChanges',
    replies: { 200: 'UndoneChanges' },
    refusals: [...changing, 'turn_running', 'undo_obstacles'],
    decides: true,
    calls: { undo: '*' },
  },
  readWorktree: {
    method: 'GET',
    path: '/api/sessions/:session/worktree',
    summary:
      'What is not committed, what landing the branch on its base would be, and where it can be pushed',
    query: 'WorktreeQuery',
    replies: { 200: 'WorktreeState' },
    refusals: landing,
    calls: { worktree: '*' },
  },
  commitFiles: {
    method: 'POST',
    path: '/api/sessions/:session/commit',
    summary: 'Commit chosen files as they were shown',
    body: 'CommitFiles',
    replies: { 200: 'Committed' },
    refusals: [...landing, 'changes_moved'],
    decides: true,
    calls: { commit: '*' },
  },
  landBranch: {
    method: 'POST',
    path: '/api/sessions/:session/worktree/land',
    summary: 'Land the branch on its base as it was shown: merge, squash or rebase',
    body: 'LandBranch',
    replies: { 200: 'Landed' },
    refusals: [...landing, 'changes_moved', 'landing_conflicts'],
    decides: true,
    calls: { land: '*' },
  },
  pushBranch: {
    method: 'POST',
    path: '/api/sessions/:session/worktree/push',
    summary: 'Push a branch where it was shown to lead, never by force',
    body: 'PushBranch',
    replies: { 200: 'Pushed' },
    refusals: [...landing, 'changes_moved'],
    decides: true,
    calls: { pushBranch: '*' },
  },
  interrupt: {
    method: 'POST',
    path: '/api/sessions/:session/interrupt',
    summary: 'End the running turn, not the session',
    replies: { 200: 'Done' },
    refusals: ['no_turn_running', 'agent_refused'],
    frame: 'interrupt',
    calls: { interrupt: null },
  },
  stop: {
    method: 'POST',
    path: '/api/sessions/:session/stop',
    summary: 'End the session; queued texts are given back',
    replies: { 200: 'Stopped' },
    frame: 'stop',
    calls: { stop: 'returned' },
  },
  resume: {
    method: 'POST',
    path: '/api/sessions/:session/resume',
    summary: 'Start the process again and send what is queued',
    replies: { 200: 'Resumed' },
    refusals: [
      'session_already_running',
      'machine_unreachable',
      'agent_unknown',
      'agent_not_available',
      'directory_not_found',
      'directory_not_allowed',
    ],
    calls: { resume: 'session' },
  },
  forkSession: {
    method: 'POST',
    path: '/api/sessions/:session/fork',
    summary: 'Go on with its conversation in another session, as it was before a turn or is now',
    body: 'ForkSession',
    replies: { 201: 'OneSession' },
    refusals: [
      'turn_not_found',
      'turn_running',
      'cannot_fork',
      'machine_unreachable',
      'agent_unknown',
      'agent_not_available',
      'directory_not_found',
      'directory_not_allowed',
      'shutting_down',
    ],
    calls: { fork: 'session' },
  },
  sendMessage: {
    method: 'POST',
    path: '/api/sessions/:session/message',
    summary: 'Say something to the agent',
    body: 'SendMessage',
    replies: { 200: 'MessageSent', 202: 'MessageQueued' },
    refusals: ['blank_message', 'session_stopped', 'session_failed', 'queue_full'],
    decides: ['replace'],
    frame: 'send_message',
    calls: { sendMessage: '*' },
  },
  getQueue: {
    method: 'GET',
    path: '/api/sessions/:session/queue',
    summary: 'What waits to be sent',
    replies: { 200: 'Queue' },
    calls: { queue: 'queue' },
  },
  patchQueued: {
    method: 'PATCH',
    path: '/api/sessions/:session/queue/:messageId',
    summary: 'Edit or move a queued message',
    body: 'PatchQueued',
    replies: { 200: 'Queue' },
    refusals: ['message_not_found', 'message_already_sent', 'blank_message'],
    decides: true,
    calls: { patchQueued: 'queue' },
  },
  removeQueued: {
    method: 'DELETE',
    path: '/api/sessions/:session/queue/:messageId',
    summary: 'Take a message out of the queue',
    replies: { 200: 'Queue' },
    refusals: ['message_not_found', 'message_already_sent'],
    decides: true,
    calls: { removeQueued: 'queue' },
  },
  getReview: {
    method: 'GET',
    path: '/api/sessions/:session/comments',
    summary: 'The comments on changes that wait to be sent, and the files that are marked as seen',
    replies: { 200: 'Review' },
    calls: { comments: '*' },
  },
  addComment: {
    method: 'POST',
    path: '/api/sessions/:session/comments',
    summary: 'Keep a comment on lines of a change, as a draft',
    body: 'AddComment',
    replies: { 201: 'OneComment' },
    refusals: ['too_many_comments', 'comment_changed'],
    decides: true,
    calls: { addComment: 'comment' },
  },
  sendComments: {
    method: 'POST',
    path: '/api/sessions/:session/comments/send',
    summary: 'Send comments to the agent, as one message',
    body: 'SendComments',
    replies: { 200: 'MessageSent', 202: 'MessageQueued' },
    refusals: ['comment_changed', 'session_stopped', 'session_failed', 'queue_full'],
    decides: true,
    calls: { sendComments: '*' },
  },
  editComment: {
    method: 'PATCH',
    path: '/api/sessions/:session/comments/:commentId',
    summary: 'Change the words of a comment',
    body: 'EditComment',
    replies: { 200: 'OneComment' },
    refusals: ['comment_not_found', 'comment_changed', 'too_many_comments'],
    decides: true,
    calls: { editComment: 'comment' },
  },
  removeComment: {
    method: 'DELETE',
    path: '/api/sessions/:session/comments/:commentId',
    summary: 'Remove a comment that was not sent',
    query: 'RemoveComment',
    replies: { 200: 'Done' },
    refusals: ['comment_not_found', 'comment_changed'],
    decides: true,
    calls: { removeComment: null },
  },
  markSeen: {
    method: 'POST',
    path: '/api/sessions/:session/seen',
    summary: 'Mark changed files as seen, as they are now, or no longer',
    body: 'MarkSeen',
    replies: { 200: 'Done' },
    // An agent that could mark its changes as seen would hide them.
    decides: true,
    calls: { markSeen: null },
  },
  listPending: {
    method: 'GET',
    path: '/api/pending',
    summary: 'All open interactions, oldest first',
    replies: { 200: 'PendingList' },
  },
  listPendingOfSession: {
    method: 'GET',
    path: '/api/sessions/:session/pending',
    summary: "A session's open interactions, oldest first",
    replies: { 200: 'PendingList' },
  },
  getInteraction: {
    method: 'GET',
    path: '/api/sessions/:session/interactions/:interactionId',
    summary: 'One interaction, open or resolved',
    replies: { 200: 'OneInteraction' },
    refusals: ['interaction_not_found'],
    calls: { interaction: 'interaction' },
  },
  askedFiles: {
    method: 'GET',
    path: '/api/sessions/:session/interactions/:interactionId/files',
    summary: 'The files that an open ask would change, as they are now',
    replies: { 200: 'AskedFiles' },
    refusals: [
      'interaction_not_found',
      'directory_not_found',
      'directory_not_allowed',
      'machine_unreachable',
    ],
    calls: { askedFiles: 'files' },
  },
  approve: {
    method: 'POST',
    path: '/api/sessions/:session/approve',
    summary: 'Allow or deny a tool call',
    body: 'Approve',
    replies: { 200: 'Approved' },
    refusals: [...answering, 'invalid_answer'],
    decides: true,
    frame: 'approve_tool',
    calls: { approve: 'interaction' },
  },
  deny: {
    method: 'POST',
    path: '/api/sessions/:session/deny',
    summary: 'Deny a tool call',
    body: 'Deny',
    replies: { 200: 'Resolved' },
    refusals: answering,
    decides: true,
    calls: { deny: 'interaction' },
  },
  answer: {
    method: 'POST',
    path: '/api/sessions/:session/answer',
    summary: 'Answer a question',
    body: 'AnswerQuestion',
    replies: { 200: 'Resolved' },
    refusals: [...answering, 'invalid_answer'],
    decides: true,
    frame: 'answer_question',
    calls: { answer: 'interaction' },
  },
  submitAnswers: {
    method: 'POST',
    path: '/api/sessions/:session/submit-answers',
    summary: 'Answer a question, named by its tool call',
    body: 'SubmitAnswers',
    replies: { 200: 'Resolved' },
    refusals: [...answering, 'invalid_answer'],
    decides: true,
    calls: { submitAnswers: 'interaction' },
  },
  respond: {
    method: 'POST',
    path: '/api/sessions/:session/respond',
    summary: 'Answer an interaction of any kind',
    body: 'Respond',
    replies: { 200: 'Resolved' },
    refusals: [...answering, 'invalid_answer'],
    decides: true,
    frame: 'tool_interaction_response',
    calls: { respond: 'interaction' },
  },
  listGrants: {
    method: 'GET',
    path: '/api/grants',
    summary: 'Standing approvals',
    replies: { 200: 'GrantList' },
    calls: { grants: 'grants' },
  },
  previewGrant: {
    method: 'POST',
    path: '/api/grants/preview',
    summary: 'What a pattern would have matched, and would match from now on',
    body: 'PreviewGrant',
    replies: { 200: 'GrantPreview' },
    calls: { previewGrant: 'matches', previewPattern: '*' },
  },
  revokeGrant: {
    method: 'DELETE',
    path: '/api/grants/:grantId',
    summary: 'Revoke a standing approval',
    replies: { 200: 'Done' },
    refusals: ['grant_not_found'],
    calls: { revokeGrant: null },
  },
  listSuggestions: {
    method: 'GET',
    path: '/api/suggestions',
    summary: 'What could be allowed for good because it was allowed often and denied never',
    query: 'SuggestionsQuery',
    replies: { 200: 'SuggestionList' },
    calls: { suggestions: 'suggestions' },
  },
  acceptSuggestion: {
    method: 'POST',
    path: '/api/suggestions/:suggestionId/accept',
    summary: 'Allow for good what was suggested, in its directory',
    replies: { 200: 'Done' },
    refusals: ['suggestion_not_found'],
    decides: true,
    calls: { acceptSuggestion: null },
  },
  declineSuggestion: {
    method: 'POST',
    path: '/api/suggestions/:suggestionId/decline',
    summary: 'Do not suggest this again',
    replies: { 200: 'Done' },
    refusals: ['suggestion_not_found'],
    decides: true,
    calls: { declineSuggestion: null },
  },
  giveTrust: {
    method: 'POST',
    path: '/api/sessions/:session/trust',
    summary: 'Allow everything of a session for some minutes, but for what always needs a person',
    body: 'GiveTrust',
    replies: { 200: 'OneSession' },
    refusals: ['session_stopped', 'session_failed'],
    decides: true,
    calls: { giveTrust: 'session' },
  },
  endTrust: {
    method: 'DELETE',
    path: '/api/sessions/:session/trust',
    summary: 'End the time of trust of a session',
    replies: { 200: 'OneSession' },
    calls: { endTrust: 'session' },
  },
  listGrantUses: {
    method: 'GET',
    path: '/api/sessions/:session/grants/:grantId/uses',
    summary: 'What a grant, or a time of trust, has allowed in a session, newest first',
    replies: { 200: 'GrantUses' },
    calls: { grantUses: 'uses' },
  },
  listRules: {
    method: 'GET',
    path: '/api/rules',
    summary:
      'What is denied or asked whatever is granted: single rules, the policy, and policies of directories',
    replies: { 200: 'RuleList' },
    calls: { rules: '*' },
  },
  // Agents can do less by it: that is nobody's leave to give.
  addRule: {
    method: 'POST',
    path: '/api/rules',
    summary: 'Deny something from now on, or have a person asked, in a session or in all',
    body: 'AddRule',
    replies: { 201: 'OneRule' },
    refusals: ['session_stopped'],
    calls: { addRule: 'rule' },
  },
  removeRule: {
    method: 'DELETE',
    path: '/api/rules/:ruleId',
    summary: 'Remove a rule',
    replies: { 200: 'Done' },
    refusals: ['rule_not_found'],
    decides: true,
    calls: { removeRule: null },
  },
  setPolicy: {
    method: 'POST',
    path: '/api/policy',
    summary: 'Put a policy into effect, in place of the one before',
    body: 'SetPolicy',
    replies: { 200: 'OnePolicy' },
    refusals: ['policy_changed'],
    decides: true,
    calls: { setPolicy: 'policy' },
  },
  tryPolicy: {
    method: 'POST',
    path: '/api/policy/try',
    summary: 'What a policy would have made of what was asked in the last days',
    body: 'TryPolicy',
    replies: { 200: 'PolicyTrial' },
    calls: { tryPolicy: '*' },
  },
  getSessionPolicy: {
    method: 'GET',
    path: '/api/sessions/:session/policy',
    summary: "The policy that the session's directory brings along, and what of it holds",
    replies: { 200: 'SessionPolicy' },
    calls: { sessionPolicy: 'policy' },
  },
  trustPolicy: {
    method: 'POST',
    path: '/api/policies/:policyId/trust',
    summary: 'Let this very content of a directory hold, also what it allows',
    body: 'TrustPolicy',
    replies: { 200: 'OneDirectoryPolicy' },
    refusals: ['policy_not_found', 'policy_changed'],
    decides: true,
    calls: { trustPolicy: 'policy' },
  },
  distrustPolicy: {
    method: 'DELETE',
    path: '/api/policies/:policyId/trust',
    summary: 'Take trust back: what the directory allows holds no longer',
    replies: { 200: 'OneDirectoryPolicy' },
    refusals: ['policy_not_found'],
    calls: { distrustPolicy: 'policy' },
  },
  listTemplates: {
    method: 'GET',
    path: '/api/templates',
    summary: 'Prompts that are used again, by name',
    replies: { 200: 'TemplateList' },
    calls: { templates: 'templates' },
  },
  saveTemplate: {
    method: 'POST',
    path: '/api/templates',
    summary: 'Keep a prompt under a name, in place of the one that had it',
    body: 'SaveTemplate',
    replies: { 200: 'Done' },
    decides: true,
    calls: { saveTemplate: null },
  },
  removeTemplate: {
    method: 'DELETE',
    path: '/api/templates/:name',
    summary: 'Remove a template',
    replies: { 200: 'Done' },
    refusals: ['template_not_found'],
    decides: true,
    calls: { removeTemplate: null },
  },
  listEvents: {
    method: 'GET',
    path: '/api/sessions/:session/events',
    summary: "A page of a session's log, or its live stream with Accept: text/event-stream",
    query: 'EventsQuery',
    replies: { 200: 'EventsPage' },
    streams: 'text/event-stream',
    calls: { events: '*' },
  },
  search: {
    method: 'GET',
    path: '/api/search',
    summary: 'Search messages, tool calls and decisions',
    query: 'SearchQuery',
    replies: { 200: 'SearchHits' },
    calls: { search: 'hits' },
  },
  readUsage: {
    method: 'GET',
    path: '/api/usage',
    summary: 'Tokens and cost over all sessions, by day, agent and project',
    query: 'UsageQuery',
    replies: { 200: 'UsageReport' },
    calls: { usage: 'usage' },
  },
  readInsights: {
    method: 'GET',
    path: '/api/insights',
    summary: 'What was asked, how long it waited for a person, and who decided',
    query: 'InsightsQuery',
    replies: { 200: 'Insights' },
    calls: { insights: '*' },
  },
  switchInteraction: {
    method: 'POST',
    path: '/api/clients/:clientId/interaction',
    summary: 'Turn the interactivity of a connected client on or off',
    body: 'SwitchInteraction',
    replies: { 200: 'Done' },
    refusals: ['client_not_found'],
    calls: { setInteractionEnabled: null },
  },
} as const satisfies Record<string, OperationDefinition>;

export type OperationName = keyof typeof operations;

/** Whether this call decides for a person. */
export function isDecision(name: OperationName, input: Readonly<Record<string, unknown>>): boolean {
  const { decides }: OperationDefinition = operations[name];
  if (decides === undefined || decides === true) return decides ?? false;
  return decides.some((field) => {
    const [name = '', within] = field.split('.');
    const value = within === undefined ? input[name] : fieldOf(input[name], within);
    return value !== undefined && value !== false;
  });
}

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === field)?.[1]
    : undefined;

/** The names of what stands for something in a path: of `/api/sessions/:session` it is `session`. */
export const paramsIn = (path: string): readonly string[] => path.match(/(?<=:)\w+/g) ?? [];

export const pathTo = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

type SchemasOf<Module> = {
  [Name in keyof Module as Module[Name] extends z.ZodType ? Name : never]: Module[Name];
};
type Bodies = SchemasOf<typeof bodies>;
type Replies = SchemasOf<typeof replies>;
type BodyName<D> = D extends { readonly body: infer Name } ? Name & keyof Bodies : never;
type QueryName<D> = D extends { readonly query: infer Name } ? Name & keyof Bodies : never;

export type ParamOf<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Query or body as a caller gives it; undefined where there is none. */
export type GivenTo<D> = D extends { readonly body: unknown }
  ? z.input<Bodies[BodyName<D>]>
  : D extends { readonly query: unknown }
    ? z.output<Bodies[QueryName<D>]>
    : undefined;

/** Query or body after it was checked. */
export type CheckedFor<D> = D extends { readonly body: unknown } | { readonly query: unknown }
  ? z.output<Bodies[BodyName<D> | QueryName<D>]>
  : unknown;

type Statuses<D> = D extends { readonly replies: infer R } ? R : never;

/** The replies of an operation: each status with its body. */
export type ReplyOf<D> = {
  [Status in keyof Statuses<D>]: {
    readonly status: Status;
    readonly body: z.output<Replies[Statuses<D>[Status] & keyof Replies]>;
  };
}[keyof Statuses<D>];

/** A list that belongs to whoever made it; anything else as it is. */
export type Lent<T> = T extends readonly (infer Item)[] ? readonly Item[] : T;
