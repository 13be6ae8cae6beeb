import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLine, type TypedMessage } from '../../../src/drivers/claude/incoming.ts';
import { askOf } from '../../../src/drivers/claude/translate/ask.ts';
import { type Memory, newMemory, noteSent } from '../../../src/drivers/claude/translate/memory.ts';
import { translate } from '../../../src/drivers/claude/translate/translate.ts';
import { MessageId } from '../../../src/protocol/ids.ts';
import { FactRecorder } from '../../support/fact-recorder.ts';

export const versions = ['2.1.325', '2.1.197'];

export const uuidOfMessage = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

export function freshMemory(): Memory {
  return newMemory({ cwd: '/work', agentSessionId: null, permissionMode: null, model: null });
}

/** As if a message had been written to the program. */
export function expectMessage(memory: Memory, n: number): void {
  const messageId = MessageId.parse(`message ${n}`);
  noteSent(memory, uuidOfMessage(n), messageId);
}

/** What the recorded lines of a scenario come to; the second message is sent when the first ask is seen. */
export function replay(version: string, scenario: string, memory = freshMemory()): FactRecorder {
  const path = join(import.meta.dirname, '../../fixtures/claude-wire', version, `${scenario}.ndjson`);
  const facts = new FactRecorder();
  expectMessage(memory, 1);
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const incoming = readLine(line);
    if (incoming.kind === 'message') facts.report(translate(memory, incoming.message));
    if (incoming.kind === 'cancel') facts.report([{ type: 'withdrawn', agentRequestId: incoming.requestId }]);
    if (incoming.kind === 'request') {
      const ask = askOf(memory, incoming);
      if (ask) facts.report([{ type: 'asked', ask }]);
      if (scenario === 'steer-mid-turn') expectMessage(memory, 2);
    }
  }
  return facts;
}

/** The facts of hand-written lines. */
export function play(lines: readonly TypedMessage[], memory = freshMemory()): FactRecorder {
  const facts = new FactRecorder();
  for (const line of lines) facts.report(translate(memory, line));
  return facts;
}
