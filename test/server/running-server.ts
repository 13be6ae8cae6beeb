import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach } from 'vitest';
import type { ControlRoom } from '../../src/engine/ports/control-room.ts';
import type { EventLog } from '../../src/engine/ports/event-log.ts';
import { createServer, type Server, type ServerOptions } from '../../src/server/create-server.ts';
import { patienceMs } from '../support/patience.ts';
import { type ScriptedRoom, scriptedRoom } from './scripted-room.ts';

export const token = 'a-token-for-tests-0123456789';

export interface RunningServer extends ScriptedRoom {
  readonly server: Server;
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  /** What the server logged, one JSON line each. */
  readonly logged: readonly string[];
  /** A request with the token. */
  call(method: string, route: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly error?: {
      readonly code: string;
      readonly message: string;
      readonly details?: Record<string, unknown>;
    };
    readonly [field: string]: unknown;
  };
}

export interface StartOptions extends Partial<Omit<ServerOptions, 'room'>> {
  /** Stands between the server and the real room. */
  readonly through?: (room: ControlRoom) => ControlRoom;
  readonly log?: EventLog;
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Starts a server on a free port with a room of its own; it is ended after the test. */
export async function startServer({ through, log, ...options }: StartOptions = {}): Promise<RunningServer> {
  const scripted = await scriptedRoom(log);
  const dataDir = options.dataDir ?? mkdtempSync(path.join(tmpdir(), 'beckon-data-'));
  const logged: string[] = [];
  ends.push(async () => {
    await scripted.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const server = createServer({
    room: through === undefined ? scripted.room : through(scripted.room),
    token,
    dataDir,
    host: '127.0.0.1',
    port: 0,
    version: '1.2.3',
    logger: pino({ level: 'warn' }, { write: (line) => void logged.push(line) }),
    ...options,
  });
  ends.push(() => server.close());
  const { url, port } = await server.listen();
  return {
    ...scripted,
    server,
    url,
    port,
    dataDir,
    logged,
    call: (method, route, body, headers) =>
      request(`${url}${route}`, method, body, { authorization: `Bearer ${token}`, ...headers }),
  };
}

/** A request as it stands: a body that is no string is sent as JSON. */
export async function request(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(patienceMs),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}
