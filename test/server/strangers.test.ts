import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { graceMs, Strangers } from '../../src/server/auth/strangers.ts';
import { endBeckons, startBeckon } from '../support/beckon-process.ts';
import { rawRequest } from './raw-http.ts';
import { request, startServer, token } from './running-server.ts';
import { waitUntil } from './wait-until.ts';

const authorization = `Bearer ${token}`;
const sockets = new Set<Socket>();
afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await endBeckons();
});

describe('who has not said who they are', () => {
  it.skipIf(process.platform !== 'linux')(
    '[SEC5] costs no memory: 60 strangers that send 31 MB each to a running server',
    async () => {
      const beckon = await startBeckon();
      const port = Number(new URL(beckon.url).port);
      await beckon.api('GET', '/api/sessions');
      const before = memoryOf(beckon.pid, 'VmRSS');
      const heads = ['/api/pair', '/api/sessions', '/mcp/ses_x'].flatMap((route) => [
        [`POST ${route} HTTP/1.1`, 'Content-Length: 32505856'],
        [`POST ${route} HTTP/1.1`, 'Transfer-Encoding: chunked'],
      ]);
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, at) => pour(port, heads[at % heads.length] ?? [], 31 * 1024 * 1024)),
      );
      // 0: dropped without an answer, for there were more than 32 at once.
      expect(answers.filter((status) => ![413, 401, 0].includes(status))).toEqual([]);
      expect(answers).toEqual(expect.arrayContaining([413, 401]));
      expect(memoryOf(beckon.pid, 'VmHWM') - before).toBeLessThan(30);
      expect((await beckon.api('GET', '/api/sessions')).status).toBe(200);
    },
  );

  it.each([
    ['that is announced', ['Content-Length: 65537']],
    ['that comes in chunks', ['Transfer-Encoding: chunked']],
  ])('[SEC5] a body over 64 kB %s is refused before it is all there', async (_, head) => {
    const { port } = await startServer();
    const answer = await rawRequest(
      port,
      ['POST /api/pair HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Content-Type: application/json', ...head],
      head[0]?.startsWith('T') ? `11000\r\n${'x'.repeat(0x11000)}` : '',
    );
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'payload_too_large' } });
  });

  it('[SEC5] a stranger that goes on sending after its answer is cut off', async () => {
    const { port } = await startServer();
    expect(await pour(port, ['POST /api/pair HTTP/1.1', 'Content-Length: 32505856'], 31 * 1024 * 1024)).toBe(
      413,
    );
  });

  it('[SEC5] is let have 32 connections an address; the oldest that ask nothing go first', async () => {
    const { port } = await startServer();
    const idle = await Promise.all(Array.from({ length: 32 }, () => open(port)));
    const later = await open(port);
    await waitUntil(() => idle[0]?.closed ?? false);
    expect(idle.slice(1).filter(({ closed }) => closed)).toEqual([]);
    expect(later.closed).toBe(false);
  });

  it('[SEC5] each connection has its time to show who is there, also one that comes just before others have had theirs', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'performance'] });
    const server = new EventEmitter();
    const strangers = new Strangers(server as Server);
    const connection = (): PassThrough => {
      const socket = Object.assign(new PassThrough(), { remoteAddress: '127.0.0.1' });
      server.emit('connection', socket);
      return socket;
    };
    const idle = connection();
    vi.advanceTimersByTime(graceMs - 1);
    const many = Array.from({ length: 200 }, connection);
    vi.advanceTimersByTime(graceMs - 1);
    expect(many.filter(({ destroyed }) => destroyed)).toEqual([]);
    for (const socket of many.slice(50)) strangers.isKnown(socket);
    vi.advanceTimersByTime(2 * graceMs);
    expect(idle.destroyed).toBe(true);
    expect(many.map(({ destroyed }) => destroyed)).toEqual(many.map((_, at) => at < 18));
  });

  it('[SEC5] who is known is never among those that go, and gets in while strangers pour in', async () => {
    const { port, url } = await startServer();
    const known = await open(port);
    known.write(
      `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${authorization}\r\n\r\n`,
    );
    await waitUntil(() => Boolean(known.bytesRead));
    let isPouring = true;
    let came = 0;
    const strangers = (async () => {
      while (isPouring) {
        await Promise.all(Array.from({ length: 20 }, () => open(port)));
        came += 20;
      }
    })();
    await waitUntil(() => came > 200);
    for (let count = 0; count < 100; count += 1) {
      expect((await request(`${url}/api/sessions`, 'GET', undefined, { authorization })).status).toBe(200);
    }
    isPouring = false;
    await strangers;
    expect(known.closed).toBe(false);
  });

  it('[SEC6] wrong codes, however many, keep no right one out', async () => {
    const { url, port, server } = await startServer();
    const code = server.pairingCode();
    for (let at = 0; at < 200; at += 1) {
      const { status } = await request(`${url}/api/pair`, 'POST', { code: `wrong-${at}` });
      expect([401, 429]).toContain(status);
    }
    expect((await request(`${url}/api/pair`, 'POST', { code })).status).toBe(200);
    // Whoever guesses on one connection is slowed down on that one alone.
    const guesses = await guess(port, 12);
    expect(guesses.filter((status) => status === 401)).toHaveLength(10);
    expect(guesses.at(10)).toBe(429);
    const second = server.pairingCode();
    expect((await request(`${url}/api/pair`, 'POST', { code: second })).status).toBe(200);
  });
});

/** In MB. */
function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    sockets.add(socket);
    socket.on('error', reject);
    socket.resume();
  });
}

/** Sends so many bytes as a body, or as many as are taken; the status of the answer. */
function pour(port: number, head: readonly string[], bytes: number): Promise<number> {
  return new Promise((resolve) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const isChunked = head.some((line) => line.startsWith('Transfer'));
    const piece = isChunked
      ? Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')])
      : chunk;
    const socket = connect(port, '127.0.0.1', () => {
      const lines = [...head, `Host: 127.0.0.1:${port}`, 'Content-Type: application/json', '', ''];
      socket.write(lines.join('\r\n'));
      send();
    });
    sockets.add(socket);
    let sent = 0;
    let answer = '';
    const send = (): void => {
      while (sent < bytes && socket.writable) {
        sent += chunk.length;
        if (!socket.write(piece)) return void socket.once('drain', send);
      }
    };
    socket.on('data', (text) => {
      answer += text.toString();
    });
    socket.on('error', () => undefined);
    // The server ends it: that is what is waited for.
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)));
  });
}

/** Wrong codes, one after the other on one connection, until it is closed. */
async function guess(port: number, times: number): Promise<number[]> {
  const socket = await open(port);
  const body = '{"code":"wrong"}';
  const statuses: number[] = [];
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  for (let at = 1; at <= times && !socket.closed; at += 1) {
    socket.write(
      `POST /api/pair HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await waitUntil(() => (text.match(/HTTP\/1\.1 /g) ?? []).length >= at || socket.closed);
  }
  for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d+)/g)) statuses.push(Number(status));
  return statuses;
}
