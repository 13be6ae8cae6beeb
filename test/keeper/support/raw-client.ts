import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { FrameReader } from '../../../src/drivers/keeper/frames.ts';
import { eventually } from '../../support/eventually.ts';
import { frameBytes } from './frame-bytes.ts';

/** Says to a keeper whatever a test wants, right or wrong. */
export class RawClient {
  readonly socket: Socket;
  readonly heard: Readonly<Record<string, unknown>>[] = [];
  readonly closed: Promise<unknown>;

  constructor(dataDir: string, number = 1) {
    this.socket = connect(join(dataDir, 'keeper', `${number}.sock`));
    this.socket.on('error', () => {});
    // Not `once`, which rejects when the keeper hangs up on us.
    this.closed = new Promise((resolve) => this.socket.on('close', resolve));
    const reader = new FrameReader(({ head }) => this.heard.push(head), { trusted: true });
    this.socket.on('data', (chunk) => reader.feed(chunk));
  }

  say(head: object, body?: Buffer): void {
    this.socket.write(frameBytes(head, body));
  }

  greet(as: 'server' | 'visitor', major = 1): Promise<Readonly<Record<string, unknown>>> {
    this.sayHello(as, major);
    return this.hears('hello');
  }

  sayHello(as: 'server' | 'visitor', major = 1): void {
    this.say({ t: 'hello', as, protocol: { major, minor: 0 }, version: 'raw' });
  }

  hears(
    t: string,
    where: Readonly<Record<string, unknown>> = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const matches = (head: Readonly<Record<string, unknown>>) =>
      head.t === t && Object.entries(where).every(([field, value]) => head[field] === value);
    return eventually(`the keeper says ${t}`, () => this.heard.find(matches));
  }
}
