import { beforeAll, expect, it } from 'vitest';
import { storeSessions } from '../../../bench/stored-sessions.ts';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { phone, withBrowser } from './browser.ts';
import { focused } from './focus.ts';

const stored = 900;

const { come } = withBrowser({ servers: 'all tests' });
let beckon: Beckon;
beforeAll(async () => {
  const dataDir = await temporaryDirectory();
  await storeSessions(
    dataDir,
    Array.from({ length: stored }, () => 11),
  );
  beckon = await startBeckon({ dataDir });
});

it('[UI15] the list shows the sessions used last, and older ones on demand', async () => {
  const { page, problems } = await come(beckon, '/sessions', phone);
  const rows = page.locator('main a[href^="/s/"]');
  const older = page.locator('main').getByRole('button', { name: 'Show older (700)' });
  await older.waitFor();
  await expect.poll(() => rows.count()).toBe(200);
  await older.click();
  await page.locator('main').getByRole('button', { name: 'Show older (500)' }).waitFor();
  await expect.poll(() => rows.count()).toBe(400);
  await expect.poll(() => page.locator('main').getByText('400+').count()).toBe(1);
  expect(await violationsOf(page)).toEqual([]);
  expect(problems).toEqual([]);
});

it('[UI15] the board finds any session by its words, and its oldest cards are a page away', async () => {
  const { page } = await come(beckon, '/board');
  const cards = page.locator('[data-card]');
  await page.locator('main').getByRole('button', { name: 'Show older (700)' }).first().waitFor();
  await expect.poll(() => cards.count()).toBe(200);
  await page.getByRole('searchbox').fill('ses_bench_17');
  // 17 and 170 to 179, of which the page was told none.
  await expect.poll(() => cards.count()).toBe(11);
});

it('[UI15] the palette finds a session that the page was not told of, and its page opens', async () => {
  const { page, problems } = await come(beckon, '/');
  await page.getByText('asleep').first().waitFor();
  await page.keyboard.press('Control+k');
  await focused(page.getByRole('combobox', { name: 'Search and commands' }));
  await page.keyboard.type('session ses_bench_137');
  await page
    .getByRole('option', { name: /Stored session ses_bench_137\b/ })
    .first()
    .click();
  await page.waitForURL('**/s/ses_bench_137');
  await page.getByRole('heading', { name: 'Stored session ses_bench_137' }).waitFor();
  await page.getByText('please do number 4').first().waitFor();
  expect(problems).toEqual([]);
});

it('[UI15] the address of any session opens it, by id or key, and it goes on when it is written to', async () => {
  const { page } = await come(beckon, '/s/key-of-ses_bench_7');
  await page.getByRole('heading', { name: 'Stored session ses_bench_7' }).waitFor();
  await page.getByRole('textbox', { name: /message/i }).fill('hello');
  await page.keyboard.press('Enter');
  await page.getByText('I am the demo agent', { exact: false }).first().waitFor();
  const none = await come(beckon, '/s/nobody');
  await none.page.getByText('There is no such session').first().waitFor();
});
