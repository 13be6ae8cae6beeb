import { stripVTControlCharacters } from 'node:util';
import type { Ask, Question } from '../../../protocol/interaction.ts';
import type { CallShape } from '../../../protocol/tool-call.ts';
import { canBeWritten, type JsonObject, listAt, objectAt, textAt, textsAt } from '../../fields.ts';
import { formFields } from '../../form-fields.ts';
import { subjectOf } from '../../subject.ts';
import { askTitle, callShapeOf, callTitle } from '../../tool-calls.ts';
import type { IncomingRequest } from '../incoming.ts';
import type { Memory } from './memory.ts';

/** What a request of the agent asks of a person; undefined when it makes no sense, or is nested beyond measure. */
export function askOf(memory: Memory, { requestId, subtype, request }: IncomingRequest): Ask | undefined {
  if (!canBeWritten(request)) return undefined;
  return subtype === 'elicitation' ? elicitationAsk(requestId, request) : toolAsk(memory, requestId, request);
}

function toolAsk(memory: Memory, agentRequestId: string, request: JsonObject): Ask | undefined {
  const toolName = textAt(request, 'tool_name');
  const given = objectAt(request, 'input');
  if (toolName === undefined || !given) return undefined;
  const input = { ...given };
  const call = callShapeOf(toolName, input, memory.cwd);
  const common = {
    agentRequestId,
    toolName,
    input,
    call,
    ...originOf(memory, request),
    ...reasonOf(request),
  };
  switch (toolName) {
    case 'AskUserQuestion': {
      const questions = questionsOf(input);
      if (!questions) break;
      const title = questions.map(({ question }) => question).join(' · ');
      return { ...common, kind: 'question', title: askTitle(title), questions, requiresPerson: true };
    }
    case 'ExitPlanMode': {
      // A plan that was never written down is still a plan to be approved.
      const plan = textAt(input, 'plan') ?? '';
      return { ...common, kind: 'approval', title: 'Approve the plan', plan, requiresPerson: true };
    }
  }
  const subject = subjectOf(toolName, input, memory.cwd);
  return {
    ...common,
    kind: 'approval',
    title: callTitle(toolName, subject, common),
    subject,
    ...(Array.isArray(request.permission_suggestions) && { suggestions: request.permission_suggestions }),
    ...(needsPerson(request, call) && { requiresPerson: true }),
    ...(request.default_to_no === true && { defaultToNo: true }),
  };
}

function originOf(
  memory: Memory,
  request: JsonObject,
): Pick<Ask, 'toolCallId' | 'agentId' | 'parentToolCallId'> {
  const toolCallId = textAt(request, 'tool_use_id');
  const agentId = textAt(request, 'agent_id');
  const parentToolCallId = agentId === undefined ? undefined : memory.tasks.get(agentId)?.toolCallId;
  return {
    ...(toolCallId !== undefined && { toolCallId }),
    ...(agentId !== undefined && { agentId }),
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  };
}

/** Why the agent asks. Reasons are written for a terminal, colours included. */
function reasonOf(request: JsonObject): Pick<Ask, 'reason' | 'blockedPath'> {
  const reason = stripVTControlCharacters(textAt(request, 'decision_reason') ?? '').trim();
  const blockedPath = textAt(request, 'blocked_path') ?? '';
  return { ...(reason !== '' && { reason }), ...(blockedPath !== '' && { blockedPath }) };
}

function needsPerson(request: JsonObject, { risks = [] }: CallShape): boolean {
  return (
    request.requires_user_interaction === true ||
    request.suppress_always_allow_rule === true ||
    (request.matched_ask_rule !== undefined && request.matched_ask_rule !== null) ||
    textAt(request, 'tool_use_id') === undefined ||
    // The same command without its sandbox is another thing than what was granted.
    risks.some(({ kind }) => kind === 'sandbox-off')
  );
}

/** Undefined when the input is not what the tool's own description says: then it is asked as any other call. */
function questionsOf(input: JsonObject): Question[] | undefined {
  const questions = listAt(input, 'questions').map(toQuestion);
  const whole = questions.filter((question) => question !== undefined);
  return whole.length > 0 && whole.length === questions.length ? whole : undefined;
}

function toQuestion(given: JsonObject): Question | undefined {
  const question = textAt(given, 'question');
  if (question === undefined) return undefined;
  const header = textAt(given, 'header');
  return {
    question,
    ...(header !== undefined && { header }),
    options: listAt(given, 'options').flatMap(toOption),
    multiSelect: given.multiSelect === true,
  };
}

function toOption(given: JsonObject): Question['options'] {
  const label = textAt(given, 'label');
  const description = textAt(given, 'description');
  return label === undefined ? [] : [{ label, ...(description !== undefined && { description }) }];
}

/** A form that another MCP server wants filled in, or an address it wants visited. */
function elicitationAsk(agentRequestId: string, request: JsonObject): Ask {
  const source = textAt(request, 'mcp_server_name') ?? 'MCP server';
  const message = textAt(request, 'message') ?? '';
  const url = textAt(request, 'url');
  const toolCallId = textAt(request, 'tool_use_id');
  return {
    kind: 'form',
    agentRequestId,
    toolName: source,
    ...(toolCallId !== undefined && { toolCallId }),
    title: message || source,
    input: { ...request },
    form: {
      message,
      fields: formFields(objectAt(request, 'requested_schema') ?? {}, textsAt(request, 'property_order')),
      presentation: 'questionnaire',
      source,
      ...(url !== undefined && { url }),
    },
    requiresPerson: true,
  };
}
