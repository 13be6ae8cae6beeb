import type { Capabilities, RunIsolation } from '../../protocol/session.ts';
import type { AgentFact, AgentStart } from '../../runner/ports/agent-driver.ts';
import { commandsChange, modeChange } from '../facts.ts';
import { type JsonObject, listAt, textAt, textsAt } from '../fields.ts';
import type { TypedMessage } from './incoming.ts';
import type { Memory } from './translate/memory.ts';

/** The modes both supported versions know. The older one takes any word for a mode, so they are checked here. */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions'];

/** How many tokens Claude Code may think with. */
export const thinkingVariable = 'MAX_THINKING_TOKENS';

export function claudeCapabilities(outlivesServer: boolean, initialized: JsonObject = {}): Capabilities {
  const models = listAt(initialized, 'models').flatMap((model) => {
    const value = textAt(model, 'value');
    return value === undefined ? [] : [{ value, label: textAt(model, 'displayName') ?? value }];
  });
  return {
    steer: true,
    interrupt: true,
    images: true,
    resume: true,
    setModel: true,
    permissionModes,
    ...(models.length > 0 && { models }),
    editInput: true,
    denyReason: true,
    outlivesServer,
    fork: 'at-turn',
  };
}

/** Told in the reply to `initialize`, and again in a line of their own when the program has found others. */
export const commandsIn = (line: JsonObject): readonly AgentFact[] =>
  commandsChange(line.commands, (command) => textAt(command, 'argumentHint'));

/** The program takes messages: what its reply to `initialize` tells. */
export function readyFacts(
  memory: Memory,
  response: JsonObject,
  { version, outlivesServer, isolation }: Readiness,
): readonly AgentFact[] {
  return [
    {
      type: 'ready',
      agentSessionId: memory.agentSessionId,
      version: textAt(response, 'claude_code_version') ?? version,
      capabilities: claudeCapabilities(outlivesServer, response),
      ...(isolation !== undefined && { isolation }),
    },
    ...modeChange(memory, textAt(response, 'current_permission_mode')),
    ...commandsIn(response),
  ];
}

interface Readiness {
  /** What the program said when it was looked for. */
  readonly version: string | null;
  readonly outlivesServer: boolean;
  readonly isolation: RunIsolation | undefined;
}

/** Before it is ready, a result can only say that there is nothing to resume; undefined when it says something else. */
export const refusedResume = (
  memory: Memory,
  { fork }: AgentStart,
  message: TypedMessage,
): string | undefined =>
  message.type === 'result' && (memory.agentSessionId !== null || fork !== undefined)
    ? textsAt(message, 'errors').join('; ') || 'it gave no reason'
    : undefined;
