import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueAt } from '../../model/json-pointer.ts';
import { MessageId, SessionId } from '../../protocol/ids.ts';
import type { Ask, Decision } from '../../protocol/interaction.ts';
import {
  type AgentConnection,
  type AgentDriver,
  AgentRefusal,
  type AgentStart,
  type OutgoingMessage,
} from '../../runner/ports/agent-driver.ts';
import { expect } from './expect.ts';
import { FactRecorder } from './fact-recorder.ts';
import { eventually, isRunning } from './waiting.ts';

/**
 * What a driver's agent must be ready to play; each entry is the message that starts it. The tests of what is left out are skipped,
 * and their titles say so.
 */
export interface Scenario {
  /** Says a few words, uses no tool. */
  readonly reply: string;
  /** Asks to run `touch asked.txt` in the working directory, and says something after it. */
  readonly command: string;
  /** Asks at least one question with two options or more. */
  readonly question?: string;
  /** Says words until it is interrupted. */
  readonly endless?: string;
  /** Has two approvals open at the same time. */
  readonly twoAtOnce?: string;
  /** Starts a sub-agent that asks to run a command before it reports. */
  readonly subAgent?: string;
  /** The model's service fails, with the words `told to fail`. */
  readonly modelError?: string;
  /** In plan mode: shows a plan, and once it is approved tries to write a file. */
  readonly plan?: string;
  /** Asks to run a command that starts `sleep` in a session of its own, and waits for it; the pid is in `sleeper.pid`. */
  readonly sleeper?: string;
  /** One of the commands that it declares, by its name: told it after a slash, it says something. */
  readonly slash?: string;
}

export interface DriverUnderTest {
  readonly driver: AgentDriver;
  readonly scenario: Scenario;
  /** An empty directory. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A model name it can be switched to. */
  readonly otherModel?: string;
  /** A mode it can be switched to, in which it edits files unasked: `acceptEdits`, unless it is said. */
  readonly editingMode?: string;
  /** How long a fact may take to come. */
  readonly patienceMs?: number;
  /** How a turn ends in which something was denied: `completed`, unless it is said. */
  readonly afterDenial?: 'interrupted';
  /** Modes that it does not let one switch to. */
  readonly refusedModes?: readonly string[];
  close(): Promise<void>;
}

/** What an agent cannot play, each with the reason; what needs it is skipped. */
export type Cannot = Partial<Record<keyof Scenario, string>>;

interface TestContext {
  skip(reason: string): void;
}

/** What the suite needs of a test runner: `import * as runner from 'vitest'`, or from `node:test`. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: (context: TestContext) => Promise<void>): unknown;
  afterEach(body: () => Promise<void>): unknown;
}

/** What every driver's agent does, whoever made it. */
export function driverContract(
  { describe, test, afterEach }: TestRunner,
  name: string,
  make: () => Promise<DriverUnderTest>,
  cannot: Cannot = {},
): void {
  describe(name, () => {
    let under: DriverUnderTest | undefined;
    const open: AgentConnection[] = [];

    afterEach(async () => {
      await Promise.all(open.splice(0).map((connection) => connection.close()));
      await under?.close();
      under = undefined;
    });

    async function begin(settings: Partial<AgentStart> = {}) {
      under ??= await make();
      const { driver, scenario, cwd, env, otherModel } = under;
      const { editingMode = 'acceptEdits', refusedModes = defaultRefusedModes } = under;
      const { afterDenial = 'completed' } = under;
      const facts = new FactRecorder(under.patienceMs);
      const start: AgentStart = {
        processId: randomUUID(),
        sessionId: SessionId.parse(randomUUID()),
        cwd,
        env,
        permissionMode: null,
        model: null,
        resume: null,
        tools: null,
        ...settings,
      };
      const connection = driver.start(start, facts.report);
      open.push(connection);
      return { facts, connection, scenario, cwd, driver, otherModel, editingMode, refusedModes, afterDenial };
    }

    async function ready(settings: Partial<AgentStart> = {}) {
      const begun = await begin(settings);
      // What an agent cannot do it says here; then it must refuse it, and not only seem to do it.
      const { capabilities } = await begun.facts.of('ready');
      return { ...begun, capabilities };
    }

    /** The message that makes the agent play this; without one, the test is skipped. */
    async function playedFor(part: keyof Scenario, context: TestContext): Promise<string | undefined> {
      const reason = cannot[part];
      under ??= reason === undefined ? await make() : undefined;
      const text = under?.scenario[part];
      if (text === undefined) context.skip(reason ?? `the agent does not play "${part}"`);
      return text;
    }

    function message(text: string): OutgoingMessage {
      return { messageId: MessageId.parse(randomUUID()), text, images: [] };
    }

    const allow: Decision = { type: 'allow', scope: 'once' };

    test('[PEER2] it is found, and says when it is ready and what it can do', async () => {
      const { facts, driver, scenario, capabilities } = await ready();
      const agent = await driver.probe();
      expect(agent).toMatchObject({ name: driver.name, available: true });
      expect(agent.version).toMatch(/^\d+\.\d+/);
      expect(await facts.of('ready')).toMatchObject({ agentSessionId: null });
      if (scenario.endless !== undefined) expect(capabilities.interrupt).toBe(true);
    });

    test('[MSG3] a message is taken, then the turn starts, speaks and ends', async () => {
      const { facts, connection, scenario, capabilities } = await ready();
      const sent = message(scenario.reply);
      await connection.send(sent, 'turn');
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
      const order = ['ready', 'message-taken', 'turn-started', 'agent.text', 'turn-ended'];
      const told = new Set(facts.types().filter((type) => order.includes(type)));
      expect([...told]).toEqual(order);
      expect(facts.every('message-taken')).toEqual([{ type: 'message-taken', messageId: sent.messageId }]);
      expect(facts.every('turn-started')).toHaveLength(1);
      if (capabilities.resume) expect(facts.every('identified')).toHaveLength(1);
      expect(facts.every('diagnostic')).toEqual([]);
    });

    test('[PEER2] the commands that it declares are told by name, and are obeyed', async (context) => {
      const played = await playedFor('slash', context);
      if (played === undefined) return;
      const { facts, connection } = await ready();
      const { commands } = await facts.of('commands-changed');
      const declared = commands.find(({ name }) => name === played);
      expect(declared?.description).toMatch(/\w/);
      expect(commands.filter(({ name }) => name.startsWith('/'))).toEqual([]);
      await connection.send(message(`/${played}`), 'turn');
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
      expect(facts.said('agent.text').length).toBeGreaterThan(0);
      // How the program passes it on to its model is nobody's words.
      expect(facts.said('user.text')).toEqual([]);
    });

    test('what is streamed is what is said in the end, under the same place', async () => {
      const { facts, connection, scenario } = await ready();
      await connection.send(message(scenario.reply), 'turn');
      await facts.of('turn-ended');
      const deltas = facts.every('delta').map(({ delta }) => delta);
      const texts = facts.said('agent.text');
      expect(texts.length).toBeGreaterThan(0);
      for (const { agentMessageId, block, text } of texts) {
        const streamed = deltas.filter(
          (d) => d.kind === 'text' && d.messageId === agentMessageId && d.block === block,
        );
        expect(streamed.map((d) => d.text).join('')).toBe(text);
      }
    });

    test('[SES3] the process stays for the next message', async () => {
      const { facts, connection, scenario } = await ready();
      await connection.send(message(scenario.reply), 'turn');
      await facts.of('turn-ended');
      const from = facts.all.length;
      await connection.send(message(scenario.reply), 'turn');
      expect(await facts.of('turn-ended', from)).toMatchObject({ outcome: 'completed' });
      expect(facts.every('turn-started')).toHaveLength(2);
      expect(facts.every('exited')).toEqual([]);
    });

    test('[ASK1] a call is asked with its exact input, and runs once it is allowed', async () => {
      const { facts, connection, scenario, cwd } = await ready();
      await connection.send(message(scenario.command), 'turn');
      const { ask } = await facts.of('asked');
      expect(ask).toMatchObject({
        kind: 'approval',
        toolName: 'Bash',
        title: 'Bash: touch asked.txt',
        subject: { kind: 'command', value: 'touch asked.txt' },
      });
      expect(ask.call?.is === 'command' && valueAt(ask.input, ask.call.command)).toBe('touch asked.txt');
      const call = await facts.next('the call', (fact) =>
        fact.type === 'said' && fact.event.type === 'tool.called' ? fact : undefined,
      );
      expect(call.event).toMatchObject({ toolCallId: ask.toolCallId, name: 'Bash' });
      expect(existsSync(join(cwd, 'asked.txt'))).toBe(false);
      await connection.answer(ask, allow);
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
      expect(existsSync(join(cwd, 'asked.txt'))).toBe(true);
      expect(facts.said('tool.result')).toMatchObject([{ toolCallId: ask.toolCallId, isError: false }]);
    });

    test('[ASK8] an edited input is what runs, or is refused', async () => {
      const { facts, connection, scenario, cwd, capabilities } = await ready();
      await connection.send(message(scenario.command), 'turn');
      const { ask } = await facts.of('asked');
      const edited: Decision = { ...allow, updatedInput: { ...ask.input, command: 'touch edited.txt' } };
      if (!capabilities.editInput) {
        expect(await connection.answer(ask, edited)).toMatchObject({ ok: false, code: 'refused' });
        await connection.answer(ask, { type: 'deny', message: 'Not so', interrupt: false });
      } else await connection.answer(ask, edited);
      await facts.of('turn-ended');
      expect(existsSync(join(cwd, 'edited.txt'))).toBe(capabilities.editInput);
      expect(existsSync(join(cwd, 'asked.txt'))).toBe(false);
    });

    test('[ASK8] a denial, with its reason where there is a way, reaches the model, and the turn goes on', async () => {
      const { facts, connection, scenario, cwd, capabilities, afterDenial } = await ready();
      await connection.send(message(scenario.command), 'turn');
      const { ask } = await facts.of('asked');
      await connection.answer(ask, { type: 'deny', message: 'Not on a Friday', interrupt: false });
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: afterDenial });
      const [result] = facts.said('tool.result');
      expect(result).toMatchObject({ isError: true });
      if (capabilities.denyReason) expect(result?.text).toContain('Not on a Friday');
      expect(existsSync(join(cwd, 'asked.txt'))).toBe(false);
    });

    test('[ASK8] deny and interrupt ends the turn, not the session', async () => {
      const { facts, connection, scenario } = await ready();
      await connection.send(message(scenario.command), 'turn');
      const { ask } = await facts.of('asked');
      await connection.answer(ask, { type: 'deny', message: 'Stop', interrupt: true });
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'interrupted' });
      const from = facts.all.length;
      await connection.send(message(scenario.reply), 'turn');
      expect(await facts.of('turn-ended', from)).toMatchObject({ outcome: 'completed' });
    });

    test('[PEER5] an ask is answered once', async () => {
      const { facts, connection, scenario } = await ready();
      await connection.send(message(scenario.command), 'turn');
      const { ask } = await facts.of('asked');
      expect(await connection.answer(ask, allow)).toEqual({ ok: true });
      const second = await connection.answer(ask, { type: 'deny', message: 'No', interrupt: false });
      expect(second).toMatchObject({ ok: false, code: 'not-open' });
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
    });

    test('[ASK9] answers to questions reach the model, words of the person included', async (context) => {
      const played = await playedFor('question', context);
      if (played === undefined) return;
      const { facts, connection } = await ready();
      await connection.send(message(played), 'turn');
      const { ask } = await facts.of('asked');
      expect(ask).toMatchObject({ kind: 'question', requiresPerson: true });
      const questions = ask.questions ?? [];
      const answers = questions.map(({ options, multiSelect }, index) => {
        if (index === 0) return { selected: [], other: 'Whatever, but "small"' };
        return { selected: options.slice(0, multiSelect ? 2 : 1).map(({ label }) => label) };
      });
      await connection.answer(ask, { type: 'answer', answers });
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
      const [result] = facts.said('tool.result');
      expect(result?.isError).toBe(false);
      expect(result?.text).toContain('Whatever, but "small"');
      for (const { selected } of answers) {
        if (selected.length > 0) expect(result?.text).toContain(selected.join(', '));
      }
    });

    test('[PEER5] two asks are open at once, and are answered in any order', async (context) => {
      const played = await playedFor('twoAtOnce', context);
      if (played === undefined) return;
      const { facts, connection, capabilities, afterDenial } = await ready();
      await connection.send(message(played), 'turn');
      const { ask: first } = await facts.of('asked');
      const { ask: second } = await facts.next('the second ask', (fact) =>
        fact.type === 'asked' && fact.ask.agentRequestId !== first.agentRequestId ? fact : undefined,
      );
      const deny = (reason: string): Decision => ({ type: 'deny', message: reason, interrupt: false });
      await connection.answer(second, deny('second reason'));
      await connection.answer(first, deny('first reason'));
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: afterDenial });
      const resultOf = (ask: Ask) =>
        facts.said('tool.result').find((event) => event.toolCallId === ask.toolCallId);
      expect([resultOf(first)?.isError, resultOf(second)?.isError]).toEqual([true, true]);
      if (!capabilities.denyReason) return;
      expect(resultOf(first)?.text).toContain('first reason');
      expect(resultOf(second)?.text).toContain('second reason');
    });

    test('[SES5] an interrupt is acknowledged, ends the turn as interrupted, and the next message runs', async (context) => {
      const played = await playedFor('endless', context);
      if (played === undefined) return;
      const { facts, connection, scenario } = await ready();
      await connection.send(message(played), 'turn');
      await facts.of('delta');
      await connection.interrupt();
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'interrupted' });
      const from = facts.all.length;
      await connection.send(message(scenario.reply), 'turn');
      expect(await facts.of('turn-ended', from)).toMatchObject({ outcome: 'completed' });
    });

    test('[PEER7] an interrupt withdraws what is open, and a late answer is refused', async () => {
      const { facts, connection, scenario } = await ready();
      await connection.send(message(scenario.command), 'turn');
      const { ask } = await facts.of('asked');
      await connection.interrupt();
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'interrupted' });
      expect(facts.every('withdrawn')).toEqual([{ type: 'withdrawn', agentRequestId: ask.agentRequestId }]);
      expect(facts.types().indexOf('withdrawn')).toBeLessThan(facts.types().indexOf('turn-ended'));
      expect(await connection.answer(ask, allow)).toMatchObject({ ok: false, code: 'not-open' });
    });

    test('[MSG1] a steered message is taken into the running turn, or refused', async () => {
      const { facts, connection, scenario, capabilities } = await ready();
      await connection.send(message(scenario.command), 'turn');
      const { ask } = await facts.of('asked');
      const steered = message('Hurry, please');
      if (!capabilities.steer) {
        await expect(connection.send(steered, 'steer')).rejects.toThrow(AgentRefusal);
        await connection.answer(ask, allow);
        expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
        return;
      }
      await connection.send(steered, 'steer');
      expect(facts.every('message-taken').map(({ messageId }) => messageId)).not.toContain(steered.messageId);
      await connection.answer(ask, allow);
      await facts.of('turn-ended');
      expect(facts.every('message-taken').at(-1)).toEqual({
        type: 'message-taken',
        messageId: steered.messageId,
      });
      expect(facts.every('turn-started')).toHaveLength(1);
    });

    test('[SES12] a sub-agent is shown under the call that started it, and so is what it asks', async (context) => {
      const played = await playedFor('subAgent', context);
      if (played === undefined) return;
      const { facts, connection } = await ready();
      await connection.send(message(played), 'turn');
      const { ask } = await facts.of('asked');
      const starter = facts.said('tool.called').find((event) => event.startsAgent);
      expect(ask.parentToolCallId).toBe(starter?.toolCallId);
      expect(ask.agentId).toBeDefined();
      await connection.answer(ask, allow);
      await facts.of('turn-ended');
      const inner = facts.said('tool.called').find((event) => event.toolCallId === ask.toolCallId);
      expect(inner?.parentToolCallId).toBe(starter?.toolCallId);
      const tasks = facts.said('task.changed');
      expect(tasks[0]).toMatchObject({ status: 'running', toolCallId: starter?.toolCallId });
      expect(tasks.at(-1)).toMatchObject({ status: 'completed', taskId: tasks[0]?.taskId });
    });

    test('[SES13] mode and model change on the word of the agent; a mode it has not is refused', async () => {
      const { facts, connection, otherModel, editingMode, refusedModes, capabilities } = await ready();
      if (capabilities.permissionModes.length > 0 || otherModel !== undefined) {
        await connection.setPermissionMode(editingMode);
        expect(facts.every('mode-changed').at(-1)).toMatchObject({ permissionMode: editingMode });
      }
      for (const mode of refusedModes)
        await expect(connection.setPermissionMode(mode)).rejects.toThrow(AgentRefusal);
      if (otherModel === undefined) {
        await expect(connection.setModel('another')).rejects.toThrow(AgentRefusal);
        return;
      }
      await connection.setModel(otherModel);
      expect(facts.every('model-changed').at(-1)?.model).toContain(otherModel);
    });

    test('[ASK8] a plan is approved together with the mode to go on in', async (context) => {
      const played = await playedFor('plan', context);
      if (played === undefined) return;
      const { facts, connection, editingMode } = await ready({ permissionMode: 'plan' });
      await connection.send(message(played), 'turn');
      const { ask } = await facts.of('asked');
      expect(ask).toMatchObject({ kind: 'approval', toolName: 'ExitPlanMode', requiresPerson: true });
      await connection.answer(ask, { ...allow, mode: editingMode });
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
      expect(facts.every('mode-changed').at(-1)).toMatchObject({ permissionMode: editingMode });
      expect(facts.every('asked')).toHaveLength(1);
    });

    test('a failing model ends the turn as failed, with its words', async (context) => {
      const played = await playedFor('modelError', context);
      if (played === undefined) return;
      const { facts, connection } = await ready();
      await connection.send(message(played), 'turn');
      const ended = await facts.of('turn-ended');
      expect(ended.outcome).toBe('failed');
      expect(ended.error).toContain('told to fail');
    });

    test('[SES10] a conversation goes on after the process was closed', async (context) => {
      const { facts, connection, scenario, capabilities } = await ready();
      if (!capabilities.resume) return context.skip(cannotResume);
      await connection.send(message(scenario.reply), 'turn');
      await facts.of('turn-ended');
      const { agentSessionId } = await facts.of('identified');
      await connection.close();
      const again = await ready({ resume: agentSessionId });
      expect(await again.facts.of('ready')).toMatchObject({ agentSessionId });
      await again.connection.send(message(scenario.reply), 'turn');
      expect(await again.facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
      expect(again.facts.every('identified')).toEqual([]);
    });

    test('[SES10] a conversation that the agent has lost is begun anew, and that is said', async () => {
      const { facts, connection, scenario, capabilities } = await ready({ resume: randomUUID() });
      expect(facts.said('agent.notice')).toMatchObject([{ level: 'warning', code: 'resume-refused' }]);
      expect(await facts.of('ready')).toMatchObject({ agentSessionId: null });
      await connection.send(message(scenario.reply), 'turn');
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
      if (capabilities.resume) expect(facts.every('identified')).toHaveLength(1);
    });

    test('[MSG5] a message sent again after a restart is not run again, unless the agent says that it will be', async (context) => {
      const { facts, connection, scenario, capabilities } = await ready();
      if (!capabilities.resume) return context.skip(cannotResume);
      const sent = message(scenario.reply);
      await connection.send(sent, 'turn');
      await facts.of('turn-ended');
      const { agentSessionId } = await facts.of('identified');
      await connection.close();
      const again = await ready({ resume: agentSessionId });
      await again.connection.send(sent, 'turn');
      if (capabilities.knowsSentMessages === false) {
        expect(await again.facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
        expect(again.facts.every('message-taken')).toEqual([
          { type: 'message-taken', messageId: sent.messageId },
        ]);
        return;
      }
      expect(await again.facts.of('message-taken')).toMatchObject({ again: true });
      await again.connection.send(message(scenario.reply), 'turn');
      await again.facts.of('turn-ended');
      expect(again.facts.every('turn-started')).toHaveLength(1);
    });

    test('[SES6] close ends a running command with all its descendants, and is the last word', async (context) => {
      const played = await playedFor('sleeper', context);
      if (played === undefined) return;
      const { facts, connection, cwd } = await ready();
      await connection.send(message(played), 'turn');
      const { ask } = await facts.of('asked');
      await connection.answer(ask, allow);
      const pid = await fileHolding(join(cwd, 'sleeper.pid'));
      expect(isRunning(pid)).toBe(true);
      await connection.close();
      expect(isRunning(pid)).toBe(false);
      expect(facts.all.at(-1)?.type).toBe('exited');
      expect(facts.every('exited')).toHaveLength(1);
      await expect(connection.send(message('anyone?'), 'turn')).rejects.toThrow();
      await expect(connection.interrupt()).rejects.toThrow();
    });

    test('[SES7] closing with an ask open settles everything', async () => {
      const { facts, connection, scenario } = await ready();
      await connection.send(message(scenario.command), 'turn');
      const { ask } = await facts.of('asked');
      await Promise.all([connection.close(), connection.close()]);
      expect(await connection.answer(ask, allow)).toMatchObject({ ok: false });
      expect(facts.every('exited')).toHaveLength(1);
    });

    test('[SES6] closing while it starts is possible', async () => {
      const { facts, connection } = await begin();
      await connection.close();
      expect(facts.all.at(-1)?.type).toBe('exited');
    });

    test('[SES7] a directory that is gone is told as the reason it did not start', async () => {
      const { facts } = await begin({ cwd: '/no/such/directory' });
      const exited = await facts.of('exited');
      expect(exited.startError).toMatch(/directory/);
      expect(facts.types()).toEqual(['exited']);
    });
  });
}

const cannotResume = 'its conversations end with its process';
const defaultRefusedModes = ['nonsense', 'bypassPermissions'];

const fileHolding = (path: string): Promise<number> =>
  eventually(`${path} holds a pid`, () => {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return /^\d+\n$/.test(text) && Number(text);
  });
