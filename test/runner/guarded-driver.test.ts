import { expect, test } from 'vitest';
import { guardLimits } from '../../src/runner/guarded-connection.ts';
import { guardedDriver } from '../../src/runner/guarded-driver.ts';
import type { AgentConnection, AgentDriver, AgentFact, Report } from '../../src/runner/ports/agent-driver.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { bashAsk, capabilities } from '../support/session-states.ts';

endRoomsAfterEach();

const never = new Promise<never>(() => {});
const fail = () => {
  throw new Error('a fault in the driver');
};
const ready: AgentFact = { type: 'ready', agentSessionId: null, version: null, capabilities };
const exited: AgentFact = { type: 'exited', code: 0, signal: null, stderr: [] };

interface Misbehaviour {
  readonly probe?: AgentDriver['probe'];
  readonly start?: (report: Report, clock: FakeClock) => unknown;
  /** In place of the methods of a connection that does all it should. */
  readonly connection?: Partial<Record<keyof AgentConnection, unknown>>;
}

/** A room with a healthy session, which waits for an answer, beside one of the driver in question. */
async function beside({ probe, start, connection }: Misbehaviour) {
  const reports: Report[] = [];
  const ended: string[] = [];
  const room = await openRoom({
    others: ({ clock, logger }) => {
      const driver: AgentDriver = {
        name: 'its own name',
        label: 'Mine',
        probe: probe ?? (async () => ({ name: 'x', label: 'X', available: true, capabilities })),
        start(_options, report) {
          reports.push(report);
          const made = start?.(report, clock);
          if (start !== undefined && made !== undefined) return made as AgentConnection;
          if (start === undefined) queueMicrotask(() => report([ready]));
          return { ...obedient(report), ...connection } as AgentConnection;
        },
      };
      const endProcesses = async (runId: string) => void ended.push(runId);
      const as = <T>(code: () => T): T => code();
      return [
        guardedDriver(driver, { name: 'mine', clock, logger, asDriver: as, asServer: as, endProcesses }),
      ];
    },
  });
  const [healthy] = await room.running();
  const ask = await room.asks(healthy, bashAsk('r1', 'ls'));
  const { id } = await room.create({ agent: 'mine' });
  const isReady = () => room.event(id, 'process.ready');
  const tell = (...facts: unknown[]): void => reports.at(-1)?.(facts as AgentFact[]);
  /** The other session goes on as if nothing had happened. */
  const othersGoOn = async (): Promise<void> => {
    await room.do('approve', { session: healthy, requestId: ask.requestId, decision: 'allow' });
    await room.until('the answer is written', () => room.driver.agent(healthy).answers()[0]);
    room.driver.agent(healthy).end();
    await room.event(healthy, 'turn.ended', ({ outcome }) => outcome === 'completed');
  };
  return { room, id, isReady, tell, othersGoOn, ended };
}

const obedient = (report: Report): AgentConnection => ({
  async send({ messageId }) {
    report([{ type: 'message-taken', messageId }, { type: 'turn-started' }]);
  },
  answer: async () => ({ ok: true }),
  interrupt: async () => {},
  setPermissionMode: async () => {},
  setModel: async () => {},
  async close() {
    report([exited]);
  },
  pause() {},
  resume() {},
});

const failure = async (room: EngineRoom, id: string) => (await room.event(id, 'session.failed')).reason;

test('[API14] a start that throws, or gives no connection, fails its own session with the words', async () => {
  const thrower = await beside({ start: fail });
  expect(await failure(thrower.room, thrower.id)).toContain('a fault in the driver');
  await thrower.othersGoOn();
  const liar = await beside({ start: () => Promise.resolve('later') });
  expect(await failure(liar.room, liar.id)).toContain('The driver gave no connection: it has no "send"');
  await liar.othersGoOn();
});

test('[API14] a start that is never ready is given up after two minutes', async () => {
  const { room, id, othersGoOn, ended } = await beside({ start: () => undefined });
  await room.event(id, 'process.starting');
  await room.until('it is waited for', () => room.clock.armed > 0);
  room.clock.pass(guardLimits.startMs);
  expect(await failure(room, id)).toContain('did not say within 120 seconds that the agent is ready');
  expect(ended).toHaveLength(1);
  await othersGoOn();
});

test.each([
  ['throws', () => fail(), 'a fault in the driver'],
  ['rejects', async () => fail(), 'a fault in the driver'],
  ['never settles', () => never, 'not done with "send" after 60 seconds'],
])('[API14] a send that %s ends its run, and the message waits on', async (how, send, words) => {
  const { room, id, isReady, othersGoOn } = await beside({ connection: { send } });
  await isReady();
  await room.do('sendMessage', { session: id, message: 'go on' });
  // The first crash is mended by itself; the second within a minute is the end.
  for (const runs of [1, 2]) {
    await room.until('it is sent', () => room.all(id, 'message.sending').length === runs);
    if (how === 'never settles') room.clock.pass(guardLimits.orderMs);
    await room.until('its run ends', () => room.all(id, 'process.exited').length === runs);
    expect(room.all(id, 'process.exited').at(-1)?.stderr.join()).toContain(words);
    if (room.all(id, 'session.failed').length > 0) break;
    await room.until('it is ready again', () => room.all(id, 'process.ready').length === runs + 1);
  }
  expect(await room.queue(id)).toEqual(['go on']);
  await othersGoOn();
});

test.each([
  ['throws', () => fail()],
  ['rejects', async () => fail()],
  ['says nothing that is known', async () => ({ fine: true })],
  ['never settles', () => never],
])('[API14] an answer that %s counts as unknown, and is told', async (how, answer) => {
  const { room, id, isReady, tell, othersGoOn } = await beside({ connection: { answer } });
  await isReady();
  tell({ type: 'turn-started' }, { type: 'asked', ask: bashAsk('a1', 'ls') });
  const { interactionId: requestId } = await room.event(id, 'interaction.requested');
  await room.do('approve', { session: id, requestId, decision: 'allow' });
  await room.event(id, 'interaction.decided');
  if (how === 'never settles') room.clock.pass(guardLimits.orderMs);
  expect(await room.event(id, 'interaction.resolved')).toMatchObject({ outcome: 'unknown' });
  await othersGoOn();
});

test.each([
  ['throws', () => fail()],
  ['never settles', () => never],
])('[API14] an interrupt that %s leaves the turn overdue, and a stop ends it', async (_how, interrupt) => {
  const { room, id, isReady, tell, othersGoOn } = await beside({ connection: { interrupt } });
  await isReady();
  tell({ type: 'turn-started' });
  await room.event(id, 'turn.started');
  await room.do('interrupt', { session: id });
  await room.event(id, 'turn.interrupting');
  room.clock.pass(3_000);
  await room.event(id, 'turn.overdue');
  await room.do('stop', { session: id });
  await room.event(id, 'process.exited');
  await othersGoOn();
});

test.each([
  ['throws', () => fail(), 'could not end its agent: a fault in the driver'],
  ['never settles', () => never, 'did not end its agent within 5 seconds'],
  ['tells of no exit', async () => {}, 'did not tell that its agent has ended'],
])(
  '[API14] a close that %s is the end all the same, and its processes are ended',
  async (how, close, words) => {
    const { room, id, isReady, othersGoOn, ended } = await beside({ connection: { close } });
    await isReady();
    await othersGoOn();
    const closed = room.end();
    await room.event(id, 'process.closing');
    if (how === 'never settles') room.clock.pass(guardLimits.closeMs);
    await closed;
    expect(room.all(id, 'process.exited')[0]).toMatchObject({
      cause: 'asked',
      stderr: [expect.stringContaining(words)],
    });
    expect(ended).toHaveLength(1);
    room.abandon();
  },
);

test('[API14] what is no fact becomes a diagnostic, and the run goes on', async () => {
  const { room, id, isReady, tell, othersGoOn } = await beside({});
  await isReady();
  const cyclic: Record<string, unknown> = { type: 'said' };
  cyclic.event = cyclic;
  const text = { type: 'agent.text', agentMessageId: 'm', block: 0, text: 'still here' };
  tell(
    ...[null, 7, 'ready', {}, { type: 'lunch' }, { type: 'delta', delta: 'x' }, cyclic],
    ...[
      { type: 'said', event: { ...text, text: 9n } },
      { type: 'turn-ended', outcome: 'lost' },
    ],
    { type: 'asked', ask: { ...bashAsk('a1', 'ls'), kind: 'order' } },
    {
      get type() {
        return fail();
      },
    },
    // These are facts, and make no sense.
    ...[
      { type: 'withdrawn', agentRequestId: 'none' },
      { type: 'turn-ended', outcome: 'completed' },
    ],
    ...[{ type: 'message-taken', messageId: 'none' }, { type: 'caught-up' }, ready],
    { type: 'said', event: { type: 'tool.result', toolCallId: 'none', isError: false, text: '' } },
    { type: 'said', event: text },
  );
  await room.event(id, 'agent.text', ({ text: said }) => said === 'still here');
  tell({ type: 'turn-ended', outcome: 'completed' });
  await room.event(id, 'turn.ended');
  const told = room.all(id, 'diagnostic');
  expect(told.at(-1)).toMatchObject({ code: 'no-fact', count: 11 });
  expect(told[0]?.text).toMatch(/^The driver told no fact: /);
  await othersGoOn();
});

test('[API14] an ask that poses as one of a tool goes to the agent all the same', async () => {
  const { room, id, isReady, tell } = await beside({});
  await isReady();
  const tool = { name: 'greet', callId: 'c1', attempt: 1 };
  tell({ type: 'turn-started' }, { type: 'asked', ask: { ...bashAsk('a1', 'ls'), tool } });
  const { ask, interactionId: requestId } = await room.event(id, 'interaction.requested');
  expect(ask.tool).toBeUndefined();
  await room.do('approve', { session: id, requestId, decision: 'allow' });
  expect(await room.event(id, 'interaction.resolved')).toMatchObject({ outcome: 'allowed' });
});

test('[API14] what is told after the exit is dropped, and the log has a line', async () => {
  const { room, id, isReady, tell, othersGoOn } = await beside({});
  await isReady();
  await room.do('stop', { session: id });
  await room.event(id, 'process.exited');
  const before = room.events(id).length;
  tell({ type: 'asked', ask: bashAsk('a1', 'ls') }, exited);
  tell({ type: 'turn-started' });
  await room.drained(id);
  expect(room.events(id)).toHaveLength(before);
  expect(room.complaints.filter((line) => line.startsWith('A driver told something of a run'))).toHaveLength(
    1,
  );
  await othersGoOn();
});

const drip = { type: 'agent.text', agentMessageId: 'm', block: 0, text: 'drip' } as const;
const flood = (facts: number): AgentFact[] =>
  Array.from({ length: facts }, () => ({ type: 'said', event: drip }));

test('[API14] a flood that heeds no pause is the end of its run', async () => {
  const { room, id, isReady, tell, othersGoOn } = await beside({ connection: { close: () => never } });
  await isReady();
  for (let told = 0; told < 40; told += 1) tell(...flood(1_000));
  await othersGoOn();
  await room.until('its run was ended', () => room.snapshot(id).session.lastSeq > 1_000);
  expect(room.complaints.join()).toContain('told more than 20000 things while it was to wait');
});

test('[API14] others go on beside a flood that never ends', async () => {
  let isFlooding = true;
  const { room, id, isReady, tell, othersGoOn } = await beside({});
  await isReady();
  const pour = (): void => {
    tell(...flood(20));
    if (isFlooding) setImmediate(pour);
  };
  pour();
  await othersGoOn();
  await room.do('stop', { session: id });
  isFlooding = false;
  expect((await room.session(id)).status).toBe('stopped');
});

test('[API14] a call that keeps everyone waiting is named in the log with its time', async () => {
  const { room, isReady, othersGoOn } = await beside({
    start(report, clock) {
      queueMicrotask(() => report([ready]));
      clock.pass(750);
      return undefined;
    },
  });
  await isReady();
  await othersGoOn();
  expect(room.complaints).toContainEqual(
    'A driver kept everyone waiting {"agent":"mine","call":"start","tookMs":750}',
  );
});

test.each([
  ['throws', () => fail(), 'Its driver failed: a fault in the driver'],
  ['lies', async () => ({ name: 'claude', available: 'maybe' }), 'does not say in a known shape'],
  ['never settles', () => never, 'did not say within 5 seconds whether it can be started'],
])(
  '[API14] a probe that %s is listed as not available, and all others are listed',
  async (how, probe, words) => {
    const room = await openRoom({
      others: ({ clock, logger }) => {
        const as = <T>(code: () => T): T => code();
        const driver = { name: 'mine', label: 'Mine', probe, start: fail } as unknown as AgentDriver;
        const options = { clock, logger, asDriver: as, asServer: as, endProcesses: async () => {} };
        return [guardedDriver(driver, { name: 'mine', ...options })];
      },
    });
    const listing = room.do('listAgents');
    if (how === 'never settles') {
      await room.until('it is waited for', () => room.clock.armed > 0);
      room.clock.pass(guardLimits.probeMs);
    }
    const { agents } = (await listing).body as { agents: { name: string; label: string; reason?: string }[] };
    expect(agents).toMatchObject([
      { name: 'demo', available: true },
      { name: 'mine', label: 'Mine', available: false, reason: expect.stringContaining(words) },
    ]);
  },
);
