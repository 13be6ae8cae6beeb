import { describe, expect, it } from 'vitest';
import type { AskEnd, ToolAsk } from '../../src/engine/ports/tool-desk.ts';
import type { InteractionId } from '../../src/protocol/ids.ts';
import { deployAsk, emailForm } from '../support/session-states.ts';
import { type RunningServer, startServer, token } from './running-server.ts';
import { SseReader } from './sse-reader.ts';
import { waitUntil } from './wait-until.ts';
import { WsClient } from './ws-client.ts';

const headers = { authorization: `Bearer ${token}` };

async function begin() {
  const server = await startServer();
  const session = await server.newSession({ key: 'stage-7' });
  await server.call('POST', '/api/sessions/stage-7/message', { message: 'go' });
  const heard: AskEnd[] = [];
  const asks = async (ask: ToolAsk = deployAsk()): Promise<InteractionId> => {
    const asked = await server.room.tools.ask(session.id, ask, async (end) => {
      heard.push(end);
      return null;
    });
    if (!asked.ok) throw new Error(asked.refusal.message);
    return asked.value;
  };
  return { ...server, session, heard, asks, available: () => server.room.tools.available(session.id) };
}

let said = 0;
async function client(server: RunningServer, interaction?: { supported: boolean; enabled: boolean }) {
  const ws = await WsClient.open(server.url, headers);
  if (interaction !== undefined) {
    said += 1;
    ws.send({ type: 'hello', id: `hello-${said}`, client: 'a client', interaction });
    await ws.reply(`hello-${said}`);
  }
  return ws;
}

async function says(ws: WsClient, frame: object) {
  said += 1;
  ws.send({ ...frame, id: `said-${said}` });
  return ws.reply(`said-${said}`);
}

const enabled = { supported: true, enabled: true };
const disabled = { supported: true, enabled: false };

describe('[MULTI1] [MULTI2] [TOOL10] clients of an interactive tool', () => {
  it('no client: nobody can answer; a program still may', async () => {
    const { asks, heard, available, call } = await begin();
    expect(available()).toBe(false);
    const interactionId = await asks();
    const reply = await call('POST', '/api/sessions/stage-7/respond', { interactionId, action: 'approve' });
    expect(reply.status).toBe(200);
    await waitUntil(() => heard.length === 1);
    expect(heard[0]).toMatchObject({ kind: 'decided', outcome: 'allowed', by: { where: 'api' } });
  });

  it('one disabled: it sees everything it needs to show, and cannot answer', async () => {
    const server = await begin();
    const ws = await client(server, disabled);
    expect(server.available()).toBe(false);
    const interactionId = await server.asks(deployAsk({ kind: 'form', form: emailForm }));
    const { data } = await ws.first((frame) => frame.type === 'form_requested');
    expect(data).toMatchObject({ interactionId, form: emailForm, tool: { name: 'deploy' }, status: 'open' });
    const { sessionId } = data;
    const answers = [
      { type: 'tool_interaction_response', sessionId, interactionId, action: 'cancel' },
      { type: 'approve_tool', sessionId, requestId: interactionId, decision: 'deny' },
      { type: 'answer_question', sessionId, requestId: interactionId, answers: [] },
    ];
    for (const answer of answers) {
      expect(await says(ws, answer)).toMatchObject({
        type: 'error',
        error: { code: 'interaction_disabled', message: expect.stringContaining('switch it on') },
      });
    }
    const late = await WsClient.open(server.url, headers);
    const init = await late.first(() => true);
    expect(init.data.pending).toMatchObject([{ interactionId, status: 'open', form: emailForm }]);
    expect(server.heard).toEqual([]);
  });

  it('one disabled and one enabled: the second answers, and both see how it ended', async () => {
    const server = await begin();
    const reader = await client(server, disabled);
    const writer = await client(server, enabled);
    expect(server.room.clients.count(server.session.id)).toEqual({ supported: 2, enabled: 1 });
    expect(server.available()).toBe(true);
    const interactionId = await server.asks();
    const answer = { type: 'tool_interaction_response', stageId: 'stage-7', interactionId, action: 'deny' };
    expect(await says(reader, answer)).toMatchObject({ error: { code: 'interaction_disabled' } });
    expect(await says(writer, { ...answer, reason: 'Not today.' })).toMatchObject({ type: 'ack' });
    for (const ws of [reader, writer]) {
      const { response } = await ws.first((frame) => frame.type === 'interaction_response');
      expect(response).toMatchObject({ action: 'deny', reason: 'Not today.', outcome: 'denied' });
    }
    expect(server.heard).toHaveLength(1);
  });

  it('switched on while something is open, a client answers it at once; switched off, no more', async () => {
    const server = await begin();
    const ws = await client(server, disabled);
    const interactionId = await server.asks();
    expect(server.available()).toBe(false);
    await says(ws, { type: 'set_interaction_mode', enabled: true });
    expect(server.available()).toBe(true);
    const answer = { type: 'tool_interaction_response', sessionId: 'stage-7', action: 'approve' };
    expect(await says(ws, { ...answer, interactionId })).toMatchObject({ type: 'ack' });
    await says(ws, { type: 'set_interaction_mode', enabled: false });
    const second = await server.asks();
    expect(await says(ws, { ...answer, interactionId: second })).toMatchObject({
      error: { code: 'interaction_disabled' },
    });
    expect(server.available()).toBe(false);
  });

  it('a client that said nothing of itself may answer agents, and tools only once its hello said so', async () => {
    const server = await begin();
    const ws = await client(server);
    expect(server.available()).toBe(false);
    const interactionId = await server.asks();
    const answer = { type: 'tool_interaction_response', sessionId: 'stage-7', interactionId, action: 'deny' };
    expect(await says(ws, answer)).toMatchObject({
      error: { code: 'interaction_disabled', message: expect.stringContaining('hello') },
    });
    server.session.ask({});
    const { data } = await ws.first(
      (frame) => frame.type === 'approval_requested' && frame.data.tool === undefined,
    );
    const allow = {
      type: 'approve_tool',
      sessionId: 'stage-7',
      requestId: data.requestId,
      decision: 'allow',
    };
    expect(await says(ws, allow)).toMatchObject({ type: 'ack' });
    await says(ws, { type: 'hello', interaction: enabled });
    expect(await says(ws, answer)).toMatchObject({ type: 'ack' });
  });

  it('what a client cannot do it can still see, say and stop', async () => {
    const server = await begin();
    const ws = await client(server, disabled);
    expect(
      await says(ws, { type: 'send_message', sessionId: 'stage-7', message: 'x', disposition: 'queue' }),
    ).toMatchObject({ type: 'ack' });
    expect(await says(ws, { type: 'interrupt', sessionId: 'stage-7' })).toMatchObject({ type: 'ack' });
    expect(await says(ws, { type: 'stop', sessionId: 'stage-7' })).toMatchObject({ type: 'ack' });
  });

  it('a client of server-sent events counts, is switched by its id, and is read-only where a call names it', async () => {
    const server = await begin();
    const stream = await SseReader.open(`${server.url}/api/events?interaction=disabled`, headers);
    const { clientId } = (await stream.first('snapshot')).data;
    expect(server.room.clients.count(server.session.id)).toEqual({ supported: 1, enabled: 0 });
    expect(server.available()).toBe(false);
    const interactionId = await server.asks();
    const body = { interactionId, action: 'approve' };
    const named = { 'x-beckon-client': clientId };
    const refused = await server.call('POST', '/api/sessions/stage-7/respond', body, named);
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'interaction_disabled' } } });
    await server.call('POST', `/api/clients/${clientId}/interaction`, { enabled: true });
    expect(server.available()).toBe(true);
    expect((await server.call('POST', '/api/sessions/stage-7/respond', body, named)).status).toBe(200);
    const none = await SseReader.open(`${server.url}/api/events?interaction=none`, headers);
    await none.first('snapshot');
    expect(server.room.clients.count(server.session.id)).toEqual({ supported: 1, enabled: 1 });
    stream.close();
    none.close();
    await waitUntil(() => !server.available());
  });
});

describe('[API1] [ASK4] the frames of interactive tools', () => {
  it('tell of the ask and of its end with the ids of both sides, beside the announcements', async () => {
    const server = await begin();
    const ws = await client(server, enabled);
    const interactionId = await server.asks(
      deployAsk({ form: emailForm, approvalScopes: ['once', 'session'] }),
    );
    const request = await ws.first((frame) => frame.type === 'interaction_request');
    expect(request).toMatchObject({
      sessionId: server.session.id,
      turnId: expect.any(String),
      toolCallId: 'toolu_1',
      callId: 'toolu_1',
      interactionId,
      timestamp: expect.stringMatching(/^\d{4}-/),
      interaction: { interactionId, title: 'Deploy to production?', approvalScopes: ['once', 'session'] },
    });
    expect(ws.of('approval_requested')).toHaveLength(1);
    await says(ws, {
      type: 'tool_interaction_response',
      sessionId: server.session.id,
      callId: 'toolu_1',
      interactionId,
      action: 'approve',
      approvalScope: 'session',
      input: { email: 'jo@example.org' },
    });
    const response = await ws.first((frame) => frame.type === 'interaction_response');
    expect(response).toMatchObject({
      sessionId: server.session.id,
      turnId: request.turnId,
      toolCallId: 'toolu_1',
      interactionId,
      timestamp: expect.stringMatching(/^\d{4}-/),
      response: {
        action: 'approve',
        approvalScope: 'session',
        input: { email: 'jo@example.org' },
        outcome: 'allowed',
        by: { where: 'a client' },
      },
    });
    expect(ws.of('approval_resolved')).toHaveLength(1);
  });

  it.each([
    ['submit', { email: 'jo@example.org' }, { action: 'submit', input: { email: 'jo@example.org' } }],
    ['cancel', undefined, { action: 'cancel', outcome: 'dismissed' }],
  ])('tell what was done with a form: %s', async (action, input, told) => {
    const server = await begin();
    const ws = await client(server, enabled);
    const interactionId = await server.asks(deployAsk({ kind: 'form', form: emailForm }));
    await says(ws, { type: 'tool_interaction_response', sessionId: 'stage-7', interactionId, action, input });
    expect(await ws.first((frame) => frame.type === 'interaction_response')).toMatchObject({
      response: told,
    });
  });

  it('an end that nobody decided has no action', async () => {
    const server = await begin();
    const ws = await client(server, enabled);
    const interactionId = await server.asks();
    await server.room.tools.end(server.session.id, interactionId, {
      outcome: 'expired',
      reason: 'Too late.',
    });
    expect(await ws.first((frame) => frame.type === 'interaction_response')).toMatchObject({
      response: { action: null, outcome: 'expired', reason: 'Too late.', by: { kind: 'timer' } },
    });
  });

  it('are not sent for what an agent asks itself', async () => {
    const server = await begin();
    const ws = await client(server, enabled);
    server.session.ask({});
    const { data } = await ws.first((frame) => frame.type === 'approval_requested');
    await says(ws, {
      type: 'approve_tool',
      sessionId: 'stage-7',
      requestId: data.requestId,
      decision: 'allow',
    });
    await ws.first((frame) => frame.type === 'approval_resolved');
    expect([...ws.of('interaction_request'), ...ws.of('interaction_response')]).toEqual([]);
  });

  it('[ASK3] an answer that names another call finds no interaction, and changes nothing', async () => {
    const server = await begin();
    const ws = await client(server, enabled);
    const interactionId = await server.asks();
    const answer = {
      type: 'tool_interaction_response',
      sessionId: 'stage-7',
      interactionId,
      action: 'approve',
    };
    expect(await says(ws, { ...answer, callId: 'toolu_2' })).toMatchObject({
      type: 'error',
      error: { code: 'interaction_not_found' },
    });
    expect(server.heard).toEqual([]);
    expect(await says(ws, answer)).toMatchObject({ type: 'ack' });
    expect(await says(ws, answer)).toMatchObject({ error: { code: 'interaction_already_resolved' } });
  });

  it('[TOOL6] an ask that is left open is told to all, and stays in what a client is given first', async () => {
    const server = await begin();
    const ws = await client(server, enabled);
    const stream = await SseReader.open(`${server.url}/api/events`, headers);
    await stream.first('snapshot');
    const interactionId = await server.asks();
    await server.room.tools.leaveOpen(server.session.id, interactionId, 'I asked the team.');
    const leftOpen = { cause: 'tool', message: 'I asked the team.' };
    const updated = await ws.first((frame) => frame.type === 'approval_updated');
    expect(updated.data).toMatchObject({ interactionId, leftOpen });
    expect((await stream.first('approval-updated')).data).toMatchObject({ leftOpen });
    const late = await WsClient.open(server.url, headers);
    expect((await late.first(() => true)).data.pending).toMatchObject([{ interactionId, leftOpen }]);
    stream.close();
  });
});
