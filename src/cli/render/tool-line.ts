import { visibleLine } from '../../model/suspicious-text.ts';
import { mainPartOf, toolCallOf } from '../../model/tool-call.ts';
import type { EventOf } from '../../protocol/event.ts';
import { counted, shortened } from './measures.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './safe-text.ts';

/** `● Bash npm test` */
export function toolCallLine(call: EventOf<'tool.called'>, paint: Paint): string {
  return `${paint('cyan', '●')} ${paint('bold', oneLine(call.name))} ${shortened(gist(call), 120)}`.trimEnd();
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

/** A call in a few words. */
function gist({ input, call }: EventOf<'tool.called'>): string {
  const main = mainPartOf(toolCallOf({ input, call }));
  if (main !== null) return main.as === 'prose' ? oneLine(main.text) : visibleLine(main.text);
  return Object.keys(input).length === 0 ? '' : oneLine(JSON.stringify(input));
}
