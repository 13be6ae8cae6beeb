import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { drilledAgent } from '../support/drilled-agent.ts';
import { agentProcesses } from '../support/marked-processes.ts';
import { endWatches, type Watch, watch, watchSession } from '../support/watch.ts';

let beckon: Beckon;
let cwd: string;

beforeEach(async () => {
  cwd = await temporaryDirectory();
  beckon = await startBeckon({ args: ['--claude', drilledAgent(await temporaryDirectory())] });
});

afterEach(async () => {
  endWatches();
  await endBeckons();
});

interface Started {
  readonly id: string;
  readonly watch: Watch;
}

async function start(prompt: string, more: object = {}): Promise<Started> {
  const { status, body } = await beckon.api('POST', '/api/sessions', {
    agent: 'claude',
    cwd,
    prompt,
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return { id: body.session.id, watch: await watchSession(beckon, body.session.id) };
}

const post = (session: Started, path: string, body: object = {}) =>
  beckon.api('POST', `/api/sessions/${session.id}/${path}`, body);
const get = async (session: Started) => (await beckon.api('GET', `/api/sessions/${session.id}`)).body.session;
const left = () => agentProcesses(beckon.dataDir);

describe('agents that misbehave', () => {
  it('[PEER6] [STORE3] garbage on stdout is kept raw, told in short, and the turn goes on', async () => {
    const session = await start('!garbage');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    const told = session.watch.frames.flatMap(({ data }) => (data.type === 'diagnostic' ? [data] : []));
    const ofKind = Map.groupBy(told, ({ code }) => code);
    expect([...ofKind.keys()]).toContain('not-json');
    // At once, and at the end of the turn if there were more by then.
    for (const [first, ...more] of ofKind.values()) {
      expect(first?.count).toBe(1);
      expect(more.length).toBeLessThanOrEqual(1);
    }
    const raw = await fetch(`${beckon.url}/api/sessions/${session.id}/raw`, {
      headers: { authorization: `Bearer ${beckon.token}` },
    });
    expect(await raw.text()).toContain('this is not JSON');
  });

  it('[PEER4] text that comes byte by byte, across the borders of characters, is right', async () => {
    const session = await start('!split-utf8');
    const said = await session.watch.event('agent.text');
    expect(said.text).not.toContain('\uFFFD');
    expect(Buffer.byteLength(said.text)).toBeGreaterThan(said.text.length);
  });

  it('[PEER4] [MULTI4] a line of 30 MB goes all the way, also to clients that follow', async () => {
    const session = await start('!bigline 30');
    const result = await session.watch.event('tool.result', (event) => event.text.length > 1_000_000);
    expect(result.text.length).toBeGreaterThanOrEqual(30_000_000);
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    const { body } = await beckon.api('GET', `/api/sessions/${session.id}/events?limit=1000`);
    const stored = body.events.find((event: { seq: number }) => event.seq === result.seq);
    expect(stored.text.length).toBe(result.text.length);
  });

  it('[SES5] an agent that never answers: the interrupt is acknowledged, then stop is offered, and stop works', async () => {
    const session = await start('!hang');
    await session.watch.event('turn.started');
    expect(await post(session, 'interrupt')).toMatchObject({ status: 200, body: { status: 'ok' } });
    await session.watch.event('turn.overdue');
    expect((await get(session)).interrupting).toMatchObject({ overdue: true });
    const returned = await post(session, 'message', { message: 'too late' });
    expect(returned.status).toBe(202);
    expect(await post(session, 'stop')).toMatchObject({ status: 200, body: { returned: ['too late'] } });
    expect(left()).toEqual([]);
  });

  it('[SES6] [SES7] an agent that ignores SIGTERM is ended, with the child it started', async () => {
    const session = await start('!ignore-sigterm');
    await session.watch.event('agent.text', (event) => /child pid \d+/.test(event.text));
    expect(left().length).toBeGreaterThanOrEqual(2);
    expect(await post(session, 'stop')).toMatchObject({ status: 200 });
    expect(left()).toEqual([]);
    expect((await get(session)).status).toBe('stopped');
  });

  it('[SES8] an agent that dies in the middle of a line is started again once; the message after that runs', async () => {
    const session = await start('!die-midline');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'lost' });
    await session.watch.event('process.starting', (event) => event.cause === 'crash');
    const again = await post(session, 'message', { message: 'hello' });
    expect([200, 202]).toContain(again.status);
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  it('[SES8] a second crash within a minute leaves the session failed, with the last words of stderr; resume brings it back', async () => {
    const session = await start('!crash 3');
    await session.watch.event('process.starting', (event) => event.cause === 'crash');
    await post(session, 'message', { message: '!crash 3' });
    expect(await session.watch.event('session.failed')).toMatchObject({
      reason: expect.stringContaining('3'),
    });
    expect(await get(session)).toMatchObject({ status: 'failed', failure: { stderr: expect.any(Array) } });
    expect(await post(session, 'message', { message: 'hello' })).toMatchObject({
      status: 409,
      body: { error: { code: 'session_failed' } },
    });
    expect(await post(session, 'resume')).toMatchObject({ status: 200 });
    await post(session, 'message', { message: 'hello' });
    expect(await session.watch.event('turn.ended', (event) => event.outcome === 'completed')).toBeDefined();
  });

  it('[ASK5] an agent that dies while it asks makes the ask lost, never denied', async () => {
    const all = await watch(beckon);
    const session = await start('!die-asking');
    const { data } = await all.until('the end of the ask', ({ event }) => event === 'approval-resolved');
    expect(data).toMatchObject({ outcome: 'lost', decision: null, kind: 'approval' });
    const late = await post(session, 'approve', { requestId: data.requestId, decision: 'allow' });
    expect(late).toMatchObject({
      status: 410,
      body: {
        error: {
          code: 'interaction_gone',
          details: { outcome: 'lost', interaction: { requestId: data.requestId } },
        },
      },
    });
  });

  it('[PEER7] [ASK4] an ask that the agent takes back is withdrawn for everyone', async () => {
    const all = await watch(beckon);
    await start('!withdraw');
    const cancelled = await all.until('the withdrawal', ({ event }) => event === 'approval-cancelled');
    const resolved = await all.until('its end', ({ event }) => event === 'approval-resolved');
    expect(resolved.data).toMatchObject({
      requestId: cancelled.data.requestId,
      outcome: 'withdrawn',
      by: { kind: 'agent' },
    });
  });

  it('[SES12] work in the background asks after its turn has ended, and is answered', async () => {
    const session = await start('!background');
    await session.watch.event('turn.ended');
    const { interactionId } = await session.watch.event('interaction.requested');
    expect(await get(session)).toMatchObject({ status: 'waiting', waitingOn: 'you' });
    expect(await post(session, 'approve', { requestId: interactionId, decision: 'allow' })).toMatchObject({
      status: 200,
    });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  it('[ASK7] nobody answers: parked first, then expired, and the agent is told so in plain words', async () => {
    const all = await watch(beckon);
    const session = await start('run touch never.txt', {
      askTimeout: { softSeconds: 0.2, hardSeconds: 0.5 },
    });
    await session.watch.event('interaction.parked');
    const parked = await all.until('that it is parked', ({ event }) => event === 'approval-parked');
    expect(parked.data).toMatchObject({ sessionId: session.id, parked: true, status: 'open' });
    const { data } = await all.until('the end of the ask', ({ event }) => event === 'approval-resolved');
    expect(data).toMatchObject({ outcome: 'expired', decision: null, by: { kind: 'timer' } });
    const result = await session.watch.event('tool.result');
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('Nobody answered') });
    expect(existsSync(`${cwd}/never.txt`)).toBe(false);
  });

  it('[STORE2] [SES7] the end of the server leaves no agent, whatever they are doing', async () => {
    const sessions = await Promise.all(
      ['!hang', '!ignore-sigterm', 'run sleep 1000', 'slow 100000'].map((prompt) => start(prompt)),
    );
    await Promise.all(sessions.map((session) => session.watch.event('turn.started')));
    expect(await beckon.stop()).toEqual({ code: 0, signal: null });
    expect(left()).toEqual([]);
  });
});
