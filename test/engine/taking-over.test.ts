import { describe, expect, test } from 'vitest';
import { SessionId } from '../../src/protocol/ids.ts';
import type { KeptProcess } from '../../src/runner/ports/process-host.ts';
import { endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { lastSeqOf } from '../support/last-seq.ts';
import { memoryLog } from '../support/memory-log.ts';
import { bashAsk } from '../support/session-states.ts';
import { keptOf, takeOver } from '../support/take-over.ts';

endRoomsAfterEach();

describe('a server that takes over', () => {
  test('[SES10] goes on with the agent from what is stored, and starts no other', async () => {
    const first = await openRoom({ log: memoryLog() });
    const [id, agent] = await first.running();
    agent.reportAt(70, { type: 'delta', delta: { messageId: 'm', block: 0, kind: 'text', text: 'He' } });
    agent.reportAt(100, {
      type: 'said',
      event: { type: 'agent.text', agentMessageId: 'm', block: 0, text: 'Hello' },
    });
    await first.event(id, 'agent.text');
    expect(agent.storedMarks.map(({ offset }) => offset)).toEqual([100]);

    const second = await takeOver(first, [id]);
    const taken = second.driver.agent(id);
    expect(second.driver.agents).toHaveLength(1);
    expect(taken.left).toMatchObject({
      mark: { processId: agent.start.processId, offset: 100, memory: { saw: 100 } },
      ready: true,
      openAsks: [],
      inFlight: [],
    });
    expect(taken.start).toMatchObject({ processId: agent.start.processId, resume: null });
    expect(await second.session(id)).toMatchObject({ status: 'running' });
    taken.end();
    await second.event(id, 'turn.ended');
    expect(await second.session(id)).toMatchObject({ status: 'idle' });
    expect(second.all(id, 'process.exited')).toEqual([]);
  });

  test('[ASK2] an open ask stays open, and its answer reaches the agent that asked', async () => {
    const first = await openRoom();
    const [id] = await first.running();
    const asked = await first.asks(id, bashAsk('r1', 'ls'));

    const second = await takeOver(first, [id]);
    expect(second.driver.agent(id).left?.openAsks).toEqual(['r1']);
    expect(await second.session(id)).toMatchObject({ status: 'waiting', pendingCount: 1 });
    await second.do('approve', { session: id, requestId: asked.requestId, decision: 'allow' });
    const [answer] = second.driver.agent(id).answers();
    expect(answer?.ask.agentRequestId).toBe('r1');
    await second.event(id, 'interaction.resolved', ({ delivered }) => delivered);
  });

  test('[ASK5] an answer that was recorded and maybe not written is written once what was said meanwhile is known', async () => {
    const first = await openRoom();
    const [id, agent] = await first.running();
    const asked = await first.asks(id, bashAsk('r1', 'ls'));
    const gone = await first.asks(id, bashAsk('r2', 'pwd'));
    agent.answer = () => new Promise(() => undefined);
    await first.do('approve', { session: id, requestId: asked.requestId, decision: 'allow' });
    await first.do('deny', { session: id, requestId: gone.requestId, reason: 'no' });

    const second = await takeOver(first, [id]);
    const taken = second.driver.agent(id);
    expect(taken.answers()).toEqual([]);
    taken.report({ type: 'withdrawn', agentRequestId: 'r2' }, { type: 'caught-up' });
    const resolved = await second.event(id, 'interaction.resolved', ({ delivered }) => delivered);
    expect(resolved).toMatchObject({ interactionId: asked.interactionId, outcome: 'allowed' });
    expect(taken.answers().map(({ ask }) => ask.agentRequestId)).toEqual(['r1']);
    expect(await second.interaction(id, gone.interactionId)).toMatchObject({ outcome: 'withdrawn' });
  });

  test('[MSG3] a message that was handed over and not taken is handed over again; one that was taken meanwhile is not', async () => {
    const first = await openRoom();
    const [one, oneAgent] = await first.idle();
    const [two] = await first.idle();
    await first.do('sendMessage', { session: one, message: 'first' });
    await first.do('sendMessage', { session: two, message: 'second' });
    await first.until('both sent', () => first.driver.agent(two).sent().length === 1);
    const messageId = oneAgent.sent()[0]?.messageId;

    const second = await takeOver(first, [one, two]);
    const [a, b] = [second.driver.agent(one), second.driver.agent(two)];
    expect(a.left?.inFlight).toEqual([{ messageId, how: 'turn' }]);
    if (messageId === undefined) throw new Error('Nothing was sent');
    a.report({ type: 'message-taken', messageId }, { type: 'turn-started' }, { type: 'caught-up' });
    b.report({ type: 'caught-up' });
    await second.until('the second is sent again', () => b.sent().length === 1);
    await second.event(one, 'turn.started');
    await second.drained(one);
    expect(a.sent()).toEqual([]);
    expect(b.sent()[0]).toMatchObject({ text: 'second' });
  });

  test('[SES5] an interrupt that was under way is sent again', async () => {
    const first = await openRoom();
    const [id] = await first.running();
    await first.do('interrupt', { session: id });
    const second = await takeOver(first, [id]);
    const taken = second.driver.agent(id);
    taken.report({ type: 'caught-up' });
    await second.until('interrupted again', () => taken.kinds().includes('interrupt'));
  });

  test('[SES6] a stop that was under way is carried through', async () => {
    const first = await openRoom();
    const [id, agent] = await first.running();
    agent.endsWhenAsked = false;
    void first.do('stop', { session: id });
    await first.event(id, 'session.stopped');
    const second = await takeOver(first, [id]);
    const taken = second.driver.agent(id);
    taken.report({ type: 'caught-up' });
    await second.event(id, 'process.exited');
    expect(taken.kinds()).toContain('close');
    expect(await second.session(id)).toMatchObject({ status: 'stopped' });
  });

  test('[SES8] an agent that ended while nobody listened is told of, and resumed once', async () => {
    const first = await openRoom();
    const [id] = await first.running();
    const second = await takeOver(first, [id]);
    const taken = second.driver.agent(id);
    taken.report({ type: 'exited', code: 1, signal: null, stderr: ['boom'] });
    await second.event(id, 'process.exited', ({ stderr }) => stderr.includes('boom'));
    await second.until('started again', () => second.driver.agents.length === 2);
  });

  test('[ASK7] a time limit goes on counting', async () => {
    const first = await openRoom();
    const [id] = await first.running({ askTimeout: { hardSeconds: 60 } });
    const asked = await first.asks(id, bashAsk('r1', 'ls'));
    const second = await takeOver(first, [id]);
    second.clock.pass(61_000);
    await second.event(id, 'interaction.decided', ({ outcome }) => outcome === 'expired');
    expect(second.driver.agent(id).answers()[0]?.ask.agentRequestId).toBe('r1');
    expect(await second.interaction(id, asked.interactionId)).toMatchObject({ outcome: 'expired' });
  });

  test('[ASK5] an agent that is gone: what was open is lost, the session is asleep', async () => {
    const first = await openRoom();
    const [id] = await first.running();
    const asked = await first.asks(id, bashAsk('r1', 'ls'));
    const second = await takeOver(first, []);
    expect(await second.interaction(id, asked.interactionId)).toMatchObject({ outcome: 'lost' });
    expect(await second.session(id)).toMatchObject({ status: 'asleep' });
  });

  test('[SES7] a process that no session claims is ended', async () => {
    const first = await openRoom();
    const [id] = await first.running();
    const stray: KeptProcess = {
      id: 'run_stray',
      sessionId: SessionId.parse('ses_of_nobody'),
      running: true,
      outputEnd: 0,
    };
    const kept = [keptOf(first, id), stray];
    first.abandon();
    const second = await openRoom({ log: first.log, run: 'second', kept });
    expect(second.endedKept).toEqual(['run_stray']);
    expect(second.driver.agents).toHaveLength(1);
  });

  test('[SES14] an ephemeral session lives on with its agent, and leaves nothing when it ends', async () => {
    const first = await openRoom();
    const [id] = await first.running({ ephemeral: true });
    const [gone] = await first.running({ ephemeral: true });
    const asked = await first.asks(id, bashAsk('r1', 'ls'));
    const second = await takeOver(first, [id]);
    expect(await second.interaction(id, asked.interactionId)).toMatchObject({ status: 'open' });
    expect(second.engine.overview().sessions.map((session) => session.id)).toEqual([id]);
    expect(lastSeqOf(second.log, SessionId.parse(gone))).toBe(0);
    await second.do('stop', { session: id });
    await second.until('it is removed', () => second.engine.overview().sessions.length === 0);
    expect(lastSeqOf(second.log, SessionId.parse(id))).toBe(0);
  });

  test('[SES10] a session that was about to start is started', async () => {
    const first = await openRoom({ settings: { mostProcesses: 1 } });
    await first.running();
    const { id } = await first.create({ prompt: 'wait for your turn' });
    const second = await takeOver(first, []);
    const starting = await second.event(id, 'process.starting');
    expect(starting.cause).toBe('created');
  });

  test('[SES10] a start that was on record and never made is made, and what was said is sent', async () => {
    const first = await openRoom();
    const { id } = await first.create({ prompt: 'hello' });
    const recorded = await first.event(id, 'process.starting');
    const second = await takeOver(first, []);
    const agent = await second.until('it is started', () => second.driver.agents.at(-1));
    expect(agent.start).toMatchObject({ processId: recorded.processId, resume: null });
    expect(agent.left).toBeUndefined();
    agent.ready();
    await second.until('the prompt is sent', () => agent.sent().length === 1);
    expect(agent.sent()[0]).toMatchObject({ text: 'hello' });
    expect(second.all(id, 'process.starting')).toHaveLength(1);
    expect(second.all(id, 'process.exited')).toEqual([]);
  });

  test('[SES7] nothing is started before the server listens, nor after it was told to let go', async () => {
    const first = await openRoom();
    const { id } = await first.create({ prompt: 'hello' });
    await first.event(id, 'process.starting');
    first.abandon();
    const listening = Promise.withResolvers<void>();
    const second = await openRoom({ log: first.log, run: 'second', listening: listening.promise });
    const another = await second.create();
    await second.drained(another.id);
    expect(second.driver.agents).toEqual([]);
    await second.engine.detach();
    second.abandon();
    expect(second.all(id, 'process.closing')).toEqual([]);

    const third = await openRoom({ log: first.log, run: 'third' });
    await third.event(another.id, 'process.starting');
    expect(third.driver.agent(id).start.processId).toBe(third.all(id, 'process.starting')[0]?.processId);
  });

  test('[SES6] a session that is stopped before its start was made again is over at once', async () => {
    const first = await openRoom();
    const { id } = await first.create({ prompt: 'hello' });
    await first.event(id, 'process.starting');
    first.abandon();
    const listening = Promise.withResolvers<void>();
    const second = await openRoom({ log: first.log, run: 'second', listening: listening.promise });
    await second.do('stop', { session: id });
    listening.resolve();
    await second.event(id, 'process.exited');
    expect(second.driver.agents).toEqual([]);
    expect(await second.session(id)).toMatchObject({ status: 'stopped' });
  });

  test('[MSG3] [ASK5] an agent that ended meanwhile: what it was handed is sent after the resume, an answer that it may have got is called so', async () => {
    const first = await openRoom();
    const [id, agent] = await first.running();
    const asked = await first.asks(id, bashAsk('r1', 'ls'));
    agent.answer = () => new Promise(() => undefined);
    await first.do('approve', { session: id, requestId: asked.requestId, decision: 'allow' });
    const [other] = await first.idle();
    await first.do('sendMessage', { session: other, message: 'once more' });
    await first.event(other, 'message.sending');

    const second = await takeOver(first, [id, other]);
    for (const session of [id, other]) {
      second.driver.agent(session).report({ type: 'exited', code: 1, signal: null, stderr: [] });
    }
    const end = await second.event(id, 'interaction.resolved');
    expect(end).toMatchObject({ outcome: 'unknown', delivered: false });
    expect(await second.event(other, 'message.requeued')).toBeDefined();
    await second.until('both are started again', () => second.driver.agents.length === 4);
    const resumed = second.driver.agent(other);
    resumed.ready();
    await second.until('it is sent', () => resumed.sent().length === 1);
    expect(resumed.sent()[0]).toMatchObject({ text: 'once more' });
  });

  test('[SES11] agents that were taken up count for the limit', async () => {
    const first = await openRoom();
    const [id] = await first.running();
    const kept = [keptOf(first, id)];
    first.abandon();
    const second = await openRoom({ log: first.log, run: 'second', kept, settings: { mostProcesses: 1 } });
    const late = await second.create();
    await second.drained(late.id);
    expect(second.driver.agents).toHaveLength(1);
    second.driver.agent(id).end();
    await second.event(late.id, 'process.starting');
  });
});

test('[SES10] a log whose last turn nobody works on is settled, and takes messages', async () => {
  const log = memoryLog();
  const first = await openRoom({ log });
  const { id } = await first.create();
  await first.event(id, 'process.starting');
  const [created] = first.events(id);
  if (created?.type !== 'session.created') throw new Error('A session begins with its creation');
  first.abandon();
  const torn = memoryLog();
  const { seq: _seq, at, ...event } = created;
  const events = [event, { type: 'turn.started', turnId: 't', messageId: null } as const];
  await torn.append({ parts: [{ stream: SessionId.parse(id), at, events }] });
  const second = await openRoom({ log: torn, run: 'second' });
  expect(await second.event(id, 'turn.ended')).toMatchObject({ outcome: 'lost' });
  expect(await second.session(id)).toMatchObject({ status: 'asleep' });
  await second.do('sendMessage', { session: id, message: 'go on' });
  await second.event(id, 'process.starting');
});

describe('a server that lets go', () => {
  test('leaves agents that can live on, and stores nothing of an end', async () => {
    const first = await openRoom();
    const [id, agent] = await first.running();
    await first.engine.detach();
    first.abandon();
    expect(agent.kinds()).toContain('detach');
    expect(agent.kinds()).not.toContain('close');
    expect(first.all(id, 'process.closing')).toEqual([]);
  });

  test('[SES7] ends those that cannot', async () => {
    const first = await openRoom();
    const [id, agent] = await first.running();
    Object.defineProperty(agent, 'detach', { value: undefined });
    await first.engine.detach();
    first.abandon();
    expect(agent.kinds()).toContain('close');
    expect(first.all(id, 'process.exited')).toHaveLength(1);
  });
});

test('[ASK5] when what keeps the agents dies, the session sleeps and nothing is started by itself', async () => {
  const room = await openRoom();
  const [id, agent] = await room.running();
  const asked = await room.asks(id, bashAsk('r1', 'ls'));
  const hostLost = 'The agent has ended; how is not known';
  agent.report({ type: 'exited', code: null, signal: null, stderr: [], hostLost });
  const exited = await room.event(id, 'process.exited');
  expect(exited).toMatchObject({ cause: 'host-ended', crashed: false, reason: hostLost });
  expect(await room.interaction(id, asked.interactionId)).toMatchObject({
    outcome: 'lost',
    resolvedReason: hostLost,
  });
  expect(await room.session(id)).toMatchObject({ status: 'asleep' });
  await room.drained(id);
  expect(room.driver.agents).toHaveLength(1);
});
