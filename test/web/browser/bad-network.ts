import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach } from 'vitest';

/** A network between a page and its server, in the test's hand. */
export interface BadNetwork {
  /** Where the page finds the server; it must be among the server's `allowedHosts`. */
  readonly host: string;
  readonly url: string;
  /** The server is behind this port from now on. */
  leadTo(port: number): void;
  /** Every piece on its way to the page is held up for so long, from now on; connections are numbered as they are made. */
  delay: (connection: number) => number;
  /** Ends all connections there are. */
  cut(): void;
  /** Of all connections there are nothing arrives any more, and nobody is told; new ones work. */
  freeze(): void;
}

const ends: (() => void)[] = [];

/** For a file of tests: the networks they make are gone after each of them. */
export function withBadNetworks(): () => Promise<BadNetwork> {
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });
  return makeBadNetwork;
}

async function makeBadNetwork(): Promise<BadNetwork> {
  const pairs = new Set<{ near: Socket; far: Socket; isFrozen: boolean }>();
  let target = 0;
  let made = 0;
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    const connection = made;
    made += 1;
    const pair = { near, far, isFrozen: false };
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far])
      socket
        .setNoDelay(true)
        .on('error', end)
        .on('close', () => pair.isFrozen || end());
    near.on('data', (chunk) => pair.isFrozen || far.write(chunk));
    let before = Promise.resolve();
    far.on('data', (chunk) => {
      const pause = network.delay(connection);
      before = before.then(async () => {
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
        if (!pair.isFrozen && !near.destroyed) near.write(chunk);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const network: BadNetwork = {
    host,
    url: `http://${host}`,
    leadTo: (port) => {
      target = port;
    },
    delay: () => 0,
    cut: () => {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
    },
    freeze: () => {
      for (const pair of pairs) pair.isFrozen = true;
    },
  };
  ends.push(() => {
    server.close();
    network.cut();
  });
  return network;
}
