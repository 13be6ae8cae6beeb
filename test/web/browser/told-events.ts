import type { NewEvent } from '../../../src/protocol/event.ts';
import { InteractionId, MessageId } from '../../../src/protocol/ids.ts';

let lastNumber = 0;
const number = (): number => {
  lastNumber += 1;
  return lastNumber;
};

/** The events that an agent's doings leave in a log, in the order in which they would. */
export const said = (text: string, parentToolCallId?: string): NewEvent => ({
  type: 'agent.text',
  agentMessageId: `m${number()}`,
  block: 0,
  text,
  ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
});

export const thought = (text: string): NewEvent => ({
  type: 'agent.thinking',
  agentMessageId: `m${number()}`,
  block: 0,
  text,
});

export const asked = (text: string): NewEvent[] => {
  const messageId = MessageId.parse(`msg_${number()}`);
  return [
    { type: 'turn.started', turnId: `turn_${number()}`, messageId },
    { type: 'message.taken', messageId, text, images: [] },
  ];
};

export interface ToldCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly output: string;
  readonly detail?: unknown;
  readonly isError?: boolean;
  readonly parent?: string;
  /** What a sub-agent did, by the id of the call that started it. */
  readonly within?: (toolCallId: string) => readonly NewEvent[];
}

export function called(call: ToldCall): NewEvent[] {
  const toolCallId = `call_${number()}`;
  const parent = call.parent === undefined ? {} : { parentToolCallId: call.parent };
  return [
    {
      type: 'tool.called',
      agentMessageId: `m${number()}`,
      block: 1,
      toolCallId,
      name: call.name,
      input: call.input,
      startsAgent: call.within !== undefined,
      ...parent,
    },
    ...(call.within?.(toolCallId) ?? []),
    {
      type: 'tool.result',
      toolCallId,
      isError: call.isError ?? false,
      text: call.output,
      ...(call.detail === undefined ? {} : { detail: call.detail }),
      ...parent,
    },
  ];
}

export const turnEnded = (more: Partial<Extract<NewEvent, { type: 'turn.ended' }>> = {}): NewEvent => ({
  type: 'turn.ended',
  turnId: `turn_${number()}`,
  outcome: 'completed',
  durationMs: 42_300,
  usage: { inputTokens: 1200, outputTokens: 845, cacheReadTokens: 18_400, cacheWriteTokens: 900 },
  costUsd: 0.0312,
  ...more,
});

/** An approval that was asked for and given. */
export function allowed(command: string, by: 'person' | 'grant' = 'person'): NewEvent[] {
  const interactionId = InteractionId.parse(`int_${number()}`);
  const actor = { kind: by } as const;
  return [
    {
      type: 'interaction.requested',
      interactionId,
      turnId: null,
      processId: 'p1',
      ask: {
        kind: 'approval',
        agentRequestId: `r${number()}`,
        toolName: 'Bash',
        title: `Bash: ${command}`,
        input: { command },
        subject: { kind: 'command', value: command },
      },
    },
    {
      type: 'interaction.decided',
      interactionId,
      outcome: 'allowed',
      decision: { type: 'allow', scope: 'once' },
      by: actor,
    },
    { type: 'interaction.resolved', interactionId, outcome: 'allowed', by: actor, delivered: true },
  ];
}
