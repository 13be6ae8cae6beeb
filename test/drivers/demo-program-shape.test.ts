import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Ask,
  type DemoProcess,
  endDemos,
  isAsk,
  kindOf,
  type Line,
  startDemo,
  uuid,
} from './demo-process.ts';

const RECORDED = join(import.meta.dirname, '../fixtures/claude-wire/2.1.325');

afterEach(endDemos);

/** What a line is, finely enough that lines of one kind have one shape. */
function shapeName(line: Line): string {
  if (isAsk(line)) return `${kindOf(line)} ${line.request.subtype} ${line.request.tool_name}`;
  const inner = typeof line.parent_tool_use_id === 'string' ? ' of a sub-agent' : '';
  return `${kindOf(line)}${line.subtype === undefined ? '' : ` ${line.subtype}`}${inner}`;
}

function keysOf(line: Line): readonly string[] {
  const nested = isAsk(line) ? Object.keys(line.request).map((key) => `request.${key}`) : [];
  const message = line.message === undefined ? [] : Object.keys(line.message).map((key) => `message.${key}`);
  return [...Object.keys(line), ...nested, ...message];
}

function recordedShapes(): Map<string, Set<string>> {
  const shapes = new Map<string, Set<string>>();
  for (const file of readdirSync(RECORDED).filter((name) => name.endsWith('.ndjson'))) {
    for (const text of readFileSync(join(RECORDED, file), 'utf8').split('\n')) {
      if (text === '') continue;
      const line: Line = JSON.parse(text);
      const known = shapes.get(shapeName(line)) ?? new Set<string>();
      for (const key of keysOf(line)) known.add(key);
      shapes.set(shapeName(line), known);
    }
  }
  return shapes;
}

async function answerAll(demo: DemoProcess, text: string, results = 1): Promise<void> {
  const from = demo.lines.length;
  const answered = new Set<string>();
  demo.say(text, { uuid: uuid(from + 1) });
  await demo.until(`result of ${text}`, () => {
    for (const line of demo.lines.slice(from)) {
      if (!isAsk(line) || answered.has(line.request_id)) continue;
      answered.add(line.request_id);
      demo.allow(line);
    }
    return demo.lines.slice(from).filter((line) => line.type === 'result').length >= results || undefined;
  });
}

describe('the demo program beside recordings of the real one', () => {
  it('sends no field that the real program does not send in such a line', async () => {
    const demo = startDemo({ args: ['--include-partial-messages'] });
    for (const text of ['think', 'run echo hi', 'question', 'plan', 'subagent', '!api-error'])
      await answerAll(demo, text);
    await answerAll(demo, '!background', 2);
    demo.say('run touch a');
    demo.respond(await askOf(demo, 'touch a'), { behavior: 'deny', message: 'no', interrupt: true });
    await demo.next('aborted result', (line) => line.subtype === 'error_during_execution');
    const shapes = recordedShapes();
    const compared = demo.lines.filter((line) => shapes.has(shapeName(line)));
    const odd = compared.flatMap((line) =>
      keysOf(line)
        .filter((key) => !shapes.get(shapeName(line))?.has(key))
        .map((key) => `${shapeName(line)}: ${key}`),
    );
    expect([...new Set(odd)]).toEqual([]);
    expect(new Set(compared.map(shapeName)).size).toBeGreaterThan(25);
  });
});

function askOf(demo: DemoProcess, command: string): Promise<Ask> {
  return demo.until('ask', () =>
    demo.lines.filter(isAsk).find((ask) => ask.request.input.command === command),
  );
}
