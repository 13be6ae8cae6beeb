import fc from 'fast-check';
import { expect, test } from 'vitest';
import { permissionAsk } from '../../../src/drivers/acp/translate/ask.ts';
import { newMemory } from '../../../src/drivers/acp/translate/memory.ts';
import { vendorOf } from '../../../src/drivers/acp/translate/vendors.ts';
import type { Subject } from '../../../src/protocol/interaction.ts';
import { times } from '../../support/seeded-random.ts';

const agents = ['', 'codex-acp', '@agentclientprotocol/codex-acp', 'OpenCode', 'somebody'] as const;
const notes = vendorOf('codex-acp').notes;

function asked(agentName: string, rawInput: object, kind = 'execute', more: object = {}) {
  const around = { cwd: '/work', prefix: 'p1', permissionMode: null, model: null, outputOf: () => undefined };
  const memory = { ...newMemory(around), agentName };
  const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
  const toolCall = { toolCallId: 'c1', kind, title: 'A call', rawInput, ...more };
  return permissionAsk(memory, 'r1', { toolCall, options });
}

/** What a grant for this call is held against. */
const subjectOf = (...call: Parameters<typeof asked>): Subject | undefined => asked(...call).ask.subject;

const command = fc.constantFrom('touch a.txt', 'ls', 'npm test');
const odd = fc.constantFrom('sandbox', 'env', 'stdin', 'shell', 'then', 'arguments', 'changes', 'commands');
const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constantFrom(['rm', '-rf', '/']));

test('[GRANT6] a call with a field that is not known is held against all of it, whoever makes it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...agents), command, odd, value, (agent, words, name, extra) => {
      const subject = subjectOf(agent, { command: words, [name]: extra });
      expect(subject).toMatchObject({ kind: 'input', literal: true });
      expect(subject?.value).toContain(JSON.stringify(name));
    }),
    { numRuns: times(200) },
  );
});

test('[GRANT6] ids and times of a call count for nothing where the program adds them, and for all where a model may', () => {
  fc.assert(
    fc.property(command, fc.constantFrom(...notes), value, (words, name, extra) => {
      const told = { command: words, [name]: extra };
      expect(subjectOf('codex-acp', told)).toEqual({ kind: 'command', value: words });
      expect(subjectOf('somebody', told)).toMatchObject({ kind: 'input' });
    }),
    { numRuns: times(200) },
  );
});

test('[GRANT6] changes by their files stand for one file only where they change no other', () => {
  const content = [{ type: 'diff', path: '/work/a.txt', oldText: 'a', newText: 'b' }];
  const change = { type: 'update', unified_diff: '@@', move_path: null };
  const of = (changes: object) => subjectOf('codex-acp', { changes }, 'edit', { content });
  expect(of({ '/work/a.txt': change })).toMatchObject({ kind: 'path', value: '/work/a.txt' });
  for (const changes of [
    { '/work/a.txt': change, '/etc/passwd': change },
    { '/work/a.txt': { ...change, move_path: '/etc/passwd' } },
    { '/work/a.txt': { ...change, mode: '4755' } },
    { '/etc/passwd': change },
    { '/work/a.txt': 'anything' },
  ])
    expect(of(changes)).toMatchObject({ kind: 'input', literal: true });
});

test('[TOOL11] a model cannot make a call pass for one of our tools by what it writes into the input', () => {
  const input = { server: 'beckon', tool: 'ask_user', arguments: {} };
  for (const agent of ['', '@agentclientprotocol/codex-acp', 'OpenCode', 'somebody'])
    expect(asked(agent, input, 'other').calledName).toBeUndefined();
});
