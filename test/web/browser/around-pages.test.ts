import { beforeAll, describe, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { drawn, withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

const { come } = withBrowser({ servers: 'all tests' });
let beckon: Beckon;
beforeAll(async () => {
  beckon = await startBeckon();
});

describe('addresses', () => {
  it('[UI16] one that no page has says so, and leads back', async () => {
    const { page, problems } = await come(beckon, '/no/such/page');
    await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Mission Control' }).click();
    await page.waitForURL(`${beckon.url}/`);
    expect(problems).toEqual([]);
  });

  it.each(['/s/%', '/s/%E0%A4', '/s/100%25'])(
    '[UI16] %s is the name of no session, not a broken page',
    async (path) => {
      const { page, problems } = await come(beckon, '/');
      await page.evaluate((to) => history.pushState(null, '', to), path);
      await page.getByText('There is no such session').first().waitFor();
      // The server was asked, and has no such session: that the browser notes as an error of its own.
      expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
    },
  );

  it('[SES1] [UI16] a session is found by a key with signs that an address writes otherwise', async () => {
    const cwd = await temporaryDirectory();
    await beckon.api('POST', '/api/sessions', {
      agent: 'demo',
      cwd,
      title: 'Odd key',
      key: '50% of a/b?c#d',
    });
    const { page } = await come(beckon, `/s/${encodeURIComponent('50% of a/b?c#d')}`);
    await page.getByRole('heading', { name: 'Odd key' }).waitFor();
  });
});

describe('a dialog', () => {
  it('[UI16] stays when a selection is dragged out of it, and closes by a press beside it', async () => {
    const { page } = await come(beckon, '/');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Everywhere' }).waitFor();
    const box = await dialog.boundingBox();
    if (box === null) throw new Error('The dialog is not shown');
    await page.mouse.move(box.x + 40, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(5, 5, { steps: 4 });
    await page.mouse.up();
    expect(await dialog.isVisible()).toBe(true);
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: 'detached' });
  });

  it('[UI16] what is told meanwhile is heard, and can be put away, in front of it', async () => {
    const { page } = await come(beckon, '/');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await startSessions(
      beckon,
      [1, 2, 3].map((n) => ({ title: `Asks ${n}`, prompt: `run echo ${n}`, status: 'waiting' })),
      await temporaryDirectory(),
    );
    // What is beside a modal dialog is inert, and not heard.
    const heard = page.getByRole('dialog').getByRole('status').filter({ hasText: 'Asks' });
    await expect
      .poll(async () => (await heard.textContent())?.match(/Asks \d asks/g)?.toSorted())
      .toEqual(['Asks 1 asks', 'Asks 2 asks', 'Asks 3 asks']);
  });
});

describe('a part that the server no longer has', () => {
  it('[UI35] says so in its place, as a dialog and as a page, leaves the rest alone, and is there after a reload', async () => {
    const { page } = await come(beckon, '/board');
    await page.getByRole('heading', { name: 'Board' }).waitFor();
    await page.route(/\/assets\/(help|settings-page)-/, (route) => route.fulfill({ status: 404 }));
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('A part of the page could not be fetched').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Settings' }).first().click();
    const main = page.getByRole('main');
    await main.getByText('A part of the page could not be fetched').waitFor();
    await page.getByRole('navigation').first().getByRole('link', { name: 'Board' }).click();
    await page.getByRole('heading', { name: 'Board' }).waitFor();
    await page.goBack();
    await main.getByText('A part of the page could not be fetched').waitFor();
    await page.unroute(/\/assets\/(help|settings-page)-/);
    await main.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await drawn(page);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });
});
