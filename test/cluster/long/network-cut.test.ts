import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/beckon-process.ts';
import { drilledAgent } from '../../support/drilled-agent.ts';
import { eventually } from '../../support/eventually.ts';
import {
  answered,
  askOf,
  ClusterRig,
  endClusters,
  eventsOf,
  idle,
  interactionOf,
  machineIs,
  sessionOn,
} from '../cluster-rig.ts';
import { noNats } from '../nats-server.ts';
import { Network, noNetns } from '../netns.ts';

afterEach(endClusters);

const why = noNats ?? noNetns;
describe.skipIf(why)(`machines with networks of their own${why ? ` (skipped: ${why})` : ''}`, () => {
  test('[CLU16] [CLU10] [CLU21] a machine is cut off while its agents ask: they go on, the others are served, and each answer arrives once or is said to be late', async () => {
    const network = new Network();
    for (const machine of ['near', 'cut']) network.link(machine);
    const rig = await ClusterRig.make({ machines: ['near', 'cut'], network });
    const beckon = await rig.startRoom();
    const claude = drilledAgent(await temporaryDirectory());
    await Promise.all(
      ['near', 'cut'].map((name) =>
        rig.startRunner(name, { args: ['--data-dir', rig.dataDir(name), '--claude', claude] }),
      ),
    );
    for (const machine of ['near', 'cut']) await machineIs(beckon, machine, 'reachable');
    for (const machine of ['near', 'cut'])
      expect(network.listening(machine)).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);

    const [waiting, leaving, other] = await Promise.all([
      sessionOn(beckon, 'cut', 'run touch asked.txt'),
      sessionOn(beckon, 'cut', '!withdraw-later', 'claude'),
      sessionOn(beckon, 'near', 'run touch asked.txt'),
    ]);
    const [waitsFor, leaves] = [await askOf(beckon, waiting.id), await askOf(beckon, leaving.id)];
    network.cut('cut');
    const { since } = await machineIs(beckon, 'cut', 'unreachable');
    expect(Date.parse(since)).toBeLessThanOrEqual(Date.now());
    writeFileSync(join(leaving.cwd, 'enough'), '');
    await eventually('the agent goes on', () => existsSync(join(leaving.cwd, 'went-on.txt')));
    for (const [{ id }, ask] of [[waiting, waitsFor] as const, [leaving, leaves] as const]) {
      expect(await answered(beckon, id, ask)).toMatchObject({ status: 200 });
      expect(await interactionOf(beckon, id, ask)).toMatchObject({
        outcome: 'allowed',
        undelivered: { machine: 'cut' },
      });
    }
    expect(await answered(beckon, other.id, await askOf(beckon, other.id))).toMatchObject({ status: 200 });
    await eventually('the other machine is served', () => existsSync(join(other.cwd, 'asked.txt')));
    expect(existsSync(join(waiting.cwd, 'asked.txt'))).toBe(false);

    network.mend('cut');
    await machineIs(beckon, 'cut', 'reachable');
    await eventually('it was done', () => existsSync(join(waiting.cwd, 'asked.txt')));
    for (const { id } of [waiting, leaving]) await idle(beckon, id);
    expect(await interactionOf(beckon, waiting.id, waitsFor)).toMatchObject({
      outcome: 'allowed',
      deliveredAt: expect.any(String),
    });
    const late = await interactionOf(beckon, leaving.id, leaves);
    expect(late).toMatchObject({ outcome: 'withdrawn' });
    expect(late).not.toHaveProperty('deliveredAt');
    for (const { id } of [waiting, leaving]) await expectOnce(beckon, id);
  });
});

/** Whatever was sent again on the way, the record has each step once. */
async function expectOnce(beckon: Parameters<typeof eventsOf>[0], id: string): Promise<void> {
  const types = (await eventsOf(beckon, id)).map(({ type }) => type);
  for (const once of ['interaction.requested', 'interaction.decided', 'interaction.resolved', 'turn.ended'])
    expect({ once, count: types.filter((type) => type === once).length }).toEqual({ once, count: 1 });
}
