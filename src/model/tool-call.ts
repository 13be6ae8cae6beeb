import type { EventOf } from '../protocol/event.ts';
import type { Ask } from '../protocol/interaction.ts';
import type { CallRisk, CallShape, Pointer } from '../protocol/tool-call.ts';
import { namesIn, partsBeside, valueAt, withValueAt } from './json-pointer.ts';

type Input = Readonly<Record<string, unknown>>;

/** A call as an event or an ask tells it: what goes in, and pointers to what of it means what. */
export interface ShapedCall {
  readonly input: Input;
  readonly call?: CallShape | undefined;
}

/** An ask of which nothing is known but that something is asked: its driver advises against it, and there is nothing to show. */
export const saysNothing = ({
  kind,
  input,
  plan,
  form,
  defaultToNo,
}: Pick<Ask, 'kind' | 'input' | 'plan' | 'form' | 'defaultToNo'>): boolean =>
  kind === 'approval' &&
  defaultToNo === true &&
  plan === undefined &&
  form === undefined &&
  Object.keys(input).length === 0;

/** What a tool call is, with its values. Nothing of the input is left out: what has no part of its own is among the others. */
export type ToolCall = CallParts & {
  readonly others: readonly OtherField[];
  readonly risks: readonly (CallRisk['kind'] | 'policy')[];
};

type CallParts =
  | {
      readonly is: 'command';
      readonly command: string;
      readonly description: string | null;
      readonly directory: string | null;
    }
  | {
      readonly is: 'change';
      readonly does: 'write' | 'edit' | 'delete' | 'move';
      readonly path: string;
      readonly to: string | null;
      readonly edits: readonly TextEdit[];
    }
  | { readonly is: 'read'; readonly path: string }
  | {
      readonly is: 'search';
      readonly in: 'text' | 'names' | 'directory' | 'web';
      readonly pattern: string | null;
      readonly path: string | null;
    }
  | { readonly is: 'page'; readonly url: string; readonly prompt: string | null }
  | { readonly is: 'todos'; readonly todos: readonly Todo[] }
  | { readonly is: 'plan'; readonly text: string | null }
  | { readonly is: 'agent'; readonly task: string | null; readonly description: string | null }
  | { readonly is: 'question'; readonly questions: readonly string[] }
  /** Whatever else, and what its pointers do not fit: all of it is among the others. */
  | { readonly is: 'fields'; readonly title: string | null };

export interface TextEdit {
  /** Of another file than the one that is named first. */
  readonly path: string | null;
  readonly before: string;
  readonly after: string;
  /** Every place where the old text stands is changed, not only one. */
  readonly isEverywhere: boolean;
}

export interface Todo {
  readonly text: string;
  readonly state: 'open' | 'active' | 'done';
}

export interface OtherField {
  readonly at: Pointer;
  /** `timeout`, or `edits.0.note` for what lies deeper. */
  readonly name: string;
  readonly value: unknown;
  /** Something in it must not be overlooked. */
  readonly isRisky: boolean;
}

/** Reads a call by its pointers. Where one of them leads to nothing, or to something else than was said, it is read as fields. */
export function toolCallOf({ input, call = { is: 'fields' } }: ShapedCall): ToolCall {
  const read = new PointerReader(input);
  const parts = partsOf(call, read);
  const isRead = read.isRight && parts.is !== 'fields';
  const risks = call.risks ?? [];
  return {
    ...(read.isRight ? parts : { is: 'fields', title: null }),
    others: partsBeside(input, isRead ? read.pointers : []).map(({ at, value }) => ({
      at,
      name: namesIn(at).join('.'),
      value,
      isRisky: risks.some((risk) => risk.at === at || risk.at.startsWith(`${at}/`)),
    })),
    risks: [
      ...new Set([...risks.map(({ kind }) => kind), ...(changesPolicy(parts) ? ['policy' as const] : [])]),
    ],
  };
}

/** Whether it may change the rules that the session's directory brings along. */
function changesPolicy(parts: CallParts): boolean {
  if (parts.is === 'command') return /\.beckon\b/i.test(parts.command);
  return (
    parts.is === 'change' && [parts.path, parts.to].some((path) => /(^|[\\/])\.beckon[\\/]/i.test(path ?? ''))
  );
}

/** A call whose input is still being written, as far as it goes. */
export function toolCallSoFar(json: string, call: CallShape = { is: 'fields' }): ToolCall {
  const read = new PointerReader({}, (at) => textSoFar(json, at));
  return { ...partsOf(call, read), others: [], risks: [] };
}

/** The files whose text a call would change, as it names them. */
export function changedFilesOf(call: ShapedCall): readonly string[] {
  const parts = toolCallOf(call);
  if (parts.is !== 'change' || parts.edits.length === 0) return [];
  return [...new Set(parts.edits.map(({ path }) => path ?? parts.path))];
}

/** What it does, in one word. */
export type CallVerb = Exclude<CallParts['is'], 'change'> | Extract<CallParts, { is: 'change' }>['does'];

export const verbOf = (call: CallParts): CallVerb => (call.is === 'change' ? call.does : call.is);

/** The one part that tells most of a call: prose for people, what a machine reads, or a value of which nobody knows. */
export function mainPartOf(
  call: CallParts,
): { readonly text: string; readonly as: 'code' | 'path' | 'prose' | 'value' } | null {
  const said = (text: string | null | undefined, as: 'code' | 'path' | 'prose' | 'value') =>
    text === null || text === undefined || text.trim() === '' ? null : { text, as };
  switch (call.is) {
    case 'command':
      return said(call.command, 'code');
    case 'change':
    case 'read':
      return said(call.path, 'path');
    case 'search':
      return said(call.pattern, call.in === 'web' ? 'prose' : 'code') ?? said(call.path, 'path');
    case 'page':
      return said(call.url, 'code');
    case 'plan':
      return said(call.text, 'prose');
    case 'agent':
      return said(call.description, 'prose') ?? said(call.task, 'prose');
    case 'question':
      return said(call.questions[0], 'prose');
    case 'fields':
      return said(call.title, 'value');
    case 'todos':
      return null;
  }
}

/** The part of an input that a person edits: one text in it, or the whole as JSON. */
export interface Editable {
  readonly what: 'command' | 'content' | 'newText' | 'plan' | 'json';
  readonly at: Pointer;
  readonly text: string;
}

export function editableOf({ input, call }: ShapedCall): Editable {
  const texts = call === undefined || toolCallOf({ input, call }).is === 'fields' ? [] : editableTexts(call);
  const [only] = texts.length === 1 ? texts : [];
  const text = only === undefined ? undefined : valueAt(input, only.at);
  return only === undefined || typeof text !== 'string'
    ? { what: 'json', at: '', text: pretty(input) }
    : { ...only, text };
}

function editableTexts(call: CallShape): Pick<Editable, 'what' | 'at'>[] {
  switch (call.is) {
    case 'command':
      return [{ what: 'command', at: call.command }];
    case 'change':
      return call.edits.map(({ after }) => ({
        what: call.does === 'write' ? 'content' : 'newText',
        at: after,
      }));
    case 'plan':
      return call.text === undefined ? [] : [{ what: 'plan', at: call.text }];
    default:
      return [];
  }
}

/** Before and after of an edit that a person made: of the one text, where nothing else was changed. */
export function editBetween(asked: ShapedCall, updated: Input): { before: string; after: string } {
  const { what, at, text } = editableOf(asked);
  const after = what === 'json' ? undefined : valueAt(updated, at);
  const isOnlyText =
    typeof after === 'string' && pretty(withValueAt(asked.input, at, after)) === pretty(updated);
  return isOnlyText ? { before: text, after } : { before: pretty(asked.input), after: pretty(updated) };
}

const pretty = (input: Input): string => JSON.stringify(input, null, 2);

/** What came out of a call, beside its text. */
export interface ToolOutput {
  readonly exitCode: number | null;
  readonly amount: { readonly of: 'lines' | 'files'; readonly count: number } | null;
  /** The file, or the part of it that was read. */
  readonly file: { readonly path: string; readonly text: string; readonly firstLine: number } | null;
  readonly changed: { readonly added: number; readonly removed: number } | null;
  /** The plan as it was approved. */
  readonly plan: string | null;
}

export type ToldResult = Pick<EventOf<'tool.result'>, 'detail' | 'output'> | null;

export function toolOutputOf(result: ToldResult): ToolOutput {
  const { detail, output = {} } = result ?? {};
  const textAt = (at: Pointer | undefined): string | null => {
    const value = at === undefined ? undefined : valueAt(detail, at);
    return typeof value === 'string' ? value : null;
  };
  const fileText = textAt(output.file?.text);
  return {
    exitCode: output.exitCode ?? null,
    amount: output.amount ?? null,
    file:
      output.file === undefined || fileText === null
        ? null
        : { path: textAt(output.file.path) ?? '', text: fileText, firstLine: output.file.firstLine },
    changed: output.changed ?? null,
    plan: textAt(output.plan),
  };
}

function partsOf(call: CallShape, read: PointerReader): CallParts {
  switch (call.is) {
    case 'command':
      return {
        is: 'command',
        command: read.name(call.command),
        description: read.textIf(call.description),
        directory: read.textIf(call.directory),
      };
    case 'change':
      return {
        is: 'change',
        does: call.does,
        path: read.name(call.path),
        to: read.textIf(call.to),
        edits: call.edits.map(({ path, before, after, everywhere }) => ({
          path: read.textIf(path),
          before: read.textIf(before) ?? '',
          after: read.text(after),
          isEverywhere: everywhere !== undefined && read.flag(everywhere),
        })),
      };
    case 'read':
      return { is: 'read', path: read.name(call.path) };
    case 'search':
      return {
        is: 'search',
        in: call.in,
        pattern: read.textIf(call.pattern),
        path: read.textIf(call.path),
      };
    case 'page':
      return { is: 'page', url: read.name(call.url), prompt: read.textIf(call.prompt) };
    case 'todos':
      return { is: 'todos', todos: call.todos.map(({ text, state }) => ({ text: read.text(text), state })) };
    case 'plan':
      return { is: 'plan', text: read.textIf(call.text) };
    case 'agent':
      return {
        is: 'agent',
        task: read.textIf(call.task),
        description: read.textIf(call.description),
      };
    case 'question':
      return { is: 'question', questions: call.questions.map((at) => read.text(at)) };
    case 'fields':
      return { is: 'fields', title: read.textIf(call.title) };
  }
}

/** Follows pointers into an input, and remembers where they led and whether all of them were right. */
class PointerReader {
  readonly pointers: Pointer[] = [];
  isRight = true;
  readonly #find: (at: Pointer) => unknown;

  constructor(input: Input, find = (at: Pointer): unknown => valueAt(input, at)) {
    this.#find = find;
  }

  text(at: Pointer): string {
    return this.#take(at, (value) => typeof value === 'string', '');
  }

  /** A text that cannot be empty: without it nothing could be shown where it stands. */
  name(at: Pointer): string {
    return this.#take(at, (value) => typeof value === 'string' && value !== '', '');
  }

  textIf(at: Pointer | undefined): string | null {
    return at === undefined ? null : this.text(at);
  }

  flag(at: Pointer): boolean {
    return this.#take(at, (value) => typeof value === 'boolean', false);
  }

  #take<Value>(at: Pointer, isWanted: (value: unknown) => boolean, otherwise: Value): Value {
    const value = this.#find(at);
    this.pointers.push(at);
    if (isWanted(value)) return value as Value;
    this.isRight = false;
    return otherwise;
  }
}

const longestSoFar = 400;

/** The beginning of a text in an object that is still being written as JSON. */
function textSoFar(json: string, at: Pointer): string | undefined {
  const [name, ...deeper] = namesIn(at);
  const key = JSON.stringify(name);
  // Within a text the quotes would be escaped: what is found is a name.
  const place = name === undefined || deeper.length > 0 ? -1 : json.indexOf(key);
  if (place === -1) return undefined;
  const from = place + key.length;
  const [, text] = /^\s*:\s*"((?:[^"\\]|\\.)*)/s.exec(json.slice(from, from + longestSoFar)) ?? [];
  return text === undefined ? undefined : unescaped(text);
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
