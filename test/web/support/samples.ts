import { callShapeOf, resultShapeOf } from '../../../src/drivers/tool-calls.ts';
import type { Event, NewEvent } from '../../../src/protocol/event.ts';
import type { InteractionId, MessageId, SessionId } from '../../../src/protocol/ids.ts';
import type { Ask, Form, FormField, Interaction } from '../../../src/protocol/interaction.ts';
import type { Agent, Session } from '../../../src/protocol/session.ts';
import { Conversation } from '../../../src/web/conversation/conversation.logic.ts';
import { afterNews, type Interactions, noInteractions } from '../../../src/web/data/interactions.ts';

const now = Date.parse('2026-01-01T12:00:00.000Z');
export const at = (seconds: number): string => new Date(now + seconds * 1000).toISOString();

export const sessionId = (id: string): SessionId => id as SessionId;
const interactionId = (id: string): InteractionId => id as InteractionId;
export const messageId = (id: string): MessageId => id as MessageId;

export function aSession(changes: Partial<Omit<Session, 'id'>> & { readonly id?: string } = {}): Session {
  const { id = 's1', ...rest } = changes;
  return {
    id: sessionId(id),
    key: null,
    title: `Session ${id}`,
    agent: 'demo',
    agentVersion: null,
    agentSessionId: null,
    cwd: '/work/project',
    status: 'idle',
    since: at(0),
    waitingOn: 'nothing',
    awaited: null,
    permissionMode: 'default',
    model: null,
    labels: [],
    askTimeout: null,
    ephemeral: false,
    capabilities: null,
    isolation: null,
    pendingCount: 0,
    queueLength: 0,
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0, turns: 0 },
    interrupting: null,
    failure: null,
    lastSeq: 0,
    createdAt: at(0),
    updatedAt: at(0),
    ...rest,
  };
}

function anAsk(changes: Partial<Ask> = {}): Ask {
  const ask = {
    kind: 'approval',
    agentRequestId: 'r1',
    toolName: 'Bash',
    toolCallId: 't1',
    title: 'Bash: npm test',
    input: { command: 'npm test' },
    subject: { kind: 'command', value: 'npm test' },
    ...changes,
  } as const;
  return { ...shaped(ask), ...ask };
}

/** What an agent's driver says of the call that is asked about; a tool that asks by itself has none. */
const shaped = ({ toolName, input, tool }: Pick<Ask, 'toolName' | 'input' | 'tool'>): Pick<Ask, 'call'> =>
  tool === undefined ? { call: callShapeOf(toolName, input) } : {};

export function anInteraction(
  changes: Partial<Omit<Interaction, 'interactionId' | 'sessionId'>> & {
    readonly id?: string;
    readonly session?: string;
  } = {},
): Interaction {
  const { id = 'i1', session = 's1', ...rest } = changes;
  const { agentRequestId: _, ...ask } = anAsk();
  return {
    ...ask,
    ...shaped({ ...ask, ...rest }),
    interactionId: interactionId(id),
    requestId: interactionId(id),
    sessionId: sessionId(session),
    sessionKey: null,
    turnId: 'turn1',
    createdAt: at(0),
    parked: false,
    status: 'open',
    ...rest,
  };
}

/** What a page knows when it was told of these: of one that is over, also while it was open. */
export const interactionsOf = (...told: readonly Interaction[]): Interactions =>
  told
    .flatMap((each): Interaction[] => [{ ...each, status: 'open' }, each])
    .reduce((known, interaction) => afterNews(known, { by: 'announcement', interaction }, 0), noInteractions);

export const aField = (id: string, changes: Partial<FormField> = {}): FormField => ({
  id,
  type: 'text',
  label: id,
  required: false,
  ...changes,
});

export const aForm = (fields: readonly FormField[], changes: Partial<Form> = {}): Form => ({
  message: 'Whom should I tell?',
  presentation: 'tool',
  fields: [...fields],
  ...changes,
});

/** What a tool asks by itself, while call `t1` runs it. */
export const aToolAsk = (
  form: Form | undefined,
  {
    attempt = 1,
    replaces,
    ...changes
  }: Parameters<typeof anInteraction>[0] & {
    readonly attempt?: number;
    readonly replaces?: string;
  } = {},
): Interaction =>
  anInteraction({
    kind: 'form',
    toolName: 'mcp__beckon__notify',
    title: form?.message ?? 'May I?',
    input: {},
    tool: {
      name: 'notify',
      callId: 't1',
      attempt,
      ...(replaces === undefined ? {} : { replaces: interactionId(replaces) }),
    },
    ...(form === undefined ? {} : { form }),
    ...changes,
  });

/** The ask of an interaction, as the log tells it. */
export function askOf({
  interactionId: _,
  requestId,
  sessionId: __,
  sessionKey,
  turnId,
  createdAt,
  parked,
  status,
  ...ask
}: Interaction): Partial<Ask> {
  return ask;
}

export const anAgent = (changes: Partial<Agent> = {}): Agent => ({
  name: 'demo',
  label: 'Demo agent',
  available: true,
  capabilities: {
    steer: true,
    interrupt: true,
    images: true,
    resume: true,
    setModel: true,
    permissionModes: ['default', 'plan'],
    editInput: true,
    denyReason: true,
  },
  ...changes,
});

/** The conversation that these facts make. */
export function conversationOf(...events: readonly NewEvent[]): Conversation {
  const conversation = new Conversation({ id: sessionId('s1'), key: null });
  for (const event of logOf(...events)) conversation.append(event);
  return conversation;
}

/** Numbers the facts of a log. */
export const logOf = (...events: readonly NewEvent[]): Event[] =>
  events.map((event, index) => ({ ...event, seq: index + 1, at: at(index) }) as Event);

export const text = (agentMessageId: string, words: string, parentToolCallId?: string): NewEvent => ({
  type: 'agent.text',
  agentMessageId,
  block: 0,
  text: words,
  ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
});

export const called = (
  toolCallId: string,
  input: Record<string, unknown> = { command: 'npm test' },
  more: { readonly name?: string; readonly startsAgent?: boolean; readonly parentToolCallId?: string } = {},
): NewEvent => ({
  type: 'tool.called',
  agentMessageId: `m-${toolCallId}`,
  block: 0,
  toolCallId,
  name: 'Bash',
  input,
  call: callShapeOf(more.name ?? (more.startsAgent === true ? 'Task' : 'Bash'), input),
  startsAgent: false,
  ...more,
});

export function result(
  toolCallId: string,
  words = 'ok',
  more: {
    readonly parentToolCallId?: string;
    readonly isError?: boolean;
    readonly detail?: unknown;
  } = {},
): NewEvent {
  const output = resultShapeOf(words, more.detail, more.isError === true);
  return {
    type: 'tool.result',
    toolCallId,
    isError: false,
    text: words,
    ...(output === undefined ? {} : { output }),
    ...more,
  };
}

export const asked = (id: string, ask: Partial<Ask> = {}): NewEvent => ({
  type: 'interaction.requested',
  interactionId: interactionId(id),
  turnId: 'turn1',
  processId: 'p1',
  ask: anAsk(ask),
});

export const resolvedAsk = (id: string): NewEvent => ({
  type: 'interaction.resolved',
  interactionId: interactionId(id),
  outcome: 'allowed',
  by: { kind: 'person' },
  delivered: true,
});

export const taken = (id: string, words: string): NewEvent => ({
  type: 'message.taken',
  messageId: messageId(id),
  text: words,
  images: [],
});

export const queued = (id: string, words: string, applied: 'send' | 'queue' = 'send'): NewEvent => ({
  type: 'message.queued',
  messageId: messageId(id),
  text: words,
  images: [],
  disposition: 'auto',
  place: 'tail',
  applied,
  reason: null,
  position: 1,
  clientMessageId: null,
  by: { kind: 'person' },
});

export const turnEnded = (outcome: 'completed' | 'interrupted' = 'completed'): NewEvent => ({
  type: 'turn.ended',
  turnId: 'turn1',
  outcome,
});
