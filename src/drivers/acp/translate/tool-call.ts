import type { NewEventOf } from '../../../protocol/event.ts';
import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { unknownOnce } from '../../facts.ts';
import { isObject, type JsonObject, objectAt, textAt } from '../../fields.ts';
import { commandPlaces } from '../../subject.ts';
import { startsAgent } from '../../tool-table.ts';
import { changesIn, imagesIn } from './content.ts';
import { describeCall, ownName, vendorNote } from './describe-call.ts';
import { type Call, type Memory, nextPlace } from './memory.ts';
import { endSpeech } from './speech.ts';
import { resultAccount, resultText } from './tool-result.ts';
import { vendorOf } from './vendors.ts';

const mostOpenCalls = 500;

/**
 * A call is told in pieces: it begins without its input, and its end comes in an update of its own. It is stored when
 * its input is known, at the latest with its result, for what is stored is not changed any more.
 */
export function translateCall(memory: Memory, told: JsonObject): readonly AgentFact[] {
  const update = vendorOf(memory.agentName).read(told);
  const toolCallId = textAt(update, 'toolCallId');
  if (toolCallId === undefined) return unknownOnce(memory, 'tool call', update);
  const isNew = !memory.calls.has(toolCallId);
  // The end of a call that was told as over, or of one from before the agent was started again.
  if (isNew && update.sessionUpdate === 'tool_call_update' && !canBegin(update)) return [];
  const facts = isNew ? beginCall(memory, toolCallId, update) : [];
  const call = learn(memory, toolCallId, update);
  if (!call) return facts;
  const isOver = call.fields.status === 'completed' || call.fields.status === 'failed';
  const isKnown = isOver || call.fields.status === 'in_progress' || hasInput(call);
  return [...facts, ...(isKnown ? tellCall(memory, call) : []), ...(isOver ? endCall(memory, call) : [])];
}

/** An ask for a call is asked with all that is known of it, and the call is shown before the ask. */
export function callAsked(
  memory: Memory,
  told: JsonObject,
): { facts: readonly AgentFact[]; call: Call | undefined } {
  const update = vendorOf(memory.agentName).read(told);
  const toolCallId = textAt(update, 'toolCallId');
  if (toolCallId === undefined) return { facts: [], call: undefined };
  const begun = memory.calls.has(toolCallId) ? [] : beginCall(memory, toolCallId, update);
  const call = learn(memory, toolCallId, update);
  return { facts: [...begun, ...(call ? tellCall(memory, call) : [])], call };
}

/** Calls that never told their input, or never began: the turn is over, and what is known of them is all there is. */
export function tellAllCalls(memory: Memory): readonly AgentFact[] {
  return [...memory.calls.values()].flatMap((call) => [
    ...tellCall(memory, call),
    ...(call.isDenied ? endCall(memory, { ...call, fields: { ...call.fields, ...deniedEnd } }) : []),
  ]);
}

export function noteDenied(memory: Memory, toolCallId: string | undefined): void {
  const call = toolCallId === undefined ? undefined : memory.calls.get(toolCallId);
  if (call) call.isDenied = true;
}

const deniedEnd = {
  status: 'failed',
  content: [{ type: 'content', content: { type: 'text', text: 'It was denied, and did not run.' } }],
};

function beginCall(memory: Memory, toolCallId: string, update: JsonObject): readonly AgentFact[] {
  const { parentToolCallId } = vendorNote(update);
  const spoken = endSpeech(memory, parentToolCallId ?? '');
  const place = nextPlace(memory);
  memory.calls.set(toolCallId, {
    toolCallId,
    fields: {},
    parentToolCallId,
    place,
    isTold: false,
    printed: '',
    isDenied: false,
  });
  for (const oldest of memory.calls.keys()) {
    if (memory.calls.size <= mostOpenCalls) break;
    memory.calls.delete(oldest);
  }
  return spoken;
}

function learn(memory: Memory, toolCallId: string, update: JsonObject): Call | undefined {
  const known = memory.calls.get(toolCallId);
  if (!known) return undefined;
  const { parentToolCallId = known.parentToolCallId } = vendorNote(update);
  const printed = known.printed + printedIn(update);
  const call = { ...known, parentToolCallId, fields: merged(known.fields, update), printed };
  memory.calls.set(toolCallId, call);
  return call;
}

/** Fields that are left out, or null, stay as they were; so does an input that an ask repeats without its content. */
function merged(before: JsonObject, update: JsonObject): JsonObject {
  const told = Object.entries(update).filter(
    ([field, value]) => value !== null && value !== undefined && field !== 'sessionUpdate',
  );
  const next: Record<string, unknown> = { ...before, ...Object.fromEntries(told) };
  if (isEmpty(update.rawInput) && !isEmpty(before.rawInput)) next.rawInput = before.rawInput;
  const notes = [before._meta, update._meta].filter(isObject);
  if (notes.length > 0) next._meta = mergedNotes(notes);
  return next;
}

function mergedNotes(notes: readonly JsonObject[]): JsonObject {
  const claudeCode = Object.assign({}, ...notes.map((note) => note.claudeCode).filter(isObject));
  return { ...Object.assign({}, ...notes), claudeCode };
}

function tellCall(memory: Memory, call: Call): readonly AgentFact[] {
  if (call.isTold) return [];
  call.isTold = true;
  const { toolCallId, fields, place } = call;
  const { toolName: name, input, call: shape } = describeCall(fields, memory.cwd);
  const starts = startsAgent(ownName(fields) ?? '');
  const event: NewEventOf<'tool.called'> = {
    type: 'tool.called',
    ...place,
    toolCallId,
    name,
    input,
    call: shape,
    startsAgent: starts,
    ...parentOf(call),
  };
  return [{ type: 'said', event }, ...(starts ? [taskFact(call, 'running')] : [])];
}

function endCall(memory: Memory, call: Call): readonly AgentFact[] {
  memory.calls.delete(call.toolCallId);
  const { toolCallId, fields } = call;
  const written = changesIn(fields).findLast(({ path }) => path.endsWith('.md'));
  if (written) memory.lastFile = { path: written.path, text: written.after };
  const isError = fields.status === 'failed';
  const images = imagesIn(fields);
  const text = resultText(memory, call);
  const said: AgentFact = {
    type: 'said',
    event: {
      type: 'tool.result',
      toolCallId,
      isError,
      text,
      ...(images.length === 0 && resultAccount(fields, text)),
      ...parentOf(call),
    },
    ...(images.length > 0 && { images }),
  };
  const spoken = endSpeech(memory, toolCallId);
  const task = startsAgent(ownName(fields) ?? '') ? [taskFact(call, isError ? 'failed' : 'completed')] : [];
  return [...spoken, ...task, said];
}

/** The protocol has no name for a sub-agent but the call that started it. */
function taskFact(call: Call, status: 'running' | 'completed' | 'failed'): AgentFact {
  const { toolCallId, fields } = call;
  const description = textAt(fields, 'title');
  return {
    type: 'said',
    event: {
      type: 'task.changed',
      taskId: toolCallId,
      toolCallId,
      status,
      ...(description !== undefined && { description }),
    },
  };
}

const parentOf = ({ parentToolCallId }: Call) => (parentToolCallId === undefined ? {} : { parentToolCallId });

const canBegin = (update: JsonObject): boolean => update.title !== undefined || update.kind !== undefined;

/** Where a command runs says nothing of what it is: that comes later. */
function hasInput({ fields: { rawInput } }: Call): boolean {
  if (!isObject(rawInput)) return !isEmpty(rawInput);
  return Object.keys(rawInput).some((name) => !commandPlaces.has(name));
}

/** Agents that run commands by themselves tell the output beside the protocol. */
function printedIn(update: JsonObject): string {
  const note = objectAt(update, '_meta') ?? {};
  const piece = objectAt(note, 'terminal_output_delta') ?? objectAt(note, 'terminal_output') ?? {};
  return textAt(piece, 'data') ?? '';
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0);
}
