import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Machine, UnclaimedRun } from '../../../src/protocol/machine.ts';
import { type Beckon, runBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import {
  answered,
  askOf,
  ClusterRig,
  endClusters,
  eventsOf,
  idle,
  machineIs,
  sessionOn,
} from '../cluster-rig.ts';
import { noNats } from '../nats-server.ts';

describe.skipIf(noNats)(`a room restored from a backup${noNats ? ` (skipped: ${noNats})` : ''}`, () => {
  afterEach(endClusters);

  test('[CLU15] [CLU32] shows the agents that went on since; one goes on in its session, one in a new one, and one is ended', async () => {
    const rig = await ClusterRig.make({ machines: ['gpu-1'] });
    const first = await rig.startRoom();
    const runner = await rig.startRunner('gpu-1');
    await machineIs(first, 'gpu-1', 'reachable');
    const older = await sessionOn(first, 'gpu-1', 'remember the word heron');
    await idle(first, older.id);
    const backup = join(await temporaryDirectory(), 'backup.tar');
    expect(await first.run(['backup', backup])).toMatchObject({ code: 0 });

    await say(first, older.id, 'run touch since.txt');
    await answered(first, older.id, await askOf(first, older.id));
    await idle(first, older.id);
    expect(existsSync(join(older.cwd, 'since.txt'))).toBe(true);
    const taken = await sessionOn(first, 'gpu-1', 'hello');
    const ended = await sessionOn(first, 'gpu-1', 'run touch never.txt');
    await idle(first, taken.id);
    await askOf(first, ended.id);
    await first.kill9();

    const dataDir = join(await temporaryDirectory(), 'restored');
    expect(await runBeckon(['restore', backup, '--data-dir', dataDir])).toMatchObject({ code: 0 });
    const room = await rig.startRoom({ dataDir });
    const unclaimed = async (): Promise<readonly UnclaimedRun[]> => {
      const { body } = await room.api('GET', '/api/machines');
      return (body.machines as Machine[]).find(({ name }) => name === 'gpu-1')?.unclaimed ?? [];
    };
    const runOf = (sessionId: string): Promise<UnclaimedRun> =>
      eventually(`the run of ${sessionId} is listed`, async () =>
        (await unclaimed()).find((run) => run.sessionId === sessionId),
      );
    expect(await runOf(older.id)).toMatchObject({ isRunning: true, canBeTaken: true, endsWhenTaken: true });
    expect(await runOf(taken.id)).toMatchObject({ isRunning: true, canBeTaken: true, cwd: taken.cwd });
    expect(await runOf(ended.id)).toMatchObject({ isRunning: true });
    expect(await unclaimed()).toHaveLength(3);
    const exit = (await eventsOf(room, older.id)).findLast(({ type }) => type === 'process.exited');
    expect(exit).toMatchObject({ cause: 'host-ended', reason: expect.stringContaining('goes on there') });

    for (const { id } of [older, taken]) await act(room, 'take', (await runOf(id)).runId);
    await act(room, 'end', (await runOf(ended.id)).runId);
    expect(await unclaimed()).toEqual([]);
    await say(room, older.id, 'run touch again.txt');
    await answered(room, older.id, await askOf(room, older.id));
    await eventually('it was done', () => existsSync(join(older.cwd, 'again.txt')));
    const { sessions } = (await room.api('GET', '/api/sessions')).body;
    expect(sessions.map(({ cwd }: { cwd: string }) => cwd).sort()).toEqual([older.cwd, taken.cwd].sort());
    expect(existsSync(join(ended.cwd, 'never.txt'))).toBe(false);
    runner.child.kill();
    await runner.exited;
  });
});

const say = (beckon: Beckon, id: string, message: string) =>
  beckon.api('POST', `/api/sessions/${id}/message`, { message });

async function act(beckon: Beckon, what: 'take' | 'end', runId: string): Promise<void> {
  expect(await beckon.run(['machines', `--${what}`, runId])).toMatchObject({ code: 0 });
}
