import { randomUUID } from 'node:crypto';
import { askHooks, type HookDecision } from './hooks.ts';
import { isObject, type JsonObject, stringAt } from './json.ts';
import { applyUpdates, judge } from './permission.ts';
import type { ToolUse } from './reply.ts';
import type { Answer } from './requests.ts';
import { announceMode } from './session.ts';
import type { Stage } from './stage.ts';
import { findTool } from './tools/index.ts';
import { failed, type Tool, type ToolContext, type ToolResult } from './tools/tool.ts';
import { Interrupted } from './turn.ts';

/** Told of the ask that a call raised, once it has been sent. */
export type AskListener = (requestId: string, request: JsonObject) => void | Promise<void>;

export interface ToolOutcome {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: unknown;
  /** The input it ran with, edited or not. */
  readonly input: JsonObject;
}

type Permit =
  | {
      readonly is: 'granted';
      readonly input: JsonObject;
      readonly asked: ToolContext['asked'];
      readonly source: string;
    }
  | { readonly is: 'refused'; readonly reason: string; readonly source: string };

const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the " +
  'new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.';
const INVALID =
  'The canUseTool callback returned an invalid permission result. Expected ' +
  "{behavior: 'allow', updatedInput: object} or {behavior: 'deny', message: string}.";

/** One call, from the permission it needs to the line with its result. */
export async function callTool(stage: Stage, use: ToolUse, onAsk?: AskListener): Promise<ToolOutcome> {
  const tool = findTool(use.name) ?? stage.session.mcp.find(use.name);
  if (tool === undefined) return finish(stage, use, failed(`No such tool available: ${use.name}`));
  const permit = await permitCall(stage, tool, use, onAsk);
  if (stage.signal.aborted) return giveUp(stage, use);
  if (permit.is === 'refused') {
    stage.turn.denials.push(denialOf(use));
    const decision = { decision: 'reject', source: permit.source };
    const meta = { id: use.id, non_execution_kind: 'permission-rule', permission_decision: decision };
    return finish(stage, use, failed(permit.reason), meta);
  }
  const { input, asked, source } = permit;
  const work = async (): Promise<ToolResult> =>
    tool.run(input, { session: stage.session, signal: stage.signal, toolUseId: use.id, asked });
  return performCall(stage, { ...use, input }, work, source);
}

/** A call that may run, to the line with its result. */
export async function performCall(
  stage: Stage,
  use: ToolUse,
  work: () => Promise<ToolResult>,
  source = 'config',
): Promise<ToolOutcome> {
  const result = await work().catch((error: unknown) => {
    if (!(error instanceof Interrupted)) throw error;
    return undefined;
  });
  if (result === undefined || stage.signal.aborted) return giveUp(stage, use);
  return finish(stage, use, result, { id: use.id, permission_decision: { decision: 'accept', source } });
}

async function permitCall(
  stage: Stage,
  tool: Tool,
  use: ToolUse,
  onAsk: AskListener | undefined,
): Promise<Permit> {
  const { session } = stage;
  const hooked = await askHooks(session, use, stage.signal);
  if (hooked.is === 'deny') return { is: 'refused', reason: hooked.reason, source: 'hook' };
  const subject = tool.subject(use.input);
  const verdict = judge(session.permission, { toolName: tool.name, kind: tool.kind, subject });
  if (verdict.is === 'deny') return { is: 'refused', reason: verdict.reason, source: 'config' };
  const settled = verdict.is === 'allow' || (hooked.is === 'allow' && tool.kind !== 'person');
  if (settled && hooked.is !== 'ask')
    return { is: 'granted', input: use.input, asked: undefined, source: 'config' };
  if (!session.flags.asksOnStdio) {
    const reason = `Claude requested permissions to use ${tool.name}, but you haven't granted it yet.`;
    return { is: 'refused', reason, source: 'config' };
  }
  return askPerson(stage, tool, use, hooked, onAsk);
}

async function askPerson(
  stage: Stage,
  tool: Tool,
  use: ToolUse,
  hooked: HookDecision,
  onAsk: AskListener | undefined,
): Promise<Permit> {
  const id = randomUUID();
  const request = askRequest(stage, tool, use, hooked);
  const at = performance.timeOrigin + performance.now();
  const answering = stage.session.requests.raise(request, { id, signal: stage.signal });
  await onAsk?.(id, request);
  const answer = await answering;
  return readPermit(stage, answer, { at, answeredAt: performance.timeOrigin + performance.now() });
}

function askRequest(stage: Stage, tool: Tool, use: ToolUse, hooked: HookDecision): JsonObject {
  const { cwd } = stage.session;
  return {
    subtype: 'can_use_tool',
    tool_name: tool.name,
    display_name: tool.name,
    input: use.input,
    ...(tool.describe && { description: tool.describe(use.input, cwd) }),
    ...(tool.suggest && { permission_suggestions: tool.suggest(use.input, cwd) }),
    ...(hooked.is === 'ask' && { decision_reason: hooked.reason, decision_reason_type: 'hook' }),
    tool_use_id: use.id,
    ...(stage.part && { agent_id: stage.part.agentId }),
    ...(tool.kind === 'person' && { requires_user_interaction: true }),
  };
}

async function readPermit(stage: Stage, answer: Answer, asked: ToolContext['asked']): Promise<Permit> {
  switch (answer.kind) {
    case 'withdrawn':
      return { is: 'refused', reason: 'Tool permission request aborted', source: 'user_abort' };
    case 'closed':
      return {
        is: 'refused',
        reason: 'Tool permission stream closed before response received',
        source: 'config',
      };
    case 'error':
      return {
        is: 'refused',
        reason: `Tool permission request failed: Error: ${answer.error}`,
        source: 'config',
      };
    case 'success':
      return readDecision(stage, answer.response, asked);
  }
}

async function readDecision(
  stage: Stage,
  decision: JsonObject,
  asked: ToolContext['asked'],
): Promise<Permit> {
  const { session } = stage;
  const message = stringAt(decision, 'message');
  if (decision.behavior === 'deny' && message !== undefined) {
    if (decision.interrupt === true) stage.turn.stop('deny');
    return { is: 'refused', reason: message, source: 'user_reject' };
  }
  const input = decision.updatedInput;
  if (decision.behavior !== 'allow' || !isObject(input)) {
    return { is: 'refused', reason: INVALID, source: 'config' };
  }
  if (applyUpdates(session.permission, decision.updatedPermissions)) await announceMode(session);
  return { is: 'granted', input, asked, source: 'user_temporary' };
}

/** The call was cut off: its result says so, and the turn ends. */
async function giveUp(stage: Stage, use: ToolUse): Promise<never> {
  const { reason } = stage.signal;
  stage.turn.denials.push(denialOf(use));
  if (reason instanceof Interrupted && reason.by === 'now') {
    const decision = { decision: 'reject', source: 'user_abort' };
    const meta = { id: use.id, non_execution_kind: 'permission-rule', permission_decision: decision };
    await finish(stage, use, failed('Tool permission request aborted'), meta);
  } else {
    const rejected = { content: REJECTED, isError: true, structured: 'User rejected tool use' };
    await finish(stage, use, rejected, { id: use.id, non_execution_kind: 'user-rejected' });
  }
  throw reason;
}

async function finish(
  stage: Stage,
  use: ToolUse,
  result: ToolResult,
  meta?: JsonObject,
): Promise<ToolOutcome> {
  const block = {
    tool_use_id: use.id,
    type: 'tool_result',
    content: result.content,
    ...(result.isError !== undefined && { is_error: result.isError }),
  };
  await stage.line({
    type: 'user',
    message: { role: 'user', content: [block] },
    timestamp: new Date().toISOString(),
    // A sub-agent's results come without their structured twin.
    ...(result.structured !== undefined && !stage.part && { tool_use_result: result.structured }),
    ...(meta && { tool_result_meta: [meta] }),
  });
  return {
    isError: result.isError === true,
    text: textOf(result.content),
    structured: result.structured,
    input: use.input,
  };
}

function denialOf(use: ToolUse): JsonObject {
  return { tool_name: use.name, tool_use_id: use.id, tool_input: use.input };
}

function textOf(content: ToolResult['content']): string {
  if (typeof content === 'string') return content;
  return content.map((block) => stringAt(block, 'text') ?? '').join('\n');
}
