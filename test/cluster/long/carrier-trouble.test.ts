import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { streamsOf } from '../../../src/cluster/nats/subjects.ts';
import { SessionId } from '../../../src/protocol/ids.ts';
import { allow, answer, message, RunRecorder } from '../../contracts/small-room.ts';
import { demoAgent, onFiles } from '../../runner/runner-rig.ts';
import { eventually } from '../../support/eventually.ts';
import { DeadLink } from '../dead-link.ts';
import { NatsRig } from '../nats-rig.ts';
import { NatsServer, noNats } from '../nats-server.ts';

describe.skipIf(noNats)(`a carrier in trouble${noNats ? ` (skipped: ${noNats})` : ''}`, () => {
  const server = new NatsServer();
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  /** A machine whose agent is ready, by these ways to NATS. */
  async function machine(ways: { readonly room?: readonly string[]; readonly far?: readonly string[] }) {
    const way = (who: 'room' | 'far') => ({ servers: ways[who] ?? [server.url] });
    const under = onFiles(demoAgent);
    const rig = new NatsRig(server);
    const local = under.open();
    const serving = await rig.serve(await rig.carrier('far', way('far')), 'far', local);
    const room = rig.reach(await rig.carrier('room', way('room')), 'far');
    const facts = new RunRecorder('run1');
    const place = { agent: under.agent, cwd: under.dir, realCwd: null, roots: [], env: {} };
    const session = { runId: 'run1', sessionId: SessionId.parse('s1'), resume: null, tools: null };
    const run = room.start({ ...place, ...session, permissionMode: null, model: null }, facts.take);
    await facts.of('ready');
    const close = async (): Promise<void> => {
      await room.close();
      await serving.stop();
      await rig.close();
      await local.close();
      await under.close();
    };
    return { rig, run, facts, close, dir: under.dir };
  }

  test('[CLU19] [CLU4] [CLU30] a stream that is full refuses what an agent says to a room that is away: it is kept, told of, and comes once when the room is back', async () => {
    const link = new DeadLink(server.url);
    const { rig, run, facts, close, dir } = await machine({ room: [await link.open()] });
    const keeper = await connect({ servers: server.url });
    const { streams } = await jetstreamManager(keeper);
    const { facts: name } = streamsOf({ room: rig.room, runner: 'far' });
    await streams.update(name, { max_bytes: 100 });
    await run.give(message('run until [ -e go.txt ]; do sleep 0.05; done'));
    const { ask } = await facts.of('asked');
    expect(await run.give(answer(ask, allow))).toEqual({ ok: true });
    link.cut();
    await eventually('the machine is away', () => rig.states.at(-1) === 'unreachable');
    const before = facts.last;
    writeFileSync(join(dir, 'go.txt'), '');
    await eventually('it is told', () => rig.troubles.some((words) => words.includes('maximum bytes')));
    expect(facts.last).toBe(before);
    link.mend();
    await facts.of('turn-ended');
    expect(facts.every('asked')).toHaveLength(1);
    expect(facts.every('turn-ended')).toHaveLength(1);
    await keeper.close();
    await close();
    await link.close();
  });

  test('[CLU16] a connection that is dead without a word is noticed and made anew, and the answer given meanwhile arrives once', async () => {
    const link = new DeadLink(server.url);
    const { rig, run, facts, close, dir } = await machine({ far: [await link.open()] });
    await run.give(message('run touch asked.txt'));
    const { ask } = await facts.of('asked');
    link.die();
    expect(await run.give(answer(ask, allow))).toEqual({ ok: true });
    await facts.of('turn-ended');
    expect(facts.every('asked')).toHaveLength(1);
    expect(existsSync(join(dir, 'asked.txt'))).toBe(true);
    expect(rig.troubles).toContain('The connection to NATS is gone');
    await close();
    await link.close();
  });
});
