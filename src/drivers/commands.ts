import type { AgentFact } from '../runner/ports/agent-driver.ts';
import { isObject, type JsonObject, textAt } from './fields.ts';

/** The whole list of an agent's commands, as it tells it; nothing where it tells none. */
export function commandsChange(
  told: unknown,
  hintOf: (command: JsonObject) => string | undefined,
): readonly AgentFact[] {
  if (!Array.isArray(told)) return [];
  const commands = told.filter(isObject).flatMap((command) => {
    const name = textAt(command, 'name')?.replace(/^\//, '');
    if (name === undefined) return [];
    const hint = hintOf(command);
    const description = textAt(command, 'description') ?? '';
    return [{ name, description, ...(hint === undefined ? {} : { hint }) }];
  });
  return [{ type: 'commands-changed', commands }];
}
