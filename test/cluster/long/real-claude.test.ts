import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { claudeEnvironment, claudePrograms } from '../../real-agents/claude-program.ts';
import { type ModelStandIn, startModelStandIn, text, toolUse } from '../../real-agents/model-stand-in.ts';
import { temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually, holds } from '../../support/eventually.ts';
import {
  answered,
  askOf,
  ClusterRig,
  endClusters,
  eventsOf,
  idle,
  interactionOf,
  kill,
  machineIs,
  sessionOn,
} from '../cluster-rig.ts';
import { noNats } from '../nats-server.ts';
import { Network, noNetns } from '../netns.ts';

let model: ModelStandIn | undefined;
afterEach(async () => {
  await endClusters();
  await model?.close();
});

const [claude] = claudePrograms();
const noClaude =
  claude && existsSync(claude.path) ? undefined : 'Claude Code is not installed in test/real-agents';
const why = noNats ?? noClaude;
const where = noNetns ? `on loopback: ${noNetns}` : 'in a network of its own';

describe.skipIf(why)(
  `the real Claude Code on another machine, ${where}${why ? ` (skipped: ${why})` : ''}`,
  () => {
    test('[CLU10] [CLU1] [CLU5] it asks, everything but it is killed, NATS comes back empty, and the answer reaches it once', async () => {
      const network = noNetns ? undefined : new Network();
      network?.link('gpu-1');
      const rig = await ClusterRig.make({ machines: ['gpu-1'], ...(network && { network }) });
      model = await startModelStandIn();
      model.on('make a file', [toolUse('Bash', { command: 'touch made.txt', description: 'Makes a file' })]);
      model.afterTool('Bash', [text('It is made.')]);
      const home = join(await temporaryDirectory(), 'home');
      mkdirSync(home);
      await network?.lend('gpu-1', 4141, new URL(model.url).port, join(home, 'model'));
      const baseUrl = network ? 'http://127.0.0.1:4141' : model.url;
      const options = {
        env: claudeEnvironment({ baseUrl, home }),
        args: ['--data-dir', rig.dataDir('gpu-1'), '--claude', claude?.path ?? ''],
      };
      let beckon = await rig.startRoom();
      const first = await rig.startRunner('gpu-1', options);
      await machineIs(beckon, 'gpu-1', 'reachable');
      const { id, cwd } = await sessionOn(beckon, 'gpu-1', 'make a file', 'claude');
      // The real program takes its time to start.
      const pending = async () => (await beckon.api('GET', `/api/sessions/${id}/pending`)).body.pending;
      await holds(async () => expect(await pending()).toHaveLength(1), 60_000);
      const ask = await askOf(beckon, id);

      await kill(first);
      await beckon.kill9();
      await rig.server.kill();
      rig.server.empty();
      await rig.server.start();
      beckon = await rig.startRoom({ dataDir: beckon.dataDir });
      await rig.startRunner('gpu-1', options);
      expect(await answered(beckon, id, ask)).toMatchObject({ status: 200 });
      await eventually('it was done', () => existsSync(join(cwd, 'made.txt')));
      await idle(beckon, id);
      expect(await interactionOf(beckon, id, ask)).toMatchObject({
        outcome: 'allowed',
        deliveredAt: expect.any(String),
      });
      const events = await eventsOf(beckon, id);
      expect(events.filter(({ type }) => type === 'process.starting')).toHaveLength(1);
      expect(events.filter(({ type, text }) => type === 'agent.text' && text === 'It is made.')).toHaveLength(
        1,
      );
      expect(model.requests.filter(({ toolResults }) => toolResults.length > 0)).toHaveLength(1);
    });
  },
);
