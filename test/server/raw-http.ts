import { connect, type Socket } from 'node:net';
import { patienceMs } from '../support/patience.ts';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends exactly these bytes and reads until the connection ends or the announced body is there. */
export function rawRequest(port: number, lines: readonly string[], body = ''): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`));
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('no answer')));
    let text = '';
    const done = (): void => {
      socket.destroy();
      resolve(answerOf(text));
    };
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (isWhole(text)) done();
    });
    socket.on('end', done);
    socket.on('error', reject);
  });
}

/** A connection that has sent this request and reads nothing until it is resumed. */
export function pausedConnection(port: number, lines: readonly string[]): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      socket.pause();
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

function isWhole(text: string): boolean {
  const [head, body] = text.split('\r\n\r\n', 2);
  const length = /content-length: (\d+)/i.exec(head ?? '')?.[1];
  return length !== undefined && body !== undefined && Buffer.byteLength(body) >= Number(length);
}

function answerOf(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const head = end < 0 ? text : text.slice(0, end);
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
    head,
    body: end < 0 ? '' : text.slice(end + 4),
  };
}
