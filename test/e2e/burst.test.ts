import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { type BurstAgent, burstAgent } from '../support/burst-agent.ts';
import { eventually } from '../support/eventually.ts';
import { meterReplies, workOf } from '../support/reply-meter.ts';

/** Milliseconds of work before a reply; it is some tens as a rule. An agent that holds up the server makes it many thousand. */
const MOST_WORK_MS = 1_000;

let beckon: Beckon;
let cwd: string;
let agent: BurstAgent;

beforeEach(async () => {
  cwd = await temporaryDirectory();
  agent = burstAgent(cwd);
  beckon = await startBeckon({ args: ['--claude', agent.program], env: { BECKON_DEMO_PACE: '0' } });
});

afterEach(endBeckons);

async function start(agent: string, prompt?: string): Promise<string> {
  const { status, body } = await beckon.api('POST', '/api/sessions', { agent, cwd, prompt });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.session.id;
}

const sessionOf = async (id: string) => (await beckon.api('GET', `/api/sessions/${id}`)).body.session;
const pendingOf = async (id: string) =>
  (await beckon.api('GET', `/api/sessions/${id}/pending`)).body.pending as { requestId: string }[];
const held = (id: string) =>
  eventually('the agent is held', async () => {
    const session = await sessionOf(id);
    return session.held === undefined ? undefined : session;
  });

async function allow(id: string, requestId: string): Promise<void> {
  const { status } = await beckon.api('POST', `/api/sessions/${id}/approve`, {
    requestId,
    decision: 'allow',
  });
  expect(status).toBe(200);
}

async function allowAll(id: string, asked: readonly { requestId: string }[], most = 1000): Promise<void> {
  for (const { requestId } of asked.slice(0, most)) await allow(id, requestId);
}

/** How long a stranger's request had to wait for other work, at most, while this was under way. */
async function slowestReply(during: Promise<unknown>): Promise<number> {
  const meter = meterReplies(beckon);
  await during.finally(() => meter.stop());
  return meter.stop();
}

// biome-ignore lint/suspicious/noExplicitAny: events of every kind
type AnyEvent = any;
const last = async (id: string, type: string): Promise<AnyEvent> =>
  eventually(type, async () => {
    const { body } = await beckon.api('GET', `/api/sessions/${id}/events?limit=3`);
    return body.events.find((event: AnyEvent) => event.type === type);
  });

async function eventsOf(id: string, type: string): Promise<AnyEvent[]> {
  const events: AnyEvent[] = [];
  for (let hasMore = true, after = 0; hasMore; ) {
    const { body } = await beckon.api('GET', `/api/sessions/${id}/events?limit=1000&after=${after}`);
    events.push(...body.events);
    ({ hasMore, lastSeq: after } = body);
  }
  return events.filter((event) => event.type === type);
}

describe('[SES15] an agent that asks 8,000 times in one breath', () => {
  it('is held, and nobody else is: others are answered at once, and it can be stopped', async () => {
    const id = await start('claude', 'asks 8000');
    expect(await slowestReply(held(id))).toBeLessThan(MOST_WORK_MS);
    const session = await sessionOf(id);
    expect(session).toMatchObject({ status: 'waiting', held: { since: expect.any(String), reason: 'asks' } });
    expect(session.pendingCount).toBeGreaterThanOrEqual(200);
    expect(session.pendingCount).toBeLessThan(600);
    const other = await start('demo', 'hello');
    await eventually('the other has answered', async () => (await sessionOf(other)).usage.turns === 1);
    const before = workOf(beckon.pid);
    expect(await beckon.api('POST', `/api/sessions/${id}/stop`)).toMatchObject({ status: 200 });
    expect(workOf(beckon.pid) - before).toBeLessThan(2000);
    expect(await pendingOf(id)).toEqual([]);
  });

  it.each([
    ['on files', []],
    ['of the server itself, which stands still in the midst of its asks', ['--ephemeral']],
  ])(
    'can be interrupted (one %s): what it asked ends with the turn, and it takes the next message',
    async (_, args) => {
      if (args.length > 0) beckon = await startBeckon({ args: ['--claude', agent.program, ...args] });
      const id = await start('claude', 'asks 3000');
      await held(id);
      expect(await beckon.api('POST', `/api/sessions/${id}/interrupt`)).toMatchObject({ status: 200 });
      expect(await slowestReply(last(id, 'turn.ended'))).toBeLessThan(MOST_WORK_MS);
      expect(await last(id, 'turn.ended')).toMatchObject({ outcome: 'interrupted' });
      expect(agent.record()).toEqual([{ interrupted: true }]);
      const ends = await eventsOf(id, 'interaction.resolved');
      expect(ends).toHaveLength(3000);
      expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(['interrupted']));
      await beckon.api('POST', `/api/sessions/${id}/message`, { message: 'asks 1' });
      const [next] = await eventually('the next ask', async () => {
        const pending = await pendingOf(id);
        return pending.length === 1 && pending;
      });
      expect((await sessionOf(id)).held).toBeUndefined();
      await allow(id, next?.requestId ?? '');
      await eventually('it is done', async () => (await sessionOf(id)).status === 'idle');
      expect(await last(id, 'turn.ended')).toMatchObject({ outcome: 'completed' });
    },
  );

  it('that dies while it is held is seen to be gone, with all it asked', async () => {
    const id = await start('claude', 'dies 3000');
    const exited = await eventually('its end', async () => (await eventsOf(id, 'process.exited'))[0]);
    expect(exited).toMatchObject({ code: 3, crashed: true });
    expect(await pendingOf(id)).toEqual([]);
    expect(await eventsOf(id, 'interaction.requested')).toHaveLength(3000);
    const ends = await eventsOf(id, 'interaction.resolved');
    expect(ends.map(({ outcome }) => outcome)).toEqual(Array(3000).fill('lost'));
  });

  it('hears every answer once, also when the server is killed while it is held', async () => {
    const id = await start('claude', 'asks 400');
    const first = await held(id);
    expect(first.pendingCount).toBeLessThan(400);
    await allowAll(id, await pendingOf(id), 50);
    await beckon.kill9();
    beckon = await startBeckon({ dataDir: beckon.dataDir, args: ['--claude', agent.program] });
    expect((await held(id)).pendingCount).toBeGreaterThanOrEqual(200);
    await eventually('everything is answered', async () => {
      await allowAll(id, await pendingOf(id));
      return agent.record().length >= 400;
    });
    await eventually('the turn is over', async () => (await sessionOf(id)).status === 'idle');
    const answered = agent.record().map((fact) => fact.answered);
    expect(new Set(answered).size).toBe(400);
    expect(answered).toHaveLength(400);
    expect(await eventsOf(id, 'interaction.requested')).toHaveLength(400);
    const outcomes = (await eventsOf(id, 'interaction.resolved')).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(Array(400).fill('allowed'));
  });
});

describe('[SES15] an agent with 8,000 calls open', () => {
  it('slows nobody, and all it said is there', async () => {
    const id = await start('claude', 'calls 8000');
    expect(await slowestReply(last(id, 'agent.text'))).toBeLessThan(MOST_WORK_MS);
    expect(await eventsOf(id, 'tool.called')).toHaveLength(8000);
    expect((await sessionOf(id)).awaited).toEqual({ what: 'Bash', id: 'toolu_7999' });
  });
});
