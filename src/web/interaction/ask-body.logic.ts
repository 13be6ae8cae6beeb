import { showInvisible, showSuspicious, showValue } from '../../model/suspicious-text.ts';
import {
  type CallVerb,
  type OtherField,
  saysNothing,
  type TextEdit,
  type ToolCall,
  toolCallOf,
  verbOf,
} from '../../model/tool-call.ts';
import type { Interaction, Question, Subject } from '../../protocol/interaction.ts';
import { relativeTo, toolName } from '../conversation/tool-call.logic.ts';
import { prose } from '../text/plain-text.ts';
import { safeAddress } from './form.logic.ts';

/** The thing itself that a tool call is about. Nothing of the input is left out: what has no place of its own is in `rest`. */
export type CallBody = Warnings & {
  /** The agent's own words on what this is for. */
  readonly note: string | null;
  readonly rest: readonly RestField[];
} & (
    | { readonly is: 'command'; readonly command: string }
    | {
        readonly is: 'change';
        readonly path: string;
        readonly to: string | null;
        readonly edits: readonly TextEdit[];
      }
    | { readonly is: 'address'; readonly host: string | null; readonly url: string }
    | { readonly is: 'path'; readonly path: string }
    | { readonly is: 'plan'; readonly text: string }
    | { readonly is: 'input'; readonly json: string | null }
  );

/** What a person must not overlook, whatever is asked. */
export interface Warnings {
  readonly risks: ToolCall['risks'];
  /** Where a link in the path leads, if there is one. */
  readonly leadsTo: string | null;
  /** The path that made the agent ask. */
  readonly blockedPath: string | null;
}

interface RestField {
  readonly at: string;
  readonly name: string;
  readonly text: string;
  /** Something that a person must not overlook. */
  readonly isWarning: boolean;
}

export function callBody(interaction: Interaction, cwd: string): CallBody {
  const { subject, blockedPath } = interaction;
  const call = toolCallOf(interaction);
  return {
    note: null,
    rest: call.others.map(restField),
    ...thingOf(interaction, call, cwd),
    risks: call.risks,
    leadsTo: subject?.asked === undefined ? null : showSuspicious(subject.value),
    blockedPath: blockedPath === undefined ? null : showSuspicious(relativeTo(cwd, blockedPath)),
  };
}

type Without<Body, Keys extends PropertyKey> = Body extends unknown ? Omit<Body, Keys> : never;
type Thing = Without<CallBody, keyof Warnings | 'note' | 'rest'> & Partial<Pick<CallBody, 'note' | 'rest'>>;

function thingOf(interaction: Interaction, call: ToolCall, cwd: string): Thing {
  const { input, tool, plan } = interaction;
  if (tool !== undefined) return { is: 'input', json: null, rest: fieldsOf(input) };
  if (plan !== undefined)
    return {
      is: 'plan',
      text: plan,
      rest: call.others.filter(({ value }) => value !== plan).map(restField),
    };
  const path = (each: string): string => showSuspicious(relativeTo(cwd, each));
  switch (call.is) {
    case 'command':
      return {
        is: 'command',
        command: showSuspicious(call.command),
        note: call.description,
        rest: [...partField('directory', call.directory), ...call.others.map(restField)],
      };
    case 'change':
      // What a change consists of may be told in a way that is not known: then it is among the fields.
      if (call.edits.length === 0 && (call.does === 'edit' || call.does === 'write')) break;
      return {
        is: 'change',
        path: path(call.path),
        to: call.to === null ? null : path(call.to),
        edits: call.edits.map((edit) => ({ ...edit, path: edit.path === null ? null : path(edit.path) })),
      };
    case 'page':
      return {
        is: 'address',
        url: showSuspicious(call.url),
        host: safeAddress(call.url)?.host ?? null,
        rest: [...partField('prompt', call.prompt), ...call.others.map(restField)],
      };
    case 'read':
      return { is: 'path', path: path(call.path) };
    case 'search':
    case 'todos':
    case 'plan':
    case 'agent':
    case 'question':
    case 'fields':
      break;
  }
  const json = Object.keys(input).length === 0 ? null : showValue(JSON.stringify(input, null, 2));
  return { is: 'input', json, rest: [] };
}

const restField = ({ at, name, value, isRisky }: OtherField): RestField => ({
  at,
  name: showSuspicious(name),
  text: showValue(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
  isWarning: isRisky,
});

const fieldsOf = (input: Interaction['input']): RestField[] => toolCallOf({ input }).others.map(restField);

const partField = (name: string, text: string | null): RestField[] =>
  text === null ? [] : [{ at: '', name, text: showValue(text), isWarning: false }];

/** What is asked, in the few lines that a compact card has. */
export type AskSummary =
  | {
      readonly is: 'call';
      readonly verb: CallVerb | 'unsaid';
      /** Shown exactly, with what is invisible made visible. */
      readonly subject: string;
      /** The agent's own words on it. */
      readonly note: string | null;
      /** The subject is all that the call was given. */
      readonly isWhole: boolean;
      /** The whole address, where the subject is its host. */
      readonly address: string | null;
      readonly change: readonly ChangedLine[];
      readonly hiddenLines: number;
    }
  | { readonly is: 'plan'; readonly text: string }
  | { readonly is: 'choice'; readonly question: Question }
  | { readonly is: 'questions'; readonly questions: readonly Question[] }
  /** What a tool asks to be allowed, in its own words. */
  | { readonly is: 'tool'; readonly text: string; readonly name: string }
  | { readonly is: 'form'; readonly text: string };

interface ChangedLine {
  readonly sign: '+' | '-';
  readonly text: string;
}

/** More options than this, and a compact card sends one to the whole one. */
const mostOptions = 4;
const mostChangedLines = 6;

export function summaryOf(interaction: Interaction, cwd: string): AskSummary {
  const { kind, tool, plan, form, title, questions = [] } = interaction;
  switch (kind) {
    case 'approval':
      if (tool !== undefined) return { is: 'tool', text: prose(form?.message || title), name: tool.name };
      return plan === undefined ? callSummary(interaction, cwd) : { is: 'plan', text: prose(plan) };
    case 'question': {
      const [only] = questions;
      const isChoice =
        questions.length === 1 &&
        only !== undefined &&
        !only.multiSelect &&
        only.options.length > 0 &&
        only.options.length <= mostOptions;
      return isChoice ? { is: 'choice', question: only } : { is: 'questions', questions };
    }
    case 'form':
      return { is: 'form', text: prose(form?.message || title) };
  }
}

function callSummary(interaction: Interaction, cwd: string): AskSummary {
  const { subject } = interaction;
  const call = toolCallOf(interaction);
  const body = callBody(interaction, cwd);
  const named = subject === undefined ? null : subjectText(subject, cwd);
  return {
    is: 'call',
    verb: verbOfAsk(interaction),
    subject: named ?? bodyText(interaction, body),
    note: body.note,
    isWhole: named === null,
    address: subject?.kind === 'host' && call.is === 'page' ? showSuspicious(call.url) : null,
    ...firstLines(call.is === 'change' ? call.edits : []),
  };
}

/** The name of the tool that would run, as people read it. */
export const toolOfAsk = ({ toolName: name }: Interaction): string => toolName(showSuspicious(name));

/** What the call would do, as its line in the conversation says it. */
export function verbOfAsk(interaction: Interaction): CallVerb | 'unsaid' {
  if (interaction.plan !== undefined) return 'plan';
  return saysNothing(interaction) ? 'unsaid' : verbOf(toolCallOf(interaction));
}

/** Null for a subject that is nothing but the input. Where a link leads elsewhere, both are said. */
function subjectText({ kind, value, asked }: Subject, cwd: string): string | null {
  switch (kind) {
    case 'command':
    case 'host':
      return showSuspicious(value);
    case 'path':
      return showSuspicious(
        asked === undefined ? relativeTo(cwd, value) : `${relativeTo(cwd, asked)} → ${value}`,
      );
    case 'input':
      return null;
  }
}

/** The thing itself where it is known; what else goes in is shown beside it. */
function bodyText(interaction: Interaction, body: CallBody): string {
  switch (body.is) {
    case 'command':
      return body.command;
    case 'change':
    case 'path':
      return body.path;
    case 'address':
      return body.url;
    case 'plan':
    case 'input': {
      const { input } = interaction;
      const json = Object.keys(input).length === 0 ? '' : ` ${showValue(JSON.stringify(input))}`;
      return toolOfAsk(interaction) + json;
    }
  }
}

/** The first lines that edits take out and put in, and how many there are beyond them. */
function firstLines(edits: readonly TextEdit[]): { change: ChangedLine[]; hiddenLines: number } {
  const removed = edits.flatMap(({ before }) => linesOf(before, '-'));
  const added = edits.flatMap(({ after }) => linesOf(after, '+'));
  const half = Math.max(1, Math.min(removed.length, mostChangedLines / 2));
  const shownRemoved = removed.slice(0, removed.length === 0 ? 0 : half);
  const change = [...shownRemoved, ...added.slice(0, mostChangedLines - shownRemoved.length)];
  return {
    change: change.map(({ sign, text }) => ({ sign, text: showInvisible(text) })),
    hiddenLines: removed.length + added.length - change.length,
  };
}

const linesOf = (text: string, sign: ChangedLine['sign']): ChangedLine[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => ({ sign, text: line }));
