import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { env } from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import deploy from '../../examples/tools/approval-gate.ts';
import planRelease from '../../examples/tools/ask-user.ts';
import askEmail from '../../examples/tools/email-field.ts';
import askReviewer from '../../examples/tools/notify-and-answer-late.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import { createToolHost, type ToolHost } from '../../src/tools/host/tool-host.ts';
import { runTool } from '../../src/tools/testing/index.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { nativeImport } from './native-import.ts';
import { settled } from './tool-bench.ts';

let folder: string;
let notifications: () => string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'beckon-examples-'));
  env.NOTIFY_FILE = join(folder, 'notify.log');
  notifications = () => readFileSync(join(folder, 'notify.log'), 'utf8');
});
afterEach(() => {
  delete env.NOTIFY_FILE;
  rmSync(folder, { recursive: true, force: true });
});

describe('the examples, tried with runTool', () => {
  describe('approval-gate.ts', () => {
    const args = { branch: 'main', environment: 'staging' } as const;
    const deployed = { ok: true, value: { deployed: true, ...args } };

    it.each(['once', 'session', 'always'] as const)('[TOOL7] [TOOL12] approved %s', async (approvalScope) => {
      const trial = await runTool(deploy, args, { respond: () => ({ action: 'approve', approvalScope }) });
      expect(trial.result).toMatchObject(deployed);
      expect(trial.prompts).toMatchObject([
        { prompt: 'Deploy main to staging?', approvalScopes: ['once', 'session', 'always'] },
      ]);
      expect(trial.approvals).toEqual(approvalScope === 'once' ? {} : { 'deploy:staging': approvalScope });
    });

    it('[TOOL7] [TOOL12] approved before: nobody is asked', async () => {
      const trial = await runTool(deploy, args, { approvals: { 'deploy:staging': 'session' } });
      expect(trial.result).toMatchObject(deployed);
      expect(trial.prompts).toEqual([]);
    });

    it('[TOOL7] [TOOL12] production is another key, and is never approved for always', async () => {
      const trial = await runTool(
        deploy,
        { ...args, environment: 'production' },
        { approvals: { 'deploy:staging': 'always' }, respond: () => ({ action: 'approve' }) },
      );
      expect(trial.prompts).toMatchObject([{ approvalScopes: ['once', 'session'] }]);
    });

    it('[TOOL12] denied: it is not deployed, and the agent learns why', async () => {
      const trial = await runTool(deploy, args, { respond: () => ({ action: 'deny', reason: 'Freeze.' }) });
      expect(trial.result).toMatchObject({ ok: true, value: { deployed: false, reason: 'Freeze.' } });
      expect(trial.approvals).toEqual({});
    });

    it('[TOOL10] [TOOL12] nobody there: not deployed', async () => {
      expect((await runTool(deploy, args, { available: false })).result).toMatchObject({
        ok: false,
        code: 'approval_needed',
      });
    });
  });

  describe('ask-user.ts', () => {
    const plan = {
      title: 'Spring',
      day: '2026-03-20',
      share: 5,
      channel: 'beta',
      tell: ['team'],
      freeze: false,
    };

    it('[TOOL3] [TOOL12] shows every type of field, and gives what was filled in', async () => {
      const trial = await runTool(
        planRelease,
        { version: '2.4.0' },
        { respond: () => ({ action: 'submit', input: plan }) },
      );
      expect(trial.result).toMatchObject({ ok: true, value: plan });
      const [prompt] = trial.prompts;
      expect(prompt).toMatchObject({ presentation: 'questionnaire', expiresAt: undefined });
      expect(prompt?.values).toEqual({ title: 'Release 2.4.0', share: 10, freeze: true });
      expect([...new Set(prompt?.fields.map(({ type }) => type))].sort()).toEqual([
        'checkbox',
        'date',
        'multiselect',
        'number',
        'radio',
        'select',
        'text',
        'textarea',
      ]);
    });

    it('[TOOL12] cancelled', async () => {
      const trial = await runTool(
        planRelease,
        { version: '2.4.0' },
        { respond: () => ({ action: 'cancel' }) },
      );
      expect(trial.result.text).toBe('{"cancelled":true}');
    });
  });

  describe('email-field.ts', () => {
    const args = { purpose: 'For the invoice.', domain: 'example.com' };

    it('[TOOL5] [TOOL12] asks again until the address is at the domain, and keeps what was typed', async () => {
      const addresses = ['ada@elsewhere.example', 'ada@example.org', 'ada@example.com'];
      const trial = await runTool(askEmail, args, {
        respond: ({ attempt }) => ({
          action: 'submit',
          input: { email: addresses[attempt - 1] ?? '', name: 'Ada' },
        }),
      });
      expect(trial.result).toMatchObject({
        ok: true,
        value: { given: true, email: 'ada@example.com', name: 'Ada' },
      });
      expect(trial.prompts.map(({ error, values }) => ({ error, ...values }))).toEqual([
        { error: undefined },
        {
          error: 'ada@elsewhere.example is not an address at example.com.',
          email: addresses[0],
          name: 'Ada',
        },
        { error: 'ada@example.org is not an address at example.com.', email: addresses[1], name: 'Ada' },
      ]);
    });

    it('[TOOL5] [TOOL12] gives up after ten', async () => {
      const trial = await runTool(askEmail, args, {
        respond: () => ({ action: 'submit', input: { email: 'ada@example.org' } }),
      });
      expect(trial.result).toMatchObject({ ok: false, code: 'too_many_reprompts' });
      expect(trial.prompts).toHaveLength(11);
    });
  });

  describe('notify-and-answer-late.ts', () => {
    const args = { question: 'Is the plan sound?' };

    it('[TOOL12] answered in time: the verdict is the result, and nobody is notified', async () => {
      const trial = await runTool(askReviewer, args, {
        respond: () => ({ action: 'submit', input: { verdict: 'change', why: 'Too big' } }),
      });
      expect(trial.result).toMatchObject({ ok: true, text: 'Verdict: change (Too big)' });
      expect(notifications).toThrow();
    });

    it('[TOOL6] [TOOL12] nobody answers: someone is notified, the agent goes on, the late verdict is a message', async () => {
      const trial = await runTool(askReviewer, args, { respond: () => 'timeout' });
      expect(trial.result).toMatchObject({ ok: true, value: { status: 'queued' } });
      expect(notifications()).toBe('Is the plan sound?\n');
      expect(await trial.answerLate({ action: 'submit', input: { verdict: 'stop' } })).toContain(
        'Verdict: stop (no reason given)',
      );
      expect(trial.lateMessages).toHaveLength(1);
    });

    it('[TOOL10] [TOOL12] nobody connected: notified, and said so', async () => {
      const trial = await runTool(askReviewer, args, { available: false });
      expect(trial.result).toMatchObject({ ok: false, code: 'nobody_there' });
      expect(notifications()).toContain('nobody is connected');
    });
  });
});

describe('the examples, loaded from their files, on the real engine', () => {
  endRoomsAfterEach();
  const hosts: ToolHost[] = [];
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
  });

  const files = ['approval-gate', 'ask-user', 'email-field', 'notify-and-answer-late'].map((name) =>
    resolve(import.meta.dirname, `../../examples/tools/${name}.ts`),
  );

  async function openTools() {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const logger = { info: () => {}, warn: () => {}, error: () => {} };
    const { engine, clock } = room;
    engine.clients.connect({ label: 'test', interaction: { supported: true, enabled: true } });
    const host = await createToolHost({
      desk: engine.tools,
      files,
      clock,
      logger,
      importModule: nativeImport,
    });
    hosts.push(host);
    const call = (name: string, args: object, callId = 'toolu_1') =>
      host.call(SessionId.parse(id), name, args, {
        callId,
        agentToolName: `mcp__beckon__${name}`,
        signal: new AbortController().signal,
      });
    return { room, id, agent, host, call };
  }

  /** The ask that is open now, as a page sees it. */
  const shown = (room: EngineRoom, id: string): Promise<Interaction> =>
    room.until('an ask', () => room.snapshot(id).pending.find(({ leftOpen }) => leftOpen === undefined));

  const respond = (room: EngineRoom, { interactionId, sessionId }: Interaction, response: object) =>
    room.do('respond', { session: sessionId, interactionId, ...response });

  it('[TOOL13] [TOOL12] all are loaded', async () => {
    const { host } = await openTools();
    expect(host.problems).toEqual([]);
    expect(host.tools.map(({ name }) => name)).toEqual([
      'ask_user',
      'deploy',
      'plan_release',
      'ask_email',
      'ask_reviewer',
    ]);
  });

  it('[TOOL7] [TOOL12] the approval gate: once is asked again, session is not, and both can be seen and revoked', async () => {
    const { room, id, call } = await openTools();
    const args = { branch: 'main', environment: 'staging' };
    for (const approvalScope of ['once', 'session'] as const) {
      const result = call('deploy', args);
      const ask = await shown(room, id);
      expect(ask).toMatchObject({
        kind: 'approval',
        toolName: 'mcp__beckon__deploy',
        toolCallId: 'toolu_1',
        title: 'Deploy main to staging?',
        input: args,
        tool: { name: 'deploy', attempt: 1 },
      });
      await respond(room, ask, { action: 'approve', approvalScope });
      expect(await result).toMatchObject({ ok: true, value: { deployed: true } });
    }
    expect(await call('deploy', args)).toMatchObject({ ok: true, value: { deployed: true } });
    expect(room.all(id, 'interaction.requested')).toHaveLength(2);

    const { grants } = (await room.do('listGrants')).body as { grants: { id: string }[] };
    expect(grants).toMatchObject([{ toolName: 'deploy', pattern: 'deploy:staging', scope: 'session' }]);
    for (const grant of grants) await room.do('revokeGrant', { grantId: grant.id });
    const result = call('deploy', args);
    await respond(room, await shown(room, id), { action: 'deny', reason: 'Not today.' });
    expect(await result).toMatchObject({ value: { deployed: false, reason: 'Not today.' } });
  });

  it('[TOOL5] [TOOL12] the e-mail field is asked again in its place until it will do', async () => {
    const { room, id, call } = await openTools();
    const result = call('ask_email', { purpose: 'For the invoice.', domain: 'example.com' });
    const first = await shown(room, id);
    await respond(room, first, { action: 'submit', input: { email: 'ada@example.org', name: 'Ada' } });
    const second = await room.until('the next', () =>
      room.snapshot(id).pending.find(({ interactionId }) => interactionId !== first.interactionId),
    );
    expect(second).toMatchObject({
      tool: { attempt: 2, replaces: first.interactionId },
      form: {
        error: 'ada@example.org is not an address at example.com.',
        initialValues: { email: 'ada@example.org', name: 'Ada' },
      },
    });
    await respond(room, second, { action: 'submit', input: { email: 'ada@example.com' } });
    expect(await result).toMatchObject({ ok: true, value: { given: true, email: 'ada@example.com' } });
  });

  it('[TOOL6] [TOOL12] the late verdict reaches the agent as one message, after its turn', async () => {
    const { room, id, agent, call } = await openTools();
    const timers = room.clock.armed;
    const result = call('ask_reviewer', { question: 'Is the plan sound?' });
    const ask = await shown(room, id);
    // The page may see it before the tool knows that it was stored, and its time begins.
    while (room.clock.armed === timers) await settled();
    room.clock.pass(60_000);
    expect(await result).toMatchObject({ ok: true, value: { status: 'queued' } });
    expect(notifications()).toBe('Is the plan sound?\n');
    expect(await room.session(id)).toMatchObject({ status: 'running', pendingCount: 1 });
    agent.end();
    await room.event(id, 'turn.ended');
    const before = agent.sent().length;
    await respond(room, ask, { action: 'submit', input: { verdict: 'go on', why: 'Fine' } });
    await room.until('the message', () => agent.sent().length > before);
    expect(agent.sent().slice(before)).toMatchObject([
      { text: 'Result of your earlier call of the tool "ask_reviewer":\n\nVerdict: go on (Fine)' },
    ]);
  });

  it('[TOOL9] [TOOL12] an interrupt while the questionnaire is open ends the call in plain words', async () => {
    const { room, id, agent, call } = await openTools();
    const result = call('plan_release', { version: '2.4.0' });
    const ask = await shown(room, id);
    await room.do('interrupt', { session: id });
    agent.end('interrupted');
    expect(await result).toMatchObject({ ok: false, message: 'The turn was interrupted.' });
    expect(await room.interaction(id, ask.interactionId)).toMatchObject({ outcome: 'interrupted' });
  });
});
