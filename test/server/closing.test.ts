import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../src/protocol/errors.ts';
import { startServer, token } from './running-server.ts';
import { SseReader } from './sse-reader.ts';
import { waitUntil } from './wait-until.ts';

const headers = { authorization: `Bearer ${token}` };
const stream = { ...headers, accept: 'text/event-stream' };

describe('closing', () => {
  it('[API1] close() ends streams and sockets at once and frees the port', async () => {
    const { url, server, newSession } = await startServer();
    const { id } = await newSession();
    const readers = [
      await SseReader.open(`${url}/api/events`, headers),
      await SseReader.open(`${url}/api/sessions/${id}/events`, stream),
    ];
    await server.close();
    await Promise.all(readers.map((reader) => reader.ended));
    await expect(fetch(`${url}/api/health`)).rejects.toThrow();
  });

  it('[API1] a request that is being answered gets its answer, a new one 503', async () => {
    let release = (_: Result<never>): void => undefined;
    let asked = 0;
    const { call, server, port } = await startServer({
      through: (room) => ({
        ...room,
        dispatch: () => {
          asked += 1;
          return new Promise((resolve) => {
            release = resolve;
          });
        },
      }),
    });
    const open = call('GET', '/api/sessions');
    await waitUntil(() => asked === 1);
    let late = '';
    const unused = connect(port, '127.0.0.1');
    await new Promise((resolve) => unused.once('connect', resolve));
    // Only a connection that the server has taken is one that it still serves.
    await call('GET', '/api/health');
    const closed = server.close();
    unused.on('data', (chunk) => {
      late += String(chunk);
    });
    unused.write(`GET /api/sessions HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    await waitUntil(() => late.includes('}}'));
    release({ ok: false, refusal: { code: 'no_turn_running', message: 'No.' } });
    expect(await open).toMatchObject({ status: 409 });
    expect(late).toMatch(/^HTTP\/1.1 503 /);
    expect(late).toContain('shutting_down');
    await closed;
  });
});
