import { describe, expect, it } from 'vitest';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { failingLog } from '../support/failing-log.ts';
import { memoryLog } from '../support/memory-log.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();

const onFailingDisk = async () => {
  const log = failingLog(memoryLog());
  const room = await openRoom({ log });
  log.onRefusal = () => room.look();
  return { log, room };
};
/** The disk takes things again, and the next try comes. */
const mend = (log: { full: boolean }, room: EngineRoom): void => {
  log.full = false;
  room.clock.pass(1000);
};

describe('[STORE2] a disk that does not take it', () => {
  it('every command is refused, nothing is changed, nothing is written to the agent, and reading goes on', async () => {
    const { log, room } = await onFailingDisk();
    const [id, agent] = await room.running();
    const { interactionId } = await room.asks(id, bashAsk('r1', 'ls'));
    const { messageId } = (await room.do('sendMessage', { session: id, message: 'queued' })).body;
    const before = room.snapshot(id);
    const written = agent.written.length;
    const news = room.news.length;
    log.full = true;
    const refusals = [
      await room.refused('createSession', { agent: 'demo', key: 'new', prompt: 'hello' }),
      await room.refused('sendMessage', { session: id, message: 'x', clientMessageId: 'mine' }),
      await room.refused('patchQueued', { session: id, messageId, message: 'y' }),
      await room.refused('removeQueued', { session: id, messageId }),
      await room.refused('approve', {
        session: id,
        requestId: interactionId,
        decision: 'allow',
        scope: 'always',
      }),
      await room.refused('interrupt', { session: id }),
      await room.refused('patchSession', { session: id, title: 'z' }),
      await room.refused('stop', { session: id }),
    ];
    expect(refusals.map((refusal) => refusal.code)).toEqual(Array(8).fill('storage_unavailable'));
    expect(room.snapshot(id)).toEqual(before);
    expect(agent.written).toHaveLength(written);
    expect(room.news).toHaveLength(news);
    expect((await room.do('listGrants')).body).toEqual({ grants: [] });
    expect(await room.interaction(id, interactionId)).toMatchObject({ status: 'open' });
    expect((await room.do('listSessions')).body.sessions).toHaveLength(1);
    expect((await room.do('listEvents', { session: id })).body.logLastSeq).toBe(before.lastSeq);
    log.full = false;
    expect(
      (await room.do('sendMessage', { session: id, message: 'x', clientMessageId: 'mine' })).status,
    ).toBe(202);
    expect((await room.create({ key: 'new', prompt: 'hello' })).queueLength).toBe(1);
    await room.do('approve', { session: id, requestId: interactionId, decision: 'allow' });
  });

  it('what the agent says meanwhile is kept in order and stored once; its output is held back until then', async () => {
    const { log, room } = await onFailingDisk();
    const [id, agent] = await room.running();
    log.full = true;
    const says = (text: string) =>
      agent.report({ type: 'said', event: { type: 'agent.text', agentMessageId: text, block: 0, text } });
    says('one');
    await room.until('the pause', () => agent.kinds().includes('pause'));
    says('two');
    agent.report({ type: 'asked', ask: bashAsk('r1', 'ls') });
    expect((await room.refused('sendMessage', { session: id, message: 'x' })).code).toBe(
      'storage_unavailable',
    );
    says('three');
    room.clock.pass(1000);
    await room.until('another try', () => log.refusals >= 3);
    expect(agent.kinds().filter((kind) => kind === 'pause')).toHaveLength(1);
    expect(agent.kinds()).not.toContain('resume');
    expect(room.all(id, 'agent.text')).toEqual([]);
    mend(log, room);
    await room.until('it goes on', () => agent.kinds().includes('resume'));
    await room.drained(id);
    expect(
      room
        .events(id)
        .slice(-4)
        .map((event) => (event.type === 'agent.text' ? event.text : event.type)),
    ).toEqual(['one', 'two', 'interaction.requested', 'three']);
    expect(room.announcements('approval-requested')).toHaveLength(1);
  });

  it('what is said while a try is under way comes after what was said before', async () => {
    const { log, room } = await onFailingDisk();
    const [id, agent] = await room.running();
    const says = (text: string) =>
      agent.report({ type: 'said', event: { type: 'agent.text', agentMessageId: text, block: 0, text } });
    log.full = true;
    const rest = ['two', 'three'];
    log.onAppend = () => {
      const next = rest.shift();
      if (next !== undefined) says(next);
    };
    says('one');
    await room.until('the pause', () => agent.kinds().includes('pause'));
    await room.drained(id);
    mend(log, room);
    await room.until('all of it', () => room.all(id, 'agent.text').length === 3);
    expect(room.all(id, 'agent.text').map((event) => event.text)).toEqual(['one', 'two', 'three']);
  });

  it('live text waits behind what is not yet stored, and none of it is lost', async () => {
    const { log, room } = await onFailingDisk();
    const [id, agent] = await room.running();
    const heard: string[] = [];
    room.engine.listen((news) => {
      if (news.kind !== 'session') return;
      if (news.news.type === 'delta') heard.push(news.news.delta.text);
      else if (news.news.event.type === 'agent.text') heard.push(news.news.event.text);
    });
    const says = {
      type: 'said',
      event: { type: 'agent.text', agentMessageId: 'm1', block: 0, text: 'stored' },
    } as const;
    const live = (text: string) =>
      ({ type: 'delta', delta: { messageId: 'm2', block: 0, kind: 'text', text } }) as const;
    log.full = true;
    agent.report(says, live('one '));
    await room.until('the pause', () => agent.kinds().includes('pause'));
    agent.report(live('two '));
    await room.drained(id);
    agent.report(live('three'));
    expect(heard).toEqual([]);
    mend(log, room);
    await room.event(id, 'agent.text');
    await room.drained(id);
    expect(heard).toEqual(['stored', 'one ', 'two ', 'three']);
    expect(room.snapshot(id).partial).toMatchObject([{ messageId: 'm2', text: 'one two three' }]);
  });

  it('a command that comes when the disk is back takes what was kept along, without waiting for the clock', async () => {
    const { log, room } = await onFailingDisk();
    const [id, agent] = await room.running();
    log.full = true;
    agent.end();
    await room.until('the pause', () => agent.kinds().includes('pause'));
    log.full = false;
    expect(await room.do('sendMessage', { session: id, message: 'next' })).toMatchObject({
      status: 200,
      body: { applied: 'send' },
    });
    expect(room.all(id, 'turn.ended')).toHaveLength(1);
    expect(agent.kinds().at(-1)).toBe('resume');
  });

  it('tries are not piled up by those who ask meanwhile', async () => {
    const { log, room } = await onFailingDisk();
    const [id, agent] = await room.running();
    const armed = room.clock.armed;
    log.full = true;
    agent.end();
    await room.until('the pause', () => agent.kinds().includes('pause'));
    for (let n = 0; n < 5; n += 1) await room.refused('sendMessage', { session: id, message: 'x' });
    expect(room.clock.armed).toBe(armed + 1);
  });

  it('an agent whose words turn out to need no storing is listened to again', async () => {
    const { log, room } = await onFailingDisk();
    const [id, agent] = await room.running();
    log.full = true;
    agent.report({ type: 'withdrawn', agentRequestId: 'never asked' });
    await room.refused('sendMessage', { session: id, message: 'x' });
    expect(agent.kinds()).toContain('pause');
    room.clock.pass(1000);
    await room.until('it goes on', () => agent.kinds().includes('resume'));
  });

  it('[ASK5] an answer that was written while the disk failed is not called lost', async () => {
    const { log, room } = await onFailingDisk();
    const [id, agent] = await room.running();
    const { interactionId } = await room.asks(id, bashAsk('r1', 'ls'));
    room.driver.onWrite = (written) => {
      if (written.kind === 'answer') log.full = true;
    };
    await room.do('approve', { session: id, requestId: interactionId, decision: 'allow' });
    await room.until('the pause', () => agent.kinds().includes('pause'));
    expect(agent.answers()).toHaveLength(1);
    agent.exit(1);
    mend(log, room);
    expect(await room.event(id, 'interaction.resolved')).toMatchObject({
      outcome: 'allowed',
      delivered: true,
    });
    expect(room.all(id, 'interaction.resolved')).toHaveLength(1);
  });

  it('[ASK7] a limit that falls due while the disk fails is kept', async () => {
    const { log, room } = await onFailingDisk();
    const [id, agent] = await room.running({ askTimeout: { softSeconds: 10, hardSeconds: 20 } });
    await room.asks(id, bashAsk('r1', 'ls'));
    log.full = true;
    room.clock.pass(20_000);
    await room.drained(id);
    expect(agent.answers()).toEqual([]);
    mend(log, room);
    expect(await room.event(id, 'interaction.resolved')).toMatchObject({
      outcome: 'expired',
      delivered: true,
    });
    expect(agent.answers()).toHaveLength(1);
  });

  it('[SES5] an overdue interrupt is kept', async () => {
    const { log, room } = await onFailingDisk();
    const [id] = await room.running();
    await room.do('interrupt', { session: id });
    log.full = true;
    room.clock.pass(3000);
    await room.drained(id);
    mend(log, room);
    await room.event(id, 'turn.overdue');
  });

  it('a process that was promised is started when the disk is back', async () => {
    const { log, room } = await onFailingDisk();
    let appends = 0;
    log.onAppend = () => {
      appends += 1;
      if (appends === 2) log.full = true;
    };
    const { id } = await room.create({ prompt: 'hello' });
    await room.until('a try', () => log.refusals > 0);
    await room.drained(id);
    expect(room.driver.agents).toEqual([]);
    mend(log, room);
    await room.until('the process', () => room.driver.agents[0]);
    room.driver.agent(id).ready();
    await room.until('the message', () => room.driver.agent(id).sent()[0]);
  });

  it('[SES6] the end of the server ends the agents all the same, and leaves nothing waiting', async () => {
    const { log, room } = await onFailingDisk();
    const [, agent] = await room.running();
    log.full = true;
    agent.report({ type: 'asked', ask: bashAsk('r1', 'ls') });
    await room.until('the pause', () => agent.kinds().includes('pause'));
    await room.end();
    expect(agent.exited).toBe(true);
    expect(room.clock.armed).toBe(0);
  });

  it('a session that cannot be deleted stays as it is', async () => {
    const { log, room } = await onFailingDisk();
    const [id] = await room.idle();
    await room.do('stop', { session: id });
    await room.drained(id);
    log.full = true;
    expect((await room.refused('deleteSession', { session: id })).code).toBe('storage_unavailable');
    expect((await room.session(id)).status).toBe('stopped');
    log.full = false;
    await room.do('patchSession', { session: id, title: 'still here' });
    await room.do('deleteSession', { session: id });
    expect(room.announcements('session-removed')).toHaveLength(1);
  });

  it('revoking a grant is refused, and the grant holds', async () => {
    const { log, room } = await onFailingDisk();
    const [id] = await room.running();
    const { interactionId } = await room.asks(id, bashAsk('r1', 'ls'));
    await room.do('approve', { session: id, requestId: interactionId, decision: 'allow', scope: 'always' });
    const { grants } = (await room.do('listGrants')).body as { grants: { id: string }[] };
    log.full = true;
    expect((await room.refused('revokeGrant', { grantId: grants[0]?.id })).code).toBe('storage_unavailable');
    expect((await room.do('listGrants')).body.grants).toHaveLength(1);
  });
});

describe('[PEER6] what no log can hold', () => {
  const nested = (depth: number): Record<string, unknown> =>
    JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`) as Record<string, unknown>;

  it('is told as such, stops neither the session nor what came with it, and the rest is stored in order', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const call = (toolCallId: string, input: Record<string, unknown>) =>
      ({
        type: 'said',
        event: {
          type: 'tool.called',
          agentMessageId: 'm',
          block: 0,
          toolCallId,
          name: 'Bash',
          input,
          startsAgent: false,
        },
      }) as const;
    agent.report(call('one', {}), call('two', nested(20_000)), call('three', {}));
    await room.event(id, 'diagnostic');
    expect(room.all(id, 'tool.called').map((event) => event.toolCallId)).toEqual(['one', 'three']);
    expect(room.all(id, 'diagnostic')).toMatchObject([{ code: 'not-stored' }]);
    expect(await room.do('sendMessage', { session: id, message: 'still there?' })).toMatchObject({
      status: 202,
    });
    expect(room.events(id).map((event) => event.seq)).toEqual(room.events(id).map((_, at) => at + 1));
  });

  it('from a caller is refused, and nothing else is', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const { interactionId } = await room.asks(id, bashAsk('r1', 'ls'));
    const results = await Promise.all([
      room.engine.dispatch('patchSession', { session: id, title: 'before' }, { actor: { kind: 'person' } }),
      room.engine.dispatch(
        'approve',
        { session: id, requestId: interactionId, decision: 'allow', updatedInput: nested(20_000) },
        { actor: { kind: 'person' } },
      ),
      room.engine.dispatch('patchSession', { session: id, labels: ['after'] }, { actor: { kind: 'person' } }),
    ]);
    expect(results.map((result) => (result.ok ? 'ok' : result.refusal.code))).toEqual([
      'ok',
      'internal_error',
      'ok',
    ]);
    expect(await room.interaction(id, interactionId)).toMatchObject({ status: 'open' });
    expect(agent.answers()).toEqual([]);
  });
});
