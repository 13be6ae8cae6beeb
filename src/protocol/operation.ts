import { z } from 'zod';
import * as command from './command.ts';
import { eventDefinitions } from './event.ts';
import { Grant, GrantPreview, GrantWarning } from './grant.ts';
import { Interaction } from './interaction.ts';
import { Agent, AgentCommand, Applied, Disposition, QueuedMessage, Session } from './session.ts';
import { ToolCatalogue } from './tool.ts';

/**
 * Everything a caller can do, once: routes, the WebSocket, in-process callers and the OpenAPI description are all made from this table.
 * `:session` in a path is a session's id or key.
 */
export interface OperationDefinition {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /**
   * It decides for a person, or changes what one said: always, or when one of these fields is given. Where only devices decide, a
   * program with the token may not. What makes agents do less (stop, interrupt, revoke) is not among it.
   */
  readonly decides?: true | readonly string[];
  /** The replies by status. */
  readonly replies: Readonly<Record<number, z.ZodType>>;
}

const ok = z.object({ status: z.literal('ok') });
const resolved = z.object({ status: z.literal('ok'), interaction: Interaction });
const queue = z.object({ queue: z.array(QueuedMessage) });
const messageReply = {
  messageId: z.string(),
  requested: Disposition,
  applied: Applied,
};
const storedEvent = z
  .object({
    seq: z.number(),
    at: z.string(),
    type: z.enum(Object.keys(eventDefinitions) as [string, ...string[]]),
  })
  .loose();

export const operations = {
  listAgents: {
    method: 'GET',
    path: '/api/agents',
    summary: 'The agents that can be run, and what each can do',
    replies: { 200: z.object({ agents: z.array(Agent) }) },
  },
  listTools: {
    method: 'GET',
    path: '/api/tools',
    summary: 'The interactive tools that agents can call, and why some are missing',
    replies: { 200: ToolCatalogue },
  },
  createSession: {
    method: 'POST',
    path: '/api/sessions',
    summary: 'Start a session',
    body: command.CreateSession,
    // A mode may ask for nothing, and an environment may make the agent run anything.
    decides: ['permissionMode', 'env'],
    replies: { 201: z.object({ session: Session }) },
  },
  listSessions: {
    method: 'GET',
    path: '/api/sessions',
    summary: 'All sessions, newest first; with a limit, a page of them, those whose state changed last first',
    query: command.SessionsQuery,
    replies: {
      200: z.object({
        sessions: z.array(Session),
        total: z.number(),
        nextCursor: z.string().optional(),
      }),
    },
  },
  getSession: {
    method: 'GET',
    path: '/api/sessions/:session',
    summary: 'One session, and the commands of its agent',
    replies: { 200: z.object({ session: Session, commands: z.array(AgentCommand) }) },
  },
  patchSession: {
    method: 'PATCH',
    path: '/api/sessions/:session',
    summary: 'Change title, labels, permission mode, model, or what messages do while the agent works',
    body: command.PatchSession,
    decides: ['permissionMode'],
    replies: { 200: z.object({ session: Session }) },
  },
  deleteSession: {
    method: 'DELETE',
    path: '/api/sessions/:session',
    summary: 'Remove a stopped session and its log',
    // The record of what was decided goes with it.
    decides: true,
    replies: { 200: ok },
  },
  sendMessage: {
    method: 'POST',
    path: '/api/sessions/:session/message',
    summary: 'Say something to the agent',
    body: command.SendMessage,
    decides: ['replace'],
    replies: {
      200: z.object({ status: z.literal('sent'), ...messageReply, reason: z.string().optional() }),
      202: z.object({
        status: z.literal('queued'),
        ...messageReply,
        position: z.number(),
        reason: z.string().optional(),
      }),
    },
  },
  getQueue: {
    method: 'GET',
    path: '/api/sessions/:session/queue',
    summary: 'What waits to be sent',
    replies: { 200: queue },
  },
  patchQueued: {
    method: 'PATCH',
    path: '/api/sessions/:session/queue/:messageId',
    summary: 'Edit or move a queued message',
    body: command.PatchQueued,
    decides: true,
    replies: { 200: queue },
  },
  removeQueued: {
    method: 'DELETE',
    path: '/api/sessions/:session/queue/:messageId',
    summary: 'Take a message out of the queue',
    decides: true,
    replies: { 200: queue },
  },
  listPendingOfSession: {
    method: 'GET',
    path: '/api/sessions/:session/pending',
    summary: "A session's open interactions, oldest first",
    replies: { 200: z.object({ pending: z.array(Interaction) }) },
  },
  listPending: {
    method: 'GET',
    path: '/api/pending',
    summary: 'All open interactions, oldest first',
    replies: { 200: z.object({ pending: z.array(Interaction) }) },
  },
  getInteraction: {
    method: 'GET',
    path: '/api/sessions/:session/interactions/:interactionId',
    summary: 'One interaction, open or resolved',
    replies: { 200: z.object({ interaction: Interaction }) },
  },
  approve: {
    method: 'POST',
    path: '/api/sessions/:session/approve',
    summary: 'Allow or deny a tool call',
    body: command.Approve,
    decides: true,
    replies: { 200: resolved.extend({ warnings: z.array(GrantWarning).optional() }) },
  },
  deny: {
    method: 'POST',
    path: '/api/sessions/:session/deny',
    summary: 'Deny a tool call',
    body: command.Deny,
    decides: true,
    replies: { 200: resolved },
  },
  answer: {
    method: 'POST',
    path: '/api/sessions/:session/answer',
    summary: 'Answer a question',
    body: command.AnswerQuestion,
    decides: true,
    replies: { 200: resolved },
  },
  submitAnswers: {
    method: 'POST',
    path: '/api/sessions/:session/submit-answers',
    summary: 'Answer a question, named by its tool call',
    body: command.SubmitAnswers,
    decides: true,
    replies: { 200: resolved },
  },
  respond: {
    method: 'POST',
    path: '/api/sessions/:session/respond',
    summary: 'Answer an interaction of any kind',
    body: command.Respond,
    decides: true,
    replies: { 200: resolved },
  },
  interrupt: {
    method: 'POST',
    path: '/api/sessions/:session/interrupt',
    summary: 'End the running turn, not the session',
    replies: { 200: ok },
  },
  stop: {
    method: 'POST',
    path: '/api/sessions/:session/stop',
    summary: 'End the session; queued texts are given back',
    replies: { 200: z.object({ status: z.literal('ok'), returned: z.array(z.string()) }) },
  },
  resume: {
    method: 'POST',
    path: '/api/sessions/:session/resume',
    summary: 'Start the process again and send what is queued',
    replies: { 200: z.object({ status: z.literal('ok'), session: Session }) },
  },
  listEvents: {
    method: 'GET',
    path: '/api/sessions/:session/events',
    summary: "A page of a session's log, or its live stream with Accept: text/event-stream",
    query: command.EventsQuery,
    replies: {
      200: z.object({
        events: z.array(storedEvent),
        firstSeq: z.number(),
        lastSeq: z.number(),
        hasMore: z.boolean(),
        logLastSeq: z.number(),
      }),
    },
  },
  listGrants: {
    method: 'GET',
    path: '/api/grants',
    summary: 'Standing approvals',
    replies: { 200: z.object({ grants: z.array(Grant) }) },
  },
  revokeGrant: {
    method: 'DELETE',
    path: '/api/grants/:grantId',
    summary: 'Revoke a standing approval',
    replies: { 200: ok },
  },
  previewGrant: {
    method: 'POST',
    path: '/api/grants/preview',
    summary: 'What a pattern would have matched, and would match from now on',
    body: command.PreviewGrant,
    replies: { 200: GrantPreview },
  },
  switchInteraction: {
    method: 'POST',
    path: '/api/clients/:clientId/interaction',
    summary: 'Turn the interactivity of a connected client on or off',
    body: command.SwitchInteraction,
    replies: { 200: ok },
  },
  search: {
    method: 'GET',
    path: '/api/search',
    summary: 'Search messages, tool calls and decisions',
    query: command.SearchQuery,
    replies: {
      200: z.object({
        hits: z.array(
          z.object({
            sessionId: z.string(),
            seq: z.number(),
            at: z.string(),
            type: z.string(),
            excerpt: z.string(),
            title: z.string(),
          }),
        ),
      }),
    },
  },
} as const satisfies Record<string, OperationDefinition>;

export type OperationName = keyof typeof operations;

/** Whether this call decides for a person. */
export function isDecision(name: OperationName, input: Readonly<Record<string, unknown>>): boolean {
  const { decides }: OperationDefinition = operations[name];
  if (decides === undefined || decides === true) return decides ?? false;
  return decides.some((field) => input[field] !== undefined && input[field] !== false);
}
