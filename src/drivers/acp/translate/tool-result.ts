import { type DiffLine, diffLines } from '../../../model/diff-lines.ts';
import type { NewEventOf } from '../../../protocol/event.ts';
import { isObject, type JsonObject, numberAt, objectAt, textAt } from '../../fields.ts';
import { patchIn, resultShapeOf } from '../../tool-calls.ts';
import { type Change, changesIn, contentsIn, terminalsIn, wordsOf } from './content.ts';
import { vendorNote } from './describe-call.ts';
import type { Call, Memory } from './memory.ts';

/** What a call brought, in words: its plain output where the agent gives it, else what it shows. */
export function resultText(memory: Memory, { fields: call, printed: told }: Call): string {
  const plain = plainOutput(call.rawOutput);
  // What a file holds is shown as it is; the model is given more than that.
  if (plain && (call.kind !== 'read' || contentsIn(call).length === 0)) return plain;
  const printed = [told, ...terminalsIn(call).map((id) => memory.outputOf(id) ?? '')].filter(Boolean);
  const shown = contentsIn(call)
    .filter(({ type }) => type !== 'image')
    .map((content) => unfenced(wordsOf(content)));
  const words = [...printed, ...shown].join('\n');
  const isTold = words !== '' || plain !== undefined || changesIn(call).length > 0;
  if (isTold || call.rawOutput === undefined || call.rawOutput === null) return words;
  return exitCodeOf(call) === undefined ? JSON.stringify(call.rawOutput) : '';
}

type Account = Pick<NewEventOf<'tool.result'>, 'detail' | 'output'>;

/** The structured account of the result: the agent's own where it gives one, else the lines that changed. */
export function resultAccount(call: JsonObject, text: string): Account {
  const { toolResponse } = vendorNote(call);
  const changes = changesIn(call);
  if (!toolResponse && changes.length > 0) return changeAccount(changes);
  const { originalFile: _, ...detail } = toolResponse ?? {};
  const exitCode = exitCodeOf(call);
  const output = {
    ...resultShapeOf(text, toolResponse && detail, call.status === 'failed'),
    ...(exitCode !== undefined && { exitCode }),
  };
  return { ...(toolResponse && { detail }), ...(Object.keys(output).length > 0 && { output }) };
}

/** How a command ended, where the agent tells it: beside the protocol, or in its own account of the output. */
function exitCodeOf(call: JsonObject): number | undefined {
  const exit = objectAt(objectAt(call, '_meta') ?? {}, 'terminal_exit') ?? {};
  const raw = objectAt(call, 'rawOutput') ?? {};
  return (
    numberAt(exit, 'exit_code') ??
    numberAt(raw, 'exit_code') ??
    numberAt(raw, 'exitCode') ??
    numberAt(objectAt(raw, 'metadata') ?? {}, 'exit')
  );
}

function changeAccount(changes: readonly Change[]): Account {
  const detail = { path: changes[0]?.path, hunks: changes.flatMap(hunksOf) };
  return { detail, output: patchIn(detail, 'hunks') };
}

function plainOutput(raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw;
  if (Array.isArray(raw)) return textsOf(raw);
  if (!isObject(raw)) return undefined;
  const told = textAt(raw, 'formatted_output') ?? textAt(raw, 'output') ?? textAt(raw, 'stdout');
  // The result of a tool of an MCP server, as it is or in an envelope.
  return told ?? textsOf(raw.content) ?? textsOf(objectAt(raw, 'result')?.content);
}

function textsOf(blocks: unknown): string | undefined {
  if (!Array.isArray(blocks) || blocks.length === 0) return undefined;
  const texts = blocks.flatMap((block) => (isObject(block) ? (textAt(block, 'text') ?? []) : []));
  return texts.length === blocks.length ? texts.join('\n') : undefined;
}

/** Output is often wrapped into a code block for a page that shows markdown. */
function unfenced(text: string): string {
  const [, inner] = /^\s*(?:`{3,})[^\n]*\n([\s\S]*?)\n?`{3,}\s*$/.exec(text) ?? [];
  return inner ?? text;
}

const context = 3;

/** A piece of a change as the page draws it. */
interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** Both texts of a file as the lines that changed, each with a few around it. */
export function hunksOf({ before, after }: Change): readonly Hunk[] {
  const lines = diffLines(before ?? '', after);
  const shown = shownLines(lines);
  const hunks: Hunk[] = [];
  let [old, fresh] = [1, 1];
  let open: { oldStart: number; newStart: number; lines: DiffLine[] } | undefined;
  lines.forEach((line, at) => {
    if (shown.has(at)) {
      open ??= { oldStart: old, newStart: fresh, lines: [] };
      open.lines.push(line);
    } else if (open) {
      hunks.push(closed(open));
      open = undefined;
    }
    if (line.sign !== '+') old += 1;
    if (line.sign !== '-') fresh += 1;
  });
  return open ? [...hunks, closed(open)] : hunks;
}

function shownLines(lines: readonly DiffLine[]): ReadonlySet<number> {
  const shown = new Set<number>();
  lines.forEach(({ sign }, at) => {
    if (sign === ' ') return;
    for (let near = Math.max(0, at - context); near <= at + context; near += 1) shown.add(near);
  });
  return shown;
}

function closed({ lines, ...start }: { oldStart: number; newStart: number; lines: DiffLine[] }): Hunk {
  return {
    ...start,
    oldLines: lines.filter(({ sign }) => sign !== '+').length,
    newLines: lines.filter(({ sign }) => sign !== '-').length,
    lines: lines.map(({ sign, text }) => `${sign}${text}`),
  };
}
