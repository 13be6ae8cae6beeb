import { fileURLToPath } from 'node:url';
import { claudeArguments } from '../../src/drivers/claude/arguments.ts';

/** What a host runs its sessions with. */
export interface AgentProgram {
  /** Beckon's name for it. */
  readonly name: 'demo' | 'claude';
  readonly command: readonly string[];
  environment(directory: string): Readonly<Record<string, string>>;
}

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const args = claudeArguments({ model: null, permissionMode: null, resume: null, tools: null });

/** It tells by its own clock how long an answer was on its way. */
export const demoAgent: AgentProgram = {
  name: 'demo',
  command: [process.execPath, file('../../src/drivers/demo/program/main.ts'), ...args],
  environment: (directory) => ({ BECKON_DEMO_HOME: directory }),
};

/** So small that a thousand of it fit, and that what it costs itself does not count. */
export const tinyAgent: AgentProgram = {
  name: 'claude',
  command: [file('../tiny-agent.sh'), ...args],
  environment: () => ({}),
};
