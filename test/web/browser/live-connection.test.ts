import type { Page, WebSocket } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';
import { heapOf } from './figures.ts';
import { storeSession } from './stored-session.ts';
import { long } from './told-conversations.ts';

const { come } = withBrowser();

/** Opens a page anew, and notes what it says and hears on its live connection, and the streams it asks for beside it. */
async function listenIn(page: Page, url: string) {
  // The connection of the page before must not be counted.
  await page.goto('about:blank');
  const traffic = { said: [] as string[], heard: [] as string[], asked: 0, sockets: 0, streams: 0 };
  const typeIn = (payload: string | Buffer): string => JSON.parse(String(payload)).type;
  page.on('websocket', (socket: WebSocket) => {
    traffic.sockets += 1;
    socket.on('framesent', ({ payload }) => {
      traffic.said.push(typeIn(payload));
      if ('id' in JSON.parse(String(payload))) traffic.asked += 1;
    });
    socket.on('framereceived', ({ payload }) => traffic.heard.push(typeIn(payload)));
  });
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/events') traffic.streams += 1;
  });
  await page.goto(url);
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
  }, 120_000);

  it('[MULTI10] opening a session is one frame: no new stream, no snapshot', async () => {
    const beckon = await startBeckon();
    const ids = await restingSessions(beckon, await temporaryDirectory());
    const { page } = await come(beckon, '/inbox');
    const traffic = await listenIn(page, `${beckon.url}/inbox`);
    const row = page.locator(`a[href="/s/${ids[1]}"]`).first();
    await row.waitFor();
    await expect.poll(() => count(traffic.heard, 'init')).toBe(1);
    await expect.poll(() => count(traffic.heard, 'ack')).toBe(traffic.asked);
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

  it('[MULTI13] a page that has shown forty sessions follows the last few, and is no larger for the next forty', async () => {
    const dataDir = await temporaryDirectory();
    const ids = Array.from({ length: 40 }, (_, n) => `ses_stored${n}`);
    for (const id of ids) await storeSession(dataDir, { id, title: id, events: long(600) });
    const beckon = await startBeckon({ dataDir });
    const { page } = await come(beckon, '/inbox');
    const traffic = await listenIn(page, `${beckon.url}/inbox`);
    await page.getByRole('heading').first().waitFor();
    const showAll = async (): Promise<void> => {
      for (const id of ids) {
        await page.evaluate((path) => history.pushState(null, '', path), `/s/${id}`);
        await page.getByRole('heading', { name: id, exact: true }).waitFor();
        await page.locator('[data-entry]').first().waitFor();
      }
    };
    await showAll();
    const before = await heapOf(page);
    await showAll();
    const after = await heapOf(page);
    await expect.poll(() => count(traffic.said, 'subscribe')).toBe(80);
    await expect
      .poll(() => count(traffic.said, 'subscribe') - count(traffic.said, 'unsubscribe'))
      .toBeLessThanOrEqual(14);
    expect(count(traffic.heard, 'init')).toBe(1);
    expect(after - before).toBeLessThan(4_000_000);
  }, 120_000);
});
