import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ClaudeConnection } from '../../../src/drivers/claude/connection.ts';
import type { ReadingMark } from '../../../src/engine/ports/runner.ts';
import { MessageId } from '../../../src/protocol/ids.ts';
import { type AgentFact, mostFactsAtOnce } from '../../../src/runner/ports/agent-driver.ts';
import type { OutputReader } from '../../../src/runner/ports/process-host.ts';
import { leftProcess, leftStart } from './left-agent.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/claude-wire');
const recordings = readdirSync(fixtures).flatMap((version) =>
  readdirSync(join(fixtures, version)).map((file) => ({
    name: `${version} ${file}`,
    bytes: readFileSync(join(fixtures, version, file)),
  })),
);

const messageId = MessageId.parse('00000000-0000-4000-8000-000000000001');

interface Reported {
  readonly facts: AgentFact[];
  /** How many were told at once. */
  readonly sizes: number[];
  readonly marks: { readonly mark: ReadingMark; readonly factsBefore: number }[];
}

/** Plays what an agent printed, from an offset to an end, to a connection that is attached there. */
function read(
  bytes: Buffer,
  from: ReadingMark | undefined,
  until: number,
  chunkBytes: number,
  toldBefore: readonly AgentFact[] = [],
): Reported {
  const reported: Reported = { facts: [], sizes: [], marks: [] };
  let reader: OutputReader | undefined;
  const process = leftProcess((given) => {
    reader = given;
  });
  const inFlight = from === undefined ? [{ messageId, how: 'turn' as const }] : [];
  new ClaudeConnection({
    start: leftStart,
    version: null,
    holdsQuestions: true,
    launch: () => process,
    attached: {
      process,
      mark: from,
      outputEnd: until,
      left: { mark: from, kept: [], ready: true, openAsks: openAfter(toldBefore), inFlight },
    },
    report(facts, mark) {
      reported.facts.push(...facts);
      reported.sizes.push(facts.length);
      if (mark !== undefined) {
        // As it comes back from the disk.
        const kept = JSON.parse(JSON.stringify(mark)) as ReadingMark;
        reported.marks.push({ mark: kept, factsBefore: stored(reported.facts).length });
      }
    },
  });
  for (let offset = from?.offset ?? 0; offset < until; offset += chunkBytes) {
    reader?.chunk(bytes.subarray(offset, Math.min(offset + chunkBytes, until)), offset);
  }
  return reported;
}

const openAfter = (facts: readonly AgentFact[]): string[] =>
  facts.flatMap((fact) => (fact.type === 'asked' ? [fact.ask.agentRequestId] : []));

const stored = (facts: readonly AgentFact[]): AgentFact[] =>
  facts.filter(({ type }) => type !== 'delta' && type !== 'caught-up');

/** What a block came to by its fragments. */
function streamedText(facts: readonly AgentFact[], place: { agentMessageId: string; block: number }): string {
  return facts
    .flatMap((fact) => (fact.type === 'delta' ? [fact.delta] : []))
    .filter(({ messageId: id, block }) => id === place.agentMessageId && block === place.block)
    .map(({ text }) => text)
    .join('');
}

test('[SES15] [STORE2] an agent that says much at once is told of in pieces, and can be gone on with after each', () => {
  const line = (n: number) => ({
    type: 'assistant',
    message: { id: `m${n}`, role: 'assistant', content: [{ type: 'text', text: `text ${n}` }] },
    parent_tool_use_id: null,
    session_id: 's',
  });
  const lines = Array.from({ length: 300 }, (_, n) => `${JSON.stringify(line(n))}\n`);
  const bytes = Buffer.from(lines.join(''));
  const whole = read(bytes, undefined, bytes.length, bytes.length);
  expect(Math.max(...whole.sizes)).toBeLessThan(mostFactsAtOnce + 8);
  expect(whole.marks.length).toBeGreaterThan(300 / (mostFactsAtOnce + 8));
  for (const { mark, factsBefore } of whole.marks) {
    const rest = read(bytes, mark, bytes.length, bytes.length);
    expect(stored(rest.facts)).toEqual(stored(whole.facts).slice(factsBefore));
  }
});

describe.each(recordings)('taking over from a server that ended: $name', ({ bytes }) => {
  test.each([1 << 20, 700])(
    '[STORE2] from every mark the rest is told, no more and no less (chunks of %i)',
    (chunk) => {
      const whole = read(bytes, undefined, bytes.length, chunk);
      expect(stored(whole.facts).length).toBeGreaterThan(0);
      expect(whole.marks.length).toBeGreaterThan(0);
      for (const { mark, factsBefore } of whole.marks) {
        const told = stored(whole.facts).slice(0, factsBefore);
        const rest = read(bytes, mark, bytes.length, 1 << 20, told);
        expect(stored(rest.facts)).toEqual(stored(whole.facts).slice(factsBefore));
      }
    },
  );

  test('[MULTI3] a sentence that was being said is heard again from its beginning', () => {
    // Killed after each line, as far as the agent had got by then.
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1);
    for (const end of ends.slice(0, -1)) {
      const first = read(bytes, undefined, end, 1 << 20);
      const mark = first.marks.at(-1)?.mark;
      const told = stored(first.facts).slice(0, first.marks.at(-1)?.factsBefore ?? 0);
      const second = read(bytes, mark, bytes.length, 700, told);
      expect([...told, ...stored(second.facts)]).toEqual(
        stored(read(bytes, undefined, bytes.length, 1 << 20).facts),
      );
      const texts = second.facts.flatMap((fact) =>
        fact.type === 'said' && fact.event.type === 'agent.text' ? [fact.event] : [],
      );
      for (const event of texts) {
        const streamed = streamedText(second.facts, event);
        if (streamed !== '') expect(streamed).toBe(event.text);
      }
    }
  });

  test('what was said before is told before the end of the backlog', () => {
    const half = bytes.indexOf('\n', bytes.length / 2) + 1;
    const { facts } = read(bytes, undefined, half, 512);
    expect(facts.filter(({ type }) => type === 'caught-up')).toHaveLength(1);
    expect(facts.at(-1)).toEqual({ type: 'caught-up' });
  });
});
