import { visibleLine } from '../../model/suspicious-text.ts';
import type { EventOf } from '../../protocol/event.ts';
import { counted, shortened } from './measures.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './safe-text.ts';

/** Fields that say best what a call is about, the telling ones first. */
const tellingFields = [
  'command',
  'file_path',
  'path',
  'notebook_path',
  'url',
  'pattern',
  'query',
  'description',
  'prompt',
];

const proseFields = new Set(['query', 'description', 'prompt']);

/** `● Bash npm test` */
export function toolCallLine(call: EventOf<'tool.called'>, paint: Paint): string {
  return `${paint('cyan', '●')} ${paint('bold', oneLine(call.name))} ${shortened(gist(call.input), 120)}`.trimEnd();
}

/** `└ 12 passed (+3 lines)` */
export function toolResultLine(
  result: EventOf<'tool.result'>,
  callName: string | undefined,
  paint: Paint,
): string {
  const lines = result.text.split('\n').filter((line) => line.trim() !== '');
  const first = shortened(oneLine(lines[0] ?? ''), 120) || (result.isError ? 'failed' : 'done');
  const more = lines.length > 1 ? paint('dim', ` (+${counted(lines.length - 1, 'line')})`) : '';
  const images = result.images?.length ? paint('dim', ` (${counted(result.images.length, 'image')})`) : '';
  const name = callName === undefined ? '' : `${oneLine(callName)}: `;
  return `  ${paint('dim', '└')} ${name}${result.isError ? paint('red', `✗ ${first}`) : paint('dim', first)}${more}${images}`;
}

/** The input of a call in a few words. */
function gist(input: Readonly<Record<string, unknown>>): string {
  for (const field of tellingFields) {
    const value = input[field];
    if (typeof value === 'string' && value !== '')
      return proseFields.has(field) ? oneLine(value) : visibleLine(value);
  }
  const question: unknown = Array.isArray(input.questions) ? input.questions[0]?.question : undefined;
  if (typeof question === 'string') return oneLine(question);
  return Object.keys(input).length === 0 ? '' : oneLine(JSON.stringify(input));
}
