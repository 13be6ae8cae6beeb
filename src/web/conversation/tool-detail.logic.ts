import { type Hunk, hunksOfChange } from '../../model/diff-lines.ts';
import { type Todo, toolOutputOf } from '../../model/tool-call.ts';
import type { ToolItem } from './row.ts';
import { callIn } from './tool-call.logic.ts';

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

export interface Field {
  readonly name: string;
  readonly value: string;
}

export function detailOf(item: ToolItem): ToolDetail {
  const call = callIn(item);
  const output = item.result?.text ?? null;
  // That it was done is what is shown already; an error is not.
  const error = item.result?.isError === true ? output : null;
  if (item.startsAgent) return { is: 'agent', task: (call.is === 'agent' && call.task) || '' };
  switch (call.is) {
    case 'command':
      return { is: 'command', command: call.command, output };
    case 'read': {
      const { file } = toolOutputOf(item.result);
      return file === null ? wholeCall(item) : { is: 'file', ...file };
    }
    case 'change': {
      const hunks = hunksOfChange(call.edits, item.result);
      return hunks.length === 0 ? wholeCall(item) : { is: 'change', path: call.path, hunks, output: error };
    }
    case 'todos':
      return { is: 'todos', todos: call.todos };
    case 'plan':
      return { is: 'plan', text: planIn(item), output: error };
    case 'agent':
      return { is: 'agent', task: call.task ?? '' };
    case 'page':
      return { is: 'page', url: call.url, output };
    case 'search':
    case 'question':
    case 'fields':
      return wholeCall(item);
  }
}

/** The plan as it was approved, where it was edited before. */
export function planIn(item: ToolItem): string {
  const call = callIn(item);
  return toolOutputOf(item.result).plan ?? ((call.is === 'plan' && call.text) || '');
}

const wholeCall = ({ input, result, liveInput }: ToolItem): ToolDetail => ({
  is: 'call',
  fields: liveInput === null ? Object.entries(input).map(fieldOf) : [{ name: '', value: liveInput }],
  output: result?.text ?? null,
});

const fieldOf = ([name, value]: readonly [string, unknown]): Field => ({
  name,
  value: typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''),
});
