import { sep } from 'node:path';
import { pointerTo, valueAt } from '../model/json-pointer.ts';
import { mainPartOf, toolCallOf } from '../model/tool-call.ts';
import type { Ask, Subject } from '../protocol/interaction.ts';
import type { CallRisk, CallShape, Pointer, ResultShape } from '../protocol/tool-call.ts';
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { realPath } from './real-path.ts';
import { commandPlaces, pathSubject, searched } from './subject.ts';
import { type KnownTool, toolNamed } from './tool-table.ts';

/**
 * What a call does, by the name of its tool. Pointers lead only to values that are there and of the type that is shown. With the
 * session's directory, paths that lead out of it are among the risks; the links on them are looked at for that.
 */
export function callShapeOf(toolName: string, input: JsonObject, cwd?: string): CallShape {
  const known = toolNamed(toolName);
  const shape = (known && shapeIn(known, input)) ?? { is: 'fields', ...optional('title', titleIn(input)) };
  return withRisks(shape, input, cwd);
}

/** What a call will do whose input is still being written: pointers lead to where the values are expected. */
export const expectedShape = (toolName: string): CallShape | undefined => toolNamed(toolName)?.shape;

export function withRisks(shape: CallShape, input: JsonObject, cwd?: string): CallShape {
  const risks = risksIn(shape, input, cwd);
  return risks.length === 0 ? shape : { ...shape, risks };
}

/** Undefined where the input lacks what such a call cannot do without. */
function shapeIn({ shape, list }: KnownTool, input: JsonObject): CallShape | undefined {
  const isThere = (pointer: Pointer): boolean => (textUnder(input, pointer) ?? '') !== '';
  const given = (pointer: Pointer | undefined) =>
    pointer !== undefined && isThere(pointer) ? pointer : undefined;
  switch (shape.is) {
    case 'command':
      if (!isThere(shape.command)) return undefined;
      return {
        is: shape.is,
        command: shape.command,
        ...optional('description', given(shape.description)),
        ...optional('directory', [...commandPlaces].map((name) => `/${name}`).find(isThere)),
      };
    case 'change': {
      if (!isThere(shape.path)) return undefined;
      const isListed = list !== undefined && Array.isArray(input[list]);
      const edits = isListed ? listedEdits(input, list) : shape.edits.map((edit) => editIn(input, edit));
      // One that cannot be shown as a change must not be hidden behind those that can.
      return { ...shape, edits: edits.every((edit) => edit !== undefined) ? edits : [] };
    }
    case 'read':
      return isThere(shape.path) ? shape : undefined;
    case 'search':
      return {
        is: shape.is,
        in: shape.in,
        ...optional('pattern', given(shape.pattern)),
        ...optional('path', given(shape.path)),
      };
    case 'page':
      if (!isThere(shape.url)) return undefined;
      return { is: shape.is, url: shape.url, ...optional('prompt', given(shape.prompt)) };
    case 'todos':
      return todosIn(input, list ?? '');
    case 'plan':
      return { is: shape.is, ...optional('text', given(shape.text)) };
    case 'agent':
      return {
        is: shape.is,
        ...optional('task', given(shape.task)),
        ...optional('description', given(shape.description)),
      };
    case 'question': {
      const questions = entriesOf(input, list ?? '').map(([at]) => `${at}/question`);
      return questions.length > 0 && questions.every(isThere) ? { is: shape.is, questions } : undefined;
    }
    case 'fields':
      return undefined;
  }
}

type Edit = Extract<CallShape, { is: 'change' }>['edits'][number];

/** The edit as far as it is there; undefined without the text that it puts in. */
function editIn(input: JsonObject, { before, after, everywhere }: Edit): Edit | undefined {
  if (textUnder(input, after) === undefined) return undefined;
  return {
    ...optional(
      'before',
      before !== undefined && textUnder(input, before) !== undefined ? before : undefined,
    ),
    after,
    ...optional(
      'everywhere',
      everywhere !== undefined && typeof valueAt(input, everywhere) === 'boolean' ? everywhere : undefined,
    ),
  };
}

const listedEdits = (input: JsonObject, list: string): (Edit | undefined)[] =>
  entriesOf(input, list).map(([at]) =>
    editIn(input, {
      before: `${at}/old_string`,
      after: `${at}/new_string`,
      everywhere: `${at}/replace_all`,
    }),
  );

function todosIn(input: JsonObject, list: string): CallShape | undefined {
  if (!Array.isArray(input[list])) return undefined;
  const todos = entriesOf(input, list).map(([at, entry]) => {
    const { status } = isObject(entry) ? entry : {};
    const state =
      status === 'completed'
        ? ('done' as const)
        : status === 'in_progress'
          ? ('active' as const)
          : ('open' as const);
    const now = `${at}/activeForm`;
    return { text: state === 'active' && textUnder(input, now) ? now : `${at}/content`, state };
  });
  return todos.every(({ text }) => textUnder(input, text) !== undefined) ? { is: 'todos', todos } : undefined;
}

function entriesOf(input: JsonObject, list: string): [Pointer, unknown][] {
  const entries: unknown = input[list];
  return Array.isArray(entries) ? entries.map((entry: unknown, at) => [`/${list}/${at}`, entry]) : [];
}

/** Of a tool that is not known, the field that says best what a call is about. */
const titleIn = (input: JsonObject): Pointer | undefined =>
  ['command', 'file_path', 'notebook_path', 'pattern', 'path', 'url', 'query', 'description']
    .filter((name) => (textAt(input, name) ?? '').trim() !== '')
    .map((name) => `/${name}`)
    .at(0);

function risksIn(shape: CallShape, input: JsonObject, cwd: string | undefined): CallRisk[] {
  const risks: CallRisk[] = [];
  if (input.run_in_background === true) risks.push({ kind: 'background', at: '/run_in_background' });
  for (const [name, value] of Object.entries(input)) {
    if (!name.startsWith('dangerously') || value === false) continue;
    const kind = name === 'dangerouslyDisableSandbox' ? 'sandbox-off' : 'dangerous';
    risks.push({ kind, at: pointerTo(name) });
  }
  if (cwd !== undefined)
    risks.push(...outsideIn(shape, input, cwd).map((at) => ({ kind: 'outside-directory' as const, at })));
  return risks;
}

/** What leads out of the session's directory, or cannot be told to stay in it. */
function outsideIn(shape: CallShape, input: JsonObject, cwd: string): Pointer[] {
  const home = realPath(cwd) ?? cwd;
  const isInside = (value: string | undefined): boolean =>
    value !== undefined && (value === home || value.startsWith(home.endsWith(sep) ? home : home + sep));
  return pathsIn(shape).filter((pointer) => {
    const path = textUnder(input, pointer) ?? '';
    if (shape.is === 'search' && pointer === shape.pattern)
      return /^[/~]|(^|\/)\.\.(\/|$)/.test(path) && !isInside(searched('.', path, cwd)?.value);
    return !isInside(pathSubject(path, cwd, true)?.value);
  });
}

function pathsIn(shape: CallShape): Pointer[] {
  const pointers = (...all: (Pointer | undefined)[]) => all.filter((pointer) => pointer !== undefined);
  switch (shape.is) {
    case 'command':
      return pointers(shape.directory);
    case 'change':
      return pointers(shape.path, shape.to, ...shape.edits.map(({ path }) => path));
    case 'read':
      return [shape.path];
    case 'search':
      return pointers(shape.path, shape.in === 'names' ? shape.pattern : undefined);
    default:
      return [];
  }
}

/** What a call brought, by its text and the agent's account of it alone: a result does not name its tool. */
export function resultShapeOf(text: string, detail: unknown, isError: boolean): ResultShape | undefined {
  const shape = {
    ...optional('exitCode', exitCodeIn(text, detail, isError)),
    ...(isObject(detail) && shapeOfDetail(detail)),
  };
  return Object.keys(shape).length === 0 ? undefined : shape;
}

function exitCodeIn(text: string, detail: unknown, isError: boolean): number | undefined {
  const [, code] = isError ? (/^Exit code (\d+)/.exec(text) ?? []) : [];
  if (code !== undefined) return Number(code);
  const hasEnded =
    !isError &&
    isObject(detail) &&
    textAt(detail, 'stdout') !== undefined &&
    detail.interrupted === false &&
    detail.backgroundTaskId === undefined;
  return hasEnded ? 0 : undefined;
}

function shapeOfDetail(detail: JsonObject): ResultShape {
  const file = objectAt(detail, 'file') ?? {};
  const lines = numberAt(file, 'numLines');
  const files = numberAt(detail, 'numFiles');
  const isFile = textAt(file, 'content') !== undefined && textAt(file, 'filePath') !== undefined;
  return {
    ...(lines !== undefined
      ? { amount: { of: 'lines' as const, count: lines } }
      : files !== undefined && { amount: { of: 'files' as const, count: files } }),
    ...(isFile && {
      file: { path: '/file/filePath', text: '/file/content', firstLine: numberAt(file, 'startLine') ?? 1 },
    }),
    ...patchIn(detail, 'structuredPatch'),
    ...(detail.type === 'create' && newFileIn(textAt(detail, 'content'))),
    ...(detail.isAsync === true && { goesOn: true }),
    ...(textAt(detail, 'plan') && { plan: '/plan' }),
  };
}

/** A list of hunks under this name, and how many lines they put in and take out. */
export function patchIn(detail: JsonObject, name: string): Pick<ResultShape, 'patch' | 'changed'> {
  const hunks = listAt(detail, name);
  if (hunks.length === 0) return {};
  const lines = hunks.flatMap((hunk) => (Array.isArray(hunk.lines) ? hunk.lines : []));
  const startingWith = (sign: string): number =>
    lines.filter((line) => typeof line === 'string' && line.startsWith(sign)).length;
  const changed = { added: startingWith('+'), removed: startingWith('-') };
  return { patch: `/${name}`, ...(changed.added + changed.removed > 0 && { changed }) };
}

const newFileIn = (content: string | undefined): Pick<ResultShape, 'changed'> =>
  content === undefined
    ? {}
    : { changed: { added: content.replace(/\n$/, '').split('\n').length, removed: 0 } };

function textUnder(input: JsonObject, pointer: Pointer): string | undefined {
  const value = valueAt(input, pointer);
  return typeof value === 'string' ? value : undefined;
}

const optional = <Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [K in Name]?: Value } =>
  value === undefined ? {} : ({ [name]: value } as { readonly [K in Name]?: Value });

const longest = 200;

/** What is asked, in one line that fits on a card. */
export function askTitle(words: string): string {
  const [firstLine = ''] = words.split('\n', 1);
  const cut = firstLine.slice(0, longest);
  return cut === words ? words : `${cut}…`;
}

/**
 * What a tool is to be used for; where a link leads elsewhere, both. What only the whole input stands for is named by the part that
 * tells most. Words of the agent's own on it are none: they need not be true.
 */
export function callTitle(
  toolName: string,
  { kind, value, asked }: Subject,
  { input, call }: Pick<Ask, 'input' | 'call'>,
): string {
  const isDescribed = call?.is === 'fields' && call.title === '/description';
  const main = kind !== 'input' || isDescribed ? null : mainPartOf(toolCallOf({ input, call }));
  const told = main === null || main.as === 'prose' ? undefined : main.text;
  const about = kind === 'input' ? told : asked === undefined ? value : `${asked} → ${value}`;
  return askTitle(about === undefined ? toolName : `${toolName}: ${about}`);
}
