import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMachine, makeCluster, natsConfigOf } from '../../../src/cluster/cluster.ts';
import { inboxOf } from '../../../src/cluster/nats/subjects.ts';
import { runnerOf } from '../../support/runner-of.ts';
import { ScriptedDriver } from '../../support/scripted-driver.ts';
import { NatsRig } from '../nats-rig.ts';
import { NatsServer, noNats } from '../nats-server.ts';

describe.skipIf(noNats)(`the keys of a cluster${noNats ? ` (skipped: ${noNats})` : ''}`, () => {
  const store = mkdtempSync(join(tmpdir(), 'beckon-store-'));
  const made = makeCluster({ address: '127.0.0.1:4222', listen: '127.0.0.1:4222', store });
  const one = addMachine(made, 'one');
  const two = addMachine(one.cluster, 'two');
  const { room } = two.cluster.room;
  const server = new NatsServer(natsConfigOf(two.cluster));
  const rig = new NatsRig(server, room);
  beforeAll(() => server.start());
  afterAll(async () => {
    await rig.close();
    await server.remove();
    rmSync(store, { recursive: true, force: true });
  });

  test('[CLU9] with them a room has its runners, and each runner its room', async () => {
    const roomCarrier = await rig.carrier('room', { seed: made.room.seed });
    for (const { name, seed } of [one.file, two.file]) {
      await rig.serve(
        await rig.carrier(name, { seed }),
        name,
        runnerOf([new ScriptedDriver(`agent of ${name}`)]),
      );
      const [agent] = await rig.reach(roomCarrier, name).agents();
      expect(agent?.name).toBe(`agent of ${name}`);
    }
  });

  test('[CLU9] a runner that was broken into reads and writes nothing but its own', async () => {
    const broken = await asUser(two.file.seed);
    const refused = refusalsOf(broken);
    const streams = `beckon_${room}_one_orders`;
    const subscriptions = ['>', 'beckon.>', `beckon.${room}.one.to-runner`, `beckon.${room}.two.to-room`];
    const inbox = `${inboxOf(room, 'one')}.>`;
    for (const subject of [...subscriptions, inbox, '$JS.>', `beckon.${room}.two.orders`])
      expect({ subject, may: await maySubscribe(broken, subject) }).toEqual({ subject, may: false });
    const publications = [
      ...['facts', 'orders', 'to-room', 'to-runner'].map((kind) => `beckon.${room}.one.${kind}`),
      `beckon.${room}.two.orders`,
      `beckon.${room}.two.to-runner`,
      `$JS.API.STREAM.CREATE.mine`,
      `$JS.API.STREAM.UPDATE.beckon_${room}_two_orders`,
      `$JS.API.STREAM.DELETE.${streams}`,
      `$JS.API.STREAM.PURGE.beckon_${room}_two_orders`,
      `$JS.API.STREAM.MSG.GET.${streams}`,
      `$JS.API.STREAM.NAMES`,
      `$JS.API.CONSUMER.CREATE.${streams}`,
      `$JS.API.CONSUMER.CREATE.beckon_${room}_two_orders`,
      `$JS.API.CONSUMER.MSG.NEXT.${streams}.reader`,
      `$JS.ACK.${streams}.reader.1.1.1.1.1`,
      `${inboxOf(room, 'room')}.x`,
    ];
    for (const subject of publications)
      expect({ subject, may: await mayPublish(broken, refused, subject) }).toEqual({ subject, may: false });
    const own = `beckon.${room}.two.to-room`;
    expect({ own, may: await mayPublish(broken, refused, own) }).toEqual({ own, may: true });
    expect(rig.odd).toEqual(['a message of the runner']);
    await broken.close();
  });

  test('[CLU9] who has no key, or that of another cluster, gets nowhere', async () => {
    const strangers = [undefined, makeCluster({ address: 'x', listen: 'x', store }).room.seed];
    for (const seed of strangers) {
      const failure = await asUser(seed).then(
        () => 'connected',
        (error: unknown) => error,
      );
      expect(failure).not.toBe('connected');
      expect(failure).toBeInstanceOf(Error);
    }
  });

  test('[CLU9] nothing of another machine is in the file of one', () => {
    const text = JSON.stringify(one.file);
    for (const secret of [made.room.seed, two.file.seed, two.file.unsealWith])
      expect(text).not.toContain(secret);
    expect(JSON.stringify(two.cluster)).not.toContain(one.file.seed);
    expect(JSON.stringify(two.cluster)).not.toContain(one.file.unsealWith);
  });

  async function asUser(seed: string | undefined): Promise<NatsConnection> {
    return connect({
      servers: server.url,
      inboxPrefix: inboxOf(room, 'two'),
      reconnect: false,
      ...(seed !== undefined && { authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)) }),
    });
  }
});

/** What the server says of it comes before its answer to the next ping. */
async function maySubscribe(connection: NatsConnection, subject: string): Promise<boolean> {
  let refused = false;
  const subscription = connection.subscribe(subject, {
    callback: (error) => {
      refused ||= error !== null;
    },
  });
  await connection.flush();
  await connection.flush();
  const may = !refused && !subscription.isClosed();
  if (may) subscription.unsubscribe();
  return may;
}

async function mayPublish(connection: NatsConnection, refused: readonly string[], subject: string) {
  const before = refused.length;
  connection.publish(subject, '{}');
  await connection.flush();
  await connection.flush();
  return !refused.slice(before).some((words) => words.includes(subject));
}

/** What the server says no to, as long as the connection is there. */
function refusalsOf(connection: NatsConnection): readonly string[] {
  const refusals: string[] = [];
  const listen = async (): Promise<void> => {
    for await (const status of connection.status())
      if (status.type === 'error') refusals.push(String(status.error));
  };
  void listen();
  return refusals;
}
