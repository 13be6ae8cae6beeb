import { WebSocket } from 'ws';
import { waitUntil } from './wait-until.ts';

// biome-ignore lint/suspicious/noExplicitAny: frames of many kinds, looked at field by field
type Frame = any;

/** A WebSocket client that keeps what it has heard. */
export class WsClient {
  readonly frames: Frame[] = [];
  readonly socket: WebSocket;
  closed: number | undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => void this.frames.push(JSON.parse(data.toString())));
    socket.on('close', (code) => {
      this.closed = code;
    });
    socket.on('error', () => undefined);
  }

  /** Resolves when it is open; rejects with the status when it was refused. */
  static open(url: string, headers: Record<string, string>, query = ''): Promise<WsClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/api/ws${query}`, { headers });
      const client = new WsClient(socket);
      socket.once('open', () => resolve(client));
      socket.once('unexpected-response', (_request, response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += String(chunk);
        });
        response.on('end', () => reject(Object.assign(new Error(body), { status: response.statusCode })));
      });
    });
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }

  async first(holds: (frame: Frame) => boolean): Promise<Frame> {
    await waitUntil(() => this.frames.some(holds));
    return this.frames.find(holds);
  }

  of(type: string): Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  reply(id: string | number): Promise<Frame> {
    return this.first((frame) => frame.id === id);
  }
}
