import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent, Capabilities } from '../../protocol/session.ts';
import { textAt } from '../fields.ts';
import { objectIn } from '../lines.ts';
import { agentEnvironment } from '../process/agent-environment.ts';
import { findProgram } from '../process/find-program.ts';
import { type AcpAgent, knownAgents } from './known-agents.ts';

/** What is known of an agent without starting it: whether its program is there, in which version, and what a person must know of it. */
export function lookFor(
  agent: AcpAgent,
  environment: Readonly<Record<string, string | undefined>>,
): Omit<Agent, 'capabilities'> {
  const { name, label, command, install, signIn, asking } = agent;
  const program = findProgram(command, agentEnvironment(environment, { sessionEnv: agent.env ?? {} }));
  const from = program && packageOf(program.command);
  const about = {
    name,
    label,
    ...(install !== undefined && { install }),
    ...(signIn && { signIn }),
    ...(asking && { asking }),
  };
  if (!program || (agent.package !== undefined && ownerOf(command, from?.name)?.name !== name))
    return { ...about, available: false, reason: `There is no program "${command}"` };
  return { ...about, available: true, ...(from?.version !== undefined && { version: from.version }) };
}

/** Of several agents whose programs have the same name, the one whose package it is from. */
function ownerOf(command: string, packageName: string | undefined): AcpAgent | undefined {
  const alike = knownAgents.filter((agent) => agent.command === command);
  return alike.find((agent) => agent.package === packageName) ?? alike[0];
}

interface Package {
  readonly name: string | undefined;
  readonly version: string | undefined;
}

/** The npm package in which a program lies; undefined where it lies in none. */
function packageOf(path: string): Package | undefined {
  try {
    const [, folder] =
      /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(realpathSync(path)) ?? [];
    if (folder === undefined) return undefined;
    const read = objectIn(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (read.kind !== 'object') return undefined;
    return { name: textAt(read.message, 'name'), version: textAt(read.message, 'version') };
  } catch {
    return undefined;
  }
}

/** What any such agent can do, before it has said what it can do. */
export const leastCapabilities = (outlivesServer: boolean): Capabilities => ({
  steer: false,
  interrupt: true,
  images: false,
  resume: false,
  setModel: false,
  permissionModes: [],
  editInput: false,
  denyReason: false,
  knowsSentMessages: false,
  outlivesServer,
});
