import { bash } from './bash.ts';
import { demoBulk, demoPing, todoWrite, webFetch } from './canned.ts';
import { edit, read, write } from './files.ts';
import { askUserQuestion, exitPlanMode } from './person.ts';
import type { Tool } from './tool.ts';

const tools: readonly Tool[] = [
  askUserQuestion,
  bash,
  demoBulk,
  demoPing,
  edit,
  exitPlanMode,
  read,
  todoWrite,
  webFetch,
  write,
];

/** The names as `system/init` gives them: there, the `Agent` tool is called `Task`. */
export const toolNames: readonly string[] = ['Task', ...tools.map((tool) => tool.name)];

export function findTool(name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name);
}
