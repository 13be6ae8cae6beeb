import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
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
import { Network, noFarLink } from '../netns.ts';

afterEach(endClusters);

const why = noNats ?? noFarLink;
describe.skipIf(why)(`a machine far away${why ? ` (skipped: ${why})` : ''}`, () => {
  test('[CLU16] [CLU1] with 200 ms on the way and every fiftieth packet lost, an agent is streamed, asks and is answered, each once', async () => {
    const network = new Network();
    await network.linkFar('far', { oneWayMs: 100, lossPercent: 2 });
    const rig = await ClusterRig.make({ machines: ['far'], network });
    expect(network.roundTripMs('far', 4222)).toBeGreaterThanOrEqual(200);
    const beckon = await rig.startRoom();
    const runner = await rig.startRunner('far');
    await machineIs(beckon, 'far', 'reachable');
    const { id, cwd } = await sessionOn(beckon, 'far', 'slow 40');
    await idle(beckon, id);
    for (const file of ['one', 'two']) {
      await beckon.api('POST', `/api/sessions/${id}/message`, { message: `run touch ${file}` });
      expect(await answered(beckon, id, await askOf(beckon, id))).toMatchObject({ status: 200 });
      await eventually(`${file} is there`, () => existsSync(join(cwd, file)));
      await idle(beckon, id);
    }
    const events = await eventsOf(beckon, id);
    const counted = Array.from({ length: 40 }, (_, at) => `word${at + 1}`).join(' ');
    expect(events.filter(({ type, text }) => type === 'agent.text' && text === counted)).toHaveLength(1);
    for (const [type, count] of [
      ['interaction.requested', 2],
      ['interaction.resolved', 2],
      ['turn.ended', 3],
    ] as const)
      expect({ type, count: events.filter((event) => event.type === type).length }).toEqual({
        type,
        count,
      });
    expect(runner.stderr()).not.toContain('not understood');
  });
});
