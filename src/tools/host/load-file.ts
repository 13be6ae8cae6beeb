import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Clock } from '../../engine/ports/clock.ts';
import type { OfferedTool } from '../../engine/ports/tool-calls.ts';
import { isTool, type Tool } from '../sdk/define-tool.ts';
import { asAuthor } from './author.ts';
import { type Contents, freshUrl } from './module-hooks.ts';
import { unknownName } from './request.ts';
import { wordsOf } from './result.ts';

export interface ToolProblem {
  readonly file: string;
  /** The tool in that file, where it is one alone that is wrong. */
  readonly tool?: string;
  readonly line?: number;
  readonly message: string;
}

export interface LoadedTool {
  readonly tool: Tool;
  readonly description: ToolDescription;
}

/** How a module is imported. Under a test runner that puts its own loader before Node's, another way may be needed. */
export type ImportModule = (url: string) => Promise<object>;
export const nodeImport: ImportModule = (url) => import(url);

interface LoadedFile {
  readonly tools: readonly LoadedTool[];
  readonly problems: readonly ToolProblem[];
  /** It, and what it imports by a path. */
  readonly contents: Contents;
  /** False when nothing of the file can be used. */
  readonly ok: boolean;
  readonly isMissing: boolean;
}

const LONGEST_LOAD_MS = 20_000;

/** The tools that a file exports. Whatever is wrong with it is said, with its place where that is known; nothing is thrown. */
export async function loadFile(file: string, clock: Clock, importModule: ImportModule): Promise<LoadedFile> {
  const { contents, isMissing, ...imported } = await importFile(file, 'the tools file', clock, importModule);
  const failed = (problem: ToolProblem): LoadedFile => ({
    ok: false,
    isMissing,
    contents,
    tools: [],
    problems: [problem],
  });
  if ('problem' in imported) return failed({ file, ...imported.problem });
  const found = [...candidatesIn(imported.exported)];
  if (found.length > 0) return { ok: true, isMissing, contents, ...checked(file, found) };
  return failed({
    file,
    message: 'it exports no tool: export what defineTool gives, as default or by name',
  });
}

type ImportedFile = { readonly contents: Contents; readonly isMissing: boolean } & (
  | { readonly exported: object }
  | { readonly problem: Pick<ToolProblem, 'message' | 'line'> }
);

/** What a file of somebody else's exports, as it is now, or why it cannot be had. `what` is how its author is called in the log. */
export async function importFile(
  file: string,
  what: string,
  clock: Clock,
  importModule: ImportModule = nodeImport,
): Promise<ImportedFile> {
  const { url, contents } = freshUrl(file);
  const unreadable = contents.get(file) === undefined ? whyUnreadable(file) : undefined;
  if (unreadable !== undefined) {
    const { message, isMissing } = unreadable;
    return { isMissing, contents, problem: { message } };
  }
  try {
    const loading = asAuthor(`${what} ${file}`, () => importModule(url));
    return { isMissing: false, contents, exported: await inTime(loading, clock) };
  } catch (error) {
    const line = lineIn(file, error);
    const problem = { message: wordsOf(error), ...(line === undefined ? {} : { line }) };
    return { isMissing: false, contents, problem };
  }
}

/** Which of them can be offered; `file` is where they come from. */
export function checked(file: string, found: Iterable<Candidate>): Pick<LoadedFile, 'tools' | 'problems'> {
  const tools: LoadedTool[] = [];
  const problems: ToolProblem[] = [];
  for (const { exportName, value } of found) {
    const described = isTool(value) ? describeTool(value, file) : 'it was not made with defineTool';
    if (typeof described === 'string') {
      problems.push({ file, tool: nameOf(value) ?? exportName, message: described });
    } else if (isTool(value)) {
      tools.push({ tool: value, description: described });
    }
  }
  return { tools, problems };
}

export interface Candidate {
  readonly exportName: string;
  readonly value: unknown;
}

/** One tool under two names is one tool. An export that has nothing of a tool is the file's own business. */
export function* candidatesIn(exported: object): Generator<Candidate> {
  const seen = new Set<unknown>();
  for (const [exportName, value] of Object.entries(exported)) {
    for (const [index, one] of (Array.isArray(value) ? value : [value]).entries()) {
      if (seen.has(one) || !(isTool(one) || isMeantAsTool(one))) continue;
      seen.add(one);
      yield { exportName: Array.isArray(value) ? `${exportName}[${index}]` : exportName, value: one };
    }
  }
}

const isMeantAsTool = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'handler' in value && 'name' in value;

function nameOf(value: unknown): string | undefined {
  const name = (value as { name?: unknown }).name;
  return typeof name === 'string' && name !== '' ? name.slice(0, 100) : undefined;
}

/** A file that waits for something at its top level must not keep the server from starting. */
async function inTime<T>(work: Promise<T>, clock: Clock): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(LONGEST_LOAD_MS, () =>
    reject(new Error(`it took longer than ${LONGEST_LOAD_MS / 1000} seconds to load`)),
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    cancel();
  }
}

function whyUnreadable(file: string): { readonly message: string; readonly isMissing: boolean } | undefined {
  try {
    readFileSync(file);
    return undefined;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const message = isMissing ? `the file ${file} does not exist` : `it cannot be read: ${wordsOf(error)}`;
    return { message, isMissing };
  }
}

/** Where the stack, or the excerpt before it, names a line of this file. */
function lineIn(file: string, error: unknown): number | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  for (const place of [pathToFileURL(file).href, file]) {
    const at = stack.indexOf(place);
    const [, line] = at < 0 ? [] : (/^(?:\?[\w=]*)?:(\d+)/.exec(stack.slice(at + place.length)) ?? []);
    if (line !== undefined) return Number(line);
  }
  return undefined;
}

export interface ToolDescription extends OfferedTool {
  /** The file it comes from; undefined for a built-in one. */
  readonly file: string | undefined;
}

/** What an agent is told of a tool, or, in words, why it cannot be offered. */
export function describeTool(tool: Tool, file: string | undefined): ToolDescription | string {
  const { name, description, input, askFirst, handler } = tool as Partial<Record<keyof Tool, unknown>>;
  const stranger = Object.keys(tool).find((key) => !known.includes(key));
  if (stranger !== undefined) return unknownName(stranger, known);
  if (typeof name !== 'string' || name === '') return 'it has no name';
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    return 'its name may have only letters, digits, "_" and "-", and at most 64 of them';
  }
  if (typeof description !== 'string' || description.trim() === '') {
    return 'it has no description: the agent would not know when to call it';
  }
  if (typeof handler !== 'function') return 'it has no handler';
  if (!isZodObject(input)) return 'its input is no z.object(…) of zod 4';
  try {
    const inputSchema = z.toJSONSchema(input, { io: 'input' });
    return { name, description, inputSchema, askFirst: askFirst === true, file };
  } catch (error) {
    return `its input cannot be described to an agent: ${wordsOf(error)}`;
  }
}

const known = ['name', 'description', 'input', 'askFirst', 'handler'] satisfies (keyof Tool)[] as string[];

/** Also one of another copy of zod: tool files bring their own. */
const isZodObject = (input: unknown): input is z.ZodObject =>
  typeof input === 'object' &&
  input !== null &&
  (input as { _zod?: { def?: { type?: unknown } } })._zod?.def?.type === 'object';
