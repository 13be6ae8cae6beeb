import { expect, test } from 'vitest';
import { ClaudeConnection } from '../../../src/drivers/claude/connection.ts';
import type { Ask, Decision } from '../../../src/protocol/interaction.ts';
import type { AgentFact } from '../../../src/runner/ports/agent-driver.ts';
import type { OutputReader } from '../../../src/runner/ports/process-host.ts';
import { bashAsk } from '../../support/session-states.ts';
import { leftProcess, leftStart } from './left-agent.ts';

/** An agent that outlived its server, as the next one takes it up; it says what the test has it say. */
class TakenUp {
  readonly facts: AgentFact[] = [];
  readonly written: Readonly<Record<string, unknown>>[] = [];
  readonly connection: ClaudeConnection;
  #reader: OutputReader | undefined;
  #offset = 0;

  constructor(openAsks: readonly string[]) {
    const process = leftProcess(
      (reader) => {
        this.#reader = reader;
      },
      (data) => this.written.push(JSON.parse(data.toString())),
    );
    const left = { mark: undefined, kept: [], ready: true, openAsks, inFlight: [] };
    this.connection = new ClaudeConnection({
      start: leftStart,
      version: null,
      holdsQuestions: true,
      launch: () => process,
      attached: { process, mark: undefined, outputEnd: 0, left },
      report: (facts) => this.facts.push(...facts),
    });
  }

  says(line: object): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    this.#reader?.chunk(bytes, this.#offset);
    this.#offset += bytes.length;
  }

  asked(): Ask {
    const asks = this.facts.flatMap((fact) => (fact.type === 'asked' ? [fact.ask] : []));
    if (asks.length !== 1 || !asks[0]) throw new Error(`It asked ${asks.length} times`);
    return asks[0];
  }
}

const allow: Decision = { type: 'allow', scope: 'once' };
const answer: Decision = { type: 'answer', answers: [{ selected: ['SQLite'] }] };
const input = {
  questions: [
    {
      question: 'Which database?',
      header: 'Database',
      multiSelect: false,
      options: [
        { label: 'Postgres', description: '' },
        { label: 'SQLite', description: '' },
      ],
    },
  ],
};
const hook = (requestId: string) => ({
  type: 'control_request',
  request_id: requestId,
  request: {
    subtype: 'hook_callback',
    callback_id: 'question',
    input: {
      hook_event_name: 'PreToolUse',
      tool_name: 'AskUserQuestion',
      tool_input: input,
      tool_use_id: 'call',
    },
  },
});
const permission = (requestId: string) => ({
  type: 'control_request',
  request_id: requestId,
  request: { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input, tool_use_id: 'call' },
});
const responseTo = (requestId: string) => ({
  type: 'control_response',
  response: expect.objectContaining({ request_id: requestId }),
});

test('[ASK5] an answer that is told twice while it is being given is written once, and was given for both', async () => {
  const agent = new TakenUp(['r1']);
  const ask = bashAsk('r1', 'ls');
  await Promise.all([agent.connection.answer(ask, allow), agent.connection.answer(ask, allow)]);
  expect(agent.written).toEqual([responseTo('r1')]);
  await expect(agent.connection.answer(ask, allow)).resolves.toMatchObject({ ok: false, code: 'not-open' });
});

test('[ASK5] so is one that waits for its question to ask for permission', async () => {
  const agent = new TakenUp([]);
  agent.says(hook('h1'));
  const ask = agent.asked();
  const twice = [agent.connection.answer(ask, answer), agent.connection.answer(ask, answer)];
  await expect.poll(() => agent.written).toEqual([responseTo('h1')]);
  agent.says(permission('p1'));
  await Promise.all(twice);
  expect(agent.written).toEqual([responseTo('h1'), responseTo('p1')]);
});

test('[ASK5] [SES10] a question that the process before has left for later is not refused by the one that is to ask again', async () => {
  const earlier = new TakenUp([]);
  earlier.says(hook('h1'));
  const ask = earlier.asked();
  const agent = new TakenUp(['h1']);
  await agent.connection.defer(ask);
  expect(agent.written).toEqual([]);
  agent.says(hook('h2'));
  expect(agent.asked()).toMatchObject({ agentRequestId: expect.stringMatching(/^h2 /), toolCallId: 'call' });
});
