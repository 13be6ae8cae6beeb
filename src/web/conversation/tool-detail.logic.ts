import { type Hunk, patchOf } from './patch.logic.ts';
import type { ToolItem } from './row.ts';
import { verbOf } from './tool-line.logic.ts';

/** All there is to a tool call, by what it does. */
export type ToolDetail =
  | { readonly is: 'command'; readonly command: string; readonly output: string | null }
  /** A file, or the part of it that was read. */
  | { readonly is: 'file'; readonly path: string; readonly text: string; readonly firstLine: number }
  | {
      readonly is: 'change';
      readonly path: string;
      readonly hunks: readonly Hunk[];
      readonly output: string | null;
    }
  | { readonly is: 'todos'; readonly todos: readonly Todo[] }
  | { readonly is: 'plan'; readonly text: string; readonly output: string | null }
  | { readonly is: 'agent'; readonly task: string }
  | { readonly is: 'page'; readonly url: string; readonly output: string | null }
  /** Whatever else: what went in, and what came out. */
  | { readonly is: 'call'; readonly fields: readonly Field[]; readonly output: string | null };

export interface Todo {
  readonly text: string;
  readonly state: 'open' | 'active' | 'done';
}

export interface Field {
  readonly name: string;
  readonly value: string;
}

export function detailOf(item: ToolItem): ToolDetail {
  const { input, result } = item;
  const output = result?.text ?? null;
  switch (verbOf(item)) {
    case 'run':
      return { is: 'command', command: textAt(input, 'command'), output };
    case 'read':
      return fileIn(result?.detail) ?? call(item);
    case 'edit':
    case 'write': {
      const hunks = patchOf(item);
      const path = textAt(input, 'file_path') || textAt(input, 'notebook_path');
      // That the file was updated is what the lines say already; an error is not.
      return hunks === null
        ? call(item)
        : { is: 'change', path, hunks, output: result?.isError === true ? output : null };
    }
    case 'todo': {
      const todos = todosIn(input);
      return todos === null ? call(item) : { is: 'todos', todos };
    }
    case 'plan':
      return { is: 'plan', text: planIn(item), output: result?.isError === true ? output : null };
    case 'delegate':
      return { is: 'agent', task: textAt(input, 'prompt') };
    case 'fetch':
      return textAt(input, 'url') === '' ? call(item) : { is: 'page', url: textAt(input, 'url'), output };
    case 'search':
    case 'ask':
    case 'call':
      return call(item);
  }
}

/** The exit code of a command, where there is one: none for a command that was not run, or runs on in the background. */
export function exitCodeOf(item: ToolItem): number | null {
  const { result } = item;
  if (result === null || verbOf(item) !== 'run') return null;
  const [, code] = /^Exit code (\d+)/.exec(result.text) ?? [];
  if (code !== undefined) return Number(code);
  const { detail } = result;
  const isEnded =
    !result.isError &&
    isRecord(detail) &&
    detail.interrupted !== true &&
    detail.backgroundTaskId === undefined;
  return isEnded ? 0 : null;
}

/** How much came out, for the line of a call that is closed. */
export function amountOf(item: ToolItem): { readonly of: 'lines' | 'files'; readonly count: number } | null {
  const detail = item.result?.detail;
  if (!isRecord(detail)) return null;
  if (isRecord(detail.file) && typeof detail.file.numLines === 'number')
    return { of: 'lines', count: detail.file.numLines };
  if (typeof detail.numFiles === 'number') return { of: 'files', count: detail.numFiles };
  return null;
}

export function todosIn(input: ToolItem['input']): readonly Todo[] | null {
  if (!Array.isArray(input.todos)) return null;
  return input.todos.filter(isRecord).map((todo) => {
    const state = todo.status === 'completed' ? 'done' : todo.status === 'in_progress' ? 'active' : 'open';
    const now = textAt(todo, 'activeForm');
    return { state, text: state === 'active' && now !== '' ? now : textAt(todo, 'content') };
  });
}

/** The plan as it was approved, where it was edited before. */
export function planIn({ input, result }: Pick<ToolItem, 'input' | 'result'>): string {
  const approved = isRecord(result?.detail) ? textAt(result.detail, 'plan') : '';
  return approved || textAt(input, 'plan');
}

function fileIn(detail: unknown): ToolDetail | null {
  const file = isRecord(detail) ? detail.file : undefined;
  if (!isRecord(file) || typeof file.content !== 'string') return null;
  const firstLine = typeof file.startLine === 'number' ? file.startLine : 1;
  return { is: 'file', path: textAt(file, 'filePath'), text: file.content, firstLine };
}

const call = ({ input, result, liveInput }: ToolItem): ToolDetail => ({
  is: 'call',
  fields: liveInput === null ? Object.entries(input).map(fieldOf) : [{ name: '', value: liveInput }],
  output: result?.text ?? null,
});

const fieldOf = ([name, value]: readonly [string, unknown]): Field => ({
  name,
  value: typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''),
});

function textAt(from: Readonly<Record<string, unknown>>, field: string): string {
  const value = from[field];
  return typeof value === 'string' ? value : '';
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
