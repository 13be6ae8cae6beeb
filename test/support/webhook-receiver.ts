import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { patienceMs } from './patience.ts';

export interface ReceivedPost {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** What it was answered with; 0 where it was not. */
  readonly status: number;
}

/** How a request is answered: with a status, or by something else that a receiver may do. */
export type Answer = number | ((response: ServerResponse) => void);

/** A receiver on this machine that keeps what it was sent, and answers as the test says. */
export class WebhookReceiver {
  readonly posts: ReceivedPost[] = [];
  answer: (body: string, headers: IncomingHttpHeaders) => Answer = () => 204;
  readonly #waiting = new Set<() => void>();
  readonly #server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    // The other side was killed in the middle.
    if (body === undefined) return;
    const answer = this.answer(body, request.headers);
    const status = typeof answer === 'number' ? answer : 0;
    this.posts.push({ path: request.url ?? '', headers: request.headers, body, status });
    if (typeof answer === 'function') answer(response);
    else response.writeHead(answer).end('what is said here is not read');
    for (const look of this.#waiting) look();
  });

  /** On this port, or any. */
  listen(port = 0): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => void this.#server.close(() => resolve()));
  }

  /** Resolves as soon as what was received is so. */
  until(holds: (posts: readonly ReceivedPost[]) => boolean, deadlineMs = patienceMs): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`Never came. Received: ${JSON.stringify(this.posts.map(({ body }) => body))}`));
      }, deadlineMs);
      const look = (): void => {
        if (!holds(this.posts)) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}
