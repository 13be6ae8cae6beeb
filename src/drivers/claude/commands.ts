import type { AgentFact } from '../../runner/ports/agent-driver.ts';
import { commandsChange } from '../commands.ts';
import { type JsonObject, textAt } from '../fields.ts';

/** Told in the reply to `initialize`, and again in a line of their own when the program has found others. */
export const commandsIn = (line: JsonObject): readonly AgentFact[] =>
  commandsChange(line.commands, (command) => textAt(command, 'argumentHint'));
