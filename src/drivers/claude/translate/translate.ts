import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { unknownOnce } from '../../facts.ts';
import { textAt } from '../../fields.ts';
import type { TypedMessage } from '../incoming.ts';
import type { Memory } from './memory.ts';
import { translateAssistant, translateStream } from './said.ts';
import { translateRateLimit, translateSystem } from './system.ts';
import { translateLifecycle, translateResult } from './turn.ts';
import { translateUser } from './user.ts';

/** What a line of the program means, in words no vendor owns. Lines with no meaning for us give no facts. */
export function translate(memory: Memory, line: TypedMessage): readonly AgentFact[] {
  noteLine(memory, line);
  switch (line.type) {
    case 'stream_event':
      return translateStream(memory, line);
    case 'assistant':
      return translateAssistant(memory, line);
    case 'user':
      return translateUser(memory, line);
    case 'system':
      return translateSystem(memory, line);
    case 'result':
      return translateResult(memory, line);
    case 'command_lifecycle':
      return translateLifecycle(memory, line);
    case 'rate_limit_event':
      return translateRateLimit(line);
    case 'auth_status':
    case 'keep_alive':
    case 'prompt_suggestion':
    case 'tool_progress':
    case 'tool_use_summary':
      return [];
    default:
      return unknownOnce(memory, `line ${line.type}`, line);
  }
}

/** The echo of a message may come in the middle of the turn that it began. */
function noteLine(memory: Memory, line: TypedMessage): void {
  const isSaid = line.type === 'assistant' || (line.type === 'user' && line.isReplay !== true);
  if (isSaid && textAt(line, 'parent_tool_use_id') === undefined) memory.lastLine = textAt(line, 'uuid');
}
