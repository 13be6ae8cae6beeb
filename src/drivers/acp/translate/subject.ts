import { resolve } from 'node:path';
import type { Subject } from '../../../protocol/interaction.ts';
import type { JsonObject } from '../../fields.ts';
import { subjectOf } from '../../subject.ts';
import { pathsIn } from './content.ts';
import { ownInput, plainCommand } from './tool-input.ts';

const fileTools = new Set(['Read', 'Write', 'Edit']);

/** What a command may be given beside it that changes nothing of what it does. */
const harmless = new Set(['command', 'description', 'timeout', 'title']);
const places = new Set(['cwd', 'workdir', 'working_directory', 'directory', 'dir_path']);

/**
 * What a call is about. It is said only where all that the agent told of the call agrees with it: a grant for a file must
 * not cover a call that changes another one beside it, nor one for a command its twin outside of a sandbox. Else it is
 * everything that was told, and a grant holds for the very same call alone.
 */
export function callSubject(call: JsonObject, toolName: string, cwd: string): Subject {
  const own = { ...ownInput(call), ...plainCommand(call) };
  const paths = filesOf(call, cwd);
  if (fileTools.has(toolName) && paths.length === 1) return { kind: 'path', value: paths[0] ?? '' };
  const subject = subjectOf(toolName, own, cwd);
  const isSure =
    subject.kind === 'command' ? isPlain(own, cwd) : subject.kind === 'path' ? paths.length === 0 : true;
  return isSure && subject.kind !== 'input' ? subject : wholeCall(call, own, cwd);
}

function filesOf(call: JsonObject, cwd: string): readonly string[] {
  const { file_path: named } = ownInput(call);
  const told = [...(typeof named === 'string' ? [named] : []), ...pathsIn(call)];
  return [...new Set(told.map((path) => resolve(cwd, path)))];
}

function isPlain(own: JsonObject, cwd: string): boolean {
  return Object.entries(own).every(
    ([name, value]) =>
      harmless.has(name) ||
      (places.has(name) && typeof value === 'string' && resolve(cwd, value) === resolve(cwd)),
  );
}

/** Where there is no input, what is shown of the call is all there is to tell it from another. */
function wholeCall(call: JsonObject, own: JsonObject, cwd: string): Subject {
  const { title, kind, content, locations } = call;
  return subjectOf('', Object.keys(own).length > 0 ? own : { title, kind, content, locations }, cwd);
}
