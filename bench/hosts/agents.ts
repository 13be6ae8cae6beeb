import { fileURLToPath } from 'node:url';
import { claudeArguments } from '../../src/drivers/claude/arguments.ts';
import { drilledAgent } from '../../test/support/drilled-agent.ts';
import { temporaryDirectory } from '../running.ts';

/** What a host runs its sessions with: a program that passes for Claude Code. */
export type AgentProgram = () => string;

let pacedProgram: string | undefined;

/** It tells by its own clock how long an answer was on its way. */
export const pacedAgent: AgentProgram = () => {
  pacedProgram ??= drilledAgent(temporaryDirectory());
  return pacedProgram;
};

/** So small that a thousand of it fit, and that what it costs itself does not count. */
export const tinyAgent: AgentProgram = () => fileURLToPath(new URL('../tiny-agent.sh', import.meta.url));

export const agentArguments = claudeArguments({
  model: null,
  permissionMode: null,
  resume: null,
  tools: null,
});
