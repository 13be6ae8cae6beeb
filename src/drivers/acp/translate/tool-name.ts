import { type JsonObject, textAt } from '../../fields.ts';
import { changesIn } from './content.ts';
import { vendorNote } from './vendor.ts';

/** The names under which the page, and standing approvals, know what a tool does. */
const commonNames = new Set([
  'Agent',
  'AskUserQuestion',
  'Bash',
  'Edit',
  'ExitPlanMode',
  'Glob',
  'Grep',
  'LS',
  'MultiEdit',
  'NotebookEdit',
  'PowerShell',
  'Read',
  'Task',
  'TodoWrite',
  'WebFetch',
  'WebSearch',
  'Write',
]);

const agentStarters = new Set(['Agent', 'Task']);

/**
 * Agents name their tools each in their own way, but say of what kind a call is. A command is a command whoever runs it:
 * it is shown alike, and a standing approval for it holds.
 */
export function toolNameOf(call: JsonObject): string {
  const own = ownName(call);
  if (own !== undefined && commonNames.has(own)) return own;
  switch (call.kind) {
    case 'execute':
      return 'Bash';
    case 'read':
      return 'Read';
    case 'edit':
      return isNewFile(call) ? 'Write' : 'Edit';
    case 'search':
      return 'Grep';
    case 'fetch':
      return 'WebFetch';
    case 'switch_mode':
      return 'ExitPlanMode';
    default:
      return own ?? textAt(call, 'title') ?? 'tool';
  }
}

export function startsAgent(call: JsonObject): boolean {
  const own = ownName(call);
  return own !== undefined && agentStarters.has(own);
}

/** The name that the agent itself has for the tool. A title is none: some are made of the model's own words. */
export function ownName(call: JsonObject): string | undefined {
  return vendorNote(call).toolName ?? textAt(call, 'name');
}

function isNewFile(call: JsonObject): boolean {
  const changes = changesIn(call);
  return changes.length > 0 && changes.every(({ before }) => before === null);
}
