import { showInvisible, showSuspicious, showValue } from '../../model/suspicious-text.ts';
import type { Interaction, Question, Subject } from '../../protocol/interaction.ts';
import { relativeTo, type ToolVerb, toolName, verbOf } from '../conversation/tool-line.logic.ts';
import { prose } from '../text/plain-text.ts';

/** What is asked, in the few lines that a compact card has. */
export type AskSummary =
  | {
      readonly is: 'call';
      readonly verb: ToolVerb;
      /** Shown exactly, with what is invisible made visible. */
      readonly subject: string;
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
  switch (interaction.kind) {
    case 'approval':
      if (interaction.tool !== undefined) return toolSummary(interaction, interaction.tool.name);
      return interaction.plan === undefined
        ? callSummary(interaction, cwd)
        : { is: 'plan', text: prose(interaction.plan) };
    case 'question': {
      const questions = interaction.questions ?? [];
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
      return { is: 'form', text: prose(interaction.form?.message || interaction.title) };
  }
}

const toolSummary = ({ form, title }: Interaction, name: string): AskSummary => ({
  is: 'tool',
  text: prose(form?.message || title),
  name,
});

function callSummary(interaction: Interaction, cwd: string): AskSummary {
  const { toolName: name, input, subject } = interaction;
  return {
    is: 'call',
    verb: verbOfAsk(interaction),
    subject: subjectText(name, input, subject, cwd),
    isWhole: subject === undefined || subject.kind === 'input',
    address: subject?.kind === 'host' && typeof input.url === 'string' ? showSuspicious(input.url) : null,
    ...changeOf(input),
  };
}

/** What the call would do, as its line in the conversation says it. */
export const verbOfAsk = ({ toolName: name, plan }: Interaction): ToolVerb =>
  plan === undefined ? verbOf({ name, startsAgent: false }) : 'plan';

function subjectText(
  name: string,
  input: Interaction['input'],
  subject: Interaction['subject'],
  cwd: string,
): string {
  switch (subject?.kind) {
    case 'command':
    case 'host':
      return showSuspicious(subject.value);
    case 'path':
      return showSuspicious(pathText(subject, cwd));
    case 'input':
    case undefined:
      return Object.keys(input).length === 0
        ? toolName(showSuspicious(name))
        : `${toolName(showSuspicious(name))} ${showValue(JSON.stringify(input))}`;
  }
}

/** Where a link leads elsewhere, both are said. */
const pathText = ({ value, asked }: Subject, cwd: string): string =>
  asked === undefined ? relativeTo(cwd, value) : `${relativeTo(cwd, asked)} → ${value}`;

/** The first lines that an edit takes out and puts in, and how many there are beyond them. */
function changeOf(input: Interaction['input']): { change: ChangedLine[]; hiddenLines: number } {
  const edits = Array.isArray(input.edits) ? input.edits : [input];
  const removed = edits.flatMap((edit) => linesOf(edit?.old_string, '-'));
  const added = edits.flatMap((edit) => linesOf(edit?.new_string ?? edit?.content ?? edit?.new_source, '+'));
  const half = Math.max(1, Math.min(removed.length, mostChangedLines / 2));
  const shownRemoved = removed.slice(0, removed.length === 0 ? 0 : half);
  const change = [...shownRemoved, ...added.slice(0, mostChangedLines - shownRemoved.length)];
  return {
    change: change.map(({ sign, text }) => ({ sign, text: showInvisible(text) })),
    hiddenLines: removed.length + added.length - change.length,
  };
}

const linesOf = (value: unknown, sign: ChangedLine['sign']): ChangedLine[] =>
  typeof value === 'string' && value !== ''
    ? value
        .replace(/\n$/, '')
        .split('\n')
        .map((text) => ({ sign, text }))
    : [];

export const isWarning = (name: string, value: unknown): boolean =>
  name.startsWith('dangerously') && value !== false;
