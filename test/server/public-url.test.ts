import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PublicUrl, parsePublicUrl } from '../../src/server/public-url.ts';
import { temporaryDirectory } from '../support/beckon-process.ts';
import { rawRequest } from './raw-http.ts';
import { type RunningServer, startServer, token } from './running-server.ts';
import { WsClient } from './ws-client.ts';

const authorization = `Bearer ${token}`;

function publicUrlOf(text: string): PublicUrl {
  const parsed = parsePublicUrl(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed;
}

async function behind(address: string): Promise<RunningServer> {
  const webRoot = join(await temporaryDirectory(), 'web');
  mkdirSync(webRoot);
  writeFileSync(join(webRoot, 'index.html'), '<head></head><script src="./app.js"></script>');
  return startServer({ publicUrl: publicUrlOf(address), webRoot });
}

/** What a proxy sends on, by which name and with which headers it likes. */
const forwarded = (port: number, line: string, headers: readonly string[], body = '') =>
  rawRequest(
    port,
    [`${line} HTTP/1.1`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close'],
    body,
  );

describe('a public address', () => {
  it('[SEC14] its pages are let in by either name, and under its name no others', async () => {
    const { port } = await behind('https://Beckon.Example.org');
    const status = async (host: string, origin?: string) =>
      (
        await forwarded(port, 'GET /api/sessions', [
          `Host: ${host}`,
          `Authorization: ${authorization}`,
          ...(origin === undefined ? [] : [`Origin: ${origin}`]),
        ])
      ).status;
    const here = `127.0.0.1:${port}`;
    for (const host of ['beckon.example.org', 'BECKON.example.org:443', here]) {
      expect(await status(host), host).toBe(200);
      expect(await status(host, 'https://beckon.example.org'), host).toBe(200);
      for (const origin of ['https://evil.example', 'https://beckon.example.org:8443', 'null'])
        expect(await status(host, origin), `${host} ${origin}`).toBe(403);
      expect(await status(host, 'http://beckon.example.org'), host).toBe(403);
    }
    expect(await status(here, `http://${here}`)).toBe(200);
    for (const host of ['beckon.example.org:80', `beckon.example.org:${port}`, 'example.org', 'evil.example'])
      expect(await status(host), host).toBe(403);
  });

  it('[SEC14] headers in which a proxy tells of itself change nothing, whoever sends them', async () => {
    const { port } = await behind('https://beckon.example.org/room');
    const claims = [
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Prefix: /evil',
      'Forwarded: host=evil.example;proto=https',
    ];
    const made = await forwarded(port, 'POST /api/pairing-code', [
      `Host: 127.0.0.1:${port}`,
      `Authorization: ${authorization}`,
      ...claims,
    ]);
    expect(JSON.parse(made.body).url).toMatch(/^https:\/\/beckon\.example\.org\/room\/#pair=/);
    expect(JSON.parse(made.body).localUrl).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#pair=`));
    const page = await forwarded(port, 'GET /', [`Host: 127.0.0.1:${port}`, ...claims]);
    expect(page.body).toContain('src="/app.js"');
    expect((await forwarded(port, 'GET /', ['Host: evil.example', ...claims])).status).toBe(403);
    const foreign = [`Host: 127.0.0.1:${port}`, 'Origin: https://evil.example', ...claims];
    expect((await forwarded(port, 'GET /', foreign)).status).toBe(403);
  });

  it('[SEC14] below its path the page, the cookie and the API are there, whether the proxy takes the path off or not', async () => {
    const { port, server } = await behind('https://example.org/tools/beckon/');
    const here = `Host: 127.0.0.1:${port}`;
    for (const [host, path] of [
      ['Host: example.org', '/tools/beckon'],
      ['Host: example.org', ''],
      [here, '/tools/beckon'],
    ] as const) {
      const page = await forwarded(port, `GET ${path}/s/some`, [host]);
      expect(page.body).toContain('content="/tools/beckon"');
      expect(page.body).toContain('src="/tools/beckon/app.js"');
      const body = JSON.stringify({ code: server.pairingCode() });
      const json = 'Content-Type: application/json';
      const paired = await forwarded(port, `POST ${path}/api/pair`, [host, json], body);
      expect(paired.head).toMatch(/set-cookie: beckon=\S+; Path=\/tools\/beckon; .*; Secure/i);
    }
    expect((await forwarded(port, 'GET /tools/beckon?x=1', ['Host: example.org'])).status).toBe(200);
    const local = await forwarded(port, 'GET /s/some', [here]);
    expect(local.body).not.toContain('/tools');
    expect(local.body).toContain('src="/app.js"');
    const plain = await forwarded(
      port,
      'POST /api/pair',
      [here, 'Content-Type: application/json'],
      JSON.stringify({ code: server.pairingCode() }),
    );
    expect(plain.head).toMatch(/set-cookie: beckon=\S+; Path=\/; /i);
    expect(plain.head).not.toMatch(/secure/i);
    expect((await forwarded(port, 'GET /tools/beckoning/api/health', [here])).body).not.toContain('"ok"');
  });

  it('[SEC14] a socket comes in below its path for its own pages, and for no others', async () => {
    const { url } = await behind('https://example.org/beckon');
    const open = (path: string, origin: string) =>
      WsClient.open(url + path, { authorization, host: 'example.org', origin });
    for (const path of ['/beckon', '']) {
      const client = await open(path, 'https://example.org');
      expect((await client.first(() => true)).type).toBe('init');
      client.socket.close();
      await expect(open(path, 'https://evil.example')).rejects.toMatchObject({ status: 403 });
      await expect(open(path, 'http://example.org')).rejects.toMatchObject({ status: 403 });
    }
    await expect(open('/beckonx', 'https://example.org')).rejects.toMatchObject({ status: 404 });
  });

  it('[SEC14] what cannot be one is told why', () => {
    const problems: Record<string, RegExp> = {
      'beckon.example.org': /no address/,
      'ftp://example.org': /no address/,
      'https://': /no address/,
      'https://me:secret@example.org': /nothing but/,
      'https://example.org/?a=1': /nothing but/,
      'https://example.org/#pair': /nothing but/,
      'https://example.org/a%22b': /its path/,
      'https://example.org/"><script>': /its path/,
      'https://example.org/api': /must not begin with "\/api"/,
      'https://example.org/assets/x': /must not begin with/,
    };
    for (const [text, problem] of Object.entries(problems))
      expect(parsePublicUrl(text), text).toEqual({ problem: expect.stringMatching(problem) });
    expect(publicUrlOf('https://example.org/a/b//')).toMatchObject({
      url: 'https://example.org/a/b',
      path: '/a/b',
    });
    expect(publicUrlOf('http://[::1]:8080').host).toBe('[::1]:8080');
  });
});
