import { statSync } from 'node:fs';
import { isAbsolute, resolve, sep } from 'node:path';
import { canonical } from '../model/canonical.ts';
import type { Subject } from '../protocol/interaction.ts';
import { type JsonObject, textAt } from './fields.ts';
import { realPath } from './real-path.ts';

/**
 * What a call is about: what a standing approval is held against. It is a command, a path or a host only where that stands for all of
 * the input; a field that is not known here could change what the call does, and then the very same input alone is meant.
 */
export function subjectOf(toolName: string, input: JsonObject, cwd: string): Subject {
  const tool = tools.get(toolName);
  if (tool === undefined) return wholeInput(input);
  const others = Object.entries(input).filter(([name]) => !tool.fields.has(name));
  const isWhole = others.every(([name, value]) => isIdle(tool, name, value, cwd));
  return (isWhole ? tool.subject(input, cwd) : undefined) ?? literally(input);
}

/** What a tool is given, where it is known what each field does. */
interface KnownTool {
  /** The fields that the subject stands for: it says where a call reaches, whatever is searched for or written there. */
  readonly fields: ReadonlySet<string>;
  readonly runsCommands?: boolean;
  subject(input: JsonObject, cwd: string): Subject | undefined;
}

const fields = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Words about a call, and limits to it, that change nothing of what it does. */
const idle = fields('description timeout title');
/** What a command may be told of where it runs: the session's own directory is where it runs anyway. */
const places = fields('cwd workdir working_directory directory dir_path');
const offUnlessTrue = fields('run_in_background dangerouslyDisableSandbox');

function isIdle({ runsCommands }: KnownTool, name: string, value: unknown, cwd: string): boolean {
  if (idle.has(name)) return true;
  if (runsCommands !== true) return false;
  return offUnlessTrue.has(name)
    ? value === false
    : places.has(name) && typeof value === 'string' && resolve(cwd, value) === resolve(cwd);
}

const command: KnownTool = {
  fields: fields('command'),
  runsCommands: true,
  subject(input) {
    const value = textAt(input, 'command');
    return value === undefined ? undefined : { kind: 'command', value };
  },
};

const file = (named: string, readOnly: boolean, others: string): KnownTool => ({
  fields: fields(`${named} ${others}`),
  subject(input, cwd) {
    const path = textAt(input, named);
    return path === undefined ? undefined : pathSubject(path, cwd, readOnly);
  },
});

const known: Readonly<Record<string, KnownTool>> = {
  Bash: command,
  PowerShell: command,
  Monitor: command,
  Read: file('file_path', true, 'offset limit pages'),
  Write: file('file_path', false, 'content'),
  Edit: file('file_path', false, 'old_string new_string replace_all'),
  MultiEdit: file('file_path', false, 'edits'),
  NotebookEdit: file('notebook_path', false, 'new_source cell_id cell_type edit_mode cell_number'),
  LS: file('path', true, 'ignore'),
  Glob: {
    fields: fields('path pattern'),
    subject: (input, cwd) => searched(textAt(input, 'path'), textAt(input, 'pattern'), cwd),
  },
  Grep: {
    fields: fields(
      'path glob pattern type output_mode multiline head_limit offset context -A -B -C -n -i -o',
    ),
    subject: (input, cwd) => searched(textAt(input, 'path'), linesFrom(input, cwd), cwd),
  },
  WebFetch: {
    fields: fields('url prompt'),
    subject: (input) => hostSubject(textAt(input, 'url') ?? ''),
  },
};

const tools = new Map(Object.entries(known));

/** The fields of a tool for which its subject stands. */
export const fieldsOf = (toolName: string): Iterable<string> => tools.get(toolName)?.fields ?? [];

/**
 * A path resolved through links. Undefined where it cannot be told what an agent would make of it: `~`, spaces around it, `..` that
 * leads elsewhere by the system's reading than by the letter, files that are another in each process.
 */
export function pathSubject(path: string, cwd: string, readOnly: boolean): Subject | undefined {
  if (path === '' || path !== path.trim() || path.startsWith('~') || path.includes('\0')) return undefined;
  const asked = resolve(cwd, path);
  const value = realPath(asked);
  if (value === undefined || /^\/(proc|dev)(\/|$)/.test(asked)) return undefined;
  if (value !== realPath(isAbsolute(path) ? path : `${cwd}${sep}${path}`)) return undefined;
  return { kind: 'path', value, ...(value !== asked && { asked }), ...(readOnly && { readOnly }) };
}

/** A search reaches from a directory as far as its pattern does, and a pattern may name another directory. */
function searched(path = '.', pattern: string | undefined, cwd: string): Subject | undefined {
  if (pattern === undefined || pattern.startsWith('~') || path !== path.trim()) return undefined;
  const names = pattern.split('/');
  const first = names.findIndex((name) => /[*?[\]{}!\\]/.test(name));
  const open = first === -1 ? [] : names.slice(first);
  if (!open.every(isPlainGlob)) return undefined;
  const fixed = names.slice(0, names.length - open.length).join('/');
  const place = pathSubject(pattern.startsWith('/') ? `/${fixed}` : `${path}/${fixed}`, cwd, true);
  if (place === undefined || open.length === 0) return place;
  const below = (start: string): string => [start.replace(/\/$/, ''), ...open].join('/');
  const asked = place.asked === undefined ? {} : { asked: below(place.asked) };
  return { ...place, value: below(place.value), ...asked };
}

/** Signs that are read differently by different programs, and those by which a name could lead out of its directory. */
const isPlainGlob = (name: string): boolean =>
  !/[[\]?!\\]|^\.{0,2}$/.test(name) &&
  name.split('{').length === name.split('}').length &&
  !(name.includes('{') && name.includes('..'));

/** Which files of a directory are read through: all below it, or those of a pattern, which no more than picks among them. */
function linesFrom(input: JsonObject, cwd: string): string | undefined {
  const glob = input.glob === undefined ? '*' : textAt(input, 'glob');
  if (glob === undefined || /^\/|(^|\/)\.\.(\/|$)/.test(glob)) return undefined;
  if (input.glob === undefined) return isFile(resolve(cwd, textAt(input, 'path') ?? '.')) ? '' : '**';
  return glob.includes('/') ? glob : `**/${glob}`;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** A name that is looked up by `https` on its own port stands alone. What is sent along (a password) is no part of it. */
function hostSubject(address: string): Subject | undefined {
  const url = URL.parse(address);
  if (!url || url.host === '' || url.username !== '' || url.password !== '') return undefined;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  const host = url.host.replace(/\.(?=:\d+$|$)/, '');
  return { kind: 'host', value: url.protocol === 'http:' ? `http://${host}` : host };
}

/** For a tool of which nothing is known, every field matters. */
export const wholeInput = (input: JsonObject): Subject => ({ kind: 'input', value: canonical(input) });

/** Of a tool that is known, called in a way that is not: no pattern could say what else it may be given. */
const literally = (input: JsonObject): Subject => {
  const telling = Object.entries(input).filter(([name]) => !idle.has(name));
  return { ...wholeInput(Object.fromEntries(telling)), literal: true };
};
