import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { WsClient } from '../../server/ws-client.ts';
import { spawnBeckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { violationsOf } from './accessibility.ts';
import { withBrowser } from './browser.ts';
import { startSessions, threeSessions, untilStatus } from './demo-sessions.ts';

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const { come } = withBrowser();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** What an agent may run on another port of this machine, and show to the person. */
async function devServer(
  body: string,
): Promise<{ readonly url: string; readonly heard: IncomingHttpHeaders[] }> {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    response.setHeader('content-type', 'text/html').end(body);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

describe('a cookie that another port got hold of', () => {
  it('[SEC7] opens nothing, whatever else is sent with it', async () => {
    const beckon = await startBeckon();
    const [id = ''] = await startSessions(beckon, threeSessions.slice(2), await temporaryDirectory());
    const { page } = await come(beckon, '/');
    await page.getByRole('article').first().waitFor();
    const dev = await devServer('<h1>My app</h1>');
    await page.goto(dev.url);
    const cookie = dev.heard[0]?.cookie ?? '';
    expect(cookie).toMatch(/^beckon=\S{40,}$/);

    const requestId = (await beckon.api('GET', `/api/sessions/${id}/pending`)).body.pending[0].requestId;
    const host = new URL(beckon.url).host;
    const disguises: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: beckon.url },
      { origin: beckon.url, 'sec-fetch-site': 'same-origin', referer: `${beckon.url}/`, host },
      { 'x-beckon-key': '' },
      { 'x-beckon-key': cookie.slice('beckon='.length) },
      { 'x-beckon-client': 'page', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' },
    ];
    for (const disguise of disguises) {
      const reply = await fetch(`${beckon.url}/api/sessions/${id}/approve`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, ...disguise },
        body: JSON.stringify({ requestId, decision: 'allow' }),
      });
      expect(reply.status, JSON.stringify(disguise)).toBe(401);
      const read = await fetch(`${beckon.url}/api/sessions`, { headers: { cookie, ...disguise } });
      expect(read.status, JSON.stringify(disguise)).toBe(401);
      if (disguise['x-beckon-key']) {
        await expect(WsClient.open(beckon.url, { cookie, ...disguise })).rejects.toMatchObject({
          status: 401,
        });
        continue;
      }
      // A socket may come, but is told nothing and does nothing.
      const socket = await WsClient.open(beckon.url, { cookie, ...disguise });
      socket.send({ id: 1, type: 'approve_tool', sessionId: id, requestId, decision: 'allow' });
      await eventually('the socket is closed', () => socket.closed !== undefined);
      expect(socket.frames).toMatchObject([{ type: 'error', id: 1, error: { code: 'key_missing' } }]);
    }
    const after = await beckon.api('GET', `/api/sessions/${id}/pending`);
    expect(after.body.pending).toMatchObject([{ requestId, status: 'open' }]);
    // The page itself goes on, also after a reload.
    await page.goto(`${beckon.url}/s/${id}`);
    await page.getByRole('button', { name: 'Allow', exact: true }).first().waitFor();
  });

  it('[SEC2] [SEC7] nor does a script of the other port get in through the browser', async () => {
    const beckon = await startBeckon();
    const { page } = await come(beckon, '/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    const dev = await devServer(`<h1>My app</h1>`);
    await page.goto(dev.url);
    const statuses = await page.evaluate(async (url) => {
      const post = async (init: RequestInit): Promise<string> => {
        try {
          return String((await fetch(`${url}/api/sessions`, { credentials: 'include', ...init })).status);
        } catch {
          return 'refused';
        }
      };
      const socket = new WebSocket(`${url.replace('http', 'ws')}/api/ws`);
      const ws = await new Promise<string>((resolve) => {
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('refused');
      });
      return [
        await post({}),
        await post({ method: 'POST', body: '{}' }),
        await post({ method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }),
        await post({ method: 'POST', body: '{"code":"x"}', mode: 'no-cors' }),
        localStorage.getItem('beckon.key') ?? 'nothing',
        ws,
      ];
    }, beckon.url);
    expect(statuses).toEqual(['refused', 'refused', 'refused', 'refused', 'nothing', 'refused']);
    expect((await beckon.api('GET', '/api/sessions')).body.sessions).toEqual([]);
  });
});

describe('a paired browser', () => {
  it('[SEC7] sees pictures, saves raw output and speaks over a WebSocket, all with its key', async () => {
    const beckon = await startBeckon();
    const [id = ''] = await startSessions(beckon, threeSessions.slice(0, 1), await temporaryDirectory());
    await beckon.api('POST', `/api/sessions/${id}/message`, {
      message: 'image',
      images: [{ mediaType: 'image/png', data: picture }],
    });
    const { page, problems, context } = await come(beckon, `/s/${id}`);
    const shown = page.getByRole('img', { name: 'Picture 1' }).first();
    await shown.waitFor();
    await expect.poll(() => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
    const [opened] = await Promise.all([context.waitForEvent('page'), shown.click()]);
    await opened.waitForURL(/^blob:/);
    await opened.close();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the raw log' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${id}.ndjson.txt`);
    expect(await readFile(await download.path(), 'utf8')).toContain('== out ');

    // What is told meanwhile of a session at work would be heard, too.
    await untilStatus(beckon, id, 'idle');
    const frames = await page.evaluate(async () => {
      const socket = new WebSocket(`ws://${location.host}/api/ws`);
      const types: string[] = [];
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      socket.send(JSON.stringify({ id: 1, type: 'hello', key: localStorage.getItem('beckon.key') }));
      await new Promise<void>((resolve) => {
        socket.onmessage = ({ data }) => {
          types.push(JSON.parse(data).type);
          if (types.at(-1) === 'ack') resolve();
        };
      });
      socket.close();
      return types;
    });
    expect(frames).toEqual(['init', 'ack']);
    expect(problems).toEqual([]);
  });

  it('[SEC7] that has lost its key, or never had one, is asked to pair again, in words', async () => {
    const beckon = await startBeckon();
    const { page } = await come(beckon, '/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.evaluate(() => localStorage.removeItem('beckon.key'));
    await page.reload();
    await page.getByRole('heading', { name: 'Let this browser in' }).waitFor();
    await page.getByText(/paired before, and must be paired once more/).waitFor();
    const { body } = await beckon.api('POST', '/api/pairing-code', {});
    await page.getByRole('textbox', { name: 'Link or code' }).fill(body.code);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  });
});

describe('where only devices decide', () => {
  it('[SEC8] [SEC9] a terminal is refused, is unlocked by its code on the page, decides, and is locked again', async () => {
    const dataDir = await temporaryDirectory();
    const first = await startBeckon({ dataDir });
    const { page, problems } = await come(first, '/');
    await page.getByRole('link', { name: 'Mission Control' }).waitFor();
    await first.stop();
    const args = ['--decide', 'devices', '--port', new URL(first.url).port];
    const beckon = await startBeckon({ dataDir, args });
    expect(beckon.stdout()).toBe(`Beckon is ready: ${first.url}\n`);
    const cwd = await temporaryDirectory();
    const [id = ''] = await startSessions(
      beckon,
      [{ title: 'Ask me', prompt: 'write notes.md', status: 'waiting' }],
      cwd,
    );
    const refused = await beckon.run(['approve']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('beckon unlock') });
    expect(await beckon.run(['pair'])).toMatchObject({ code: 1 });

    const terminal = spawnBeckon(['unlock', '10', '--data-dir', dataDir]);
    const place = await terminal.seen('Code ');
    await terminal.seen('\n', place);
    const code = terminal.stdout().slice(place, place + 4);
    const wish = page.getByRole('form', { name: /wants to decide for you, for 10 min/ });
    await wish.waitFor();
    await wish.getByRole('textbox').fill('zzzz');
    await wish.getByRole('button', { name: 'Unlock' }).click();
    await wish.getByRole('alert').getByText('This is not the code that the terminal shows.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await wish.getByRole('textbox').fill(code.toLowerCase());
    await page.keyboard.press('Enter');
    await terminal.seen('Unlocked for 10 minutes.');
    await page.getByText(/decides for you, another (9|10) min/).waitFor();

    terminal.child.stdin?.write('approve\n');
    await terminal.seen('allowed: Write');
    await eventually('the file is there', () => existsSync(join(cwd, 'notes.md')));
    const decided = (await beckon.api('GET', `/api/sessions/${id}/events`)).body.events.find(
      ({ type }: { type: string }) => type === 'interaction.decided',
    );
    expect(decided.by.where).toMatch(/^terminal \S+@\S+/);

    await page.getByRole('button', { name: 'Lock it' }).click();
    await page.getByText(/decides for you, another/).waitFor({ state: 'detached' });
    terminal.child.stdin?.write('pending\n');
    expect((await terminal.exited).code).toBe(1);
    expect(terminal.stderr()).toContain('this terminal is locked again');
    // The connection was lost with the first server, and a wrong code was refused.
    expect(
      problems.filter((problem) => !/^(Failed to load resource|WebSocket connection)/.test(problem)),
    ).toEqual([]);
  });
});
