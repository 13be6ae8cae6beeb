import { hunksBetween } from '../../model/diff-lines.ts';
import { showInvisible, showSuspicious, showValue, visibleLine } from '../../model/suspicious-text.ts';
import { saysNothing, type TextEdit, type ToolCall, toolCallOf } from '../../model/tool-call.ts';
import type { ApprovalScope, Ask, Form, LeftOpen, Question } from '../../protocol/interaction.ts';
import { kindWords, valueWords } from './field-words.ts';
import { counted, shortened } from './measures.ts';
import { type Paint, plain } from './paint.ts';
import { oneLine, stripEscapes } from './safe-text.ts';

export type ShownAsk = Pick<
  Ask,
  | 'kind'
  | 'toolName'
  | 'title'
  | 'input'
  | 'call'
  | 'blockedPath'
  | 'questions'
  | 'form'
  | 'plan'
  | 'reason'
  | 'rule'
  | 'subject'
  | 'agentId'
  | 'tool'
  | 'approvalScopes'
  | 'ways'
  | 'defaultToNo'
> & { readonly leftOpen?: LeftOpen | undefined };

const mostLinesAtFirst = 60;

/** Whether the view of it leaves something out that can be asked for. */
export const isCutShort = (ask: ShownAsk): boolean => {
  const lines = bodyOf(ask, plain);
  return lines.length > mostLinesAtFirst || lines.some((line) => line.length > longestLine);
};

/** What a person is asked, whole enough to decide on: what would not fit is counted, never left out in silence. */
export function interactionView(ask: ShownAsk, paint: Paint, mostLines = mostLinesAtFirst): string[] {
  const head = `${paint('yellow', '?')} ${paint('bold', shortened(headOf(ask), 300))}`;
  const agent = ask.agentId === undefined ? [] : [paint('dim', `asked by sub-agent ${oneLine(ask.agentId)}`)];
  const reason = ask.reason === undefined ? [] : [paint('dim', `reason: ${oneLine(ask.reason)}`)];
  const rule = ask.rule === undefined ? [] : [paint('yellow', ruleLine(ask.rule))];
  const error =
    ask.form?.error === undefined ? [] : [paint('red', `asked again: ${oneLine(ask.form.error)}`)];
  const body = bounded(bodyOf(ask, paint), mostLines, paint);
  const left = ask.leftOpen === undefined ? [] : [paint('dim', leftOpenNote(ask.leftOpen))];
  return [head, ...[...agent, ...reason, ...rule, ...error, ...body, ...left].map((line) => `  ${line}`)];
}

const ruleLine = ({ reason }: NonNullable<Ask['rule']>): string =>
  `a rule asks for you${reason === undefined || reason === '' ? '' : `: ${oneLine(reason)}`}`;

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
      return [...callLines(ask, paint), ...besideLines(ask, paint), ...wayLines(ask)];
    case 'question':
      return (ask.questions ?? []).flatMap((question) => questionLines(question, ask.title, paint));
    case 'form':
      return ask.form === undefined ? [] : formLines(ask.form, paint);
  }
}

/** What must not be overlooked comes first, where nothing cuts it off; then the thing itself, and every field that is not in it. */
/** The ways to allow it; `allow 2` takes the second. */
const wayLines = ({ ways = [] }: ShownAsk): string[] =>
  ways.map(({ label }, at) => `allow ${at + 1}: ${visibleLine(label)}`);

function callLines(ask: ShownAsk, paint: Paint): string[] {
  if (saysNothing(ask)) return [paint('red', '! The agent did not say what it wants to do.')];
  const { plan } = ask;
  const call = toolCallOf(ask);
  return [
    ...warningLines(ask, call).map((line) => paint('red', `! ${line}`)),
    ...(plan === undefined ? thingLines(call, paint) : stripEscapes(plan).split('\n')),
    ...call.others.flatMap(({ name, value }) =>
      plan !== undefined && value === plan ? [] : fieldLines(name, value, paint),
    ),
  ];
}

function thingLines(call: ToolCall, paint: Paint): string[] {
  const field = (name: string, value: string | null): string[] =>
    value === null ? [] : fieldLines(name, value, paint);
  switch (call.is) {
    case 'command':
      return [
        ...labelled('$ ', showSuspicious(call.command)),
        ...field('description', call.description),
        ...field('directory', call.directory),
      ];
    case 'change':
      return [
        showSuspicious(call.path),
        ...(call.to === null ? [] : [`→ ${showSuspicious(call.to)}`]),
        ...call.edits.flatMap((edit) => editLines(edit, paint)),
      ];
    case 'read':
      return [showSuspicious(call.path)];
    case 'search':
      return [...field('pattern', call.pattern), ...field('path', call.path)];
    case 'page':
      return [showSuspicious(call.url), ...field('prompt', call.prompt)];
    case 'todos':
      return call.todos.map(({ text, state }) => `${state}: ${showInvisible(text)}`);
    case 'plan':
      return field('plan', call.text);
    case 'agent':
      return [...field('description', call.description), ...field('task', call.task)];
    case 'question':
      return call.questions.flatMap((question) => field('question', question));
    case 'fields':
      return [];
  }
}

function editLines({ path, before, after, isEverywhere }: TextEdit, paint: Paint): string[] {
  const looks = { '+': 'green', '-': 'red', ' ': 'dim' } as const;
  const hunks = hunksBetween(before, after).map((hunk) =>
    hunk.map(({ sign, text }) => paint(looks[sign], `${sign} ${showInvisible(text)}`)),
  );
  return [
    ...(path === null ? [] : [showSuspicious(path)]),
    ...(isEverywhere ? [paint('dim', 'in every place where the old text stands:')] : []),
    ...hunks.flatMap((lines, at) => (at === 0 ? lines : [paint('dim', '⋯'), ...lines])),
  ];
}

const riskWords: Record<ToolCall['risks'][number], string> = {
  background: 'it goes on in the background',
  'sandbox-off': 'it runs without the sandbox',
  'outside-directory': 'it reaches out of the session’s directory',
  dangerous: 'it has a field that calls itself dangerous',
  policy: 'it may change the rules that this directory brings along',
};

const warningLines = ({ subject, blockedPath }: ShownAsk, { risks }: ToolCall): string[] => [
  ...(subject?.asked === undefined ? [] : [`a link leads from there to ${visibleLine(subject.value)}`]),
  ...risks.map((risk) => riskWords[risk]),
  ...(blockedPath === undefined ? [] : [`the agent asks because of ${visibleLine(blockedPath)}`]),
];

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
    ...form.fields.flatMap((field) => {
      const options = field.options?.map((option) => oneLine(option.label)).join(', ');
      const kind =
        options === undefined || options === '' ? kindWords(field) : `${kindWords(field)}: ${options}`;
      const before = form.initialValues?.[field.id] ?? field.defaultValue;
      const typed = before === undefined ? '' : paint('dim', ` [${valueWords(field, before)}]`);
      const about =
        field.description === undefined ? [] : [paint('dim', `    ${oneLine(field.description)}`)];
      return [
        `  ${oneLine(field.id)}: ${oneLine(field.label)} ${paint('dim', `(${kind}${field.required ? ', required' : ''})`)}${typed}`,
        ...about,
      ];
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
  if (most === Number.POSITIVE_INFINITY) return lines;
  const cut = lines.slice(0, most).map((line) => {
    const rest = line.length - longestLine;
    return rest <= 0
      ? line
      : `${line.slice(0, longestLine)}${paint('yellow', `… ${counted(rest, 'more character')} not shown`)}`;
  });
  const rest = lines.length - most;
  return rest <= 0 ? cut : [...cut, paint('yellow', `… ${counted(rest, 'more line')} not shown`)];
}

/** Why the agent goes on while the ask stays, and where the answer will go. */
export function leftOpenNote({ cause, message }: LeftOpen): string {
  const why =
    cause === 'tool' ? 'the tool does not wait for it' : 'the tool that asked ended with the server';
  const words = message === undefined ? '' : ` (${oneLine(message)})`;
  return `stays open, but ${why}${words}; your answer will reach the agent as a message`;
}
