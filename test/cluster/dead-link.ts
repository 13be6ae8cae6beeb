import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to NATS on which connections die without a word: both ends keep an open socket that nothing comes through any more. */
export class DeadLink {
  readonly #sockets: Socket[] = [];
  readonly #server: Server;
  #isCut = false;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#server = createServer((near) => {
      if (this.#isCut) {
        near.on('error', () => {}).destroy();
        return;
      }
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) socket.on('error', () => {});
      this.#sockets.push(near, far);
      near.pipe(far).pipe(near);
    });
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What is connected is dead from now on; whoever connects anew gets through. */
  die(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** What is connected is dead from now on, and nobody gets through anew until it is mended. */
  cut(): void {
    this.#isCut = true;
    this.die();
  }

  mend(): void {
    this.#isCut = false;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
