import { type AcpAgent, knownAgents } from '../drivers/acp/known-agents.ts';
import { agentEnvironment } from '../drivers/process/agent-environment.ts';
import { findProgram } from '../drivers/process/find-program.ts';
import type { AgentConfig, Config } from './config-file.ts';
import type { Environment } from './console.ts';

/**
 * The agents to reach by the Agent Client Protocol: those of the configuration, and of the known ones those whose program is
 * on PATH. A configured one is listed in any case: where its program is missing, the list says so.
 */
export function acpAgents(configured: Config['agents'] = {}, env: Environment): readonly AcpAgent[] {
  const named = Object.entries(configured).flatMap(([name, settings]) => agentOf(name, settings));
  const isNamed = new Set(Object.keys(configured));
  const searched = agentEnvironment(env);
  const found = knownAgents.filter(
    ({ name, command }) => !isNamed.has(name) && findProgram(command, searched),
  );
  return [...named, ...found];
}

function agentOf(name: string, { driver, enabled, command, args, env, label }: AgentConfig): AcpAgent[] {
  const known = knownAgents.find((agent) => agent.name === name);
  const program = command ?? known?.command;
  if ((driver === undefined && !known) || program === undefined || enabled === false) return [];
  // With another program the arguments of the known one mean nothing.
  const usual = command === undefined ? known?.args : undefined;
  return [
    {
      name,
      label: label ?? known?.label ?? name,
      command: program,
      args: args ?? usual ?? [],
      ...((known?.env || env) && { env: { ...known?.env, ...env } }),
    },
  ];
}
