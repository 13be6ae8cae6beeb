import { isObject, type JsonObject, textAt } from '../../fields.ts';
import { changesIn, pathsIn } from './content.ts';

/** What a call was given: the agent's own input as it is, and beside it what it told elsewhere and the page looks for. */
export function inputOf(call: JsonObject, toolName: string): Record<string, unknown> {
  return { ...toldBeside(call, toolName), ...ownInput(call), ...plainCommand(call) };
}

/** The input by which standing approvals are held: titles and labels are left out, for they are no part of what runs. */
export function ownInput(call: JsonObject): Record<string, unknown> {
  const { rawInput } = call;
  if (isObject(rawInput)) return { ...rawInput };
  return rawInput === undefined || rawInput === null ? {} : { input: rawInput };
}

/** Some agents give a command as a list of words. */
export function plainCommand(call: JsonObject): { command?: string } {
  const { command } = ownInput(call);
  if (!Array.isArray(command)) return {};
  const words = command.filter((word) => typeof word === 'string');
  const [shell, flag, script] = words;
  const isScript = words.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(shell ?? '') && /^-l?c$/.test(flag ?? '');
  return { command: isScript && script !== undefined ? script : words.map(quoted).join(' ') };
}

function toldBeside(call: JsonObject, toolName: string): Record<string, unknown> {
  const title = textAt(call, 'title');
  const [path] = pathsIn(call);
  const [change, ...others] = changesIn(call);
  switch (toolName) {
    case 'Bash':
      return title === undefined ? {} : { command: title.replace(/^`([\s\S]*)`$/, '$1') };
    case 'Read':
      return path === undefined ? {} : { file_path: path };
    case 'Write':
      return { ...(path !== undefined && { file_path: path }), ...(change && { content: change.after }) };
    case 'Edit':
      return {
        ...(path !== undefined && { file_path: path }),
        ...(change && others.length === 0 && { old_string: change.before ?? '', new_string: change.after }),
        ...(change &&
          others.length > 0 && {
            edits: [change, ...others].map(({ before, after }) => ({
              old_string: before ?? '',
              new_string: after,
            })),
          }),
      };
    default:
      return title === undefined || Object.keys(ownInput(call)).length > 0 ? {} : { description: title };
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
