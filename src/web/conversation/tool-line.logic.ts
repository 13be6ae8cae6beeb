import { visibleLine } from '../../model/suspicious-text.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { oneLine } from '../text/plain-text.ts';
import type { ToolItem, ToolResult } from './row.ts';

export type ToolVerb =
  | 'run'
  | 'read'
  | 'edit'
  | 'write'
  | 'search'
  | 'fetch'
  | 'delegate'
  | 'plan'
  | 'todo'
  | 'ask'
  | 'call';

export interface ToolLine {
  readonly verb: ToolVerb;
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
  const verb = verbOf(item);
  return {
    verb,
    state: stateOf(item),
    subject: subjectOf(item, cwd),
    isCode: verb !== 'delegate',
    change: item.result === null ? null : changeIn(item.result.detail),
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

const verbs: Readonly<Record<string, ToolVerb>> = {
  Bash: 'run',
  PowerShell: 'run',
  Read: 'read',
  NotebookRead: 'read',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Write: 'write',
  Grep: 'search',
  Glob: 'search',
  LS: 'search',
  WebSearch: 'search',
  WebFetch: 'fetch',
  ExitPlanMode: 'plan',
  TodoWrite: 'todo',
  AskUserQuestion: 'ask',
};

export const verbOf = (item: Pick<ToolItem, 'name' | 'startsAgent'>): ToolVerb =>
  item.startsAgent ? 'delegate' : Object.hasOwn(verbs, item.name) ? (verbs[item.name] ?? 'call') : 'call';

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

/** The verb says it all; the input is a document of its own. */
const isSaidByVerb = (verb: ToolVerb): boolean => verb === 'plan' || verb === 'todo' || verb === 'ask';

const tellingFields = [
  'command',
  'file_path',
  'notebook_path',
  'pattern',
  'path',
  'url',
  'query',
  'description',
];

const isProse = (field: string): boolean => field === 'query' || field === 'description';

function subjectOf(item: ToolItem, cwd: string): string {
  const input = item.liveInput === null ? item.input : inputSoFar(item.liveInput);
  if (item.startsAgent) return oneLine(textIn(input, 'description') ?? item.task?.description ?? item.name);
  if (isSaidByVerb(verbOf(item))) return '';
  for (const field of tellingFields) {
    const value = textIn(input, field);
    if (value === undefined) continue;
    return isProse(field)
      ? oneLine(value)
      : visibleLine(field.endsWith('path') ? relativeTo(cwd, value) : value);
  }
  return toolName(item.name);
}

/** The telling fields of an input that is still being written, as far as they are. */
function inputSoFar(json: string): Readonly<Record<string, unknown>> {
  const found = tellingFields.flatMap((field): [string, string][] => {
    const [, value] = new RegExp(`"${field}"\\s*:\\s*"((?:[^"\\\\]|\\\\.){0,400})`).exec(json) ?? [];
    return value === undefined ? [] : [[field, unescaped(value)]];
  });
  return Object.fromEntries(found);
}

function unescaped(text: string): string {
  try {
    const value: unknown = JSON.parse(`"${text}"`);
    return typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
}

/** `mcp__server__tool` is how one agent writes a tool of a server; our own tools need no word on whose they are. */
export const toolName = (name: string): string =>
  name.replace(/^mcp__(?:beckon__)?/, '').replaceAll('__', ' › ');

export const relativeTo = (cwd: string, path: string): string =>
  path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;

function textIn(input: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const value = input[field];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function durationOf({ at, result }: ToolItem): number | null {
  if (result === null || at === '') return null;
  return Math.max(0, Date.parse(result.at) - Date.parse(at));
}

function changeIn(detail: ToolResult['detail']): ToolLine['change'] {
  if (!isRecord(detail)) return null;
  if (detail.type === 'create' && typeof detail.content === 'string')
    return { added: detail.content.replace(/\n$/, '').split('\n').length, removed: 0 };
  const patch = detail.structuredPatch;
  if (!Array.isArray(patch)) return null;
  const lines = patch.flatMap((hunk) => (isRecord(hunk) && Array.isArray(hunk.lines) ? hunk.lines : []));
  const startingWith = (sign: string): number =>
    lines.filter((line) => typeof line === 'string' && line.startsWith(sign)).length;
  const [added, removed] = [startingWith('+'), startingWith('-')];
  return added + removed === 0 ? null : { added, removed };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
