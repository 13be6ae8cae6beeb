import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { SdkConnection } from '../../../src/drivers/claude-sdk/connection.ts';
import { sdkOptions } from '../../../src/drivers/claude-sdk/driver.ts';
import type { AgentSdk } from '../../../src/drivers/claude-sdk/sdk-types.ts';
import type { JsonObject } from '../../../src/drivers/fields.ts';
import { MessageId, SessionId } from '../../../src/protocol/ids.ts';
import type { Ask } from '../../../src/protocol/interaction.ts';
import type { AgentConnection, AgentStart } from '../../../src/runner/ports/agent-driver.ts';
import { FactRecorder } from '../../support/fact-recorder.ts';
import { patienceMs } from '../../support/patience.ts';
import { ScriptedHost, type ScriptedProcess } from './scripted-process.ts';

/**
 * What comes by callback and what comes as a message are one story, told in the order of the wire. `dropsRepeated`: the package passes
 * on no request under an id that it waits with.
 */
export function mergeSuite(
  name: string,
  load: () => Promise<AgentSdk>,
  { dropsRepeated = false }: { readonly dropsRepeated?: boolean } = {},
): void {
  describe(name, () => {
    const open: AgentConnection[] = [];

    afterEach(async () => {
      await Promise.all(open.splice(0).map((connection) => connection.close()));
    });

    async function begin() {
      const host = new ScriptedHost((process) => {
        process.onInput = (line) => {
          const request = line.request as { subtype?: string } | undefined;
          if (request?.subtype === 'initialize') process.print(success(line.request_id));
          else if (request?.subtype === 'interrupt') process.print(success(line.request_id));
        };
      });
      const facts = new FactRecorder();
      const start: AgentStart = {
        processId: randomUUID(),
        sessionId: SessionId.parse('s1'),
        cwd: '/tmp',
        env: {},
        permissionMode: null,
        model: null,
        resume: null,
        tools: null,
      };
      const connection = new SdkConnection({
        start,
        version: null,
        report: facts.report,
        load,
        settings: (resume) =>
          sdkOptions({ start, resume, env: { PATH: '/bin' }, program: '/bin/true', tools: null }),
        launch: (_, { command, args, env }) =>
          host.start({
            id: start.processId,
            sessionId: start.sessionId,
            command,
            args,
            cwd: '/tmp',
            env: env as Record<string, string>,
          }),
      });
      open.push(connection);
      await facts.of('ready');
      const [process] = host.started;
      if (!process) throw new Error('The SDK started no process');
      return { facts, connection, process };
    }

    const answersOf = (process: ScriptedProcess, requestId: string) =>
      process.input.filter((line) => JSON.stringify(line).includes(`"${requestId}"`));

    test('[PEER5] what was said before an ask is told before it, and what was said after it after it', async () => {
      const { facts, process } = await begin();
      process.print(
        init,
        ...Array.from({ length: 50 }, (_, index) => call(`before-${index}`)),
        ask('r1', 'before-49'),
        ...Array.from({ length: 50 }, (_, index) => call(`after-${index}`)),
        ask('r2', 'after-49'),
        result,
      );
      await facts.of('turn-ended');
      const told = facts.all.flatMap((fact) => {
        if (fact.type === 'asked') return [idIn(fact.ask)];
        return fact.type === 'said' && fact.event.type === 'tool.called' ? [fact.event.toolCallId] : [];
      });
      expect(told).toEqual([
        ...Array.from({ length: 50 }, (_, index) => `before-${index}`),
        'r1',
        ...Array.from({ length: 50 }, (_, index) => `after-${index}`),
        'r2',
      ]);
    });

    test('[PEER7] an ask that is taken back at once is asked, withdrawn, and over, before the turn is', async () => {
      const { facts, connection, process } = await begin();
      process.print(init, call('t1'), ask('r1', 't1'), cancel('r1'), toolResult('t1'), result);
      await facts.of('turn-ended');
      const order = facts.types().filter((type) => type !== 'mode-changed' && type !== 'model-changed');
      expect(order.slice(order.indexOf('turn-started'))).toEqual([
        'turn-started',
        'tool.called',
        'asked',
        'withdrawn',
        'tool.result',
        'turn-ended',
      ]);
      const { ask: withdrawn } = await facts.of('asked');
      await expect(connection.answer(withdrawn, { type: 'allow', scope: 'once' })).resolves.toMatchObject({
        ok: false,
      });
    });

    test('[ASK5] an answer is delivered once its line is in the pipe, and only once', async () => {
      const { facts, connection, process } = await begin();
      process.print(init, call('t1'), ask('r1', 't1'));
      const { ask: asked } = await facts.of('asked');
      await connection.answer(asked, { type: 'allow', scope: 'once' });
      expect(answersOf(process, 'r1')).toMatchObject([
        {
          type: 'control_response',
          response: {
            subtype: 'success',
            request_id: 'r1',
            response: { behavior: 'allow', updatedInput: { command: 'ls' } },
          },
        },
      ]);
      await expect(connection.answer(asked, { type: 'allow', scope: 'once' })).resolves.toMatchObject({
        ok: false,
      });
      expect(answersOf(process, 'r1')).toHaveLength(1);
    });

    test('[PEER5] many asks at once get each its own answer', async () => {
      const { facts, connection, process } = await begin();
      const ids = Array.from({ length: 20 }, (_, index) => `ask-${index}-`);
      process.print(init, ...ids.map((id) => ask(id, id)));
      await facts.next('the last ask', (fact) =>
        fact.type === 'asked' && idIn(fact.ask) === ids.at(-1) ? fact : undefined,
      );
      const asks = facts.every('asked').map(({ ask: asked }) => asked);
      expect(asks.map(idIn)).toEqual(ids);
      await Promise.all(
        asks
          .toReversed()
          .map((asked) => connection.answer(asked, { type: 'deny', message: idIn(asked), interrupt: false })),
      );
      for (const id of ids)
        expect(answersOf(process, id)).toMatchObject([{ response: { response: { message: id } } }]);
    });

    test('[ASK13] [ASK5] an id that is used again after its answer is another ask, with an answer of its own', async () => {
      const { facts, connection, process } = await begin();
      process.print(init, call('t1'), ask('r1', 't1'));
      const { ask: first } = await facts.of('asked');
      expect(await connection.answer(first, { type: 'allow', scope: 'once' })).toEqual({ ok: true });
      const from = facts.all.length;
      process.print(ask('r1', 't1'));
      const { ask: second } = await facts.of('asked', from);
      expect(second.agentRequestId).not.toBe(first.agentRequestId);
      const no = { type: 'deny', message: 'no', interrupt: false } as const;
      expect(await connection.answer(second, no)).toEqual({ ok: true });
      expect(answersOf(process, 'r1').map(behaviorIn)).toEqual(['allow', 'deny']);
    });

    test.runIf(dropsRepeated)(
      '[ASK13] of two asks under one id the package passes on the first, and that is answered',
      async () => {
        const { facts, connection, process } = await begin();
        process.print(init, call('t1'), ask('r1', 't1'), ask('r1', 't2'), result);
        await facts.of('turn-ended');
        const asked = facts.every('asked');
        expect(asked).toMatchObject([{ ask: { toolCallId: 't1' } }]);
        expect(await connection.answer(asked[0]?.ask ?? never(), { type: 'allow', scope: 'once' })).toEqual({
          ok: true,
        });
        expect(answersOf(process, 'r1').map(behaviorIn)).toEqual(['allow']);
      },
    );

    test.skipIf(dropsRepeated)(
      '[ASK13] [PEER6] of two asks that are open under one id only the newer can be answered',
      async () => {
        const { facts, connection, process } = await begin();
        process.print(init, call('t1'), ask('r1', 't1'), ask('r1', 't1'), ask('r1', 't2'));
        await facts.of('withdrawn');
        const { ask: second } = await facts.next('the second ask', (fact) =>
          fact.type === 'asked' && fact.ask.toolCallId === 't2' ? fact : undefined,
        );
        const [{ ask: first } = never()] = facts.every('asked');
        expect(facts.every('asked')).toHaveLength(2);
        expect(facts.every('withdrawn')).toEqual([
          { type: 'withdrawn', agentRequestId: first.agentRequestId },
        ]);
        const codes = facts.every('diagnostic').map(({ code }) => code);
        expect(codes).toEqual(['repeated-request', 'reused-request-id']);
        expect(await connection.answer(first, { type: 'allow', scope: 'once' })).toMatchObject({ ok: false });
        expect(await connection.answer(second, { type: 'allow', scope: 'once' })).toEqual({ ok: true });
        expect(answersOf(process, 'r1').map(behaviorIn)).toEqual(['allow']);
      },
    );

    test('[GRANT5] an ask that says it needs a person is told as one', async () => {
      const { facts, process } = await begin();
      const notes = [
        {},
        { requires_user_interaction: true },
        { suppress_always_allow_rule: true },
        {
          matched_ask_rule: { source: 'userSettings', ruleBehavior: 'ask', ruleValue: { toolName: 'Bash' } },
        },
      ];
      const asks = notes.map((note, index) => {
        const plain = ask(`r${index}`, `t${index}`);
        return { ...plain, request: { ...plain.request, ...note } };
      });
      process.print(init, ...asks, result);
      await facts.of('turn-ended');
      const needed = facts.every('asked').map(({ ask: asked }) => asked.requiresPerson === true);
      expect(needed).toEqual([false, true, true, true]);
    });

    test('[ASK1] a form of another server is asked and answered', async () => {
      const { facts, connection, process } = await begin();
      const schema = { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] };
      process.print(init, {
        type: 'control_request',
        request_id: 'e1',
        request: {
          subtype: 'elicitation',
          mcp_server_name: 'other',
          message: 'Who?',
          mode: 'form',
          requested_schema: schema,
        },
      });
      const { ask: asked } = await facts.of('asked');
      expect(asked).toMatchObject({
        kind: 'form',
        toolName: 'other',
        form: { message: 'Who?', fields: [{ id: 'who', type: 'text', required: true }] },
      });
      await connection.answer(asked, { type: 'submit', values: { who: 'Ada' } });
      expect(answersOf(process, 'e1')).toMatchObject([
        { response: { request_id: 'e1', response: { action: 'accept', content: { who: 'Ada' } } } },
      ]);
    });

    test('[PEER6] what is no message of the protocol is told, and the stream goes on', async () => {
      const { facts, process } = await begin();
      process.print(init);
      process.printText('no JSON\n\nnull\n[1]\n{"no":"type"}\n');
      process.print({ type: 'control_response' }, { type: 'control_request', request_id: 'odd' });
      process.print({ type: 'control_cancel_request' }, call('t1'), result);
      await facts.of('turn-ended');
      expect(facts.said('tool.called')).toMatchObject([{ toolCallId: 't1' }]);
      expect(facts.every('diagnostic').map(({ code }) => code)).toEqual([
        'not-json',
        'not-an-object',
        'not-an-object',
        'no-type',
        'malformed-response',
        'malformed-request',
        'malformed-request',
      ]);
      await until(() => answersOf(process, 'odd').length > 0);
      expect(answersOf(process, 'odd')).toMatchObject([{ response: { subtype: 'error' } }]);
    });

    test('[PEER6] what is nested beyond measure is told or refused, and the stream goes on', async () => {
      const { facts, process } = await begin();
      const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
      const printDeep = (line: object) =>
        process.printText(`${JSON.stringify(line).replace('"DEEP"', () => deep)}\n`);
      process.print(init);
      printDeep({ type: 'dance', steps: 'DEEP', session_id });
      printDeep({ ...ask('r1', 't1'), request: { ...ask('r1', 't1').request, input: 'DEEP' } });
      printDeep({
        type: 'control_request',
        request_id: 'e1',
        request: {
          subtype: 'elicitation',
          mcp_server_name: 'other',
          message: 'Who?',
          requested_schema: 'DEEP',
        },
      });
      process.print(call('t2'), result);
      await facts.of('turn-ended');
      expect(facts.said('tool.called')).toMatchObject([{ toolCallId: 't2' }]);
      expect(facts.every('asked')).toEqual([]);
      const codes = facts.every('diagnostic').map(({ code }) => code);
      expect(codes).toEqual(['handler-failed', 'malformed-request', 'malformed-request']);
      for (const id of ['r1', 'e1']) await until(() => answersOf(process, id).length > 0);
      expect(answersOf(process, 'r1')).toMatchObject([{ response: { response: { behavior: 'deny' } } }]);
      expect(answersOf(process, 'e1')).toMatchObject([{ response: { response: { action: 'cancel' } } }]);
    });

    test('[MSG5] messages are written in order, each once', async () => {
      const { connection, process } = await begin();
      const ids = Array.from({ length: 10 }, () => MessageId.parse(randomUUID()));
      await Promise.all(
        ids.map((messageId) => connection.send({ messageId, text: 'go', images: [] }, 'turn')),
      );
      expect(process.input.filter(({ type }) => type === 'user').map(({ uuid }) => uuid)).toEqual(ids);
    });

    test('[MULTI4] nothing is reported while reading is paused, and nothing is lost', async () => {
      const { facts, connection, process } = await begin();
      process.print(init, call('t1'));
      connection.pause();
      const reported = facts.all.length;
      process.print(call('t2'), ask('r1', 't2'), result);
      process.exit(0);
      await process.exited;
      await new Promise(setImmediate);
      expect(facts.types().slice(reported)).toEqual(['ending']);
      connection.resume();
      await facts.of('exited');
      expect(facts.said('tool.called').map(({ toolCallId }) => toolCallId)).toEqual(['t1', 't2']);
      expect(facts.types().slice(-3)).toEqual(['asked', 'turn-ended', 'exited']);
    });

    test('[SES6] a paused agent can be closed', async () => {
      const { facts, connection, process } = await begin();
      process.print(init);
      connection.pause();
      process.print(call('t1'));
      await connection.close();
      expect(facts.all.at(-1)?.type).toBe('exited');
    });

    test('[SES7] a process that dies leaves nothing waiting, and its exit is the last word', async () => {
      const { facts, connection, process } = await begin();
      process.print(init, call('t1'), ask('r1', 't1'));
      const { ask: asked } = await facts.of('asked');
      process.print(call('t2'));
      process.exit(3);
      const exited = await facts.of('exited');
      expect(exited).toEqual({ type: 'exited', code: 3, signal: null, stderr: ['the last line of stderr'] });
      expect(facts.said('tool.called').map(({ toolCallId }) => toolCallId)).toEqual(['t1', 't2']);
      expect(facts.all.at(-1)).toBe(exited);
      await expect(connection.answer(asked, { type: 'allow', scope: 'once' })).resolves.toMatchObject({
        ok: false,
      });
      await expect(
        connection.send({ messageId: MessageId.parse('m'), text: 'go', images: [] }, 'turn'),
      ).rejects.toThrow();
      await expect(connection.interrupt()).rejects.toThrow();
    });
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error('It never came true');
    await new Promise(setImmediate);
  }
}

const session_id = '6f8f7c1e-0000-4000-8000-000000000000';
const init = { type: 'system', subtype: 'init', session_id, uuid: randomUUID(), model: 'm', tools: [] };
const result = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  terminal_reason: 'completed',
  uuid: randomUUID(),
  session_id,
};

function call(id: string) {
  const content = [{ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }];
  return {
    type: 'assistant',
    message: { id: `message-${id}`, role: 'assistant', content },
    parent_tool_use_id: null,
    uuid: randomUUID(),
    session_id,
  };
}

function toolResult(id: string) {
  const content = [{ type: 'tool_result', tool_use_id: id, content: 'no', is_error: true }];
  return {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    uuid: randomUUID(),
    session_id,
  };
}

function ask(request_id: string, tool_use_id: string) {
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id };
  return { type: 'control_request', request_id, request };
}

/** The agent's own id: ours tells apart what it asks under the same one. */
const idIn = ({ agentRequestId }: Ask): string => agentRequestId.replace(/ #\d+$/, '');

const behaviorIn = (line: JsonObject): unknown =>
  (line as { response?: { response?: { behavior?: unknown } } }).response?.response?.behavior;

const never = (): never => {
  throw new Error('It did not ask');
};

const cancel = (request_id: string) => ({ type: 'control_cancel_request', request_id });

function success(request_id: unknown) {
  const response = { commands: [], agents: [], models: [], account: {}, output_style: 'default' };
  return { type: 'control_response', response: { subtype: 'success', request_id, response } };
}
