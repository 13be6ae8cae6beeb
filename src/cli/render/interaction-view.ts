import { showInvisible, showSuspicious, showValue, visibleLine } from '../../model/suspicious-text.ts';
import type { ApprovalScope, Ask, Form, LeftOpen, Question } from '../../protocol/interaction.ts';
import { editFields, editsIn } from './diff-lines.ts';
import { leftOpenNote } from './left-open.ts';
import { counted, shortened } from './measures.ts';
import type { Paint } from './paint.ts';
import { oneLine, stripEscapes } from './safe-text.ts';

export type ShownAsk = Pick<
  Ask,
  | 'kind'
  | 'toolName'
  | 'title'
  | 'input'
  | 'questions'
  | 'form'
  | 'plan'
  | 'reason'
  | 'subject'
  | 'agentId'
  | 'tool'
  | 'approvalScopes'
> & { readonly leftOpen?: LeftOpen | undefined };

/** What a person is asked, whole enough to decide on: what would not fit is counted, never left out in silence. */
export function interactionView(ask: ShownAsk, paint: Paint, mostLines = 60): string[] {
  const head = `${paint('yellow', '?')} ${paint('bold', shortened(headOf(ask), 300))}`;
  const agent = ask.agentId === undefined ? [] : [paint('dim', `asked by sub-agent ${oneLine(ask.agentId)}`)];
  const reason = ask.reason === undefined ? [] : [paint('dim', `reason: ${oneLine(ask.reason)}`)];
  const error =
    ask.form?.error === undefined ? [] : [paint('red', `asked again: ${oneLine(ask.form.error)}`)];
  const body = bounded(bodyOf(ask, paint), mostLines, paint);
  const left = ask.leftOpen === undefined ? [] : [paint('dim', leftOpenNote(ask.leftOpen))];
  return [head, ...[...agent, ...reason, ...error, ...body, ...left].map((line) => `  ${line}`)];
}

function headOf(ask: ShownAsk): string {
  const title =
    ask.kind === 'approval' && ask.tool === undefined ? visibleLine(ask.title) : oneLine(ask.title);
  const tool = oneLine(ask.tool?.name ?? ask.toolName);
  switch (ask.kind) {
    case 'approval':
      return ask.plan !== undefined || title.startsWith(tool) ? title : `${title} (${tool})`;
    case 'question':
    case 'form':
      return title;
  }
}

function bodyOf(ask: ShownAsk, paint: Paint): string[] {
  switch (ask.kind) {
    case 'approval':
      return ask.plan === undefined
        ? [...callLines(ask, paint), ...besideLines(ask, paint)]
        : stripEscapes(ask.plan).split('\n');
    case 'question':
      return (ask.questions ?? []).flatMap((question) => questionLines(question, ask.title, paint));
    case 'form':
      return ask.form === undefined ? [] : formLines(ask.form, paint);
  }
}

function callLines(ask: ShownAsk, paint: Paint): string[] {
  const { command, file_path, ...rest } = ask.input;
  const lines: string[] = [];
  if (typeof command === 'string') lines.push(...labelled('$ ', showSuspicious(command)));
  else if (command !== undefined) lines.push(`command: ${compact(command)}`);
  if (typeof file_path === 'string') lines.push(showSuspicious(file_path));
  else if (file_path !== undefined) lines.push(`file_path: ${compact(file_path)}`);
  if (ask.subject?.asked !== undefined)
    lines.push(paint('red', `a link leads from there to ${visibleLine(ask.subject.value)}`));

  const edits = editsIn(ask.input);
  for (const { sign, text } of edits ?? []) {
    const line = `${sign} ${showInvisible(text)}`;
    lines.push(sign === '+' ? paint('green', line) : sign === '-' ? paint('red', line) : paint('dim', line));
  }
  for (const [name, value] of Object.entries(rest)) {
    if (edits === undefined || !editFields.includes(name)) lines.push(...fieldLines(name, value, paint));
  }
  return lines;
}

/** What an interactive tool offers beside a plain yes: fields to fill in, and for how long. */
function besideLines({ form, approvalScopes = [] }: ShownAsk, paint: Paint): string[] {
  const scopes = approvalScopes.map((scope) => scopeWords[scope]).join(', ');
  return [
    ...(form === undefined ? [] : formLines(form, paint)),
    ...(scopes === '' ? [] : [paint('dim', `can be allowed: ${scopes}`)]),
  ];
}

const scopeWords: Record<ApprovalScope, string> = {
  once: 'once',
  session: 'for the session',
  always: 'always',
};

function questionLines(question: Question, title: string, paint: Paint): string[] {
  const header = question.header === undefined ? '' : paint('cyan', `[${oneLine(question.header)}]`);
  const text = question.question === title ? '' : oneLine(question.question);
  const several = question.multiSelect ? paint('dim', '(several may be picked)') : '';
  const head = [header, text, several].filter((part) => part !== '').join(' ');
  return [
    ...(head === '' ? [] : [head]),
    ...question.options.map(({ label, description }, index) => {
      const more = description === undefined ? '' : paint('dim', ` – ${oneLine(description)}`);
      return `  ${index + 1}. ${oneLine(label)}${more}`;
    }),
  ];
}

function formLines(form: Form, paint: Paint): string[] {
  return [
    ...(form.message === '' ? [] : stripEscapes(form.message).split('\n')),
    ...(form.url === undefined ? [] : [showSuspicious(form.url)]),
    ...form.fields.map((field) => {
      const options = field.options?.map((option) => oneLine(option.label)).join(', ');
      const kind = options === undefined ? field.type : `${field.type}: ${options}`;
      const before = form.initialValues?.[field.id];
      const typed = before === undefined ? '' : paint('dim', ` [${compact(before)}]`);
      return `  ${oneLine(field.id)}: ${oneLine(field.label)} ${paint('dim', `(${kind}${field.required ? ', required' : ''})`)}${typed}`;
    }),
  ];
}

function fieldLines(name: string, value: unknown, paint: Paint): string[] {
  const label = `${oneLine(name)}: `;
  return labelled(paint('dim', label), typeof value === 'string' ? showValue(value) : compact(value));
}

function labelled(label: string, text: string): string[] {
  const [first = '', ...others] = text.split('\n');
  return [label + first, ...others.map((line) => `  ${line}`)];
}

const compact = (value: unknown): string => showValue(JSON.stringify(value) ?? '');

const longestLine = 2_000;

function bounded(lines: readonly string[], most: number, paint: Paint): readonly string[] {
  const cut = lines.slice(0, most).map((line) => {
    const rest = line.length - longestLine;
    return rest <= 0
      ? line
      : `${line.slice(0, longestLine)}${paint('yellow', `… ${counted(rest, 'more character')} not shown`)}`;
  });
  const rest = lines.length - most;
  return rest <= 0 ? cut : [...cut, paint('yellow', `… ${counted(rest, 'more line')} not shown`)];
}
