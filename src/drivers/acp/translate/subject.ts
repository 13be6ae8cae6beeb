import type { Subject } from '../../../protocol/interaction.ts';
import type { JsonObject } from '../../fields.ts';
import { fieldsOf, pathSubject, subjectOf, wholeInput } from '../../subject.ts';
import { pathsIn } from './content.ts';
import { ownInput, plainCommand } from './tool-input.ts';

const fileTools = new Set(['Read', 'Write', 'Edit']);

/** The names under which agents give the file, and those of what they put into it or read of it. */
const pathFields = ['file_path', 'filePath', 'path', 'abs_path', 'absolute_path'];
const contentFields = [
  'contents',
  'text',
  'oldText',
  'newText',
  'diff',
  'description',
  'title',
  'line',
  'limit',
];

/**
 * What a call is about. It is said only where all that the agent told of the call agrees with it: a grant for a file must
 * not cover a call that changes another one beside it, nor one for a command its twin outside of a sandbox. Else it is
 * everything that was told, and a grant holds for the very same call alone.
 */
export function callSubject(call: JsonObject, toolName: string, cwd: string): Subject {
  const own = { ...ownInput(call), ...plainCommand(call) };
  if (fileTools.has(toolName)) return fileSubject(call, toolName, cwd) ?? wholeCall(call, own);
  const subject = subjectOf(toolName, own, cwd);
  const isAll = Object.keys(own).length > 0 && (subject.kind !== 'path' || pathsIn(call).length === 0);
  return isAll ? subject : wholeCall(call, own);
}

/** The one file that is told of, whether by name, by a change or by a place. */
function fileSubject(call: JsonObject, toolName: string, cwd: string): Subject | undefined {
  const own = ownInput(call);
  const known = new Set([...pathFields, ...contentFields, ...fieldsOf(toolName)]);
  if (Object.keys(own).some((name) => !known.has(name))) return undefined;
  const named = pathFields.map((name) => own[name]).filter((path) => path !== undefined);
  const told = [...named, ...pathsIn(call)];
  const subjects = told.map((path) =>
    typeof path === 'string' ? pathSubject(path, cwd, toolName === 'Read') : undefined,
  );
  const [first] = subjects;
  return subjects.every((subject) => subject?.value === first?.value) ? first : undefined;
}

/** Where there is no input, what is shown of the call is all there is to tell it from another. */
function wholeCall(call: JsonObject, own: JsonObject): Subject {
  const { title, kind, content, locations } = call;
  const told = Object.keys(own).length > 0 ? own : { title, kind, content, locations };
  return { ...wholeInput(told), literal: true };
}
