import { showSuspicious, showValue } from '../../model/suspicious-text.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { relativeTo, toolName } from '../conversation/tool-line.logic.ts';
import { isWarning, verbOfAsk } from './ask-summary.logic.ts';
import { safeAddress } from './form.logic.ts';

type Input = Interaction['input'];

interface ShownEdit {
  readonly before: string;
  readonly after: string;
  /** Every place where the old text stands is changed, not only one. */
  readonly isEverywhere: boolean;
}

/** The thing itself that a tool call is about. Nothing of the input is left out: what has no place of its own is in `rest`. */
export type CallBody = {
  /** The agent's own words on what this is for. */
  readonly note: string | null;
  /** Where a link in the path leads, if there is one. */
  readonly leadsTo: string | null;
  readonly rest: readonly RestField[];
} & (
  | { readonly is: 'command'; readonly command: string }
  | { readonly is: 'change'; readonly path: string; readonly edits: readonly ShownEdit[] }
  | { readonly is: 'address'; readonly host: string | null; readonly url: string }
  | { readonly is: 'path'; readonly path: string }
  | { readonly is: 'input'; readonly tool: string; readonly json: string | null }
);

interface RestField {
  readonly name: string;
  readonly text: string;
  /** Something that a person must not overlook. */
  readonly isWarning: boolean;
}

export function callBody(interaction: Interaction, cwd: string): CallBody {
  const { subject } = interaction;
  const leadsTo = subject?.asked === undefined ? null : showSuspicious(subject.value);
  return { ...shownCall(interaction, cwd), leadsTo };
}

type Shown<Body> = Body extends unknown ? Omit<Body, 'leadsTo'> : never;

function shownCall(interaction: Interaction, cwd: string): Shown<CallBody> {
  const { input, toolName: name, tool } = interaction;
  if (tool !== undefined)
    return { is: 'input', tool: showSuspicious(tool.name), json: null, note: null, rest: restOf(input) };
  const verb = verbOfAsk(interaction);
  const path = textIn(input, 'file_path') ?? textIn(input, 'notebook_path');
  const command = textIn(input, 'command');
  const url = textIn(input, 'url');
  if (verb === 'run' && command !== undefined)
    return {
      is: 'command',
      command: showSuspicious(command),
      note: noteIn(input),
      rest: restOf(input, 'command', 'description'),
    };
  const edits = editsIn(input);
  if ((verb === 'edit' || verb === 'write') && path !== undefined && edits.length > 0)
    return {
      is: 'change',
      path: showSuspicious(relativeTo(cwd, path)),
      edits,
      note: null,
      rest: restOf(input, ...pathFields, ...editFields),
    };
  if (verb === 'fetch' && url !== undefined)
    return {
      is: 'address',
      url: showSuspicious(url),
      host: safeAddress(url)?.host ?? null,
      note: null,
      rest: restOf(input, 'url'),
    };
  if (path !== undefined && verb === 'read')
    return {
      is: 'path',
      path: showSuspicious(relativeTo(cwd, path)),
      note: null,
      rest: restOf(input, ...pathFields),
    };
  const isEmpty = Object.keys(input).length === 0;
  return {
    is: 'input',
    tool: toolName(showSuspicious(name)),
    json: isEmpty ? null : showValue(JSON.stringify(input, null, 2)),
    note: null,
    rest: [],
  };
}

const pathFields = ['file_path', 'notebook_path'];
const editFields = ['old_string', 'new_string', 'replace_all', 'content', 'new_source', 'edits'];

function editsIn(input: Input): ShownEdit[] {
  if (Array.isArray(input.edits)) {
    const edits = input.edits.map((each: unknown) => (isRecord(each) ? editIn(each) : undefined));
    // One that cannot be shown as a change must not be hidden behind those that can.
    return edits.every((each) => each !== undefined) ? edits : [];
  }
  const edit = editIn(input);
  return edit === undefined ? [] : [edit];
}

function editIn(input: Input): ShownEdit | undefined {
  const after = [input.new_string, input.content, input.new_source].find((each) => typeof each === 'string');
  if (typeof after !== 'string') return undefined;
  const before = typeof input.old_string === 'string' ? input.old_string : '';
  return { before, after, isEverywhere: input.replace_all === true };
}

const noteIn = (input: Input): string | null => textIn(input, 'description') ?? null;

function restOf(input: Input, ...shown: readonly string[]): RestField[] {
  return Object.entries(input)
    .filter(([name]) => !shown.includes(name))
    .map(([name, value]) => ({
      name: showSuspicious(name),
      text: showValue(typeof value === 'string' ? value : JSON.stringify(value)),
      isWarning: isWarning(name, value),
    }));
}

const textIn = (input: Input, field: string): string | undefined => {
  const value = input[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const isRecord = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
