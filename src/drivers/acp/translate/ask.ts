import { z } from 'zod';
import { type Ask, Question, type Subject } from '../../../protocol/interaction.ts';
import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { type JsonObject, objectAt, textAt } from '../../fields.ts';
import { askTitle, callTitle, expectedShape } from '../../tool-calls.ts';
import { answersAmong, optionsIn, type PermissionOption } from '../reply.ts';
import { contentsIn, wordsOf } from './content.ts';
import {
  callSubject,
  type DescribedCall,
  describeCall,
  ownInput,
  ownName,
  unnamedTool,
  wordsAsked,
} from './describe-call.ts';
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
  const vendor = vendorOf(memory.agentName);
  const calledName = vendor.confirmsName?.(fields, told) === false ? undefined : ownName(fields);
  const common = {
    kind: 'approval' as const,
    agentRequestId,
    ...described,
    suggestions: options,
    ...originOf(call),
  };
  const questions = [...questionsIn(told), ...questionOf(told, options)];
  if (questions.length > 0) {
    const title = askTitle(questions.map(({ question }) => question).join(' · '));
    const ask = { ...common, kind: 'question' as const, title, questions, requiresPerson: true };
    return { facts, calledName, ask };
  }
  const plan = planIn(memory, fields, toolName);
  if (plan !== undefined)
    return {
      facts,
      calledName,
      ask: {
        ...common,
        ...waysAmong(options, vendor.modesAsOptions ? [] : ['allow_once', 'allow_always']),
        title: 'Approve the plan',
        plan,
        requiresPerson: true,
      },
    };
  const subject = callSubject(fields, toolName, memory.cwd, vendor.notes);
  const title =
    subject.kind === 'input' ? titleTold(fields, toolName) : callTitle(toolName, subject, described);
  const reason = oddity(options) ?? (vendor.asksInWords ? otherWords(told, subject) : undefined);
  const saysNothing = isUnsaid(described);
  const needsPerson = call === undefined || reason !== undefined || saysNothing;
  return {
    facts,
    calledName,
    ask: {
      ...common,
      title,
      subject,
      ...(reason !== undefined && { reason }),
      ...waysAmong(options, ['allow_once']),
      ...(needsPerson && { requiresPerson: true }),
      ...(saysNothing && { defaultToNo: true }),
    },
  };
}

/** Qwen Code asks leave to ask: the questions are beside the protocol, and so are the answers in the reply. */
function questionsIn(told: JsonObject): Question[] {
  const note = objectAt(told, '_meta') ?? {};
  if (note.qwenInteractionKind !== 'user_question') return [];
  const { data } = z.array(AskedQuestion).safeParse(note.qwenQuestions);
  return data ?? [];
}

/** Kimi puts each question as a request for leave, whose ways to allow are the answers. */
function questionOf(told: JsonObject, options: readonly PermissionOption[]): Question[] {
  const answers = answersAmong(options);
  const question = answers.length === 0 ? undefined : wordsAsked(told);
  if (question === undefined) return [];
  return [{ question, options: answers.map(({ name }) => ({ label: name })), multiSelect: false }];
}

const AskedQuestion = Question.extend({ multiSelect: z.boolean().default(false) });

/** The options of these kinds, where a person has a choice among them. */
function waysAmong(options: readonly PermissionOption[], kinds: readonly string[]): Pick<Ask, 'ways'> {
  const ways = options.filter(({ kind }) => kinds.includes(kind));
  return ways.length < 2 ? {} : { ways: ways.map(({ optionId, name }) => ({ id: optionId, label: name })) };
}

/** Neither an input nor words, of a call that is nothing without them. */
const isUnsaid = ({ toolName, input }: DescribedCall): boolean =>
  Object.keys(input).length === 0 && (toolName === unnamedTool || expectedShape(toolName) !== undefined);

function titleTold(fields: JsonObject, toolName: string): string {
  const title = textAt(fields, 'title');
  const isBare = title === toolName && Object.keys(ownInput(fields)).length === 0;
  const told = isBare ? wordsAsked(fields) : title;
  return askTitle(told === undefined || told === toolName ? toolName : `${toolName}: ${told}`);
}

/** To leave a planning mode is to approve a plan; it is in the input, or shown, or in the file that the ask names. */
function planIn({ lastFile }: Memory, fields: JsonObject, toolName: string): string | undefined {
  if (fields.kind !== 'switch_mode' && toolName !== 'ExitPlanMode') return undefined;
  const told = textAt(ownInput(fields), 'plan') || contentsIn(fields).map(wordsOf).join('\n');
  const title = textAt(fields, 'title') ?? '';
  return told || (lastFile && title.includes(lastFile.path) ? lastFile.text : title);
}

function originOf(call: Call | undefined): Pick<Ask, 'toolCallId' | 'agentId' | 'parentToolCallId'> {
  if (!call) return {};
  const { toolCallId, parentToolCallId } = call;
  return {
    toolCallId,
    ...(parentToolCallId !== undefined && { parentToolCallId, agentId: parentToolCallId }),
  };
}

/** The words of an ask that do not have the command in them: they may be about another. */
function otherWords(asked: JsonObject, { kind, value }: Subject): string | undefined {
  const words = asked.rawInput === undefined ? wordsAsked(asked) : undefined;
  const isSame = words === undefined || kind !== 'command' || words.includes(value);
  return isSame ? undefined : `The agent says: ${words}`;
}

/** What the person must know before deciding; no standing approval may answer then. */
function oddity(options: readonly PermissionOption[]): string | undefined {
  const kinds = new Set(options.map(({ kind }) => kind));
  if (kinds.has('allow_once')) return undefined;
  return kinds.has('allow_always')
    ? 'The agent offers no approval for this one time: what is allowed here it takes as allowed for good.'
    : 'The agent offers no way to allow this.';
}
