import { visibleLine } from '../../model/suspicious-text.ts';
import {
  type CallVerb,
  mainPartOf,
  type ToolCall,
  toolCallOf,
  toolCallSoFar,
  toolOutputOf,
  verbOf,
} from '../../model/tool-call.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { oneLine } from '../text/plain-text.ts';
import type { ToolItem } from './row.ts';

const known = new WeakMap<ToolItem, ToolCall>();

/** What a call is. Rows are looked at again with every event of a session: each is read once. */
export function callIn(item: ToolItem): ToolCall {
  const call =
    known.get(item) ??
    (item.liveInput === null ? toolCallOf(item) : toolCallSoFar(item.liveInput, item.call));
  known.set(item, call);
  return call;
}

export interface ToolLine {
  readonly verb: CallVerb;
  readonly state: 'running' | 'done' | 'failed' | 'unfinished';
  /** What it is done to: a command, a path relative to the session's directory, a name. */
  readonly subject: string;
  /** Whether the subject is something a machine reads. */
  readonly isCode: boolean;
  readonly change: { readonly added: number; readonly removed: number } | null;
  readonly durationMs: number | null;
}

/** A tool call in one line. */
export function toolLine(item: ToolItem, cwd: string): ToolLine {
  return {
    verb: item.startsAgent ? 'agent' : verbOf(callIn(item)),
    state: stateOf(item),
    subject: subjectOf(item, cwd),
    isCode: !item.startsAgent,
    change: toolOutputOf(item.result).changed,
    durationMs: durationOf(item),
  };
}

/** A call as of the moment it was allowed: the time that a person took is not the tool's. */
export const sinceAllowed = (item: ToolItem, asked: Interaction | undefined): ToolItem =>
  asked?.resolvedAt === undefined || asked.resolvedAt < item.at ? item : { ...item, at: asked.resolvedAt };

/** Why a call was not made though the agent wanted to make it: a person said no, or the ask ended without an answer. */
export type NotMade = 'denied' | 'unanswered';

/** Only a yes lets an agent make a call; whatever else ended the ask, the outcome beside it says which. */
export function notMadeAfter(asked: Interaction | undefined): NotMade | null {
  switch (asked?.outcome) {
    case 'denied':
      return 'denied';
    case 'dismissed':
    case 'withdrawn':
    case 'interrupted':
    case 'expired':
    case 'lost':
      return 'unanswered';
    case 'unknown':
      return asked.decision?.type === 'deny' ? 'denied' : null;
    case 'allowed':
    case 'answered':
    case 'submitted':
    case undefined:
      return null;
  }
}

function stateOf({ result, task, isOver }: ToolItem): ToolLine['state'] {
  if (isOver === true) return 'unfinished';
  // A sub-agent in the background has its result at once; its task tells how it goes on.
  if (task !== null && task.status === 'running') return 'running';
  if (task !== null && task.status === 'stopped') return 'unfinished';
  if (task !== null && task.status === 'failed') return 'failed';
  if (result === null) return 'running';
  return result.isError ? 'failed' : 'done';
}

export const isAtWork = (item: ToolItem): boolean => stateOf(item) === 'running';

function subjectOf(item: ToolItem, cwd: string): string {
  const call = callIn(item);
  if (item.startsAgent) {
    const description = call.is === 'agent' ? call.description : null;
    return oneLine(description ?? item.task?.description ?? item.name);
  }
  // The verb says it all; the input is a document of its own.
  if (call.is === 'plan' || call.is === 'todos' || call.is === 'question') return '';
  const main = mainPartOf(call);
  switch (main?.as) {
    case undefined:
      return toolName(item.name);
    case 'prose':
      return oneLine(main.text);
    case 'code':
      return visibleLine(main.text);
    case 'path': {
      const to = call.is === 'change' && call.to !== null ? ` → ${relativeTo(cwd, call.to)}` : '';
      return visibleLine(relativeTo(cwd, main.text) + to);
    }
  }
}

/** `mcp__server__tool` is how one agent writes a tool of a server; our own tools need no word on whose they are. */
export const toolName = (name: string): string =>
  name.replace(/^mcp__(?:beckon__)?/, '').replaceAll('__', ' › ');

export const relativeTo = (cwd: string, path: string): string =>
  path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;

function durationOf({ at, result }: ToolItem): number | null {
  if (result === null || at === '') return null;
  return Math.max(0, Date.parse(result.at) - Date.parse(at));
}
