import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SessionId } from '../../../src/protocol/ids.ts';
import { runnerContract } from '../../contracts/runner-contract.ts';
import { allow, answer, message, RunRecorder } from '../../contracts/small-room.ts';
import { demoAgent, onFiles } from '../../runner/runner-rig.ts';
import { eventually } from '../../support/eventually.ts';
import { NatsRig } from '../nats-rig.ts';
import { NatsServer, noNats } from '../nats-server.ts';

describe.skipIf(noNats)(`over a real NATS${noNats ? ` (skipped: ${noNats})` : ''}`, () => {
  const server = new NatsServer();
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  async function machine() {
    const under = onFiles(demoAgent);
    const rig = new NatsRig(server);
    const local = under.open();
    const far = await rig.carrier('far');
    const serving = await rig.serve(far, 'far', local);
    const room = await rig.carrier('room');
    const close = async (): Promise<void> => {
      await serving.stop();
      await rig.close();
      await local.close();
      await under.close();
    };
    return { ...under, rig, open: () => rig.reach(room, 'far'), close };
  }

  runnerContract('a runner over NATS, whose rooms come and go', machine);

  test('[CLU1] [CLU5] NATS is killed in the middle of an ask and comes back empty: the answer reaches the agent once', async () => {
    const { open, rig, close, dir, agent, scenario } = await machine();
    const room = open();
    const runId = 'run_over_nats';
    const order = { agent, cwd: dir, realCwd: null, roots: [], env: {} };
    const session = { runId, sessionId: SessionId.parse('s1'), resume: null, tools: null };
    const facts = new RunRecorder(runId);
    const run = room.start({ ...order, ...session, permissionMode: null, model: null }, facts.take);
    await facts.of('ready');
    await run.give(message(scenario.command));
    const { ask } = await facts.of('asked');
    await server.kill();
    await eventually('it is noticed', () => rig.states.at(-1) === 'unreachable');
    const given = run.give(answer(ask, allow));
    server.empty();
    await server.start();
    expect(await given).toEqual({ ok: true });
    expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(dir, 'asked.txt'))).toBe(true);
    expect(facts.every('asked')).toHaveLength(1);
    expect(rig.states.at(-1)).toBe('reachable');
    await room.close();
    await close();
  });
});
