import { describe, expect, it } from 'vitest';
import { statusOf } from '../../src/protocol/errors.ts';
import { type OperationName, operations } from '../../src/protocol/operation.ts';
import { endRoomsAfterEach, openRoom, person } from '../support/engine-room.ts';

endRoomsAfterEach();
const names = Object.keys(operations) as OperationName[];

describe('[API4] whatever is sent, the answer is a reply or a refusal', () => {
  const strange: Record<string, unknown>[] = [
    {},
    { session: '' },
    {
      session: 'constructor',
      messageId: '__proto__',
      grantId: 'constructor',
      interactionId: 'toString',
      clientId: '__proto__',
    },
    JSON.parse('{"__proto__":{"session":"x"},"constructor":{"prototype":{}}}') as Record<string, unknown>,
    { session: null, message: null, answers: null, decision: null, q: null },
    { session: ['a'], message: ['b'], labels: 'x', env: [], askTimeout: [], images: {} },
    {
      session: { a: 1 },
      message: { toString: 'x' },
      requestId: { a: 1 },
      answers: 'x',
      after: 'x',
      limit: 'y',
    },
    { after: -1, before: 1.5, limit: 1e9, q: '', position: -1 },
  ];
  it.each(names)('%s', async (name) => {
    const room = await openRoom();
    const [id] = await room.idle();
    for (const input of [...strange, ...strange.map((one) => ({ ...one, session: id }))]) {
      if (name === 'stop' || name === 'resume') continue;
      const result = await room.engine.dispatch(name, input, person);
      if (!result.ok) expect([400, 404, 409, 422, 503]).toContain(statusOf(result.refusal.code));
    }
  });

  it.each<[OperationName, Record<string, unknown>, string, string]>([
    ['sendMessage', { session: 's' }, 'malformed_request', 'message'],
    ['approve', { session: 's', requestId: 'x', decision: 'maybe' }, 'malformed_request', 'decision'],
    [
      'approve',
      { session: 's', requestId: 'x', decision: 'allow', expiresAt: 'soon' },
      'invalid_value',
      'expiresAt',
    ],
    ['respond', { session: 's', interactionId: 'x' }, 'malformed_request', 'action'],
    ['answer', { session: 's', requestId: 'x', answers: 5 }, 'malformed_request', 'answers'],
    ['patchQueued', { session: 's', message: 'x' }, 'malformed_request', 'messageId'],
    ['removeQueued', { session: 's' }, 'malformed_request', 'messageId'],
    ['revokeGrant', {}, 'malformed_request', 'grantId'],
    ['getSession', {}, 'malformed_request', 'session'],
    ['listEvents', { session: 's', limit: 1001 }, 'invalid_value', 'limit'],
    ['createSession', { labels: ['a', 5] }, 'malformed_request', 'labels.1'],
    ['search', {}, 'malformed_request', 'q'],
  ])('%s %j: %s, naming %s', async (name, input, code, field) => {
    const room = await openRoom();
    const refusal = await room.refused(name, input);
    expect(refusal).toMatchObject({ code, details: { field } });
    expect(refusal.message).toContain(field);
  });
});

describe('[STORE5] reading', () => {
  it('pages run forwards and backwards, and say whether there is more', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    for (let n = 0; n < 20; n += 1) {
      agent.report({
        type: 'said',
        event: { type: 'agent.text', agentMessageId: `m${n}`, block: 0, text: `word${n}` },
      });
    }
    await room.drained(id);
    const page = async (query: Record<string, unknown>) => {
      const { events, ...rest } = (await room.do('listEvents', { session: id, ...query })).body;
      return { seqs: (events as { seq: number }[]).map((event) => event.seq), ...rest };
    };
    const last = room.snapshot(id).lastSeq;
    expect(await page({ after: 0, limit: 3 })).toEqual({
      seqs: [1, 2, 3],
      firstSeq: 1,
      lastSeq: 3,
      hasMore: true,
      logLastSeq: last,
    });
    expect(await page({ before: 4, limit: '2' })).toMatchObject({ seqs: [2, 3], hasMore: true });
    expect(await page({ limit: 2 })).toMatchObject({ seqs: [last - 1, last], hasMore: true });
    expect(await page({ after: last })).toMatchObject({ seqs: [], hasMore: false });
  });

  it('search finds words of messages, agents and decisions, with the session', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running({ title: 'The session' });
    agent.report({
      type: 'said',
      event: { type: 'agent.text', agentMessageId: 'm', block: 0, text: 'a pangolin walks by' },
    });
    const { seq } = await room.event(id, 'agent.text');
    expect((await room.do('search', { q: 'pangolin' })).body).toMatchObject({
      hits: [{ sessionId: id, seq, type: 'agent.text', title: 'The session' }],
    });
    expect((await room.do('search', { q: 'nowhere' })).body).toEqual({ hits: [] });
  });
});

describe('[MULTI1] [MULTI2] clients', () => {
  it('are counted by what they can and want, and can be switched', async () => {
    const room = await openRoom();
    const { clients } = room.engine;
    const session = room.snapshot((await room.create()).id).session.id;
    const page = clients.connect({ label: 'page', interaction: { supported: true, enabled: true } });
    const viewer = clients.connect({ label: 'viewer', interaction: { supported: false, enabled: false } });
    expect(clients.count(session)).toEqual({ supported: 1, enabled: 1 });
    expect((await room.do('switchInteraction', { clientId: page.id, enabled: false })).body).toEqual({
      status: 'ok',
    });
    expect(page.interaction).toEqual({ supported: true, enabled: false });
    expect(clients.count(session)).toEqual({ supported: 1, enabled: 0 });
    page.setInteraction({ supported: true, enabled: true });
    expect(clients.count(session)).toEqual({ supported: 1, enabled: 1 });
    page.disconnect();
    viewer.disconnect();
    expect(clients.count(session)).toEqual({ supported: 0, enabled: 0 });
    expect((await room.refused('switchInteraction', { clientId: page.id, enabled: true })).code).toBe(
      'client_not_found',
    );
    page.setInteraction({ supported: true, enabled: true });
    expect(clients.count(session)).toEqual({ supported: 0, enabled: 0 });
  });
});
