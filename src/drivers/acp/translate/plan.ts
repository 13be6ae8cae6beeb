import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { type JsonObject, listAt, textAt } from '../../fields.ts';
import { callShapeOf } from '../../tool-calls.ts';
import { unknownOnce } from '../../unknown-once.ts';
import { type Memory, newName } from './memory.ts';
import { nextPlace } from './place.ts';
import { endSpeech } from './speech.ts';

/** The agent's list of steps comes whole each time. It is kept as the call by which other agents write theirs. */
export function translatePlan(memory: Memory, update: JsonObject): readonly AgentFact[] {
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
