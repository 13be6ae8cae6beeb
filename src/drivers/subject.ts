import { statSync } from 'node:fs';
import { isAbsolute, resolve, sep } from 'node:path';
import { canonical } from '../model/canonical.ts';
import type { Subject } from '../protocol/interaction.ts';
import { type JsonObject, textAt } from './fields.ts';
import { realPath } from './real-path.ts';
import { fieldNames, type KnownTool, toolNamed } from './tool-table.ts';

/**
 * What a call is about: what a standing approval is held against. It is a command, a path or a host only where that stands for all of
 * the input; a field that is not known here could change what the call does, and then the very same input alone is meant.
 */
export function subjectOf(toolName: string, input: JsonObject, cwd: string): Subject {
  const tool = toolNamed(toolName);
  const covered = tool?.covers;
  if (tool === undefined || covered === undefined) return wholeInput(input);
  const others = Object.entries(input).filter(([name]) => !covered.has(name));
  const isWhole = others.every(([name, value]) => isIdle(tool, name, value, cwd));
  return (isWhole ? reachOf(tool, input, cwd) : undefined) ?? literally(input);
}

/** Words about a call, and limits to it, that change nothing of what it does. */
const idle = fieldNames('description timeout title');
/** What a command may be told of where it runs: the session's own directory is where it runs anyway. */
export const commandPlaces = fieldNames('cwd workdir working_directory directory dir_path');
const offUnlessTrue = fieldNames('run_in_background dangerouslyDisableSandbox');

function isIdle({ shape }: KnownTool, name: string, value: unknown, cwd: string): boolean {
  if (idle.has(name)) return true;
  if (shape.is !== 'command') return false;
  return offUnlessTrue.has(name)
    ? value === false
    : commandPlaces.has(name) && typeof value === 'string' && resolve(cwd, value) === resolve(cwd);
}

/** Undefined where the input has no such thing, or not in a way that can be told. */
function reachOf({ shape }: KnownTool, input: JsonObject, cwd: string): Subject | undefined {
  const at = (pointer = ''): string | undefined => textAt(input, pointer.slice(1));
  switch (shape.is) {
    case 'command': {
      const value = at(shape.command);
      return value === undefined ? undefined : { kind: 'command', value };
    }
    case 'change':
    case 'read': {
      const path = at(shape.path);
      return path === undefined ? undefined : pathSubject(path, cwd, shape.is === 'read');
    }
    case 'search': {
      const path = at(shape.path);
      if (shape.in === 'directory') return path === undefined ? undefined : pathSubject(path, cwd, true);
      return searched(path, shape.in === 'names' ? at(shape.pattern) : linesFrom(input, cwd), cwd);
    }
    case 'page':
      return hostSubject(at(shape.url) ?? '');
    default:
      return undefined;
  }
}

/** The fields of a tool for which its subject stands. */
export const fieldsOf = (toolName: string): Iterable<string> => toolNamed(toolName)?.covers ?? [];

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
export function searched(path = '.', pattern: string | undefined, cwd: string): Subject | undefined {
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
