import type { Ask } from '../../../protocol/interaction.ts';
import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { type JsonObject, objectAt, textAt } from '../../fields.ts';
import { askTitle, callTitle } from '../../tool-calls.ts';
import { optionsIn, type PermissionOption } from '../reply.ts';
import { contentsIn, wordsOf } from './content.ts';
import { callSubject, describeCall, ownInput, ownName } from './describe-call.ts';
import type { Call, Memory } from './memory.ts';
import { callAsked } from './tool-call.ts';
import { vendorOf } from './vendors.ts';

export interface PermissionAsk {
  readonly facts: readonly AgentFact[];
  readonly ask: Ask;
  /** The agent's own name for the tool, where it told one. */
  readonly calledName: string | undefined;
}

/** What the agent asks leave for. The call it is about is told first, with what the ask says of it. */
export function permissionAsk(memory: Memory, agentRequestId: string, request: JsonObject): PermissionAsk {
  const told = objectAt(request, 'toolCall') ?? {};
  const { facts, call } = callAsked(memory, told);
  const fields = call?.fields ?? told;
  const options = optionsIn(request);
  const described = describeCall(fields, memory.cwd, true);
  const { toolName } = described;
  const calledName = ownName(fields);
  const common = {
    kind: 'approval' as const,
    agentRequestId,
    ...described,
    suggestions: options,
    ...originOf(call),
  };
  const plan = planIn(fields, toolName);
  if (plan !== undefined)
    return { facts, calledName, ask: { ...common, title: 'Approve the plan', plan, requiresPerson: true } };
  const { notes } = vendorOf(memory.agentName);
  const subject = callSubject(fields, toolName, memory.cwd, notes);
  const title =
    subject.kind === 'input' ? titleTold(fields, toolName) : callTitle(toolName, subject, described);
  const reason = oddity(options);
  const needsPerson = call === undefined || reason !== undefined;
  return {
    facts,
    calledName,
    ask: {
      ...common,
      title,
      subject,
      ...(reason !== undefined && { reason }),
      ...(needsPerson && { requiresPerson: true }),
    },
  };
}

function titleTold(fields: JsonObject, toolName: string): string {
  const told = textAt(fields, 'title');
  return askTitle(told === undefined || told === toolName ? toolName : `${toolName}: ${told}`);
}

/** To leave a planning mode is to approve a plan; it is in the input, or shown. */
function planIn(fields: JsonObject, toolName: string): string | undefined {
  if (fields.kind !== 'switch_mode' && toolName !== 'ExitPlanMode') return undefined;
  return textAt(ownInput(fields), 'plan') ?? contentsIn(fields).map(wordsOf).join('\n');
}

function originOf(call: Call | undefined): Pick<Ask, 'toolCallId' | 'agentId' | 'parentToolCallId'> {
  if (!call) return {};
  const { toolCallId, parentToolCallId } = call;
  return {
    toolCallId,
    ...(parentToolCallId !== undefined && { parentToolCallId, agentId: parentToolCallId }),
  };
}

/** What the person must know before deciding; no standing approval may answer then. */
function oddity(options: readonly PermissionOption[]): string | undefined {
  const kinds = new Set(options.map(({ kind }) => kind));
  if (kinds.has('allow_once')) return undefined;
  return kinds.has('allow_always')
    ? 'The agent offers no approval for this one time: what is allowed here it takes as allowed for good.'
    : 'The agent offers no way to allow this.';
}
