import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EngineSettings } from '../../src/engine/settings.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { eventually } from '../support/eventually.ts';
import { RecordingRunner } from '../support/recording-runner.ts';
import { runnerOf } from '../support/runner-of.ts';
import { type ScriptedAgent, ScriptedDriver } from '../support/scripted-driver.ts';
import { keptOf } from '../support/take-over.ts';
import { TestMachines } from '../support/test-machines.ts';

endRoomsAfterEach();

async function open(settings: Partial<EngineSettings> = {}) {
  const files = new RecordingRunner();
  const room = await openRoom({ carry: files.carry, settings });
  return { files, room };
}

/** Another server on the same log and machine, after the first was killed. */
async function reopen(first: EngineRoom, files: RecordingRunner, ...ids: readonly string[]) {
  const kept = ids.map((id) => keptOf(first, id));
  first.abandon();
  return openRoom({ log: first.log, clock: first.clock, run: 'second', kept, carry: files.carry });
}

/** A whole turn of an agent that writes this. */
async function turn(
  { room, files }: { room: EngineRoom; files: RecordingRunner },
  [id, agent]: [string, ScriptedAgent],
  content: string,
): Promise<string> {
  const sent = agent.sent().length;
  await room.do('sendMessage', { session: id, message: content });
  await room.until('it is sent', () => agent.sent().length > sent);
  agent.begin();
  files.write('a', content);
  agent.end();
  const recorded = await room.until('its end is recorded', () =>
    room
      .all(id, 'files.recorded')
      .filter(({ when }) => when === 'end')
      .at(sent),
  );
  return recorded.turnId;
}

const inTree = (files: RecordingRunner) => ({ cwd: files.tree });
const read = (files: RecordingRunner): string => readFileSync(join(files.tree, 'a'), 'utf8');
const recorded = (room: EngineRoom, id: string) =>
  room.all(id, 'files.recorded').map(({ when, late }) => (late ? `${when} late` : when));

describe('[CHG12] the files around a turn', () => {
  test('are recorded before its message is handed over, and when it has ended', async () => {
    const { files, room } = await open();
    files.hold('record');
    const [id, agent] = await room.idle(inTree(files));
    await room.do('sendMessage', { session: id, message: 'go on' });
    await eventually('it is asked for', async () => files.calls.length > 0);
    room.clock.pass(1999);
    await room.drained(id);
    expect(agent.sent()).toEqual([]);
    files.release('record');
    await room.until('it is sent', () => agent.sent().length > 0);
    const [start] = room.all(id, 'files.recorded');
    expect(start).toMatchObject({ when: 'start', unrecorded: 0, root: files.tree });
    agent.begin();
    expect((await room.event(id, 'turn.started')).turnId).toBe(start?.turnId);
    agent.end();
    await room.event(id, 'files.recorded', ({ when }) => when === 'end');
    expect(recorded(room, id)).toEqual(['start', 'end']);
  });

  test('[MSG1] [SES5] whoever interrupts while they are recorded means the turn that is about to begin', async () => {
    const { files, room } = await open();
    files.hold('record');
    const [id, agent] = await room.idle(inTree(files));
    await room.do('sendMessage', { session: id, message: 'go on' });
    await eventually('it is asked for', async () => files.calls.length > 0);
    const instead = room.do('sendMessage', { session: id, message: 'no, this', disposition: 'interrupt' });
    files.release('record');
    await room.until('it is sent', () => agent.sent().length > 0);
    agent.begin();
    expect(await instead).toMatchObject({ body: { applied: 'interrupt' } });
    await room.event(id, 'turn.interrupting');
  });

  test('[CHG14] keep a message waiting for two seconds, and are late then', async () => {
    const { files, room } = await open();
    files.hold('record');
    const [id, agent] = await room.idle(inTree(files));
    await room.do('sendMessage', { session: id, message: 'go on' });
    await eventually('it is asked for', async () => files.calls.length > 0);
    room.clock.pass(2000);
    await room.until('it is sent', () => agent.sent().length > 0);
    agent.begin();
    agent.end();
    await room.event(id, 'turn.ended');
    files.release('record');
    await room.event(id, 'files.recorded', ({ when }) => when === 'end');
    expect(recorded(room, id)).toEqual(['start late', 'end']);
    const { turns } = (await room.do('sessionChanges', { session: id })).body;
    expect(turns).toMatchObject([{ isLate: true }]);
  });

  test('keep a message waiting for as long as is set', async () => {
    const { files, room } = await open({ recordingMs: 5000 });
    files.hold('record');
    const [id, agent] = await room.idle(inTree(files));
    await room.do('sendMessage', { session: id, message: 'go on' });
    await eventually('it is asked for', async () => files.calls.length > 0);
    room.clock.pass(4999);
    await room.drained(id);
    expect(agent.sent()).toEqual([]);
    room.clock.pass(1);
    await room.until('it is sent', () => agent.sent().length > 0);
    files.release('record');
  });

  test('a message that was taken back while it waited is not handed over', async () => {
    const { files, room } = await open();
    files.hold('record');
    const [id, agent] = await room.idle(inTree(files));
    await room.do('sendMessage', { session: id, message: 'go on' });
    await eventually('it is asked for', async () => files.calls.length > 0);
    agent.endsWhenAsked = true;
    expect((await room.do('stop', { session: id })).body).toMatchObject({ returned: ['go on'] });
    files.release('record');
    await room.event(id, 'files.recorded');
    await room.drained(id);
    expect(agent.sent()).toEqual([]);
  });

  test('are late for a turn that the agent began by itself', async () => {
    const { files, room } = await open();
    const [id, agent] = await room.idle(inTree(files));
    agent.report({ type: 'turn-started' });
    await room.event(id, 'files.recorded');
    agent.end();
    await room.event(id, 'files.recorded', ({ when }) => when === 'end');
    expect(recorded(room, id)).toEqual(['start late', 'end']);
  });

  test('are late where the server was killed before it got to them', async () => {
    const { files, room } = await open();
    const [after] = await room.running(inTree(files));
    files.hold('record');
    const [before] = await room.idle(inTree(files));
    await room.do('sendMessage', { session: before, message: 'go on' });
    await room.event(before, 'message.sending');
    expect(recorded(room, after)).toEqual(['start']);
    files.forget('record');

    const next = await reopen(room, files, before, after);
    const [one, other] = [next.driver.agent(before), next.driver.agent(after)];
    other.report({ type: 'turn-ended', outcome: 'completed' }, { type: 'caught-up' });
    one.report({ type: 'caught-up' });
    await next.until('it is sent again', () => one.sent().length > 0);
    expect(recorded(next, before)).toEqual(['start late']);
    one.begin();
    one.end();
    await next.event(before, 'files.recorded', ({ when }) => when === 'end');
    expect(recorded(next, before)).toEqual(['start late', 'end']);
    await next.event(after, 'files.recorded', ({ when }) => when === 'end');
    expect(recorded(next, after)).toEqual(['start', 'end late']);
  });

  test('are recorded of a turn that ends with the server', async () => {
    const { files, room } = await open();
    const [id, agent] = await room.running(inTree(files));
    agent.endsWhenAsked = true;
    await room.engine.close();
    room.abandon();
    expect(room.all(id, 'turn.ended')).toMatchObject([{ outcome: 'lost' }]);
    expect(recorded(room, id)).toEqual(['start', 'end']);
  });

  test('are recorded where the session runs, and not while that machine is away', async () => {
    const files = new RecordingRunner();
    const driver = new ScriptedDriver();
    const machines = new TestMachines();
    const gpu = machines.add('gpu-1', { runner: files.carry(runnerOf([driver])) });
    const room = await openRoom({ machines });
    driver.onChange = () => room.look();
    await room.until('it is served', () => room.engine.overview().machines?.[1]?.state === 'reachable');
    const { id } = await room.create({ machine: 'gpu-1', prompt: 'go on', ...inTree(files) });
    const agent = await room.until('it is started', () => driver.agents.at(0));
    agent.ready();
    await room.until('it is sent', () => agent.sent().length > 0);
    expect(room.all(id, 'files.recorded')).toMatchObject([{ when: 'start', root: files.tree }]);
    agent.begin();
    files.hold('record');
    agent.end();
    await room.event(id, 'turn.ended');
    await eventually(
      'it is asked for',
      async () => files.calls.filter((call) => call === 'record').length > 1,
    );
    gpu.away();
    expect(await room.event(id, 'files.unrecorded')).toMatchObject({
      when: 'end',
      code: 'machine_unreachable',
    });
    expect((await room.refused('sessionChanges', { session: id })).code).toBe('machine_unreachable');
    files.release('record');
    gpu.back();
    await room.until('it is served', () => room.engine.overview().machines?.[1]?.state === 'reachable');
    // Whoever asks for the turn has it recorded, later than it should have been.
    const changes = await room.do('sessionChanges', { session: id, since: 'turn' });
    expect(changes.body).toMatchObject({ files: [], turns: [{ isLate: true }] });
    expect(recorded(room, id)).toEqual(['start', 'end late']);
  });
});

test('[CHG13] what another session of the work tree changed counts as outside of this one, and each pair is compared once', async () => {
  const { files, room } = await open();
  const one = await room.idle(inTree(files));
  const other = await room.idle(inTree(files));
  await turn({ room, files }, one, 'one\n');
  files.write('mine', 'of the person\n');
  await turn({ room, files }, other, 'other\n');
  const changes = async (id: string) => (await room.do('sessionChanges', { session: id })).body;
  expect(await changes(one[0])).toMatchObject({ between: ['mine'], both: ['a'] });
  expect(await changes(other[0])).toMatchObject({ between: [], both: [] });
  const asked = files.calls.filter((call) => call === 'changedPaths').length;
  await changes(one[0]);
  expect(files.calls.filter((call) => call === 'changedPaths')).toHaveLength(asked);
  const turns = (await changes(one[0])).turns as { title: string; files: number }[];
  expect(turns).toMatchObject([{ title: 'one', files: 1 }]);
});

test('[CHG18] of a turn whose recordings were given up that is said in words', async () => {
  const { files, room } = await open();
  const one = await room.idle(inTree(files));
  const turnId = await turn({ room, files }, one, 'agent\n');
  const [session] = one;
  files.write('a', 'something else\n');
  await files.giveUp(session);
  const told = { code: 'recording_not_found', message: expect.stringContaining('given up') };
  expect(await room.refused('sessionChanges', { session, since: 'turn' })).toMatchObject(told);
  expect(await room.refused('undo', { session, turnId })).toMatchObject(told);
  expect(room.all(session, 'files.unrestored')).toMatchObject([{ code: 'recording_not_found' }]);
  expect(await room.refused('undo', { session, turnId: 'none' })).toMatchObject({
    code: 'recording_not_found',
    message: 'The files were not recorded before this turn began.',
  });
});

describe('[CHG16] putting files back', () => {
  test('keeps other turns of the work tree waiting, and waits for none', async () => {
    const { files, room } = await open();
    const one = await room.idle(inTree(files));
    const [other, agent] = await room.idle(inTree(files));
    const turnId = await turn({ room, files }, one, 'agent\n');
    files.hold('undo');
    const undone = room.do('undo', { session: one[0], turnId });
    await eventually('it is under way', async () => files.calls.includes('undo'));
    expect(room.all(one[0], 'files.restoring')).toMatchObject([{ turnId, by: { kind: 'person' } }]);
    await room.do('sendMessage', { session: other, message: 'go on' });
    await room.event(other, 'files.recorded');
    room.clock.pass(2000);
    await room.drained(other);
    expect(agent.sent()).toEqual([]);
    files.release('undo');
    expect((await undone).body).toMatchObject({ paths: ['a'] });
    await room.until('it is sent', () => agent.sent().length > 0);
    expect(read(files)).toBe('first\n');
    expect((await room.refused('undo', { session: one[0], turnId })).details).toMatchObject({
      sessionId: other,
    });
  });

  test('that was on record and never begun when the server was killed is not done later', async () => {
    const { files, room } = await open();
    const one = await room.idle(inTree(files));
    const turnId = await turn({ room, files }, one, 'agent\n');
    const [id] = one;
    files.hold('undo');
    void room.do('undo', { session: id, turnId });
    await eventually('it is under way', async () => files.calls.includes('undo'));
    files.forget('undo');
    const next = await reopen(room, files, id);
    expect(await next.event(id, 'files.unrestored')).toMatchObject({ code: 'not_begun' });
    expect(read(files)).toBe('agent\n');
  });

  test('that was done when the server was killed is put on record by the next one', async () => {
    const { files, room } = await open();
    const one = await room.idle(inTree(files));
    const turnId = await turn({ room, files }, one, 'agent\n');
    const [id] = one;
    const done = files.lose('undo');
    void room.do('undo', { session: id, turnId });
    await done;
    expect(read(files)).toBe('first\n');
    expect(room.all(id, 'files.restored')).toEqual([]);
    files.loseNothing();
    const next = await reopen(room, files, id);
    const restored = await next.event(id, 'files.restored');
    expect(restored).toMatchObject({ turnId, paths: ['a'], by: { kind: 'person' } });
    const { before, after } = restored;
    await next.do('undo', { session: id, before, after });
    expect(read(files)).toBe('agent\n');
  });
});
