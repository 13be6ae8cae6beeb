import type { TurnUsage } from '../../../protocol/event.ts';
import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { commandsChange, modeChange, modelChange, notice, unknownOnce } from '../../facts.ts';
import { type JsonObject, listAt, numberAt, objectAt, textAt, wordsAt } from '../../fields.ts';
import { callShapeOf } from '../../tool-calls.ts';
import { configIn, optionsIn } from '../settings.ts';
import { type Memory, newName, nextPlace } from './memory.ts';
import { endAllSpeech, endSpeech, translateChunk } from './speech.ts';
import { tellAllCalls, translateCall } from './tool-call.ts';

/** What an update of the session means, in words no vendor owns. Those with no meaning for us give no facts. */
export function translateUpdate(memory: Memory, update: JsonObject): readonly AgentFact[] {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      noteUsage(memory, update);
      return translateChunk(memory, update, 'text');
    case 'agent_thought_chunk':
      return translateChunk(memory, update, 'thinking');
    case 'tool_call':
    case 'tool_call_update':
      return translateCall(memory, update);
    case 'plan':
      return translatePlan(memory, update);
    case 'notice':
      return translateNotice(update);
    case 'compaction_update':
      return translateCompaction(update);
    case 'usage_update':
      noteCost(memory, update);
      noteContext(memory, update);
      return [];
    case 'current_mode_update':
    case 'config_option_update':
    case 'available_commands_update':
      return translateSettings(memory, update);
    case 'session_info_update': {
      const title = textAt(update, 'title');
      return title === undefined ? [] : [{ type: 'titled', title }];
    }
    case 'compaction_summary_chunk':
    case 'user_message_chunk':
      return [];
    default:
      return unknownOnce(memory, `update ${wordsAt(update, 'sessionUpdate')}`, update);
  }
}

/** Whether an update shows that the agent works on what it was sent; others come at any time. */
export function isWork({ sessionUpdate }: JsonObject): boolean {
  return (
    sessionUpdate === 'agent_message_chunk' ||
    sessionUpdate === 'agent_thought_chunk' ||
    sessionUpdate === 'tool_call' ||
    sessionUpdate === 'plan'
  );
}

/** The mode, the model and the commands, where an update tells them; also in a history that is otherwise passed over. */
export function translateSettings(memory: Memory, update: JsonObject): readonly AgentFact[] {
  switch (update.sessionUpdate) {
    case 'current_mode_update':
      return modeChange(memory, textAt(update, 'currentModeId'));
    case 'config_option_update':
      return configChange(memory, update);
    case 'available_commands_update':
      return commandsChange(update.availableCommands, (command) =>
        textAt(objectAt(command, 'input') ?? {}, 'hint'),
      );
    default:
      return [];
  }
}

/** What an agent's options are now: the mode, the model, and its own. */
export function configChange(memory: Memory, holder: JsonObject): readonly AgentFact[] {
  const { mode, model } = configIn(holder);
  const options = optionsIn(holder);
  return [
    ...modeChange(memory, mode?.current),
    ...modelChange(memory, model?.current),
    ...(options ? [{ type: 'options-changed' as const, options }] : []),
  ];
}

/** What was begun and not ended is ended with the turn. */
export function closeTurn(memory: Memory): readonly AgentFact[] {
  return [...endAllSpeech(memory), ...tellAllCalls(memory)];
}

/** Sums of small amounts differ in their last places. */
const roundingError = 1e-6;

/** The cost since the last turn ended. */
export function costOfTurn(memory: Memory): number | undefined {
  const { costSoFar, costTold } = memory;
  memory.costTold = costSoFar;
  return costSoFar === 0 ? undefined : Math.max(0, costSoFar - costTold);
}

/** What was told before the agent was started again is told already. */
export function countFrom(memory: Memory, costUsd: number): void {
  memory.costSoFar = costUsd;
  memory.costTold = costUsd;
}

function noteCost(memory: Memory, update: JsonObject): void {
  const cost = objectAt(update, 'cost');
  const amount = cost && cost.currency === 'USD' ? numberAt(cost, 'amount') : undefined;
  if (amount === undefined) return;
  // After a resume the count may begin again.
  if (amount < memory.costTold - roundingError) memory.costTold = 0;
  memory.costSoFar = amount;
}

export const tokensIn = (usage: JsonObject): TurnUsage => ({
  inputTokens: numberAt(usage, 'inputTokens') ?? 0,
  outputTokens: numberAt(usage, 'outputTokens') ?? 0,
  cacheReadTokens: numberAt(usage, 'cachedReadTokens') ?? 0,
  cacheWriteTokens: numberAt(usage, 'cachedWriteTokens') ?? 0,
});

function noteUsage(memory: Memory, update: JsonObject): void {
  const told = objectAt(objectAt(update, '_meta') ?? {}, 'usage');
  if (!told) return;
  const more = tokensIn(told);
  const { usage = tokensIn({}) } = memory;
  memory.usage = {
    inputTokens: usage.inputTokens + more.inputTokens,
    outputTokens: usage.outputTokens + more.outputTokens,
    cacheReadTokens: usage.cacheReadTokens + more.cacheReadTokens,
    cacheWriteTokens: usage.cacheWriteTokens + more.cacheWriteTokens,
  };
}

function noteContext(memory: Memory, update: JsonObject): void {
  const [used, size] = [numberAt(update, 'used'), numberAt(update, 'size')];
  if (used !== undefined && size !== undefined && size > 0) memory.context = { used, size };
}

function translateNotice(update: JsonObject): readonly AgentFact[] {
  const text = [textAt(update, 'title'), textAt(update, 'description')].filter(Boolean).join(': ');
  const { severity } = update;
  const level = severity === 'warning' || severity === 'error' ? severity : 'info';
  return text === '' ? [] : [notice(level, 'agent', text)];
}

function translateCompaction(update: JsonObject): readonly AgentFact[] {
  switch (update.status) {
    case 'completed':
      return [notice('info', 'compacted', 'The agent has summarised the conversation so far.')];
    case 'failed': {
      const why = textAt(update, 'error');
      const text = `The agent could not summarise the conversation${why === undefined ? '.' : `: ${why}`}`;
      return [notice('warning', 'compacted', text)];
    }
    default:
      return [];
  }
}

/** The agent's list of steps comes whole each time. It is kept as the call by which other agents write theirs. */
function translatePlan(memory: Memory, update: JsonObject): readonly AgentFact[] {
  if (!Array.isArray(update.entries)) return unknownOnce(memory, 'kind of plan', update);
  const todos = listAt(update, 'entries').flatMap((entry) => {
    const content = textAt(entry, 'content');
    return content === undefined ? [] : [{ content, status: textAt(entry, 'status') ?? 'pending' }];
  });
  const plan = JSON.stringify(todos);
  if (plan === memory.lastPlan) return [];
  memory.lastPlan = plan;
  const spoken = endSpeech(memory, '');
  const toolCallId = newName(memory, 'plan');
  return [
    ...spoken,
    {
      type: 'said',
      event: {
        type: 'tool.called',
        ...nextPlace(memory),
        toolCallId,
        name: 'TodoWrite',
        input: { todos },
        call: callShapeOf('TodoWrite', { todos }),
        startsAgent: false,
      },
    },
    { type: 'said', event: { type: 'tool.result', toolCallId, isError: false, text: '' } },
  ];
}
