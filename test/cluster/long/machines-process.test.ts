import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { runBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { ClusterRig, endClusters, idle, kill, machineIs } from '../cluster-rig.ts';
import { noNats } from '../nats-server.ts';

describe.skipIf(noNats)(`real processes over a real NATS${noNats ? ` (skipped: ${noNats})` : ''}`, () => {
  afterEach(endClusters);
  const machines = ['gpu-1'];

  test('[CLU10] [CLU1] an agent on another machine asks, everything is killed in between, and the answer reaches it once', async () => {
    const rig = await ClusterRig.make({ machines });
    const { server } = rig;
    const work = await temporaryDirectory();
    let beckon = await rig.startRoom();
    let runner = await rig.startRunner('gpu-1');
    await machineIs(beckon, 'gpu-1', 'reachable');
    const created = await beckon.api('POST', '/api/sessions', {
      agent: 'demo',
      machine: 'gpu-1',
      cwd: work,
      prompt: 'run touch asked.txt',
      env: { HUSH: 'a secret of the session' },
    });
    expect(created).toMatchObject({ status: 201, body: { session: { machine: 'gpu-1' } } });
    const { id } = created.body.session;
    const pending = () =>
      eventually('it asks', async () => (await beckon.api('GET', '/api/pending')).body.pending?.[0]);
    const ask = await pending();

    await kill(runner);
    await machineIs(beckon, 'gpu-1', 'unreachable');
    await beckon.kill9();
    await server.kill();
    server.empty();
    await server.start();
    beckon = await rig.startRoom({ dataDir: beckon.dataDir });
    expect((await pending()).requestId).toBe(ask.requestId);
    const approved = await beckon.run(['approve', ask.requestId]);
    expect(approved).toMatchObject({ code: 0 });
    expect(existsSync(join(work, 'asked.txt'))).toBe(false);
    runner = await rig.startRunner('gpu-1');
    await eventually('it was done', () => existsSync(join(work, 'asked.txt')));
    await idle(beckon, id);
    const { body } = await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`);
    const types: string[] = body.events.map(({ type }: { type: string }) => type);
    for (const once of ['interaction.requested', 'interaction.decided', 'interaction.resolved', 'turn.ended'])
      expect({ once, count: types.filter((type) => type === once).length }).toEqual({ once, count: 1 });
    expect(body.events.find(({ type }: { type: string }) => type === 'interaction.resolved')).toMatchObject({
      outcome: 'allowed',
    });
    await kill(runner);
  });

  test('[CLU7] [CLU10] files are for their owner alone, a runner listens on no port, and is refused in words when it is started twice', async () => {
    const rig = await ClusterRig.make({ machines });
    const { dir } = rig;
    const [file, dataDir] = [rig.file('gpu-1'), rig.dataDir('gpu-1')];
    for (const name of ['nats.conf', 'room.json', 'cluster.json'])
      expect({ name, mode: statSync(join(dir, name)).mode & 0o777 }).toEqual({ name, mode: 0o600 });
    const again = await runBeckon(['cluster', 'init', '--dir', dir]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('has a cluster already') });
    const same = await runBeckon(['cluster', 'add', 'gpu-1', '--dir', dir]);
    expect(same).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('"gpu-1" already') });
    const odd = await runBeckon(['cluster', 'add', 'a.b', '--dir', dir]);
    expect(odd).toMatchObject({ code: 2, stdout: '' });
    const first = await rig.startRunner('gpu-1');
    expect(portsOf(first.child.pid ?? 0)).toEqual([]);
    const second = await runBeckon(['runner', '--cluster', file, '--data-dir', dataDir]);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(dataDir) });
    await kill(first);
  });
});

/** The addresses at which a process listens, as the system has them. */
function portsOf(pid: number): string[] {
  const fds = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  const sockets = new Set(fds.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
  expect(sockets.size).toBeGreaterThan(0);
  const rows = ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8').split('\n'),
  );
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
    return state === '0A' && sockets.has(inode) ? [local] : [];
  });
}
