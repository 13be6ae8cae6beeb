import { type AcpAgent, knownAgents } from '../drivers/acp/known-agents.ts';
import { agentEnvironment } from '../drivers/process/agent-environment.ts';
import { findProgram } from '../drivers/process/find-program.ts';
import type { Config } from './config-file.ts';
import type { Environment } from './console.ts';
import { Failure } from './failure.ts';

type Configured = NonNullable<Config['agents']>[string];

/** Names that drivers of their own have. */
const builtIn = ['claude', 'claude-sdk', 'demo'];

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

function agentOf(name: string, { driver, enabled, command, args, env, label }: Configured): AcpAgent[] {
  const known = knownAgents.find((agent) => agent.name === name);
  if (driver === undefined && !known) {
    const given = Object.entries({ command, args, env, label }).find(([, value]) => value !== undefined);
    if (given)
      throw new Failure(`the agent "${name}" of the configuration has a "${given[0]}" and no "driver"`);
    return [];
  }
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new Failure(`"${name}" is no name for an agent: letters, digits, "-", "." and "_" are`);
  if (builtIn.includes(name)) throw new Failure(`the agent "${name}" is built in; give yours another name`);
  if (enabled === false) return [];
  const program = command ?? known?.command;
  if (program === undefined) throw new Failure(`the agent "${name}" of the configuration has no "command"`);
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
