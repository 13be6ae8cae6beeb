import { describe, expect, it } from 'vitest';
import { endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { ProgressInMemory, RecordingChannel } from '../support/recording-channel.ts';
import { asking, endNotifiersAfterEach, notifying, passed, programs, settled } from './notifying.ts';

endRoomsAfterEach();
endNotifiersAfterEach();

describe('people', () => {
  it('[REACH4] are told after the grace, of several asks of a session at once', async () => {
    const room = await openRoom();
    const phone = new RecordingChannel();
    await notifying(room, [phone]);
    const [id] = await room.running();
    await room.asks(id, asking('r1', 'ls'));
    await passed(room, 6_000);
    await room.asks(id, asking('r2', 'pwd'));
    await passed(room, 3_999);
    expect(phone.told).toEqual([]);
    await passed(room, 1);
    expect(phone.told).toEqual(['waits ls, pwd']);
    await passed(room, 600_000);
    expect(phone.told).toHaveLength(1);
  });

  it('[REACH4] are not told what was answered within the grace, and what they were told is taken back', async () => {
    const room = await openRoom();
    const phone = new RecordingChannel();
    await notifying(room, [phone]);
    const [id] = await room.running();
    const first = await room.asks(id, asking('r1', 'ls'));
    await room.do('approve', { session: id, requestId: first.interactionId, decision: 'allow' });
    await passed(room, 60_000);
    expect(phone.told).toEqual([]);
    const second = await room.asks(id, asking('r2', 'pwd'));
    await passed(room, 10_000);
    expect(phone.told).toEqual(['waits pwd']);
    await room.do('approve', { session: id, requestId: second.interactionId, decision: 'allow' });
    await settled();
    expect(phone.withdrawn.map(({ id: notice }) => notice)).toEqual([phone.sent[0]?.id]);
  });

  it('[REACH4] what waits already is told again only with something new, and as one', async () => {
    const room = await openRoom();
    const phone = new RecordingChannel();
    await notifying(room, [phone]);
    const [id] = await room.running();
    const first = await room.asks(id, asking('r1', 'ls'));
    await passed(room, 10_000);
    await room.asks(id, asking('r2', 'pwd'));
    await passed(room, 10_000);
    expect(phone.told).toEqual(['waits ls', 'waits ls, pwd']);
    await room.do('approve', { session: id, requestId: first.interactionId, decision: 'allow' });
    await settled();
    expect(phone.withdrawn).toEqual([]);
  });

  it('[REACH1] are told that a turn is done or has failed, unless the session works on', async () => {
    const room = await openRoom();
    const phone = new RecordingChannel();
    await notifying(room, [phone]);
    const [id, agent] = await room.running();
    agent.end();
    await room.event(id, 'turn.ended');
    await passed(room, 5_000);
    await room.do('sendMessage', { session: id, message: 'more' });
    await room.until('it is sent', () => agent.sent().length > 1);
    agent.begin();
    await room.event(id, 'turn.started', ({ seq }) => seq > 8);
    await passed(room, 60_000);
    expect(phone.told).toEqual([]);
    agent.end('failed');
    await room.event(id, 'turn.ended', ({ outcome }) => outcome === 'failed');
    await passed(room, 10_000);
    expect(phone.told).toEqual(['failed']);
    const [other, second] = await room.running();
    second.end();
    await room.event(other, 'turn.ended');
    await passed(room, 10_000);
    expect(phone.told).toEqual(['failed', 'done']);
  });

  it('[REACH4] what was told before a restart is taken back by the next server', async () => {
    const room = await openRoom();
    const store = new ProgressInMemory();
    const phone = new RecordingChannel();
    const first = await notifying(room, [phone], { store });
    const [id] = await room.running();
    const { interactionId } = await room.asks(id, asking('r1', 'ls'));
    await passed(room, 10_000);
    await first.close();
    await room.do('approve', { session: id, requestId: interactionId, decision: 'allow' });
    await notifying(room, [phone], { store });
    await settled();
    expect(phone.withdrawn).toHaveLength(1);
    expect(phone.sent).toHaveLength(1);
  });
});

it('[REACH4] people are told also by a clock that goes on while one looks at it', async () => {
  class GoingClock extends FakeClock {
    #looks = 0;
    override elapsed(): number {
      this.#looks += 1;
      return super.elapsed() + this.#looks / 1_000;
    }
  }
  const room = await openRoom({ clock: new GoingClock() });
  const phone = new RecordingChannel({ graceMs: 0 });
  await notifying(room, [phone]);
  const [id] = await room.running();
  await room.asks(id, asking('r1', 'ls'));
  await passed(room, 100);
  expect(phone.told).toEqual(['waits ls']);
});

describe('programs', () => {
  it('[REACH7] hear everything at once, each by itself, also what is over', async () => {
    const room = await openRoom();
    const program = programs();
    await notifying(room, [program]);
    const [id, agent] = await room.running();
    const first = await room.asks(id, asking('r1', 'ls'));
    await room.asks(id, asking('r2', 'pwd'));
    await room.do('approve', { session: id, requestId: first.interactionId, decision: 'allow' });
    await room.event(id, 'interaction.resolved');
    agent.end();
    await room.event(id, 'turn.ended');
    await settled();
    expect(program.told.slice(0, 3)).toEqual(['waits ls', 'waits pwd', 'answered ls']);
    expect(program.told.at(-1)).toBe('done');
  });

  it('[REACH1] are told what expired, and not what a grant has answered', async () => {
    const room = await openRoom({ settings: { askTimeout: { hardSeconds: 60 } } });
    const program = programs();
    await notifying(room, [program]);
    const [id] = await room.running();
    const { interactionId } = await room.asks(id, asking('r1', 'ls'));
    const given = { session: id, requestId: interactionId, decision: 'allow', scope: 'session' };
    await room.do('approve', given);
    await room.event(id, 'interaction.resolved');
    await room.asks(id, asking('r2', 'ls'));
    const expiring = await room.asks(id, asking('r3', 'pwd'));
    await passed(room, 60_000);
    await room.event(id, 'interaction.resolved', (event) => event.interactionId === expiring.interactionId);
    await settled();
    expect(program.told).toEqual(['waits ls', 'answered ls', 'waits pwd', 'answered pwd']);
    expect(program.sent.at(-1)).toMatchObject({ outcome: 'expired', by: 'timer' });
  });

  it('[REACH1] are told of a crash once, and of what an agent began by itself not at all', async () => {
    const room = await openRoom();
    const program = programs();
    await notifying(room, [program]);
    const [id, agent] = await room.running();
    agent.exit(1);
    await room.event(id, 'process.exited');
    await settled();
    expect(program.told).toEqual(['failed']);
    const [other, second] = await room.idle();
    second.report({ type: 'turn-started' });
    await room.event(other, 'turn.started');
    second.end();
    await room.event(other, 'turn.ended');
    await settled();
    expect(program.told).toEqual(['failed']);
  });

  it('[REACH7] one that fails is tried again later and later, and a session waits for its own only', async () => {
    const room = await openRoom();
    const program = programs();
    await notifying(room, [program]);
    const [bad] = await room.running();
    const [good] = await room.running();
    program.answer = ({ session }) => (session.id === bad ? { is: 'later', reason: 'no' } : { is: 'taken' });
    await room.asks(bad, asking('r1', 'ls'));
    await room.asks(bad, asking('r2', 'pwd'));
    await settled();
    await room.asks(good, asking('r3', 'date'));
    await settled();
    expect(program.told).toEqual(['waits ls', 'waits date']);
    await passed(room, 4_999);
    expect(program.sent).toHaveLength(2);
    await passed(room, 1);
    expect(program.told.at(-1)).toBe('waits ls');
    await passed(room, 29_999);
    expect(program.sent).toHaveLength(3);
    program.answer = () => ({ is: 'taken' });
    await passed(room, 1);
    expect(program.told.slice(3)).toEqual(['waits ls', 'waits pwd']);
    expect(new Set(program.sent.map(({ id }) => id)).size).toBe(3);
  });

  it('[REACH8] of what a dead one should hear little is kept in memory, and all of it arrives in the end', async () => {
    const room = await openRoom();
    const dead = programs('dead');
    const alive = programs('alive');
    const notifier = await notifying(room, [dead, alive]);
    dead.answer = () => ({ is: 'later', reason: 'no' });
    const ids = [(await room.running())[0], (await room.running())[0]];
    const expected = ids.map((id, at) =>
      Array.from({ length: 80 }, (_, count) => `waits ${at} ${count} of ${id}`),
    );
    for (const [at, id] of ids.entries())
      for (let count = 0; count < 80; count += 1)
        await room.asks(id, asking(`r${at}-${count}`, `${at} ${count} of ${id}`));
    await settled();
    expect(alive.sent).toHaveLength(160);
    expect(notifier.states()).toMatchObject([{ waiting: 100 }, { waiting: 0 }]);
    dead.answer = () => ({ is: 'taken' });
    dead.sent.length = 0;
    for (let tries = 0; tries < 12; tries += 1) await passed(room, 3_600_000);
    for (const [at, id] of ids.entries())
      expect(dead.told.filter((told) => told.endsWith(id))).toEqual(expected[at]);
  });

  it('[REACH8] one that is gone for ever is not tried again before the next start', async () => {
    const room = await openRoom();
    const store = new ProgressInMemory();
    const program = programs();
    const notifier = await notifying(room, [program], { store });
    program.answer = () => ({ is: 'gone', reason: 'It wants nothing more.' });
    const [id] = await room.running();
    await room.asks(id, asking('r1', 'ls'));
    await settled();
    await room.asks(id, asking('r2', 'pwd'));
    await passed(room, 86_400_000);
    expect(program.told).toEqual(['waits ls']);
    expect(notifier.states()).toMatchObject([
      { disabled: true, lastError: { reason: 'It wants nothing more.' } },
    ]);
    await notifier.close();
    program.answer = () => ({ is: 'taken' });
    await notifying(room, [program], { store });
    await settled();
    expect(program.told.slice(1)).toEqual(['waits ls', 'waits pwd']);
  });

  it('[REACH7] one that takes nothing for three days is told no more of that, and it is counted', async () => {
    const room = await openRoom();
    const program = programs();
    const notifier = await notifying(room, [program]);
    program.answer = ({ id }) => (id.startsWith('waits') ? { is: 'later', reason: 'no' } : { is: 'taken' });
    const [id] = await room.running();
    await room.asks(id, asking('r1', 'ls'));
    for (let hour = 0; hour < 74; hour += 1) await passed(room, 3_600_000);
    const { length } = program.sent;
    expect(notifier.states()).toMatchObject([{ dropped: 1, waiting: 0 }]);
    for (let hour = 0; hour < 5; hour += 1) await passed(room, 3_600_000);
    expect(program.sent).toHaveLength(length);
  });

  it('[REACH7] what was not taken before a restart is told after it, and what was taken is not', async () => {
    const room = await openRoom();
    const store = new ProgressInMemory();
    const program = programs();
    const before = await notifying(room, [program], { store });
    const [one] = await room.running();
    const [two] = await room.running();
    program.answer = ({ session }) => (session.id === one ? { is: 'later', reason: 'no' } : { is: 'taken' });
    await room.asks(one, asking('r1', 'ls'));
    await room.asks(two, asking('r2', 'pwd'));
    await settled();
    await before.close();
    await room.asks(two, asking('r3', 'date'));
    program.answer = () => ({ is: 'taken' });
    program.sent.length = 0;
    await notifying(room, [program], { store });
    await settled();
    expect(program.told).toEqual(['waits ls', 'waits date']);
  });

  it('[REACH7] a channel that is new hears nothing of before', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    await room.asks(id, asking('r1', 'ls'));
    const program = programs();
    await notifying(room, [program]);
    await settled();
    expect(program.told).toEqual([]);
    await room.asks(id, asking('r2', 'pwd'));
    await settled();
    expect(program.told).toEqual(['waits pwd']);
  });
});
