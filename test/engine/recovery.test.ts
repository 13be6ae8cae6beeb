import { describe, expect, it } from 'vitest';
import { SessionId } from '../../src/protocol/ids.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, person } from '../support/engine-room.ts';
import { failingLog } from '../support/failing-log.ts';
import { lastSeqOf } from '../support/last-seq.ts';
import { memoryLog } from '../support/memory-log.ts';
import { closeReopenedLogsAfterEach, reopenedLogs } from '../support/reopened-logs.ts';
import { bashAsk } from '../support/session-states.ts';

closeReopenedLogsAfterEach();
endRoomsAfterEach();

const killed = async (kind: string, play: (room: EngineRoom) => Promise<void>) => {
  const { log, again } = reopenedLogs[kind]?.() ?? { log: memoryLog(), again: async () => memoryLog() };
  const first = await openRoom({ log, run: 'a' });
  await play(first);
  first.abandon();
  const second = await openRoom({ log: await again(), clock: first.clock, run: 'b' });
  return { first, second };
};

describe.each(Object.keys(reopenedLogs))('[SES10] after a kill, on %s', (kind) => {
  it('what was open is lost in words, what waited still waits, and the session sleeps', async () => {
    let id = '';
    let asked = '';
    const { first, second } = await killed(kind, async (room) => {
      [id] = await room.running({ key: 'task', title: 'The task', labels: ['x'], permissionMode: 'plan' });
      asked = (await room.asks(id, bashAsk('r1', 'ls'))).interactionId;
      await room.do('sendMessage', { session: id, message: 'queued', clientMessageId: 'mine' });
      await room.do('sendMessage', { session: id, message: 'steered', disposition: 'steer' });
    });
    expect(await second.session('task')).toMatchObject({
      id,
      title: 'The task',
      labels: ['x'],
      permissionMode: 'plan',
      status: 'asleep',
      agentSessionId: `own-${id}`,
      pendingCount: 0,
      queueLength: 2,
    });
    expect(second.driver.agents).toEqual([]);
    expect(await second.queue(id)).toEqual(['queued', 'steered']);
    expect(await second.interaction(id, asked)).toMatchObject({
      status: 'resolved',
      outcome: 'lost',
      resolvedReason: 'The server ended while this was under way, and the agent with it.',
    });
    expect(
      await second.refused('approve', { session: id, requestId: asked, decision: 'allow' }),
    ).toMatchObject({
      code: 'interaction_gone',
      details: { outcome: 'lost' },
    });
    expect(second.all(id, 'turn.ended')).toMatchObject([{ outcome: 'lost' }]);
    expect(second.events(id).map((event) => event.seq)).toEqual(second.events(id).map((_, at) => at + 1));
    const again = await second.do('sendMessage', { session: id, message: 'queued', clientMessageId: 'mine' });
    expect(again.body.messageId).toBe(
      first.all(id, 'message.queued').find((event) => event.clientMessageId === 'mine')?.messageId,
    );
    await second.do('resume', { session: id });
    await second.event(id, 'process.starting', (event) => event.cause === 'resume');
    expect(second.driver.agent(id).start).toMatchObject({ resume: `own-${id}`, permissionMode: 'plan' });
    second.driver.agent(id).ready();
    await second.until('what waited is sent', () => second.driver.agent(id).sent()[0]);
    expect(second.driver.agent(id).sent()).toMatchObject([{ text: 'queued' }]);
  });

  it('[ASK5] a decision that was stored and not known to be delivered may have reached the agent, by the one who made it', async () => {
    let id = '';
    let asked = '';
    const { second } = await killed(kind, async (room) => {
      const [session, agent] = await room.running();
      id = session;
      asked = (await room.asks(id, bashAsk('r1', 'ls'))).interactionId;
      agent.answer = () => new Promise(() => {});
      await room.do('approve', { session: id, requestId: asked, decision: 'allow' });
    });
    expect(await second.interaction(id, asked)).toMatchObject({
      outcome: 'unknown',
      resolvedBy: person.actor,
      decision: { type: 'allow' },
      resolvedReason: expect.stringContaining('may have reached the agent'),
    });
  });

  it('a message on its way comes back, and is sent first', async () => {
    let id = '';
    const { second } = await killed(kind, async (room) => {
      [id] = await room.idle();
      await room.do('sendMessage', { session: id, message: 'on its way' });
      await room.do('sendMessage', { session: id, message: 'behind it' });
    });
    expect(await second.queue(id)).toEqual(['on its way', 'behind it']);
    await second.do('sendMessage', { session: id, message: 'and this' });
    await second.until('a process', () => second.driver.agents[0]);
    second.driver.agent(id).ready();
    await second.until('the first', () => second.driver.agent(id).sent()[0]);
    expect(second.driver.agent(id).sent()).toMatchObject([{ text: 'on its way' }]);
  });

  it('[GRANT1] [GRANT4] grants hold, and revoked ones stay revoked', async () => {
    let id = '';
    const { second } = await killed(kind, async (room) => {
      [id] = await room.running();
      const answer = async (request: string, command: string, scope: string) => {
        const { interactionId } = await room.asks(id, bashAsk(request, command));
        await room.do('approve', { session: id, requestId: interactionId, decision: 'allow', scope });
      };
      await answer('r1', 'ls', 'always');
      await answer('r2', 'pwd', 'session');
      await answer('r3', 'date', 'always');
      const { grants } = (await room.do('listGrants')).body as { grants: { id: string; pattern: string }[] };
      await room.do('revokeGrant', { grantId: grants.find((grant) => grant.pattern === 'date')?.id });
    });
    const { grants } = (await second.do('listGrants')).body as { grants: { pattern: string }[] };
    expect(grants.map((grant) => grant.pattern).sort()).toEqual(['ls', 'pwd']);
    await second.do('resume', { session: id });
    await second.until('a process', () => second.driver.agents[0]);
    const agent = second.driver.agent(id);
    agent.ready();
    agent.report({ type: 'asked', ask: bashAsk('s1', 'ls') }, { type: 'asked', ask: bashAsk('s2', 'pwd') });
    await second.until('both answers', () => agent.answers().length === 2);
    expect(
      second
        .all(id, 'interaction.decided')
        .slice(-2)
        .map((event) => event.by.kind),
    ).toEqual(['grant', 'grant']);
  });

  it('[SES14] ephemeral sessions are gone', async () => {
    let id = '';
    const { second } = await killed(kind, async (room) => {
      [id] = await room.running({ ephemeral: true });
      await room.idle();
    });
    expect(second.engine.overview().sessions).toHaveLength(1);
    expect(second.events(id)).toEqual([]);
    expect(second.removedRaw).toEqual([id]);
  });

  it('stopped and failed sessions are as they were, and so is the order', async () => {
    const { second } = await killed(kind, async (room) => {
      const [one] = await room.idle({ title: 'one' });
      await room.do('stop', { session: one });
      await room.drained(one);
      await room.idle({ title: 'two' });
      room.driver.broken = 'no program';
      const { id } = await room.create({ title: 'three', prompt: 'hello' });
      await room.event(id, 'session.failed');
    });
    const sessions = (await second.do('listSessions')).body.sessions as { title: string; status: string }[];
    expect(sessions.map(({ title, status }) => `${title} ${status}`)).toEqual([
      'three failed',
      'two asleep',
      'one stopped',
    ]);
  });

  it('[STORE1] a long session is taken up from its snapshot', async () => {
    let id = '';
    const { second } = await killed(kind, async (room) => {
      const [session, agent] = await room.running();
      id = session;
      for (let n = 0; n < 600; n += 1) {
        agent.report({
          type: 'said',
          event: { type: 'agent.text', agentMessageId: `m${n}`, block: 0, text: `word ${n}` },
        });
        if (n % 20 === 0) await room.drained(id);
      }
      await room.drained(id);
    });
    const state = await second.session(id);
    expect(state.lastSeq).toBeGreaterThan(600);
    expect(state.lastSeq).toBe(lastSeqOf(second.log, SessionId.parse(id)));
    const [start] = [...second.log.streams()].filter((stream) => stream.stream === id);
    expect(start?.snapshot?.seq).toBeGreaterThan(400);
  });
});

describe('[SES10] a clean end and a new start', () => {
  it('find the sessions asleep and nothing to settle', async () => {
    const log = memoryLog();
    const first = await openRoom({ log, run: 'a' });
    const [id] = await first.idle();
    await first.end();
    const before = lastSeqOf(log, SessionId.parse(id));
    const second = await openRoom({ log, run: 'b' });
    expect((await second.session(id)).status).toBe('asleep');
    expect(lastSeqOf(log, SessionId.parse(id))).toBe(before);
  });
});

describe('[SES7] a start', () => {
  it('ends what an earlier run left over before it does anything else', async () => {
    const log = memoryLog();
    const first = await openRoom({ log, run: 'a' });
    const [id] = await first.running();
    first.abandon();
    const order: string[] = [];
    const watched = failingLog(log);
    watched.onAppend = () => order.push('append');
    const second = await openRoom({
      log: watched,
      run: 'b',
      endLeftovers: async () => {
        for (let n = 0; n < 5; n += 1) await new Promise<void>((resolve) => setImmediate(resolve));
        order.push('leftovers ended');
      },
    });
    expect(order).toEqual(['leftovers ended', 'append']);
    expect((await second.session(id)).status).toBe('asleep');
  });

  it('on a disk that can only be read: it opens, tells what was, and settles it when the disk is back', async () => {
    const log = failingLog(memoryLog());
    const first = await openRoom({ log, run: 'a' });
    const [id] = await first.running();
    const { interactionId } = await first.asks(id, bashAsk('r1', 'ls'));
    const [fleeting] = await first.idle({ ephemeral: true });
    first.abandon();
    log.full = true;
    const second = await openRoom({ log, run: 'b' });
    expect(second.engine.overview().sessions.map((session) => session.id)).toEqual([id]);
    expect(second.events(id).length).toBeGreaterThan(0);
    expect((await second.refused('sendMessage', { session: id, message: 'x' })).code).toBe(
      'storage_unavailable',
    );
    log.full = false;
    second.clock.pass(1000);
    await second.event(id, 'interaction.resolved');
    expect(await second.interaction(id, interactionId)).toMatchObject({ outcome: 'lost' });
    expect(second.all(id, 'process.exited')).toHaveLength(1);
    expect(fleeting).not.toBe(id);
  });

  it('one log that cannot be understood does not keep the others closed', async () => {
    const log = memoryLog();
    const first = await openRoom({ log, run: 'a' });
    const [id] = await first.idle();
    first.abandon();
    const odd = { type: 'agent.text', agentMessageId: 'm', block: 0, text: 'no beginning' } as const;
    await log.append({
      parts: [{ stream: SessionId.parse('ses_odd'), at: first.clock.now(), events: [odd] }],
    });
    const second = await openRoom({ log, run: 'b' });
    expect(second.engine.overview().sessions.map((session) => session.id)).toEqual([id]);
    expect(second.complaints.join()).toContain('ses_odd');
  });
});
