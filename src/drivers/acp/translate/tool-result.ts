import { isObject, type JsonObject, textAt } from '../../fields.ts';
import { changesIn, contentsIn, terminalsIn, wordsOf } from './content.ts';
import type { Memory } from './memory.ts';
import { hunksOf } from './patch.ts';
import { vendorNote } from './vendor.ts';

/** What a call brought, in words: its plain output where the agent gives it, else what it shows. */
export function resultText(memory: Memory, call: JsonObject): string {
  const plain = plainOutput(call.rawOutput);
  if (plain !== undefined) return plain;
  const printed = terminalsIn(call).flatMap((id) => memory.outputOf(id) ?? []);
  const shown = contentsIn(call)
    .filter(({ type }) => type !== 'image')
    .map((content) => unfenced(wordsOf(content)));
  const told = [...printed, ...shown].join('\n');
  if (told !== '') return told;
  return call.rawOutput === undefined || call.rawOutput === null ? '' : JSON.stringify(call.rawOutput);
}

/** The structured account of the result: the agent's own where it gives one, else the lines that changed. */
export function resultDetail(call: JsonObject): JsonObject | undefined {
  const { toolResponse } = vendorNote(call);
  if (toolResponse) {
    const { originalFile: _, ...rest } = toolResponse;
    return rest;
  }
  const changes = changesIn(call);
  if (changes.length === 0) return undefined;
  return { filePath: changes[0]?.path, structuredPatch: changes.flatMap(hunksOf) };
}

function plainOutput(raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw;
  if (Array.isArray(raw)) {
    const texts = raw.filter(isObject).flatMap((block) => textAt(block, 'text') ?? []);
    return texts.length === raw.length && texts.length > 0 ? texts.join('\n') : undefined;
  }
  if (!isObject(raw)) return undefined;
  return textAt(raw, 'formatted_output') ?? textAt(raw, 'output') ?? textAt(raw, 'stdout');
}

/** Output is often wrapped into a code block for a page that shows markdown. */
function unfenced(text: string): string {
  const [, inner] = /^\s*(?:`{3,})[^\n]*\n([\s\S]*?)\n?`{3,}\s*$/.exec(text) ?? [];
  return inner ?? text;
}
