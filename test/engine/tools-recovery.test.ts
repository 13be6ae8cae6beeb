import { describe, expect, it } from 'vitest';
import { type EngineRoom, endRoomsAfterEach, openRoom, person } from '../support/engine-room.ts';
import { failingLog } from '../support/failing-log.ts';
import { memoryLog } from '../support/memory-log.ts';
import { closeReopenedLogsAfterEach, reopenedLogs } from '../support/reopened-logs.ts';
import { bashAsk, deployAsk } from '../support/session-states.ts';
import { ToolRun } from '../support/tool-runs.ts';

closeReopenedLogsAfterEach();
endRoomsAfterEach();

/** How the first server ends: in order, or as by a kill. */
const ends: Record<string, (room: EngineRoom) => Promise<void>> = {
  'is shut down': async (room) => room.engine.close(),
  'is killed': async (room) => room.abandon(),
};

const cases = Object.keys(reopenedLogs).flatMap((kind) =>
  Object.keys(ends).map((end) => [end, kind] as const),
);

const restarted = async (
  [end, kind]: readonly [string, string],
  play: (room: EngineRoom, run: ToolRun, id: string) => Promise<void>,
) => {
  const { log, again } = reopenedLogs[kind]?.() ?? { log: memoryLog(), again: async () => memoryLog() };
  const first = await openRoom({ log, run: 'a' });
  const [id] = await first.running();
  const run = new ToolRun(first, id);
  await play(first, run, id);
  await ends[end]?.(first);
  const second = await openRoom({ log: await again(), clock: first.clock, run: 'b' });
  return { first, second, run, id };
};

const plain = 'Answer to your earlier question "Deploy to production?": approved.';

/** The agent of the second server, woken by what waits for it. */
async function woken(room: EngineRoom, id: string) {
  await room.until('the agent', () => room.driver.agents.length === 1);
  const agent = room.driver.agent(id);
  agent.ready();
  await room.until('the message', () => agent.sent().length > 0);
  return agent;
}

describe.each(cases)('[SES10] [TOOL6] a tool asks and the server %s, on %s', (...which) => {
  it('before the answer: the ask stays open, says why, and the answer reaches the agent as a message', async () => {
    let asked = '';
    const { second, id } = await restarted(which, async (_room, run) => {
      asked = await run.asks(deployAsk({ expiresAt: '2026-01-01T00:05:00.000Z' }));
    });
    expect(await second.session(id)).toMatchObject({ status: 'asleep', pendingCount: 1 });
    const open = await second.interaction(id, asked);
    expect(open).toMatchObject({ status: 'open', leftOpen: { cause: 'server-ended' } });
    expect(open).not.toHaveProperty('expiresAt');
    expect(second.snapshot(id).pending).toEqual([open]);

    await second.do('approve', { session: id, requestId: asked, decision: 'allow' });
    const agent = await woken(second, id);
    expect(agent.sent()).toMatchObject([{ text: plain }]);
    expect(second.all(id, 'message.queued').filter(({ answers }) => answers === asked)).toHaveLength(1);
    expect(await second.interaction(id, asked)).toMatchObject({
      outcome: 'allowed',
      deliveredAt: expect.any(String),
    });
  });

  it('after it was left open: it stays so, and the answer reaches the agent as it was given', async () => {
    let asked = '';
    const { second, id } = await restarted(which, async (_room, run) => {
      const left = await run.asks();
      await run.leavesOpen(left, 'I asked the team.');
      asked = left;
    });
    expect(await second.interaction(id, asked)).toMatchObject({
      leftOpen: { cause: 'tool', message: 'I asked the team.' },
    });
    await second.do('deny', { session: id, requestId: asked, reason: 'Not today.' });
    const agent = await woken(second, id);
    expect(agent.sent()[0]?.text).toMatch(/denied\. Not today\.$/);
  });

  it('between a late answer and its message: the message is sent at the next start, once', async () => {
    let asked = '';
    const { second, id } = await restarted(which, async (room, run, session) => {
      run.reply = () => new Promise(() => {});
      asked = await run.asksAndLeaves();
      await room.do('approve', { session, requestId: asked, decision: 'allow' });
      await run.end();
    });
    const agent = await woken(second, id);
    expect(agent.sent()).toMatchObject([{ text: plain }]);
    expect(second.all(id, 'interaction.resolved')).toMatchObject([
      { interactionId: asked, outcome: 'allowed', by: person.actor, delivered: true },
    ]);
    expect(second.all(id, 'message.queued').filter(({ answers }) => answers === asked)).toHaveLength(1);
  });

  it('after the answer was delivered: nothing is sent again', async () => {
    const { second, id, run } = await restarted(which, async (room, playing, session) => {
      const asked = await playing.asks();
      await room.do('approve', { session, requestId: asked, decision: 'allow' });
      await room.event(session, 'interaction.resolved');
    });
    expect(run.heard).toHaveLength(1);
    expect(await second.session(id)).toMatchObject({ status: 'asleep', pendingCount: 0, queueLength: 0 });
    expect(second.driver.agents).toEqual([]);
    expect(second.all(id, 'message.queued')).toHaveLength(1);
  });

  it('after a late answer was sent: it waits in the queue as any message, once', async () => {
    let asked = '';
    const { second, id } = await restarted(which, async (room, run, session) => {
      run.reply = async () => ({ text: 'The team has approved.' });
      asked = await run.asksAndLeaves();
      await room.do('approve', { session, requestId: asked, decision: 'allow' });
      await room.event(session, 'message.queued', ({ answers }) => answers === asked);
    });
    expect(await second.queue(id)).toEqual(['The team has approved.']);
    expect(second.all(id, 'interaction.resolved')).toHaveLength(1);
  });
});

describe('[TOOL6] around the end of the server', () => {
  it('a tool that waits is told, and forgotten', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const run = new ToolRun(room, id);
    const asked = await run.asks();
    await room.engine.close();
    expect(run.heard).toMatchObject([{ kind: 'ended', outcome: 'lost' }]);
    expect(await room.engine.tools.ask(run.sessionId, deployAsk(), run.listener)).toMatchObject({
      refusal: { code: 'shutting_down' },
    });
    expect(room.all(id, 'interaction.resolved')).toEqual([]);
    expect(room.all(id, 'interaction.left-open')).toMatchObject([{ interactionId: asked }]);
  });

  it('a tool that takes its ask back because the server ends does not take it from the person', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    agent.endsWhenAsked = false;
    const run = new ToolRun(room, id);
    const asked = await run.asks();
    const closing = room.engine.close();
    await run.end();
    expect(
      await room.engine.tools.end(run.sessionId, asked, { outcome: 'withdrawn', reason: 'Ending.' }),
    ).toMatchObject({ ok: false, refusal: { code: 'interaction_gone' } });
    agent.exit(0);
    await closing;
    expect(room.all(id, 'interaction.resolved')).toEqual([]);
  });

  it('an answer that was stored and not given to the tool is sent as a message at the next start', async () => {
    const log = failingLog(memoryLog());
    const first = await openRoom({ log, run: 'a' });
    log.onRefusal = () => first.look();
    const [id] = await first.running();
    const run = new ToolRun(first, id);
    const asked = await run.asks();
    run.reply = async () => {
      log.full = true;
      return null;
    };
    await first.do('approve', { session: id, requestId: asked, decision: 'allow' });
    await run.end();
    await first.until('the refusal of the disk', () => log.refusals > 0);
    first.abandon();
    log.full = false;
    const second = await openRoom({ log, clock: first.clock, run: 'b' });
    const agent = await woken(second, id);
    expect(agent.sent()).toMatchObject([{ text: plain }]);
  });

  it('a disk that refuses at the start is waited for, and nothing is lost', async () => {
    const log = failingLog(memoryLog());
    const first = await openRoom({ log, run: 'a' });
    const [id] = await first.running();
    const run = new ToolRun(first, id);
    run.reply = () => new Promise(() => {});
    const open = await run.asks();
    const answered = await run.asksAndLeaves();
    await first.do('approve', { session: id, requestId: answered, decision: 'allow' });
    await run.end();
    first.abandon();
    log.full = true;
    const second = await openRoom({ log, clock: first.clock, run: 'b' });
    expect((await second.refused('sendMessage', { session: id, message: 'x' })).code).toBe(
      'storage_unavailable',
    );
    log.full = false;
    second.clock.pass(1000);
    const agent = await woken(second, id);
    expect(agent.sent()).toMatchObject([{ text: plain }]);
    expect(await second.interaction(id, open)).toMatchObject({ leftOpen: { cause: 'server-ended' } });
  });

  it('an agent that lives on is taken up, and the tools that ran for it are not', async () => {
    const first = await openRoom({ run: 'a' });
    const [id, agent] = await first.running();
    const run = new ToolRun(first, id);
    run.reply = () => new Promise(() => {});
    const open = await run.asks();
    const answered = await run.asksAndLeaves();
    await first.do('approve', { session: id, requestId: answered, decision: 'allow' });
    await run.end();
    const { interactionId: agents } = await first.asks(id, bashAsk('r1', 'ls'));
    first.abandon();
    const kept = [{ id: agent.start.processId, sessionId: run.sessionId, running: true, outputEnd: 0 }];
    const second = await openRoom({ log: first.log, clock: first.clock, run: 'b', kept });
    const again = second.driver.agent(id);
    again.report({ type: 'caught-up' });
    expect(again.left?.openAsks).toEqual(['r1']);
    await second.event(id, 'message.queued', ({ answers }) => answers === answered);
    expect(await second.interaction(id, open)).toMatchObject({ leftOpen: { cause: 'server-ended' } });
    expect(await second.interaction(id, agents)).toMatchObject({ status: 'open' });
    again.end();
    await second.until('the late answer', () => again.sent()[0]?.text === plain);
    expect(second.all(id, 'message.queued').filter(({ answers }) => answers === answered)).toHaveLength(1);
  });

  it('a server that lets its agents live on tells the tools that they end', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const run = new ToolRun(room, id);
    const ends: string[] = [];
    room.engine.tools.onRunEnd((_, reason) => void ends.push(reason));
    const asked = await run.asks();
    await room.engine.detach();
    expect(await run.end()).toMatchObject({ kind: 'ended', outcome: 'lost' });
    expect(ends).toEqual(['The server ends.']);
    expect(room.all(id, 'interaction.left-open')).toMatchObject([{ interactionId: asked }]);
  });
});
