import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { type JsonObject, textAt } from '../../fields.ts';
import { notice } from '../../notice.ts';

export function translateNotice(update: JsonObject): readonly AgentFact[] {
  const text = [textAt(update, 'title'), textAt(update, 'description')].filter(Boolean).join(': ');
  const { severity } = update;
  const level = severity === 'warning' || severity === 'error' ? severity : 'info';
  return text === '' ? [] : [notice(level, 'agent', text)];
}

export function translateCompaction(update: JsonObject): readonly AgentFact[] {
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
