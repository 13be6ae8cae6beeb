import { resolve } from 'node:path';
import type { Subject } from '../protocol/interaction.ts';
import { isObject, type JsonObject, textAt } from './fields.ts';

/** What a call is about: the part of its input that a standing approval is held against. */
export function subjectOf(toolName: string, input: JsonObject, cwd: string): Subject {
  switch (toolName) {
    case 'Bash':
    case 'PowerShell':
    case 'Monitor':
      return commandOf(input) ?? wholeInput(input);
    case 'Read':
    case 'Write':
    case 'Edit':
    case 'MultiEdit':
      return pathOf(textAt(input, 'file_path'), cwd) ?? wholeInput(input);
    case 'NotebookEdit':
      return pathOf(textAt(input, 'notebook_path'), cwd) ?? wholeInput(input);
    case 'Glob':
    case 'Grep':
    case 'LS':
      return pathOf(textAt(input, 'path') ?? cwd, cwd) ?? wholeInput(input);
    case 'WebFetch':
      return hostOf(input) ?? wholeInput(input);
    default:
      return wholeInput(input);
  }
}

function commandOf(input: JsonObject): Subject | undefined {
  const value = textAt(input, 'command');
  return value === undefined ? undefined : { kind: 'command', value };
}

/** Resolved, so that `..` cannot lead out of a granted directory. */
function pathOf(path: string | undefined, cwd: string): Subject | undefined {
  return path === undefined ? undefined : { kind: 'path', value: resolve(cwd, path) };
}

function hostOf(input: JsonObject): Subject | undefined {
  const url = URL.parse(textAt(input, 'url') ?? '');
  return url && url.host !== '' ? { kind: 'host', value: url.host } : undefined;
}

/** Keys are sorted: the same input is the same subject, in whatever order the model wrote it. */
function wholeInput(input: JsonObject): Subject {
  return { kind: 'input', value: JSON.stringify(sorted(input)) };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
