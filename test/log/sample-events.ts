import type { EventLog, Place, StreamId } from '../../src/engine/ports/event-log.ts';
import type { SessionSummary } from '../../src/model/summary.ts';
import type { Event, NewEvent, NewEventOf } from '../../src/protocol/event.ts';
import { InteractionId, MessageId, SessionId } from '../../src/protocol/ids.ts';
import type { Ask } from '../../src/protocol/interaction.ts';
import type { Session } from '../../src/protocol/session.ts';

export const at = '2026-01-01T00:00:00.000Z';
export const session = (name: string): SessionId => SessionId.parse(name);

export const said = (text: string): NewEventOf<'agent.text'> => ({
  type: 'agent.text',
  agentMessageId: 'msg',
  block: 0,
  text,
});

export const overdue = (turnId: string): NewEventOf<'turn.overdue'> => ({ type: 'turn.overdue', turnId });

export const queued = (id: string, clientMessageId: string | null): NewEventOf<'message.queued'> => ({
  type: 'message.queued',
  messageId: MessageId.parse(id),
  text: 'go on',
  images: [],
  disposition: 'auto',
  place: 'tail',
  applied: 'queue',
  reason: null,
  position: 1,
  clientMessageId,
  by: { kind: 'person' },
});

export const requested = (id: string, ask: Partial<Ask> = {}): NewEventOf<'interaction.requested'> => ({
  type: 'interaction.requested',
  interactionId: InteractionId.parse(id),
  turnId: null,
  processId: 'p1',
  ask: { kind: 'approval', agentRequestId: 'r', toolName: 'Bash', title: 'run it', input: {}, ...ask },
});

export const decided = (id: string, message = 'not here'): NewEventOf<'interaction.decided'> => ({
  type: 'interaction.decided',
  interactionId: InteractionId.parse(id),
  outcome: 'denied',
  decision: { type: 'deny', message, interrupt: false },
  by: { kind: 'person' },
});

export const called = (input: Record<string, unknown>): NewEventOf<'tool.called'> => ({
  type: 'tool.called',
  agentMessageId: 'msg',
  block: 0,
  toolCallId: 'call',
  name: 'Bash',
  input,
  startsAgent: false,
});

/** The events as they were stored. */
export async function append(
  log: EventLog,
  stream: StreamId,
  ...events: NewEvent[]
): Promise<readonly Event[]> {
  const [last = 0] = await log.append({ parts: [{ stream, at, events }] });
  return events.map((event, index) => ({ ...event, seq: last - events.length + 1 + index, at }));
}

/** Where an append of one event was stored. */
export async function placeOf(log: EventLog, stream: StreamId, ...events: NewEvent[]): Promise<Place> {
  const { promise, resolve } = Promise.withResolvers<Place>();
  await log.append({ parts: [{ stream, at, events }], onStored: resolve });
  return promise;
}

export const seqsOf = (events: readonly Event[]): number[] => events.map(({ seq }) => seq);
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

/** A session of which no more is known than what lists show. */
export const summarized = (id: SessionId, given: Partial<Session> = {}): SessionSummary => ({
  session: {
    id,
    key: null,
    title: 'A title',
    agent: 'demo',
    agentVersion: null,
    agentSessionId: null,
    cwd: '/work',
    status: 'asleep',
    isolation: null,
    since: at,
    waitingOn: 'nothing',
    awaited: null,
    permissionMode: null,
    model: null,
    labels: [],
    askTimeout: null,
    ephemeral: false,
    capabilities: null,
    pendingCount: 0,
    queueLength: 0,
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0, turns: 0 },
    interrupting: null,
    failure: null,
    lastSeq: 1,
    createdAt: at,
    updatedAt: at,
    ...given,
  },
  grants: [],
});
