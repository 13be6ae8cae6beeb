import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { rawRequest } from './raw-http.ts';
import { startServer } from './running-server.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A built page beside a file that is nobody's business. */
function webRoot(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'beckon-web-'));
  folders.push(folder);
  const root = path.join(folder, 'web');
  mkdirSync(path.join(root, 'assets'), { recursive: true });
  writeFileSync(path.join(folder, 'secret.txt'), 'secret');
  writeFileSync(path.join(root, '.env'), 'secret');
  writeFileSync(path.join(root, 'index.html'), '<title>page</title>');
  writeFileSync(path.join(root, 'assets', 'app-1a2b.js'), 'run()');
  return root;
}

describe('the page', () => {
  it('[SEC1] is served without a token, with a policy that allows nothing from elsewhere', async () => {
    const { url } = await startServer({ webRoot: webRoot() });
    const page = await fetch(url);
    expect(await page.text()).toBe('<title>page</title>');
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('http');
    const script = await fetch(`${url}/assets/app-1a2b.js`);
    expect(script.headers.get('content-type')).toContain('javascript; charset=utf-8');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect(script.headers.get('content-security-policy')).toBe(policy);
    expect(await script.text()).toBe('run()');
  });

  it('[PERF5] a file that a browser has is not sent again; the page itself always is', async () => {
    const { url, port } = await startServer({ webRoot: webRoot() });
    // Not by `fetch`, which asks for a fresh copy whenever it names one.
    const get = (...headers: string[]) =>
      rawRequest(port, [
        'GET /assets/app-1a2b.js HTTP/1.1',
        `Host: localhost:${port}`,
        ...headers,
        'Connection: close',
      ]);
    const [, etag] = /^etag: (.+)$/im.exec((await get()).head) ?? [];
    expect(etag).toBeDefined();
    const again = await get(`If-None-Match: ${etag}`);
    expect(again).toMatchObject({ status: 304, body: '' });
    expect(again.head).toContain("default-src 'self'");
    expect(await get('If-None-Match: "other"')).toMatchObject({ status: 200, body: 'run()' });
    const page = await fetch(url, { headers: { 'if-none-match': '*' } });
    expect(await page.text()).toBe('<title>page</title>');
  });

  it('[UI1] every path of the page itself gives the index; a file that is missing is 404', async () => {
    const { url } = await startServer({ webRoot: webRoot() });
    expect(await (await fetch(`${url}/sessions/abc?x=1`)).text()).toBe('<title>page</title>');
    expect((await fetch(`${url}/assets/gone-1.js`)).status).toBe(404);
    expect((await fetch(`${url}/`, { method: 'POST' })).status).toBe(404);
  });

  it('[SEC1] nothing outside its folder is served, however it is asked for', async () => {
    const { port } = await startServer({ webRoot: webRoot() });
    const tries = [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/assets/../../secret.txt',
      '/assets/%2e%2e/%2e%2e/secret.txt',
      '/..%5csecret.txt',
      '/.env',
      '//secret.txt',
      '/assets/..%00/secret.txt',
      '/index.html%00.txt',
    ];
    for (const target of tries) {
      const answer = await rawRequest(port, [`GET ${target} HTTP/1.1`, `Host: localhost:${port}`]);
      expect(answer.body, target).not.toContain('secret');
      expect(answer.status, target).not.toBe(500);
    }
  });

  it('[SEC1] without a built page, one that needs no script tells what to do', async () => {
    const { url } = await startServer();
    const page = await fetch(url);
    const text = await page.text();
    expect(text).toContain('beckon new');
    expect(text).not.toMatch(/<script|<style|style=|onclick/);
    expect((await fetch(`${url}/other`)).status).toBe(404);
  });
});
