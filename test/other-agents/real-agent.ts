import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AcpAgent } from '../../src/drivers/acp/known-agents.ts';
import { freshRoom, type Room } from '../real-agents/room.ts';
import type { ModelAccess } from '../real-agents/workplace.ts';

/** An agent from npm, started as a person would start it, and how it finds a model. */
export interface RealAgent extends ModelAccess {
  readonly agent: AcpAgent;
}

/** A workplace with a server that knows the agent, anew for each test of the file. */
export function roomWith({ agent, ...access }: RealAgent): Room {
  return freshRoom({
    agent: agent.name,
    access,
    server: async (folder) => ({ args: ['--config', await configuration(folder, agent)] }),
  });
}

export const program = (name: string): string => join(import.meta.dirname, 'node_modules/.bin', name);

/** What every program needs, and nothing of whoever runs the tests. */
export const plainEnvironment = (home: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: home,
  TMPDIR: home,
  LANG: 'C.UTF-8',
  SHELL: '/bin/bash',
});

async function configuration(folder: string, agent: AcpAgent): Promise<string> {
  const { name, label, command, args, env, toolLimitMs } = agent;
  const limit = toolLimitMs !== undefined && { toolLimitSeconds: toolLimitMs / 1000 };
  const file = join(folder, 'config.json');
  await writeFile(
    file,
    JSON.stringify({ agents: { [name]: { driver: 'acp', label, command, args, env, ...limit } } }),
  );
  return file;
}
