import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

interface OpenStream {
  readonly heard: Heard;
  send(text: string): void;
  /** One whole message. */
  tell(event: string, data: unknown, id?: string): void;
  end(): void;
}

export interface FakeServer {
  readonly url: string;
  readonly heard: readonly Heard[];
  /** The next stream that a client opens. */
  nextStream(): Promise<OpenStream>;
  /** Refuses the next request, whatever it is. */
  refuseNext(status: number, body: string): void;
  close(): Promise<void>;
}

export type Answerer = (heard: Heard) => { readonly status: number; readonly body: unknown };

/** A stand-in for the server's HTTP side: plain replies by a function, streams by hand. */
export async function startFakeServer(
  answer: Answerer = () => ({ status: 200, body: {} }),
): Promise<FakeServer> {
  const heard: Heard[] = [];
  const opened: OpenStream[] = [];
  const waiting: ((stream: OpenStream) => void)[] = [];
  let refusal: { status: number; body: string } | undefined;

  const server = createServer((request, response) => {
    void hear(request).then((each) => {
      heard.push(each);
      if (refusal !== undefined) {
        const { status, body } = refusal;
        refusal = undefined;
        response.writeHead(status).end(body);
      } else if (each.headers.accept === 'text/event-stream') {
        const stream = streamOn(response, each);
        const next = waiting.shift();
        if (next === undefined) opened.push(stream);
        else next(stream);
      } else {
        const { status, body } = answer(each);
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    nextStream() {
      const stream = opened.shift();
      return stream === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(stream);
    },
    refuseNext(status, body) {
      refusal = { status, body };
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function hear(request: IncomingMessage): Promise<Heard> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
  return {
    method: request.method ?? '',
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

function streamOn(response: ServerResponse, heard: Heard): OpenStream {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  return {
    heard,
    send: (text) => void response.write(text),
    tell: (event, data, id) =>
      void response.write(
        `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
      ),
    end: () => void response.destroy(),
  };
}
