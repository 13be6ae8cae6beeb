import { expect, test } from 'vitest';
import { Asking } from '../../../src/drivers/acp/asking.ts';
import { newMemory } from '../../../src/drivers/acp/translate/memory.ts';
import type { AgentFact } from '../../../src/runner/ports/agent-driver.ts';

/** What the agent asks under ids of its own choosing, and what it is told. */
class Rig {
  readonly facts: AgentFact[] = [];
  readonly told: string[] = [];
  #at = 0;
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
    report: (facts) => this.facts.push(...facts),
    peer: () => ({
      respond: async ({ id }, reply) => {
        this.told.push(`${id}: ${reply.said ?? 'cancelled'}`);
        return { ok: true };
      },
      respondError: async ({ id }) => {
        this.told.push(`${id}: an error`);
        return { ok: true };
      },
    }),
  });

  ask(id: number, command: string): void {
    this.#at += 100;
    this.asking.take({
      id,
      at: this.#at,
      method: 'session/request_permission',
      params: {
        toolCall: { toolCallId: command, title: command, kind: 'execute', rawInput: { command } },
        options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
      },
    });
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
}

test('[ASK13] [ASK5] an id that is used again after its answer is another ask, with an answer of its own', async () => {
  const rig = new Rig();
  rig.ask(7, 'ls');
  const [first = ''] = rig.asks();
  await rig.asking.answer(first, { said: 'yes' });
  rig.ask(7, 'ls');
  const [, second = ''] = rig.asks();
  expect(second).not.toBe(first);
  await rig.asking.answer(second, { said: 'no' });
  expect(rig.told).toEqual(['7: yes', '7: no']);
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
  await rig.asking.answer(second, { said: 'yes' });
  expect(rig.told).toEqual(['7: yes']);
});

test('[PEER6] the same request twice is one ask and one answer, and can be taken back', () => {
  const rig = new Rig();
  rig.ask(7, 'ls');
  rig.ask(7, 'ls');
  expect(rig.asks()).toHaveLength(1);
  expect(rig.codes()).toEqual(['repeated-request']);
  rig.asking.takeBack(7);
  expect(rig.withdrawn()).toEqual(rig.asks());
  expect(rig.told).toEqual(['7: cancelled']);
});
