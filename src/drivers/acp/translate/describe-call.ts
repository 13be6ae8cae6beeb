import { resolve } from 'node:path';
import type { Subject } from '../../../protocol/interaction.ts';
import type { CallShape, Pointer } from '../../../protocol/tool-call.ts';
import { isObject, type JsonObject, objectAt, textAt } from '../../fields.ts';
import { fieldsOf, pathSubject, subjectOf, wholeInput } from '../../subject.ts';
import { callShapeOf, expectedShape, withRisks } from '../../tool-calls.ts';
import { type Change, changesIn, contentsIn, pathsIn, wordsOf } from './content.ts';

export interface DescribedCall {
  readonly toolName: string;
  readonly input: Record<string, unknown>;
  readonly call: CallShape;
}

/**
 * What a call is, of all that the agent told of it. Its own input stays as it is; what it told elsewhere, and the input lacks, stands
 * beside it under a name of ours. `looksOut`: whether its paths are followed to see if they lead out of the session's directory.
 */
export function describeCall(call: JsonObject, cwd: string, looksOut = false): DescribedCall {
  const toolName = toolNameOf(call);
  const own = ownInput(call);
  const { shape, beside } = shapeTold(call, own, toolName, cwd);
  const input = beside === undefined ? own : { ...own, [besideName(own)]: beside };
  return { toolName, input, call: withRisks(shape, input, looksOut ? cwd : undefined) };
}

/** The input by which standing approvals are held: titles and labels are left out, for they are no part of what runs. */
export function ownInput(call: JsonObject): Record<string, unknown> {
  const { rawInput } = call;
  if (isObject(rawInput)) return { ...rawInput };
  return rawInput === undefined || rawInput === null ? {} : { input: rawInput };
}

/** Where what was told beside the input stands; no field of the agent's own is covered by it. */
function besideName(own: JsonObject): string {
  let name = 'told';
  while (name in own) name = `_${name}`;
  return name;
}

interface Told {
  readonly shape: CallShape;
  readonly beside?: JsonObject;
}

function shapeTold(call: JsonObject, own: JsonObject, toolName: string, cwd: string): Told {
  const shape = callShapeOf(toolName, own);
  const at = (field: string): Pointer => `/${besideName(own)}/${field}`;
  const [path] = pathsIn(call);
  const title = textAt(call, 'title');
  const expected = expectedShape(toolName);
  switch (expected?.is ?? call.kind) {
    case 'command': {
      const isTitle = Object.keys(own).length === 0 && wordsAsked(call) === undefined && title !== toolName;
      const command =
        shape.is === 'command' ? undefined : (plainCommand(own) ?? (isTitle ? unquoted(title) : undefined));
      if (command !== undefined)
        return { shape: { is: 'command', command: at('command') }, beside: { command } };
      break;
    }
    case 'read': {
      if (shape.is === 'read') return { shape };
      const named = ownPath(own);
      if (named !== undefined) return { shape: { is: 'read', path: named } };
      if (path !== undefined) return { shape: { is: 'read', path: at('path') }, beside: { path } };
      break;
    }
    case 'change': {
      if (shape.is === 'change' && shape.edits.length > 0) return { shape };
      const does = expected?.is === 'change' ? expected.does : 'edit';
      const told = changeTold(does, changesIn(call), ownPath(own), path, { own, at, cwd });
      if (told !== undefined) return told;
      break;
    }
    case 'delete':
    case 'move': {
      const does = call.kind === 'move' ? 'move' : 'delete';
      const told = changeTold(does, [], ownPath(own), path, { own, at, cwd });
      if (told !== undefined) return told;
      break;
    }
    case 'search': {
      if (shape.is !== 'search' || shape.pattern !== undefined || shape.path !== undefined) return { shape };
      if (textAt(own, 'query')) return { shape: { ...shape, pattern: '/query' } };
      if (title !== undefined) return { shape: { ...shape, pattern: at('title') }, beside: { title } };
      return { shape };
    }
    default:
  }
  if (shape.is !== 'fields' || Object.keys(own).length > 0) return { shape };
  const words = wordsAsked(call);
  if (words !== undefined) return { shape: { is: 'fields', title: at('words') }, beside: { words } };
  if (title === undefined) return { shape };
  return { shape: { is: 'fields', title: at('title') }, beside: { title } };
}

/** What the agent says of a call that has not begun, where it gives no input; later the same place holds what the call brought. */
export function wordsAsked(call: JsonObject): string | undefined {
  if (call.status !== undefined && call.status !== 'pending') return undefined;
  return contentsIn(call).map(wordsOf).join('\n') || undefined;
}

/** A change of files: where the input does not name its file, that of the first change is meant. Others are named with theirs. */
function changeTold(
  does: Extract<CallShape, { is: 'change' }>['does'],
  changes: readonly Change[],
  named: Pointer | undefined,
  path: string | undefined,
  { own, at, cwd }: { own: JsonObject; at: (field: string) => Pointer; cwd: string },
): Told | undefined {
  const main = named === undefined ? path : textAt(own, named.slice(1));
  if (main === undefined) return undefined;
  const isOther = (change: Change): boolean => resolve(cwd, change.path) !== resolve(cwd, main);
  const edits =
    changes.length === 0
      ? ownEdits(own)
      : changes.map((change, index) => ({
          ...(isOther(change) && { path: at(`changes/${index}/path`) }),
          ...(change.before !== null && { before: at(`changes/${index}/before`) }),
          after: at(`changes/${index}/after`),
        }));
  const shape: CallShape = { is: 'change', does, path: named ?? at('path'), edits };
  if (named !== undefined && changes.length === 0) return { shape };
  const told = changes.map((change) => ({
    ...(isOther(change) && { path: change.path }),
    ...(change.before !== null && { before: change.before }),
    after: change.after,
  }));
  return {
    shape,
    beside: { ...(named === undefined && { path: main }), ...(told.length > 0 && { changes: told }) },
  };
}

/** An edit that stands in the input, by the names that agents have for its words. */
function ownEdits(own: JsonObject): Extract<CallShape, { is: 'change' }>['edits'] {
  const has = (name: string): boolean => textAt(own, name) !== undefined;
  const everywhere = own.replaceAll === true && { everywhere: '/replaceAll' };
  const edit = editFields.find(([, after]) => has(after));
  if (edit) {
    const [before, after] = edit;
    return [{ ...(has(before) && { before: `/${before}` }), after: `/${after}`, ...everywhere }];
  }
  return ['content', 'file_text'].filter(has).map((name) => ({ after: `/${name}` }));
}

const editFields = [
  ['oldString', 'newString'],
  ['old_string', 'new_string'],
  ['old_text', 'new_text'],
  ['old_str', 'new_str'],
] as const;

/** The names under which agents give the file. */
const pathFields = ['file_path', 'filePath', 'filepath', 'path', 'abs_path', 'absolute_path'];

const ownPath = (own: JsonObject): Pointer | undefined =>
  pathFields.filter((name) => textAt(own, name)).map((name) => `/${name}`)[0];

/** Some agents give a command as a list of words. */
function plainCommand({ command }: JsonObject): string | undefined {
  if (!Array.isArray(command)) return undefined;
  const words = command.filter((word) => typeof word === 'string');
  const [shell, flag, script] = words;
  const isScript = words.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(shell ?? '') && /^-l?c$/.test(flag ?? '');
  return isScript && script !== undefined ? script : words.map(quoted).join(' ');
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const unquoted = (title: string | undefined): string | undefined =>
  title?.replace(/^`([\s\S]*)`$/, '$1') || undefined;

/**
 * Agents name their tools each in their own way, but say of what kind a call is. A command is a command whoever runs it:
 * it is shown alike, and a standing approval for it holds.
 */
export function toolNameOf(call: JsonObject): string {
  const own = ownName(call);
  const isOfServer = own?.startsWith('mcp__');
  if (own !== undefined && (isOfServer || expectedShape(own) !== undefined)) return own;
  switch (call.kind) {
    case 'execute':
      return 'Bash';
    case 'read':
      // A command of which the agent tells no more than that it reads.
      return pathsIn(call).length > 0 || ownPath(ownInput(call))
        ? 'Read'
        : (own ?? textAt(call, 'title') ?? 'Read');
    case 'edit':
      return isNewFile(call) ? 'Write' : 'Edit';
    case 'search':
      return 'Grep';
    case 'fetch':
      return 'WebFetch';
    case 'switch_mode':
      return 'ExitPlanMode';
    default:
      return own ?? textAt(call, 'title') ?? unnamedTool;
  }
}

export const unnamedTool = 'tool';

/** The name that the agent itself has for the tool. A title is none: some are made of the model's own words. */
export function ownName(call: JsonObject): string | undefined {
  return vendorNote(call).toolName ?? textAt(call, 'name');
}

function isNewFile(call: JsonObject): boolean {
  const changes = changesIn(call);
  return changes.length > 0 && changes.every(({ before }) => before === null);
}

/** What Claude's adapter tells beside the protocol: the tool's own name, whose call it is, the structured result. */
interface VendorNote {
  readonly toolName: string | undefined;
  readonly parentToolCallId: string | undefined;
  readonly toolResponse: JsonObject | undefined;
}

export function vendorNote(update: JsonObject): VendorNote {
  const note = objectAt(objectAt(update, '_meta') ?? {}, 'claudeCode') ?? {};
  return {
    toolName: textAt(note, 'toolName'),
    parentToolCallId: textAt(note, 'parentToolUseId'),
    toolResponse: objectAt(note, 'toolResponse'),
  };
}

const fileTools = new Set(['Read', 'Write', 'Edit']);

/** The names of what agents put into a file or read of it. */
const contentFields = [
  ...'contents content file_text text oldText newText edits diff description title line limit'.split(' '),
  ...editFields.flat(),
];

/**
 * What a call is about. It is said only where all that the agent told of the call agrees with it: a grant for a file must
 * not cover a call that changes another one beside it, nor one for a command its twin outside of a sandbox. Else it is
 * everything that was told, and a grant holds for the very same call alone. `notes`: fields that are no part of it, such as the
 * id and the time of a call.
 */
export function callSubject(
  call: JsonObject,
  toolName: string,
  cwd: string,
  notes: ReadonlySet<string> = new Set(),
): Subject {
  const given = Object.fromEntries(Object.entries(ownInput(call)).filter(([name]) => !notes.has(name)));
  const command = plainCommand(given);
  const own = command === undefined ? given : { ...given, command };
  if (fileTools.has(toolName)) return fileSubject(call, given, toolName, cwd) ?? wholeCall(call, own);
  const subject = subjectOf(toolName, own, cwd);
  const isAll = Object.keys(own).length > 0 && (subject.kind !== 'path' || pathsIn(call).length === 0);
  return isAll ? subject : wholeCall(call, own);
}

/** The one file that is told of, whether by name, by a change or by a place. */
function fileSubject(
  call: JsonObject,
  { changes, ...own }: JsonObject,
  toolName: string,
  cwd: string,
): Subject | undefined {
  const known = new Set([...pathFields, ...contentFields, ...fieldsOf(toolName)]);
  if (Object.keys(own).some((name) => !known.has(name))) return undefined;
  const named = pathFields.map((name) => own[name]).filter((path) => path !== undefined);
  const told = [...named, ...changedPaths(changes), ...pathsIn(call)];
  const subjects = told.map((path) =>
    typeof path === 'string' ? pathSubject(path, cwd, toolName === 'Read') : undefined,
  );
  const [first] = subjects;
  return subjects.every((subject) => subject?.value === first?.value) ? first : undefined;
}

/** Changes by their files, as Codex gives them. What is not known of one stands in the way of any subject. */
function changedPaths(changes: unknown): readonly unknown[] {
  if (changes === undefined) return [];
  if (!isObject(changes)) return [undefined];
  return Object.entries(changes).flatMap(([path, change]) => {
    if (!isObject(change)) return [undefined];
    const { type: _, content: __, unified_diff: ___, move_path: moved = null, ...others } = change;
    return Object.keys(others).length > 0 ? [undefined] : [path, ...(moved === null ? [] : [moved])];
  });
}

/** Where there is no input, what is shown of the call is all there is to tell it from another. */
function wholeCall(call: JsonObject, own: JsonObject): Subject {
  const { title, kind, content, locations } = call;
  const told = Object.keys(own).length > 0 ? own : { title, kind, content, locations };
  return { ...wholeInput(told), literal: true };
}
