import { check, inputSchema } from '../protocol/check.ts';
import { accept, type Result, refuse } from '../protocol/errors.ts';
import {
  isDecision,
  type OperationDefinition,
  type OperationName,
  operations,
  paramsIn,
} from '../protocol/operation.ts';
import { changeHandlers } from './handlers/changes.ts';
import { directoryHandlers } from './handlers/directories.ts';
import { editorHandlers } from './handlers/editor.ts';
import { forkHandlers } from './handlers/forks.ts';
import { grantHandlers } from './handlers/grants.ts';
import { insightHandlers } from './handlers/insights.ts';
import { interactionHandlers } from './handlers/interactions.ts';
import { landingHandlers } from './handlers/landing.ts';
import { machineHandlers } from './handlers/machines.ts';
import { messageHandlers } from './handlers/messages.ts';
import { readingHandlers } from './handlers/reading.ts';
import { reviewHandlers } from './handlers/review.ts';
import type { Handlers, Room } from './handlers/room.ts';
import { ruleHandlers } from './handlers/rules.ts';
import { sessionHandlers } from './handlers/sessions.ts';
import { suggestionHandlers } from './handlers/suggestions.ts';
import { templateHandlers } from './handlers/templates.ts';
import { trustHandlers } from './handlers/trust.ts';
import { worktreeHandlers } from './handlers/worktrees.ts';
import type { Caller, ControlRoom, Reply } from './ports/control-room.ts';
import { StorageError } from './ports/event-log.ts';

/** The compiler sees that each operation of the table has its handler here, and that none is left over. */
const handlers: Handlers = {
  ...sessionHandlers,
  ...forkHandlers,
  ...messageHandlers,
  ...reviewHandlers,
  ...insightHandlers,
  ...interactionHandlers,
  ...grantHandlers,
  ...ruleHandlers,
  ...readingHandlers,
  ...directoryHandlers,
  ...suggestionHandlers,
  ...templateHandlers,
  ...trustHandlers,
  ...machineHandlers,
  ...changeHandlers,
  ...editorHandlers,
  ...landingHandlers,
  ...worktreeHandlers,
};

type Input = Readonly<Record<string, unknown>>;

/** The one way in, for every transport: checks the input, then hands it to the operation's handler. */
export function createDispatcher(room: Room): ControlRoom['dispatch'] {
  return async (name, input, caller) => {
    const checked = checkedInput(name, input);
    if (!checked.ok) return checked;
    if (caller.mayDecide === false && isDecision(name, input)) return refuse('device_required');
    const handler = handlers[name] as (room: Room, input: unknown, caller: Caller) => Promise<Result<Reply>>;
    try {
      const named = withSession(room, checked.value);
      return named.ok ? await handler(room, named.value, caller) : named;
    } catch (error) {
      if (error instanceof StorageError) return refuse('storage_unavailable', error.message);
      throw error;
    }
  };
}

function checkedInput(name: OperationName, input: Input): Result<Input> {
  const operation: OperationDefinition = operations[name];
  const fields = { ...input };
  const params: Record<string, string> = {};
  for (const param of paramsIn(operation.path)) {
    const value = String(input[param] ?? '');
    if (value === '') return refuse('malformed_request', `"${param}" is missing`, { field: param });
    params[param] = value;
    delete fields[param];
  }
  const checked = check(inputSchema(operation), fields);
  return checked.ok ? accept({ ...checked.value, ...params }) : checked;
}

function withSession({ registry }: Room, input: Input): Result<Input> {
  if (typeof input.session !== 'string') return accept(input);
  const found = registry.find(input.session);
  return found.ok ? accept({ ...input, session: found.value }) : found;
}
