import { Agent, type IncomingMessage, request } from 'node:http';

export interface Frame {
  readonly event: string;
  readonly data: string;
}

/** Requests over connections that are kept, and streams of server-sent events. */
export class HttpClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  // More at once than the system lets wait to be accepted (511) would be reset by it, and none of them answered sooner.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });

  constructor(base: string, headers: Readonly<Record<string, string>> = {}) {
    this.#base = base;
    this.#headers = headers;
  }

  async get<T>(path: string): Promise<T> {
    return JSON.parse(await this.#send('GET', path)) as T;
  }

  post(path: string, body: string): Promise<string> {
    return this.#send('POST', path, body);
  }

  /** Settles when the stream has begun; the function it gives ends it. */
  follow(path: string, onFrame: (frame: Frame) => void): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const asked = request(this.#base + path, { headers: this.#headers, agent: false }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
        readFrames(response, onFrame);
        resolve(() => asked.destroy());
      });
      asked.on('error', reject);
      asked.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** A kept connection may have been closed by the other side just when it was used again: then once more, on another. */
  async #send(method: string, path: string, body?: string): Promise<string> {
    for (;;) {
      try {
        return await this.#sendOnce(method, path, body);
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error;
      }
    }
  }

  #sendOnce(method: string, path: string, body: string | undefined): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? this.#headers : { ...this.#headers, ...lengthOf(body) };
      const asked = request(this.#base + path, { method, headers, agent: this.#agent }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          if (status >= 200 && status < 300) resolve(text);
          else reject(new Error(`${method} ${path}: ${status} ${text}`));
        });
        response.on('error', reject);
      });
      asked.on('error', (error: NodeJS.ErrnoException) => {
        reject(asked.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection() : error);
      });
      asked.end(body);
    });
  }
}

class StaleConnection extends Error {}

const lengthOf = (body: string): Record<string, string> => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(body)),
});

function readFrames(response: IncomingMessage, onFrame: (frame: Frame) => void): void {
  let rest = '';
  response.setEncoding('utf8');
  response.on('error', () => undefined);
  response.on('data', (chunk: string) => {
    const text = rest + chunk;
    let from = 0;
    for (let to = text.indexOf('\n\n'); to !== -1; to = text.indexOf('\n\n', from)) {
      const frame = frameOf(text, from, to);
      if (frame !== undefined) onFrame(frame);
      from = to + 2;
    }
    rest = text.slice(from);
  });
}

/** Both hosts write `event:` right before `data:`, and that last. */
function frameOf(text: string, from: number, to: number): Frame | undefined {
  const event = text.indexOf('event: ', from);
  const data = text.indexOf('\ndata: ', event);
  if (event === -1 || event > to || data === -1 || data > to) return undefined;
  return { event: text.slice(event + 7, data), data: text.slice(data + 7, to) };
}
