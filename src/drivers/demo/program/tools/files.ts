import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { type JsonObject, stringAt } from '../json.ts';
import { failed, refusedInput, type Tool, type ToolContext, type ToolResult } from './tool.ts';

export const write: Tool = {
  name: 'Write',
  kind: 'edit',
  concurrent: false,
  subject: pathIn,
  describe: shortPath,
  suggest: acceptEdits,
  run: (input, context) => {
    const content = stringAt(input, 'content');
    if (content === undefined) return refusedInput('Write', 'content');
    return onFile('Write', input, context, (path) => {
      const before = existsSync(path) ? readFileSync(path, 'utf8') : null;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      const type = before === null ? 'create' : 'update';
      return {
        content:
          before === null
            ? `File created successfully at: ${path}`
            : `The file ${path} has been updated successfully.`,
        structured: {
          type,
          filePath: path,
          content,
          structuredPatch: [],
          originalFile: before,
          userModified: false,
        },
      };
    });
  },
};

export const edit: Tool = {
  name: 'Edit',
  kind: 'edit',
  concurrent: false,
  subject: pathIn,
  describe: shortPath,
  suggest: acceptEdits,
  run: (input, context) => {
    const oldString = stringAt(input, 'old_string');
    const newString = stringAt(input, 'new_string');
    if (oldString === undefined) return refusedInput('Edit', 'old_string');
    if (newString === undefined) return refusedInput('Edit', 'new_string');
    return onFile('Edit', input, context, (path) => {
      if (!existsSync(path))
        return failed(`File does not exist. Note: your current working directory is ${context.session.cwd}.`);
      const before = readFileSync(path, 'utf8');
      if (!before.includes(oldString))
        return failed(`String to replace not found in file.\nString: ${oldString}`);
      const replaceAll = input.replace_all === true;
      const after = replaceAll
        ? before.replaceAll(oldString, () => newString)
        : before.replace(oldString, () => newString);
      writeFileSync(path, after);
      return {
        content: `The file ${path} has been updated successfully.`,
        structured: {
          filePath: path,
          oldString,
          newString,
          originalFile: before,
          structuredPatch: [wholePatch(before, after)],
          userModified: false,
          replaceAll,
        },
      };
    });
  },
};

export const read: Tool = {
  name: 'Read',
  kind: 'free',
  concurrent: true,
  subject: pathIn,
  run: (input, context) =>
    onFile('Read', input, context, (path) => {
      if (!existsSync(path))
        return failed(`File does not exist. Note: your current working directory is ${context.session.cwd}.`);
      const content = readFileSync(path, 'utf8');
      const lines = content.split('\n');
      return {
        content: lines.map((line, at) => `${at + 1}\t${line}`).join('\n'),
        structured: {
          type: 'text',
          file: { filePath: path, content, numLines: lines.length, startLine: 1, totalLines: lines.length },
        },
      };
    }),
};

function onFile(
  name: string,
  input: JsonObject,
  context: ToolContext,
  act: (path: string) => ToolResult,
): ToolResult {
  const given = stringAt(input, 'file_path');
  if (given === undefined || given === '') return refusedInput(name, 'file_path');
  try {
    return act(resolve(context.session.cwd, given));
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

function wholePatch(before: string, after: string): JsonObject {
  const oldLines = linesOf(before);
  const newLines = linesOf(after);
  let same = 0;
  while (same < oldLines.length && same < newLines.length && oldLines[same] === newLines[same]) same++;
  let tail = 0;
  const room = Math.min(oldLines.length, newLines.length) - same;
  while (tail < room && oldLines.at(-1 - tail) === newLines.at(-1 - tail)) tail++;
  return {
    oldStart: 1,
    oldLines: oldLines.length,
    newStart: 1,
    newLines: newLines.length,
    lines: [
      ...oldLines.slice(0, same).map((line) => ` ${line}`),
      ...oldLines.slice(same, oldLines.length - tail).map((line) => `-${line}`),
      ...newLines.slice(same, newLines.length - tail).map((line) => `+${line}`),
      ...oldLines.slice(oldLines.length - tail).map((line) => ` ${line}`),
    ],
  };
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

function pathIn(input: JsonObject): string {
  return stringAt(input, 'file_path') ?? '';
}

function shortPath(input: JsonObject, cwd: string): string {
  const path = resolve(cwd, pathIn(input));
  const near = relative(cwd, path);
  return near.startsWith('..') ? path : near;
}

function acceptEdits(): readonly JsonObject[] {
  return [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
}
