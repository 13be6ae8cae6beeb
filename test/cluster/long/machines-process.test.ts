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

  test('[CLU11] an agent on another machine asks with a tool: answered over a killed runner, then over a killed room, each once', async () => {
    const rig = await ClusterRig.make({ machines });
    let beckon = await rig.startRoom();
    let runner = await rig.startRunner('gpu-1');
    await machineIs(beckon, 'gpu-1', 'reachable');
    const asked = () =>
      eventually('it asks', async () => (await beckon.api('GET', '/api/pending')).body.pending?.[0]);
    /** Somebody is there who could answer. */
    const headers = { authorization: `Bearer ${beckon.token}`, accept: 'text/event-stream' };
    const looking = await fetch(`${beckon.url}/api/events`, { headers });
    const created = await beckon.api('POST', '/api/sessions', {
      agent: 'demo',
      machine: 'gpu-1',
      cwd: await temporaryDirectory(),
      prompt: 'ask',
    });
    const { id } = created.body.session;
    const events = async () =>
      (await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`)).body.events as { type: string }[];
    const says = (words: string) =>
      eventually(`it says ${words}`, async () => JSON.stringify(await events()).includes(words));
    const answer = (interactionId: string, name: string) =>
      beckon.api('POST', `/api/sessions/${id}/respond`, {
        interactionId,
        action: 'submit',
        input: { answer: name },
      });

    const first = await asked();
    expect(first).toMatchObject({ kind: 'form', sessionId: id });
    await kill(runner);
    runner = await rig.startRunner('gpu-1');
    await machineIs(beckon, 'gpu-1', 'reachable');
    expect(await answer(first.interactionId, 'Ada')).toMatchObject({ status: 200 });
    await says('**Ada** it is.');

    await beckon.api('POST', `/api/sessions/${id}/message`, { message: 'ask' });
    const second = await asked();
    await beckon.kill9();
    // Held to here: what nobody refers to is closed.
    expect(looking.status).toBe(200);
    beckon = await rig.startRoom({ dataDir: beckon.dataDir });
    await says('I got no answer: Beckon was restarted while this tool waited for a person.');
    expect((await asked()).interactionId).toBe(second.interactionId);
    expect(await answer(second.interactionId, 'Grace')).toMatchObject({ status: 200 });
    await eventually(
      'the answer was taken as a message',
      async () => (await events()).filter(({ type }) => type === 'turn.ended').length === 3,
    );
    const all = await events();
    expect(all.filter((event) => 'answers' in event)).toMatchObject([
      { type: 'message.queued', answers: second.interactionId, text: expect.stringContaining('Grace') },
    ]);
    const count = (type: string) => all.filter((event) => event.type === type).length;
    expect(count('interaction.requested')).toBe(2);
    expect(count('interaction.decided')).toBe(2);
    await kill(runner);
  });

  test('[CLU7] [CLU10] files are for their owner alone, a runner listens on loopback alone, and is refused in words when it is started twice', async () => {
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
    expect(portsOf(first.child.pid ?? 0)).toEqual([expect.stringMatching(/^0100007F:/)]);
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
