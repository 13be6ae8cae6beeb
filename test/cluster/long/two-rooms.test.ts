import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { stopAgents } from '../../../src/drivers/process/run-admin.ts';
import { runBeckon, spawnBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import {
  answered,
  askOf,
  ClusterRig,
  endClusters,
  idle,
  kill,
  machineIs,
  sessionOn,
} from '../cluster-rig.ts';
import { noNats } from '../nats-server.ts';

afterEach(endClusters);
const machines = ['gpu-1'];

describe.skipIf(noNats)(`a machine of two rooms${noNats ? ` (skipped: ${noNats})` : ''}`, () => {
  test('[CLU17] [CLU7] one machine has runners for two rooms side by side; what is not a runner’s own is refused in words', async () => {
    const [one, two] = [await ClusterRig.make({ machines }), await ClusterRig.make({ machines })];
    const env = { HOME: await temporaryDirectory() };
    const ownDirectory = (rig: ClusterRig): string => {
      const { room } = JSON.parse(readFileSync(rig.file('gpu-1'), 'utf8'));
      return join(env.HOME, '.beckon/runners', `gpu-1.${room}`);
    };
    const rooms = [await one.startRoom(), await two.startRoom()] as const;
    const [first] = [
      await one.startRunner('gpu-1', { env, args: [] }),
      await two.startRunner('gpu-1', { env, args: [] }),
    ];
    for (const room of rooms) await machineIs(room, 'gpu-1', 'reachable');
    // It takes as long as the one that is there might have been silent.
    const twin = spawnBeckon(['runner', '--cluster', one.file('gpu-1'), '--data-dir', one.dataDir('gpu-1')]);
    const sessions = [
      await sessionOn(rooms[0], 'gpu-1', 'run touch asked.txt'),
      await sessionOn(rooms[1], 'gpu-1', 'run touch asked.txt'),
    ] as const;
    for (const at of [0, 1] as const) {
      const { id, cwd } = sessions[at];
      const ask = await askOf(rooms[at], id);
      expect(await machineIs(rooms[at], 'gpu-1', 'reachable')).toMatchObject({ sessions: 1, unclaimed: [] });
      expect(await answered(rooms[at], id, ask)).toMatchObject({ status: 200 });
      await idle(rooms[at], id);
      expect(existsSync(join(cwd, 'asked.txt'))).toBe(true);
    }
    expect(await twin.exited).toMatchObject({ code: 1 });
    expect(twin.stderr()).toContain('Another runner with the same name is at work');
    await kill(first);
    const left = ownDirectory(one);
    const stranger = await runBeckon(['runner', '--cluster', two.file('gpu-1'), '--data-dir', left]);
    expect(stranger).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('belongs to the agents of another room'),
    });
    for (const rig of [one, two]) await stopAgents(ownDirectory(rig));
  });
});
