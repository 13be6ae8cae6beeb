import type { Page, WebSocket } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

const { come } = withBrowser();

/** What the page says and hears on its live connection, and the streams and snapshots it asks for beside it. */
function listenIn(page: Page) {
  const traffic = { said: [] as string[], heard: [] as string[], sockets: 0, streams: 0 };
  const typeIn = (payload: string | Buffer): string => JSON.parse(String(payload)).type;
  page.on('websocket', (socket: WebSocket) => {
    traffic.sockets += 1;
    socket.on('framesent', ({ payload }) => traffic.said.push(typeIn(payload)));
    socket.on('framereceived', ({ payload }) => traffic.heard.push(typeIn(payload)));
  });
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/events') traffic.streams += 1;
  });
  return traffic;
}

const count = (list: readonly string[], type: string): number => list.filter((each) => each === type).length;

const restingSessions = async (beckon: Beckon, cwd: string): Promise<readonly string[]> =>
  startSessions(
    beckon,
    ['First', 'Second', 'Third'].map((title) => ({ title, prompt: 'hello', status: 'idle' })),
    cwd,
  );

describe('the live connection of the page', () => {
  it('[MULTI10] ten tabs of one browser all hear, and an Allow in the last works at once', async () => {
    const cwd = await temporaryDirectory();
    const beckon = await startBeckon();
    const asking = { title: 'Asking', prompt: 'run echo made', status: 'waiting' };
    const [id = ''] = await startSessions(beckon, [asking], cwd);
    const { context, page } = await come(beckon, `/s/${id}`);
    const pages = [page];
    for (let tab = 2; tab <= 10; tab += 1) {
      const next = await context.newPage();
      await next.goto(`${beckon.url}/s/${id}`);
      await next.getByRole('main').locator('[data-ask]').waitFor();
      pages.push(next);
    }
    const last = pages.at(-1) ?? expect.fail();
    await last.getByRole('main').getByRole('button', { name: 'Allow', exact: true }).click();
    for (const each of pages) {
      await each.getByText('I ran echo made').waitFor();
      await each.getByRole('main').locator('[data-ask]').waitFor({ state: 'detached' });
    }
  });

  it('[MULTI10] opening a session is one frame: no new stream, no snapshot', async () => {
    const beckon = await startBeckon();
    const ids = await restingSessions(beckon, await temporaryDirectory());
    const { page } = await come(beckon, '/inbox');
    // Loaded anew, so that what was there from the beginning is counted as well.
    const traffic = listenIn(page);
    await page.reload();
    const row = page.locator(`a[href="/s/${ids[1]}"]`).first();
    await row.waitFor();
    await expect.poll(() => count(traffic.heard, 'init')).toBe(1);
    expect(traffic).toMatchObject({ sockets: 1, streams: 0 });
    const before = { said: count(traffic.said, 'subscribe'), acks: count(traffic.heard, 'ack') };

    await row.click();
    await page.waitForURL(`**/s/${ids[1]}`);
    await page.getByRole('main').getByText('hello').first().waitFor();
    await expect.poll(() => count(traffic.heard, 'ack')).toBe(before.acks + 1);
    expect(count(traffic.said, 'subscribe')).toBe(before.said + 1);
    expect(count(traffic.heard, 'init') + count(traffic.heard, 'resync')).toBe(1);
    expect(traffic).toMatchObject({ sockets: 1, streams: 0 });

    await beckon.api('POST', `/api/sessions/${ids[1]}/message`, { message: 'and again' });
    await page.getByRole('main').getByText('and again').first().waitFor();
    await expect.poll(() => count(traffic.heard, 'chat_event')).toBeGreaterThan(0);
  });
});
