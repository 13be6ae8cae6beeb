import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { spawnBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { makeCertificate, noOpenssl } from '../certificates.ts';
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

afterEach(endClusters);
const machines = ['gpu-1'];

const clock = pathToFileURL(join(import.meta.dirname, '../../support/shifted-clock.ts')).href;
const offBy = (minutes: number) => ({
  env: { NODE_OPTIONS: `--import ${clock}`, CLOCK_SHIFT_MS: String(minutes * 60_000) },
});

describe.skipIf(noNats)(`machines that are apart${noNats ? ` (skipped: ${noNats})` : ''}`, () => {
  test('[CLU19] a runner whose clock is seven minutes ahead, then behind: all goes on, and the times on record are the room’s', async () => {
    const rig = await ClusterRig.make({ machines });
    const begin = Date.now();
    const beckon = await rig.startRoom();
    const ahead = await rig.startRunner('gpu-1', offBy(7));
    await machineIs(beckon, 'gpu-1', 'reachable');
    const { id, cwd } = await sessionOn(beckon, 'gpu-1', 'run date -u +%FT%TZ > asked.txt');
    const ask = await askOf(beckon, id);
    await kill(ahead);
    await machineIs(beckon, 'gpu-1', 'unreachable');
    // What the runner notes for itself shows that its clock was off.
    const [run = ''] = readdirSync(join(rig.dataDir('gpu-1'), 'run'));
    const notes = readFileSync(join(rig.dataDir('gpu-1'), 'run', run, 'about.json'), 'utf8');
    expect(Date.parse(JSON.parse(notes).startedAt)).toBeGreaterThan(begin + 6 * 60_000);
    await rig.startRunner('gpu-1', offBy(-7));
    const machine = await machineIs(beckon, 'gpu-1', 'reachable');
    expect(await answered(beckon, id, ask)).toMatchObject({ status: 200 });
    await idle(beckon, id);
    expect(existsSync(join(cwd, 'asked.txt'))).toBe(true);
    const events = await eventsOf(beckon, id);
    const told = [
      machine,
      events,
      await interactionOf(beckon, id, ask),
      await beckon.api('GET', '/api/sessions'),
    ];
    const times = JSON.stringify(told).match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [];
    expect(times.length).toBeGreaterThan(events.length);
    for (const time of times) {
      expect(Date.parse(time)).toBeGreaterThanOrEqual(begin);
      expect(Date.parse(time)).toBeLessThanOrEqual(Date.now());
    }
    expect(events.filter(({ type }) => type === 'interaction.resolved')).toMatchObject([
      { outcome: 'allowed' },
    ]);
  });

  test.skipIf(noOpenssl)(
    '[CLU18] with certificates all is as without; who shows none, or another one, is told nothing',
    async () => {
      const dir = await temporaryDirectory();
      const [own, other] = [makeCertificate(dir, 'own'), makeCertificate(dir, 'other')];
      const init = ['--tls-cert', own.cert, '--tls-key', own.key, '--tls-ca', own.ca];
      const rig = await ClusterRig.make({ machines, init, host: 'localhost' });
      const beckon = await rig.startRoom();
      const runner = await rig.startRunner('gpu-1');
      await machineIs(beckon, 'gpu-1', 'reachable');
      const { id, cwd } = await sessionOn(beckon, 'gpu-1', 'run touch asked.txt');
      expect(await answered(beckon, id, await askOf(beckon, id))).toMatchObject({ status: 200 });
      await idle(beckon, id);
      expect(existsSync(join(cwd, 'asked.txt'))).toBe(true);
      await kill(runner);

      const file = JSON.parse(readFileSync(rig.file('gpu-1'), 'utf8'));
      const heard: string[] = [];
      const liar = createServer((socket) => {
        socket.on('error', () => {}).on('data', (bytes) => heard.push(bytes.toString()));
        socket.write(
          'INFO {"server_id":"x","version":"2.9.10","proto":1,"max_payload":1048576,"nonce":"abc"}\r\n',
        );
      }).listen(0, '127.0.0.1');
      await once(liar, 'listening');
      const [, secret = ''] = /^(\w+):/.exec(file.servers[0]) ?? [];
      const wrong = [
        { ...file, ca: readFileSync(other.ca, 'utf8') },
        { ...file, ca: undefined },
        {
          ...file,
          ca: undefined,
          servers: [`${secret}://127.0.0.1:${(liar.address() as AddressInfo).port}`],
        },
      ];
      for (const [index, content] of wrong.entries()) {
        const path = join(dir, `wrong-${index}.json`);
        writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
        const lost = spawnBeckon(['runner', '--cluster', path, '--data-dir', rig.dataDir('gpu-1')]);
        await eventually('it says why', () => lost.stderr().includes('NATS is not reached'));
        expect(lost.stdout()).toBe('');
        await kill(lost);
      }
      expect(heard).toEqual([]);
      liar.close();
      rmSync(dir, { recursive: true });
    },
  );
});
