import type { ClientRequestContext } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { Asking } from '../../../src/drivers/acp/asking.ts';
import { newMemory } from '../../../src/drivers/acp/translate/memory.ts';
import type { JsonObject } from '../../../src/drivers/fields.ts';
import type { AgentFact } from '../../../src/engine/ports/agent-driver.ts';

/** What the agent asks under ids of its own choosing, and what it is told. */
class Rig {
  readonly facts: AgentFact[] = [];
  readonly replies: string[] = [];
  readonly asking = new Asking({
    memory: newMemory({
      cwd: '/work',
      prefix: 'p',
      permissionMode: null,
      model: null,
      outputOf: () => undefined,
    }),
    tools: null,
    showWork: () => [],
    note: (facts) => this.facts.push(...facts),
    report: (facts) => this.facts.push(...facts),
    isClosed: () => false,
  });

  ask(requestId: number, command: string, signal = new AbortController().signal): void {
    const params: JsonObject = {
      toolCall: { toolCallId: command, title: command, kind: 'execute', rawInput: { command } },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    };
    const context = { requestId, params, signal } as ClientRequestContext<JsonObject>;
    const reply = this.asking.handlers['session/request_permission']?.(context);
    void reply?.then((said) => this.replies.push(`${requestId} ${command}: ${said.said ?? 'cancelled'}`));
  }

  asks(): string[] {
    return this.facts.flatMap((fact) => (fact.type === 'asked' ? [fact.ask.agentRequestId] : []));
  }

  codes(): string[] {
    return this.facts.flatMap((fact) => (fact.type === 'diagnostic' ? [fact.code] : []));
  }

  withdrawn(): string[] {
    return this.facts.flatMap((fact) => (fact.type === 'withdrawn' ? [fact.agentRequestId] : []));
  }

  async told(): Promise<readonly string[]> {
    await new Promise(setImmediate);
    return this.replies;
  }
}

test('[ASK13] [ASK5] an id that is used again after its answer is another ask, with an answer of its own', async () => {
  const rig = new Rig();
  rig.ask(7, 'ls');
  const [first = ''] = rig.asks();
  rig.asking.settle(first, { said: 'yes' });
  rig.ask(7, 'ls');
  const [, second = ''] = rig.asks();
  expect(second).not.toBe(first);
  rig.asking.settle(second, { said: 'no' });
  expect(await rig.told()).toEqual(['7 ls: yes', '7 ls: no']);
  expect(rig.codes()).toEqual([]);
});

test('[ASK13] [PEER6] of two asks that are open under one id only the newer can be answered, and the older is told nothing', async () => {
  const rig = new Rig();
  rig.ask(7, 'ls');
  rig.ask(7, 'rm -r build');
  const [first = '', second = ''] = rig.asks();
  expect(rig.withdrawn()).toEqual([first]);
  expect(rig.codes()).toEqual(['reused-request-id']);
  expect(rig.asking.has(first)).toBe(false);
  rig.asking.settle(second, { said: 'yes' });
  expect(await rig.told()).toEqual(['7 rm -r build: yes']);
});

test('[PEER6] the same request twice is one ask and one answer, and can be taken back', async () => {
  const rig = new Rig();
  const cancel = new AbortController();
  rig.ask(7, 'ls');
  rig.ask(7, 'ls', cancel.signal);
  expect(rig.asks()).toHaveLength(1);
  expect(rig.codes()).toEqual(['repeated-request']);
  cancel.abort();
  expect(rig.withdrawn()).toEqual(rig.asks());
  expect(await rig.told()).toEqual(['7 ls: cancelled']);
});
